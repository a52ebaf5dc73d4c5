//===- Internal.h - shared by the passes of this folder -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RUNTIMETOLLVM_INTERNAL_H
#define RNN_LIB_CONVERSION_RUNTIMETOLLVM_INTERNAL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include <optional>

namespace mlir::rnn {

/// The function type of an entry point of the runtime or the emulator, derived from abi.def and simt.def. Null if
/// neither declares it.
LLVM::LLVMFunctionType getEntryType(StringRef entry, MLIRContext *context);

/// Calls an entry point, and declares it in the module if need be.
LLVM::CallOp callEntry(OpBuilder &builder, ModuleOp module, Location loc, StringRef name, ValueRange arguments);

/// Returns the address of a global string with `message`, for a call in place of `op`. Equal messages share a global.
Value getMessage(OpBuilder &builder, Operation *op, StringRef message);

/// A contiguous buffer of `type`, as a memref. `allocate` gets the number of bytes as i64 and returns an LLVM pointer.
Value buildBuffer(OpBuilder &builder, Location loc, MemRefType type, ValueRange dynamicSizes,
                  llvm::function_ref<Value(Value)> allocate);

/// Groups of dynamic sizes of a function's arguments and results that are equal: the function checks that (calls of
/// rnnrt_abi_expect_equal), or allocates a result with the size of an argument. Add all arguments and results first.
class SizeGroups {
public:
  /// A dimension of an argument, or a value and -1.
  using Key = std::pair<void *, int64_t>;

  explicit SizeGroups(func::FuncOp function);

  /// Adds an argument, or the value of a result. `type` is the exported type.
  void add(Value value, Type type);
  /// For each dimension the number of its group, from 1 in the order of the calls; 0 for a size without a group. Empty
  /// if all are 0.
  SmallVector<int64_t> getNumbers(Value value, Type type);

private:
  int64_t getNumber(const Key &key);

  llvm::EquivalenceClasses<Key> classes;
  llvm::DenseMap<Key, int64_t> counts, numbers;
};

/// Replaces the memref.alloc of each buffer that `function` returns by rnnrt_abi_alloc_result, which returns memory
/// that the program offered for the result, if any. No function of the module calls `function`: the offered memory is
/// for the results of the function that the program calls. `end` is the only return; argument 0 is the runtime call.
void allocateResults(func::FuncOp function, func::ReturnOp end);

/// The dynamic sizes of a function's results, as linear functions of the sizes of its arguments.
class ResultSizes {
public:
  /// Call it for each argument in order, before `get`. `rank` is the exported one, -1 for any rank.
  void addArgument(Value argument, int64_t rank);

  /// The rows of rnnrt_argument_t::sizes. Empty if all sizes are static, or one is not a linear function of sizes of
  /// arguments.
  SmallVector<int64_t> get(Value result) const;

private:
  SmallVector<int64_t> getRow(Value result, int64_t dim) const;

  ValueDimList argumentSizes;   ///< sizes that results may depend on
  SmallVector<int64_t> columns; ///< of each of `argumentSizes`
  int64_t numColumns = 1;       ///< column 0 is the constant
};

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RUNTIMETOLLVM_INTERNAL_H
