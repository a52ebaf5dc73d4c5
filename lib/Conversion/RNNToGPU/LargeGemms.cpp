//===- LargeGemms.cpp - GEMMs over all steps by the device's library -----------===//
//
// The library is called at run time if it is available; the kernel is the fallback. The library reads matrices in
// memory and adds a bias. Other epilogues become a second, accumulating GEMM or a small kernel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"

using namespace mlir;
using namespace mlir::rnn;

/// The least number of multiply-adds for which `large-gemms=auto` uses the library. An estimate, not measured:
/// smaller GEMMs are too short to gain from a better kernel.
static constexpr int64_t enoughForLibrary = int64_t(1) << 26;

/// An i1, true if a GEMM has that many; null if it is known to have fewer.
static Value isEnough(const Emitter &host, Value rows, Value columns, Value depth) {
  Value count = host.mul(host.mul(rows, columns), depth);
  std::optional<int64_t> constant = getConstantIntValue(count);
  if (constant && *constant < enoughForLibrary)
    return Value();
  return host.isLess(host.index(enoughForLibrary - 1), count);
}

bool Layer::mayUseLibrary(Value rows, Value columns, Value depth) const {
  switch (largeGemms) {
  case LargeGemms::Kernel:
    return false;
  case LargeGemms::Auto:
    return bool(isEnough(host, rows, columns, depth));
  case LargeGemms::Library:
    return true;
  }
  llvm_unreachable("unknown choice");
}

void Layer::launchLarge(Value rows, Value columns, Value depth, LibraryFn library, function_ref<void()> kernel) {
  if (!library || !mayUseLibrary(rows, columns, depth))
    return kernel();
  Value large;
  if (largeGemms == LargeGemms::Auto)
    large = isEnough(host, rows, columns, depth);
  Value done = large && !getConstantIntValue(large) ? host.ifElse(large, library, [&] { return never(); }) : library();
  host.ifThen(host.isEqual(done, never()), kernel);
}

Value Layer::multiply(const LibraryGemm &gemm) const {
  OpBuilder &builder = host.builder;
  Location loc = host.named(getName("library").str()).loc;
  Value call = rnnrt::CurrentCallOp::create(builder, loc, rnnrt::CallType::get(builder.getContext()));
  auto done = rnnrt::GemmOp::create(builder, loc, builder.getIndexType(), call, gemm.rows, gemm.columns, gemm.depth,
                                    gemm.left.buffer, gemm.left.first, gemm.left.stride, gemm.right.buffer,
                                    gemm.right.first, gemm.right.stride, gemm.result.buffer, gemm.result.first,
                                    gemm.result.stride, gemm.bias, gemm.leftTransposed, gemm.rightTransposed,
                                    gemm.accumulate, host.options.tf32 && element.isF32());
  return host.isLess(host.index(0), done);
}

Value Layer::inSequence(LibraryFn first, LibraryFn second) const {
  return host.ifElse(first(), second, [&] { return never(); });
}

Value Layer::multiplySum(LibraryGemm first, LibraryGemm second, Value scratch, StringRef roundName) const {
  Matrix result = first.result, sums = result;
  if (scratch)
    sums = {scratch, host.index(0), first.columns};
  first.result = second.result = sums;
  second.accumulate = true;
  Value done = inSequence([&] { return multiply(first); }, [&] { return multiply(second); });
  if (scratch)
    host.ifThen(done, [&] { launchCopy(host, roundName, first.rows, first.columns, sums, result); });
  return done;
}
