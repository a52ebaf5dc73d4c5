//===- Emitter.h - arithmetic, memory and control flow of kernels -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_GPU_EMITTER_H
#define RNN_CODEGEN_GPU_EMITTER_H

#include "mlir/IR/Builders.h"
#include "rnn/Codegen/AccumulatorType.h"
#include "rnn/Codegen/GPU/KernelOptions.h"

namespace mlir::rnn {

/// Creates ops at the insertion point of `builder`, in host code and in kernels. Both operands of an arithmetic
/// function have the same type: index or float.
class Emitter {
public:
  Emitter(OpBuilder &builder, Location loc, const KernelOptions &options)
      : builder(builder), loc(loc), options(options) {}
  /// An emitter at the same insertion point that adds `name` to the locations of its ops; diagnostics show it.
  Emitter named(StringRef name) const;

  Value index(int64_t value) const;
  Value number(double value, Type type) const;
  Value add(Value a, Value b) const;
  Value sub(Value a, Value b) const;
  Value mul(Value a, Value b) const;
  /// Indices are treated as unsigned.
  Value div(Value a, Value b) const;
  /// a mod b of unsigned indices.
  Value remainder(Value a, Value b) const;
  Value min(Value a, Value b) const;
  Value max(Value a, Value b) const;
  /// max(ceil(count / size), 1).
  Value parts(Value count, int64_t size) const;
  /// a * b + c with one rounding (FMA), so that results are the same on every GPU.
  Value multiplyAdd(Value a, Value b, Value c) const;
  Value isLess(Value a, Value b) const;
  Value isEqual(Value a, Value b) const;
  Value both(Value a, Value b) const;
  /// arith.select.
  Value select(Value condition, Value yes, Value no) const;
  /// Truncates or extends a float to `type`.
  Value convert(Value value, Type type) const;

  Value load(Value buffer, ValueRange indices) const;
  void store(Value value, Value buffer, ValueRange indices) const;
  Value size(Value buffer, int64_t dim) const;
  /// The address of an element as an LLVM pointer to global memory, or to shared memory for workgroup buffers.
  Value address(Value buffer, ValueRange indices) const;

  /// scf.if with one result: `yes()` if the condition holds, else `no()`.
  Value ifElse(Value condition, function_ref<Value()> yes, function_ref<Value()> no) const;
  /// scf.if without results.
  void ifThen(Value condition, function_ref<void()> body) const;
  /// scf.for over [first, end); `body` maps the index and the loop-carried values to the next carried values.
  SmallVector<Value> loop(Value first, Value end, int64_t step, ValueRange carried,
                          function_ref<SmallVector<Value>(Value, ValueRange)> body) const;
  /// gpu.barrier.
  void barrier() const;

  OpBuilder &builder;
  Location loc;
  KernelOptions options;
};

} // namespace mlir::rnn

#endif // RNN_CODEGEN_GPU_EMITTER_H
