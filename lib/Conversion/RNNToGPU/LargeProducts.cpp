//===- LargeProducts.cpp - products over all steps through a library ---------===//
//
// The library of the device is asked first, at run time. It takes matrices in memory and adds a bias; what else the kernel
// does with its sums becomes a second product that is added, or a small kernel behind.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"

using namespace mlir;
using namespace mlir::rnn;

/// Multiply-adds from which on `large-products=auto` takes the library: a guess, not measured. Below it, a product is over
/// before the gain of a better kernel could show.
static constexpr int64_t enoughForLibrary = int64_t(1) << 26;

/// Whether there are that many; null: surely not.
static Value isEnough(const Emitter &host, Value rows, Value columns, Value depth) {
  Value count = host.mul(host.mul(rows, columns), depth);
  std::optional<int64_t> constant = getConstantIntValue(count);
  if (constant && *constant < enoughForLibrary)
    return Value();
  return host.isLess(host.index(enoughForLibrary - 1), count);
}

bool Layer::mayUseLibrary(Value rows, Value columns, Value depth) const {
  switch (host.options.largeProducts) {
  case LargeProducts::Kernel:
    return false;
  case LargeProducts::Auto:
    return bool(isEnough(host, rows, columns, depth));
  case LargeProducts::Library:
    return true;
  }
  llvm_unreachable("unknown choice");
}

void Layer::launchLarge(Value rows, Value columns, Value depth, LibraryFn library, function_ref<void()> kernel) {
  if (!library || !mayUseLibrary(rows, columns, depth))
    return kernel();
  auto fail = [&] { return host.isLess(host.index(0), host.index(0)); };
  Value large;
  if (host.options.largeProducts == LargeProducts::Auto)
    large = isEnough(host, rows, columns, depth);
  Value done = large && !getConstantIntValue(large) ? host.choose(large, library, fail) : library();
  host.when(host.isEqual(done, fail()), kernel);
}

Value Layer::multiply(const LibraryProduct &product) const {
  OpBuilder &builder = host.builder;
  Location loc = host.named(getName("library").str()).loc;
  Value call = rnnrt::CurrentCallOp::create(builder, loc, rnnrt::CallType::get(builder.getContext()));
  auto done = rnnrt::GemmOp::create(
      builder, loc, builder.getIndexType(), call, product.rows, product.columns, product.depth, product.left.buffer,
      product.left.first, product.left.stride, product.right.buffer, product.right.first, product.right.stride,
      product.result.buffer, product.result.first, product.result.stride, product.bias, product.leftTransposed,
      product.rightTransposed, product.accumulate, host.options.tf32 && element.isF32());
  return host.isLess(host.index(0), done);
}

Value Layer::inTurn(LibraryFn first, LibraryFn second) const {
  return host.choose(first(), second, [&] { return host.isLess(host.index(0), host.index(0)); });
}

Value Layer::multiplySum(LibraryProduct first, LibraryProduct second, Value scratch, StringRef roundName) const {
  Matrix result = first.result, sums = result;
  if (scratch)
    sums = {scratch, host.index(0), first.columns};
  first.result = second.result = sums;
  second.accumulate = true;
  Value done = inTurn([&] { return multiply(first); }, [&] { return multiply(second); });
  if (scratch)
    host.when(done, [&] {
      launchPlaces(host, roundName, first.rows, first.columns, [&](const Emitter &e, Value row, Value column) {
        result.store(e, sums.load(e, row, column), row, column);
      });
    });
  return done;
}
