// CudnnRnnRun.cpp - setup and completion of one call of a plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cudnn/CudnnRnnRun.h"

using namespace rnnrt;
using namespace rnnrt::cudnn;

/// Bytes. Some cuDNN kernels use vector loads and fail on pointers of less alignment (pytorch#54307).
static constexpr uintptr_t alignment = 16;

static bool aligned(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % alignment == 0;
}

Run::Run(CudnnRnnPlan &plan, const RunContext &context, CudnnRnnPlan::Step step)
    : stream(cuda::nativeStream(context, *plan.context->device)), callStream(context.stream),
      refusesWaits(context.refusesWaits), plan(plan), device(*plan.context->device), step(step), scope(device) {}

Run::~Run() {
  (void)release(); // no-op after end()
}

Status Run::begin(const int32_t *lengths) {
  RNNRT_TRY(std::move(scope.status));
  RNNRT_TRY(device.isCapturing(stream, capturing));
  if (capturing && !plan.warm[step])
    return failedPrecondition("the first run of a plan cannot be captured, since cuDNN loads device code for it; run "
                              "the same work once before the capture");
  RNNRT_TRY(plan.context->handles.acquire(stream, capturing, handle));
  RNNRT_TRY(plan.readSequences(lengths, stream, capturing, refusesWaits, handle.get(), sequences));
  Engine &engine = sequences->full ? *plan.engine() : *plan.shared->standard;
  RNNRT_TRY(engine.acquire(handle.get(), capturing, rnn));
  return scratch(int64_t(sequences->workspace), workspace);
}

Status Run::end() {
  for (const Copy &copy : copies)
    RNNRT_TRY(device.copy(stream, copy.target, copy.source, copy.bytes));
  copies.clear();
  RNNRT_TRY(release());
  if (!capturing)
    plan.warm[step] = true;
  return Status();
}

Status Run::scratch(int64_t bytes, void *&pointer) {
  blocks.reserve(blocks.size() + 1);
  RNNRT_TRY(device.allocate(callStream, bytes, pointer));
  blocks.push_back(pointer);
  return Status();
}

Status Run::release() {
  Status first;
  while (!blocks.empty()) {
    Status status = device.release(callStream, blocks.back());
    blocks.pop_back();
    if (first.ok())
      first = std::move(status);
  }
  return first;
}

//===-- Operands -------------------------------------------------------------------------------------------------===//

Status Run::zeroRows(void *base, int64_t blocks, int64_t width) {
  const int64_t row = width * plan.elementSize(), block = plan.p.batch * row;
  for (int64_t k = 0; k < blocks; ++k)
    for (const Sequences::Rows &rows : sequences->empty)
      RNNRT_TRY(device.fillZero(stream, static_cast<char *>(base) + k * block + rows.first * row, rows.count * row));
  return Status();
}

Status Run::zeroSequences(void *base, int64_t width) {
  if (!plan.p.batchMajor)
    return zeroRows(base, 1, width); // cuDNN reads only step 0 of empty sequences
  const int64_t bytes = plan.p.steps * width * plan.elementSize();
  for (const Sequences::Rows &rows : sequences->empty)
    RNNRT_TRY(device.fillZero(stream, static_cast<char *>(base) + rows.first * bytes, rows.count * bytes));
  return Status();
}

Status Run::operand(const void *source, int64_t blocks, int64_t width, const void *&operand, void *&copy) {
  operand = source;
  if (!source || (aligned(source) && sequences->empty.empty()))
    return Status();
  const int64_t bytes = blocks * plan.p.batch * width * plan.elementSize();
  RNNRT_TRY(scratch(bytes, copy));
  RNNRT_TRY(device.copy(stream, copy, source, bytes));
  operand = copy;
  return Status();
}

Status Run::sequence(const void *source, int64_t width, const void *&result) {
  void *copy = nullptr;
  RNNRT_TRY(operand(source, plan.p.steps, width, result, copy));
  return copy ? zeroSequences(copy, width) : Status();
}

Status Run::states(const void *source, int64_t width, const void *&result) {
  const int64_t count = plan.p.layers * plan.p.directions();
  void *copy = nullptr;
  RNNRT_TRY(operand(source, count, width, result, copy));
  return copy ? zeroRows(copy, count, width) : Status();
}

Status Run::params(const void *source, const void *&result) {
  result = source;
  if (aligned(source))
    return Status();
  void *copy = nullptr;
  RNNRT_TRY(scratch(plan.layout.bytes, copy));
  RNNRT_TRY(device.copy(stream, copy, source, plan.layout.bytes));
  result = copy;
  return Status();
}

//===-- Results --------------------------------------------------------------------------------------------------===//

Status Run::result(void *target, int64_t bytes, bool needed, void *&buffer) {
  buffer = target;
  if (target ? aligned(target) : !needed)
    return Status();
  RNNRT_TRY(scratch(bytes, buffer));
  if (target)
    copies.push_back({target, buffer, bytes});
  return Status();
}

Status Run::zeroEmpty(void *sequence, int64_t width) {
  return sequence ? zeroSequences(sequence, width) : Status();
}

Status Run::copyEmpty(void *states, const void *source, int64_t width) {
  const int64_t row = width * plan.elementSize(), block = plan.p.batch * row;
  for (int64_t k = 0; states && k < plan.p.layers * plan.p.directions(); ++k)
    for (const Sequences::Rows &rows : sequences->empty) {
      const int64_t offset = k * block + rows.first * row;
      RNNRT_TRY(device.copy(stream, static_cast<char *>(states) + offset, static_cast<const char *>(source) + offset,
                            rows.count * row));
    }
  return Status();
}
