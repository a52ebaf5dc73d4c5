//===- Internal.h - shared by the files of this folder -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_SIMTTOHOST_INTERNAL_H
#define RNN_LIB_CONVERSION_SIMTTOHOST_INTERNAL_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::rnn::simt {

/// Writes calls of the runtime's entries into a module.
class EntryBuilder {
public:
  explicit EntryBuilder(ModuleOp module);

  /// Calls `entry`, which is a line of simt.def. The result, or null for an entry without one. A `pure` entry depends
  /// on nothing but its arguments and the running thread, so that calls can be merged and moved.
  Value call(OpBuilder &builder, Location loc, StringRef entry, ValueRange arguments, bool pure = false);

  Value constant32(OpBuilder &builder, Location loc, int64_t value);
  Value constant64(OpBuilder &builder, Location loc, int64_t value);
  Value null(OpBuilder &builder, Location loc);

  /// The address of a C string; equal strings share one.
  Value string(OpBuilder &builder, Location loc, StringRef text);
  /// The place of `op` as a C string. With `unique`, an address that no other op has.
  Value site(OpBuilder &builder, Operation *op, bool unique = false);

  /// Room on the stack for a value. In the entry block of the function, so that a loop around `at` does not grow it.
  Value slot(Operation *at, Type type);
  /// A slot that holds `values` one behind the other, at `at`.
  Value pack(Operation *at, ValueRange values);

  /// `pointer` without its address space.
  Value flatten(OpBuilder &builder, Location loc, Value pointer);

  /// A name that no symbol of the module has yet: `wanted`, or `wanted` with a number.
  std::string uniqueName(StringRef wanted);

  ModuleOp getModule() { return module; }
  MLIRContext *getContext() { return module.getContext(); }
  Type i1, i8, i32, i64, f32, pointer;

private:
  LLVM::GlobalOp makeString(StringRef text);

  ModuleOp module;
  llvm::StringMap<LLVM::GlobalOp> strings;
  unsigned count = 0;
};

/// "file.mlir:12:5", with the names that the location carries and the places from which it was inlined.
std::string describeLocation(Location loc);

/// The running thread and its dimensions, barriers, collectives, asynchronous copies, and conversions. Failure: nothing
/// was done. An op that this does not know is left alone.
enum class Rewrite { Done, Unknown, Failed };
Rewrite rewriteThreadOp(Operation *op, EntryBuilder &entries);
/// Clusters, remote shared memory, and barriers that count bytes.
Rewrite rewriteClusterOp(Operation *op, EntryBuilder &entries);
/// Tensor core ops.
Rewrite rewriteMatrixOp(Operation *op, EntryBuilder &entries);
/// Calls of functions that exist on a GPU only.
Rewrite rewriteDeviceCall(LLVM::CallOp call, EntryBuilder &entries);

/// Puts a call of the access checker before every load and store of `function`.
void addAccessChecks(LLVM::LLVMFuncOp function, EntryBuilder &entries);
/// Lets other threads run after each atomic whose result is used, so that polling makes progress.
void addYields(LLVM::LLVMFuncOp function, EntryBuilder &entries);
/// Makes values that the program leaves undefined NaNs.
void poisonUndefined(LLVM::LLVMFuncOp function, EntryBuilder &entries);

/// A kernel as a function of the host. Kept as an attribute of the declaration that stays where the kernel was.
struct Kernel {
  FlatSymbolRefAttr thunk; ///< takes an array of pointers to the arguments
  int64_t sharedBytes = 0, stackBytes = 0;
  bool cooperative = false, checked = false;
  SmallVector<int32_t> blockSize, clusterSize; ///< empty if any

  void writeTo(Operation *declaration) const;
  static std::optional<Kernel> readFrom(Operation *declaration);
};

/// Moves the functions and variables of `module` to the host; declarations of the kernels stay.
LogicalResult moveToHost(gpu::GPUModuleOp module, EntryBuilder &entries, bool check);

/// Launches, and calls of upstream's GPU runtime (mgpu*), in host code.
LogicalResult convertHostCode(EntryBuilder &entries);

} // namespace mlir::rnn::simt

#endif // RNN_LIB_CONVERSION_SIMTTOHOST_INTERNAL_H
