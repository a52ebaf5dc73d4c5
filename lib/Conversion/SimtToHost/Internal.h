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

/// Creates calls of the emulator's entries.
class EntryBuilder {
public:
  explicit EntryBuilder(ModuleOp module);

  /// Calls `entry`, a line of simt.def, and returns its result, or null if it has none. A `pure` entry depends only on
  /// its arguments and the running thread, so LLVM may merge and move its calls.
  Value call(OpBuilder &builder, Location loc, StringRef entry, ValueRange arguments, bool pure = false);

  Value constant32(OpBuilder &builder, Location loc, int64_t value);
  Value constant64(OpBuilder &builder, Location loc, int64_t value);
  Value null(OpBuilder &builder, Location loc);

  /// The address of a C string; equal strings share one.
  Value string(OpBuilder &builder, Location loc, StringRef text);
  /// The location of `op` as a C string. With `unique`, its address differs from that of every other op.
  Value site(OpBuilder &builder, Operation *op, bool unique = false);

  /// A stack slot for a value, in the entry block of the function, so that a loop around `at` does not grow the stack.
  Value slot(Operation *at, Type type);
  /// A slot that holds `values` consecutively, stored at `at`.
  Value pack(Operation *at, ValueRange values);

  /// `pointer` without its address space.
  Value flatten(OpBuilder &builder, Location loc, Value pointer);

  /// A name that no symbol of the module has: `requested`, or `requested` with a suffix.
  std::string uniqueName(StringRef requested);

  ModuleOp getModule() { return module; }
  MLIRContext *getContext() { return module.getContext(); }
  Type i1, i8, i32, i64, f32, pointer;

private:
  LLVM::GlobalOp makeString(StringRef text);

  ModuleOp module;
  llvm::StringMap<LLVM::GlobalOp> strings;
  unsigned count = 0;
};

/// "file.mlir:12:5", with the names in the location and its call sites.
std::string describeLocation(Location loc);

/// Rewrites ops on the running thread and its dimensions, barriers, collectives, asynchronous copies, and conversions.
/// Unknown: `op` is not handled here and is unchanged.
enum class Rewrite { Done, Unknown, Failed };
Rewrite rewriteThreadOp(Operation *op, EntryBuilder &entries);
/// Clusters, remote shared memory, and barriers that count bytes.
Rewrite rewriteClusterOp(Operation *op, EntryBuilder &entries);
/// Tensor core ops.
Rewrite rewriteMatrixOp(Operation *op, EntryBuilder &entries);
/// Calls of functions that exist on a GPU only.
Rewrite rewriteDeviceCall(LLVM::CallOp call, EntryBuilder &entries);

/// Inserts a call of the access checker before every load and store of `function`.
void addAccessChecks(LLVM::LLVMFuncOp function, EntryBuilder &entries);
/// Yields to other threads after each atomic whose result is used, so that polling makes progress.
void addYields(LLVM::LLVMFuncOp function, EntryBuilder &entries);
/// Replaces undefined values by NaN.
void poisonUndefined(LLVM::LLVMFuncOp function, EntryBuilder &entries);

/// A kernel that was moved to the host; stored as an attribute of the declaration in the gpu.module.
struct Kernel {
  FlatSymbolRefAttr thunk; ///< takes an array of pointers to the arguments
  int64_t sharedBytes = 0, stackBytes = 0;
  bool cooperative = false, checked = false;
  int32_t residentClusters = 0;                ///< of rnngpu.resident_clusters, or 0
  SmallVector<int32_t> blockSize, clusterSize; ///< empty if any

  void writeTo(Operation *declaration) const;
  static std::optional<Kernel> readFrom(Operation *declaration);
};

/// Moves the functions and variables of `module` to the host and leaves declarations of the kernels.
LogicalResult moveToHost(gpu::GPUModuleOp module, EntryBuilder &entries, bool check);

/// Converts launches and calls of the upstream GPU runtime (mgpu*) in host code.
LogicalResult convertHostCode(EntryBuilder &entries);

} // namespace mlir::rnn::simt

#endif // RNN_LIB_CONVERSION_SIMTTOHOST_INTERNAL_H
