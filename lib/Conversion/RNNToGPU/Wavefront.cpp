//===- Wavefront.cpp - the layers of a stack as a wavefront --------------------===//
//
// Each layer has two stages, its input GEMM and its steps. Chunk c of a stage runs at the same time as chunk c + 1 of
// the stage before it (docs/internals/wavefront.md).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Target/Wavefront.h"
#include "Stack.h"
#include "rnn/Codegen/GPU/PersistentShape.h"

using namespace mlir;
using namespace mlir::rnn;

static Value ceilDiv(const Emitter &host, Value a, Value b) {
  return host.builder.createOrFold<arith::CeilDivUIOp>(host.loc, a, b);
}

bool Stack::mayHaveWavefront() const {
  // A layer needs both directions of the layer below, the last steps of which are the first and the last time.
  if (wavefrontChunk == 0 || hasOneLayer || sizes.D == 2)
    return false;
  std::optional<int64_t> T = getConstantIntValue(sizes.T);
  return !T || *T >= (wavefrontChunk < 0 ? WavefrontRule::enoughSteps : wavefrontChunk + 1);
}

void Stack::chooseWavefront(int64_t blocks, int64_t mostRows) {
  Value steps = host.max(sizes.T, host.index(1)), size = host.index(wavefrontChunk);
  if (wavefrontChunk < 0) {
    using Rule = WavefrontRule;
    auto getSize = [&](const Rule &rule) {
      Value chunks = host.mul(host.min(sizes.L, host.index(Rule::mostLayers)), host.index(rule.chunksPerLayer));
      Value all = host.max(ceilDiv(host, sizes.T, host.max(chunks, host.index(1))), host.index(rule.leastChunk));
      return host.min(all, host.index(rule.mostChunk));
    };
    size = getSize(Rule::get(/*goesOn=*/false));
    if (blocks)
      size = host.select(host.isLess(sizes.L, host.index(Rule::mostLayers + 1)), getSize(Rule::get(/*goesOn=*/true)),
                         size);
    Value isUseful = host.isLess(host.index(Rule::enoughSteps - 1), sizes.T);
    if (blocks) {
      // With as few clusters as possible for each layer, those of two fit on an H200.
      const int64_t resident = PersistentLimits::multiprocessors / blocks;
      Value least = host.parts(sizes.B, mostRows);
      isUseful = host.both(isUseful, host.isLess(host.mul(least, host.index(2)), host.index(resident + 1)));
    }
    if (getConstantIntValue(isUseful) == 0)
      return;
    size = host.select(isUseful, size, steps);
  }
  chunk = host.min(size, steps);
  Value one = host.index(1), isOne = host.isEqual(chunk, one);
  hasShortChunk =
      host.builder.createOrFold<arith::OrIOp>(host.loc, isOne, host.isEqual(host.remainder(sizes.T, chunk), one));
}

void Stack::forEachTask(bool reversed, bool reuses, function_ref<void()> first, function_ref<void()> second) {
  if (!chunk)
    return forEachLayer(reversed, [&] {
      first();
      second();
    });
  OpBuilder &builder = host.builder;
  Value zero = host.index(0), one = host.index(1), two = host.index(2), lastLayer = host.sub(sizes.L, one);
  Value call = rnnrt::CurrentCallOp::create(builder, host.loc, rnnrt::CallType::get(builder.getContext()));
  Value numChunks = host.max(ceilDiv(host, sizes.T, chunk), one), lastChunk = host.sub(numChunks, one);
  Value stages = host.mul(sizes.L, two), lastStage = host.sub(stages, one);
  // A single chunk needs no streams.
  Value streams = host.select(host.isLess(one, numChunks), stages, one);
  numTasks = numChunks;
  // A launch has at most one cluster per example.
  rnnrt::WavefrontBeginOp::create(builder, host.loc, call, streams, sizes.L, numChunks,
                                  usesSignals ? host.max(sizes.B, one) : zero);
  // In wave w, stage s runs chunk w - s. Later stages come first: a task waits for all earlier tasks of the stage
  // before it, which must not include that of the same wave.
  host.loop(zero, host.add(lastChunk, stages), 1, {}, [&](Value wave, ValueRange) {
    Value least = host.max(host.sub(wave, lastChunk), zero), most = host.min(wave, lastStage);
    host.loop(least, host.add(most, one), 1, {}, [&](Value number, ValueRange) {
      Value stage = host.sub(host.add(least, most), number);
      Value position = host.div(stage, two), part = host.remainder(stage, two);
      signals = rnnrt::WavefrontTaskOp::create(builder, host.loc, builder.getIndexType(), call, stage,
                                               reuses ? host.sub(one, part) : zero);
      task = chunkNumber = host.sub(wave, stage);
      if (reversed)
        chunkNumber = host.sub(lastChunk, chunkNumber);
      firstStep = host.mul(chunkNumber, chunk);
      endStep = host.min(host.add(firstStep, chunk), sizes.T);
      firstRow = host.mul(firstStep, sizes.B);
      numRows = host.mul(host.sub(endStep, firstStep), sizes.B);
      setLayer(reversed ? host.sub(lastLayer, position) : position);
      host.ifThen(host.isEqual(part, zero), first);
      host.ifThen(host.isEqual(part, one), second);
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
  rnnrt::WavefrontEndOp::create(builder, host.loc, call);
  chunkNumber = firstStep = endStep = signals = task = numTasks = Value();
  firstRow = zero;
  numRows = rows;
}
