// Problem.cpp - checks and keys of problems.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Problem.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

using namespace rnnrt;

extern "C" int64_t rnnrt_dtype_size(int32_t dtype) {
  static const int64_t sizes[] = {2, 2, 4, 8, 1, 1, 2, 4, 8};
  return dtype >= 0 && dtype <= RNNRT_DTYPE_I64 ? sizes[dtype] : 0;
}

extern "C" const char *rnnrt_dtype_name(int32_t dtype) {
  static const char *const names[] = {"f16", "bf16", "f32", "f64", "i1", "i8", "i16", "i32", "i64"};
  return dtype >= 0 && dtype <= RNNRT_DTYPE_I64 ? names[dtype] : "unknown";
}

//===-- Descriptions ---------------------------------------------------------------------------------------------===//

static void append(std::string &text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(std::string &text, const char *format, ...) {
  char buffer[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof(buffer), format, arguments);
  va_end(arguments);
  text += buffer;
}

/// The shortest form that reads back as the same number.
static void appendNumber(std::string &text, const char *name, double value) {
  char buffer[64];
  for (int digits : {6, 17}) {
    std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value)
      break;
  }
  append(text, " %s=%s", name, buffer);
}

static void appendSizes(std::string &text, int64_t l, int64_t t, int64_t b, int64_t i, int64_t h, int64_t d) {
  append(text, " l%lld_t%lld_b%lld_i%lld_h%lld_d%lld", (long long)l, (long long)t, (long long)b, (long long)i,
         (long long)h, (long long)d);
}

std::string RnnProblem::describe() const {
  static const char *const modes[] = {"rnn_relu", "rnn_tanh", "lstm", "gru"};
  std::string text = modes[int(mode)];
  appendSizes(text, layers, steps, batch, input, hidden, directions());
  if (projected())
    append(text, " num_proj=%lld", (long long)projection);
  append(text, " dtype=%s", rnnrt_dtype_name(dtype));
  if (skipInput)
    text += " input_mode=skip_input";
  append(text, " training=%d", training);
  if (batchMajor)
    text += " batch_major=1";
  if (fused)
    text += " lowering=fused";
  if (drops()) {
    appendNumber(text, "dropout", dropout);
    append(text, " seed=%lld seed2=%lld", (long long)seed, (long long)seed2);
  }
  return text;
}

uint64_t RnnProblem::hashReserve() const {
  RnnProblem same = *this;
  same.fused = same.batchMajor = false;
  const std::string key = same.describe();
  return hashBytes(key.data(), key.size());
}

std::string BlockProblem::describe() const {
  std::string text = "block_lstm";
  appendSizes(text, 1, steps, batch, input, hidden, 1);
  append(text, " dtype=%s layout=%s peephole=%d", rnnrt_dtype_name(dtype), layout == GateOrder::Icfo ? "icfo" : "ifco",
         peephole);
  if (batchMajor)
    text += " batch_major=1";
  appendNumber(text, "forget_bias", forgetBias);
  appendNumber(text, "cell_clip", cellClip);
  return text;
}

uint64_t rnnrt::hashBytes(const void *data, size_t bytes, uint64_t hash) {
  auto *p = static_cast<const unsigned char *>(data);
  for (size_t k = 0; k < bytes; ++k)
    hash = (hash ^ p[k]) * 0x100000001b3;
  return hash;
}

//===-- Rules ----------------------------------------------------------------------------------------------------===//

static Status expectRange(const char *name, int64_t value, int64_t low, int64_t high) {
  if (value < low || value > high)
    return invalidArgument("expects %s to be in [%lld, %lld], but got %lld", name, (long long)low, (long long)high,
                           (long long)value);
  return Status();
}

static Status expectAtLeast(const char *name, int64_t value, int64_t low) {
  if (value < low)
    return invalidArgument("expects %s to be at least %lld, but got %lld", name, (long long)low, (long long)value);
  return Status();
}

Status rnnrt::makeRnnProblem(int32_t dtype, int32_t mode, int32_t inputMode, int32_t direction, int32_t training,
                             int32_t batchMajor, double dropout, int64_t seed, int64_t seed2, int64_t steps,
                             int64_t batch, int64_t input, int64_t hidden, int64_t projection, int64_t layers,
                             RnnProblem &out) {
  RNNRT_TRY(expectRange("the element type", dtype, RNNRT_DTYPE_F16, RNNRT_DTYPE_F64));
  RNNRT_TRY(expectRange("the mode", mode, 0, 3));
  RNNRT_TRY(expectRange("the input mode (resolved)", inputMode, 0, 1));
  RNNRT_TRY(expectRange("the direction", direction, 0, 1));
  RNNRT_TRY(expectRange("training", training, 0, 1));
  RNNRT_TRY(expectRange("batch_major", batchMajor, 0, 1));
  if (!(dropout >= 0 && dropout <= 1)) // also refuses NaN
    return invalidArgument("expects dropout to be in [0, 1], but got %g", dropout);
  RNNRT_TRY(expectRange("seed", seed, INT32_MIN, INT32_MAX));
  RNNRT_TRY(expectRange("seed2", seed2, INT32_MIN, INT32_MAX));
  // cuDNN rejects empty sequences and batches, so the op is not defined for them (docs/Semantics.md, "Checks").
  RNNRT_TRY(
      expectAtLeast(batchMajor ? "T (the steps, dim 1 of `input`)" : "T (the steps, dim 0 of `input`)", steps, 1));
  RNNRT_TRY(
      expectAtLeast(batchMajor ? "B (the batch, dim 0 of `input`)" : "B (the batch, dim 1 of `input`)", batch, 1));
  RNNRT_TRY(expectAtLeast("I (the features, dim 2 of `input`)", input, 1));
  RNNRT_TRY(expectAtLeast("H (the hidden size)", hidden, 1));
  RNNRT_TRY(expectAtLeast("L (the layers)", layers, 1));
  RNNRT_TRY(expectAtLeast("P (the projection)", projection, 1));
  if (projection > hidden)
    return invalidArgument("expects P (the projection) to be at most H = %lld, but got %lld", (long long)hidden,
                           (long long)projection);
  if (projection != hidden && Mode(mode) != Mode::Lstm)
    return invalidArgument("expects no projection outside lstm (P = H = %lld), but got P = %lld", (long long)hidden,
                           (long long)projection);
  if (inputMode == 1 && input != hidden)
    return invalidArgument("expects I to be H = %lld with skip_input, but got %lld", (long long)hidden,
                           (long long)input);
  out.dtype = dtype;
  out.mode = Mode(mode);
  out.skipInput = inputMode == 1;
  out.bidirectional = direction == 1;
  out.training = training == 1;
  out.batchMajor = batchMajor == 1;
  out.dropout = dropout;
  out.seed = seed;
  out.seed2 = seed2;
  out.steps = steps;
  out.batch = batch;
  out.input = input;
  out.hidden = hidden;
  out.projection = projection;
  out.layers = layers;
  return Status();
}

Status rnnrt::makeBlockProblem(int32_t dtype, int32_t layout, int32_t peephole, int32_t batchMajor, double forgetBias,
                               double cellClip, int64_t steps, int64_t batch, int64_t input, int64_t hidden,
                               BlockProblem &out) {
  RNNRT_TRY(expectRange("the element type", dtype, RNNRT_DTYPE_F16, RNNRT_DTYPE_F64));
  RNNRT_TRY(expectRange("the layout", layout, 0, 1));
  RNNRT_TRY(expectRange("use_peephole", peephole, 0, 1));
  RNNRT_TRY(expectRange("batch_major", batchMajor, 0, 1));
  if (std::isnan(forgetBias))
    return invalidArgument("expects forget_bias to be a number, but got NaN");
  if (std::isnan(cellClip))
    return invalidArgument("expects cell_clip to be a number, but got NaN");
  // T, B or I of 0 is allowed: the results are zeros or have no elements.
  RNNRT_TRY(expectAtLeast(batchMajor ? "T (the steps, dim 1 of `x`)" : "T (the steps, dim 0 of `x`)", steps, 0));
  RNNRT_TRY(expectAtLeast(batchMajor ? "B (the batch, dim 0 of `x`)" : "B (the batch, dim 1 of `x`)", batch, 0));
  RNNRT_TRY(expectAtLeast("I (the features, dim 2 of `x`)", input, 0));
  RNNRT_TRY(expectAtLeast("H (the cell size, dim 1 of `cs_prev`)", hidden, 1));
  out.dtype = dtype;
  out.layout = GateOrder(layout);
  out.peephole = peephole == 1;
  out.batchMajor = batchMajor == 1;
  out.forgetBias = forgetBias;
  out.cellClip = cellClip;
  out.steps = steps;
  out.batch = batch;
  out.input = input;
  out.hidden = hidden;
  return Status();
}
