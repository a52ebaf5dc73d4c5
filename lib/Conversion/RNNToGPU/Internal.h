//===- Internal.h - what kernels of rnn ops are made of -*- C++ -*-===//
//
// From the bottom up: `Emitter` writes arithmetic, `Kernel` is one launch under construction, and `launchProduct`,
// `launchColumnSums` are whole kernels. A cell supplies what is particular to it as callbacks: where the elements of the
// matrices lie, or how they are computed, and what happens to the sums.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_INTERNAL_H
#define RNN_LIB_CONVERSION_RNNTOGPU_INTERNAL_H

#include "../Common/LayerLowering.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "rnn/Conversion/RNNToGPU/RNNToGPU.h"

namespace mlir::rnn {

/// Writes ops at one place. Arithmetic is on two values of one type, integers are indices.
class Emitter {
public:
  /// The builder stands in a function. (In a loop under construction nobody knows what is around it.)
  Emitter(OpBuilder &builder, Location loc);
  /// The same place, with a name that messages about the ops will show.
  Emitter named(StringRef name) const;

  Value index(int64_t value) const;
  Value number(double value, Type type) const;
  Value add(Value a, Value b) const;
  Value sub(Value a, Value b) const;
  Value mul(Value a, Value b) const;
  Value div(Value a, Value b) const;
  /// Of indices that are not negative.
  Value remainder(Value a, Value b) const;
  Value min(Value a, Value b) const;
  Value max(Value a, Value b) const;
  /// How many parts of `size` are needed for `count` things, at least one.
  Value parts(Value count, int64_t size) const;
  /// a * b + c, rounded once: the same bits on every machine.
  Value multiplyAdd(Value a, Value b, Value c) const;
  Value isLess(Value a, Value b) const;
  Value isEqual(Value a, Value b) const;
  Value both(Value a, Value b) const;
  Value select(Value condition, Value yes, Value no) const;
  /// Rounds, or extends, a float.
  Value convert(Value value, Type type) const;
  Value sigmoid(Value x) const;
  Value tanh(Value x) const;

  Value load(Value buffer, ValueRange indices) const;
  void store(Value value, Value buffer, ValueRange indices) const;
  Value size(Value buffer, int64_t dim) const;
  /// Where an element of a buffer lies, as an LLVM pointer to the memory of the device, or of the block.
  Value address(Value buffer, ValueRange indices) const;

  /// `yes` where the condition holds, `no` where not; only one of them runs.
  Value choose(Value condition, function_ref<Value()> yes, function_ref<Value()> no) const;
  void when(Value condition, function_ref<void()> body) const;
  /// A loop from `first` to below `end`; `body` takes the index and the carried values and returns the next ones.
  SmallVector<Value> loop(Value first, Value end, int64_t step, ValueRange carried,
                          function_ref<SmallVector<Value>(Value, ValueRange)> body) const;
  void barrier() const;

  OpBuilder &builder;
  Location loc;
  KernelOptions options;

private:
  Emitter(OpBuilder &builder, Location loc, const KernelOptions &options)
      : builder(builder), loc(loc), options(options) {}
};

/// One launch under construction. The builder stands in its body until `finish`, and behind it afterwards.
class Kernel {
public:
  /// A `chained` kernel may begin before the launch in front of it has ended, until it calls `wait`.
  Kernel(const Emitter &host, StringRef name, Value blocks, int64_t threads, bool chained = false);
  /// From here on, what launches in front have written is there. All threads of a chained kernel must come here.
  void wait(const Emitter &e);
  void finish();

  Value getBlock() { return launch.getBlockIds().x; }
  Value getThread() { return launch.getThreadIds().x; }
  Value addWorkgroupBuffer(ArrayRef<int64_t> shape, Type element);

private:
  OpBuilder &builder;
  gpu::LaunchOp launch;
  bool chained;
};

/// One side of a product. `outer` is the row of an element on the left side and its column on the right.
struct ProductOperand {
  using Function = std::function<Value(const Emitter &e, int64_t panel, Value outer, Value depth)>;

  /// A matrix in memory: `address` says where its elements lie (`Emitter::address`), and may be asked for places outside.
  /// Copies are asynchronous, and of 16 bytes where the addresses allow.
  static ProductOperand inMemory(bool depthIsContiguous, Function address) {
    return {nullptr, depthIsContiguous, std::move(address)};
  }

  /// Computes an element inside of the matrix; null for a matrix in memory.
  Function read;
  /// Neighbours along the depth are neighbours in memory; else those along `outer` are.
  bool depthIsContiguous;
  Function address = nullptr;
};

/// A kernel: for each row and column, `finish` gets the sums over the depth of left * right, one for each panel: that many
/// right matrices share the left one. How it is cut is the kernel's business.
struct Product {
  StringRef name;
  Type element;
  int64_t panels;
  Value rows, columns, depth;
  ProductOperand left, right;
  std::function<void(const Emitter &e, Value row, Value column, ArrayRef<Value> sums)> finish;
  /// Rows from here on are not read and have sums of zero; null: all are read.
  Value validRows = nullptr;
  /// The launch in front is a kernel of ours that does not write the right side, so reading that need not wait for it.
  bool chained = false;
  /// So many products of these sizes are computed, side by side; `start` is told in the kernel which one it is.
  int64_t copies = 1;
  std::function<void(const Emitter &e, Value copy)> start = nullptr;
};
void launchProduct(const Emitter &host, const Product &product);

/// A kernel: for each column, `finish` gets sums of `terms` over the rows, in an order that depends on nothing else.
struct ColumnSums {
  StringRef name;
  Type accumulator;
  int64_t count; ///< how many sums per column
  Value rows, columns;
  std::function<SmallVector<Value>(const Emitter &e, Value row, Value column)> terms;
  std::function<void(const Emitter &e, Value column, ArrayRef<Value> sums)> finish;
};
void launchColumnSums(const Emitter &host, const ColumnSums &sums);

/// The patterns of one family of ops.
void populateLSTMToGPUPatterns(RewritePatternSet &patterns, PatternBenefit benefit);
void populateCudnnToGPUPatterns(RewritePatternSet &patterns, PatternBenefit benefit);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RNNTOGPU_INTERNAL_H
