//===- KernelLibrary.h - functions that generated CPU code calls -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_CPU_KERNELLIBRARY_H
#define RNN_CODEGEN_CPU_KERNELLIBRARY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "rnn/Codegen/CPU/Gemm.h"
#include "rnn/Codegen/CPU/HandTiled.h"
#include "rnn/Codegen/CPU/HostBuilder.h"
#include "rnn/Codegen/CPU/Packing.h"
#include "rnn/Codegen/CPU/Team.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::rnn::cpu {

/// Emits calls of kernels into a module. Each kernel is a private function, generated at its first call for the element
/// type and the types of its buffers.
class KernelLibrary {
public:
  /// Reuses the kernels that other libraries generated into the module.
  explicit KernelLibrary(ModuleOp module);

  void gemm(HostBuilder &b, const Gemm &arguments);
  /// `gemm` by AMX tiles: c = start + a b, or c += a b without `start`. If the number of threads changes `rows`,
  /// `sharesRows` selects arithmetic whose results do not depend on it. `leftRow`: a is a matrix with this stride of
  /// rows, in elements, not packed; its depth is a multiple of Tiles::amxPanel, and `sharesRows` must be true.
  void tileGemm(HostBuilder &b, const Gemm &arguments, std::optional<GemmStart> start = std::nullopt,
                bool sharesRows = false, Value leftRow = Value());
  /// c += a b for a right operand that is not packed. Does not use the members of `gemm` about b and the next GEMM;
  /// `isZero` and `traversal` must be null.
  void gemmInPlace(HostBuilder &b, const Gemm &gemm, const UnpackedRight &right);
  /// The same for a transposed right operand in the accumulation type, with 1 to `ColumnSums::vectorsOfRows` vectors of
  /// rows: with the bits of `gemm`, and without packing. `scratch` as in ColumnSums.
  void gemmInPlace(HostBuilder &b, const Gemm &gemm, const UnpackedRight &right, Value scratch, Value scratchOffset);
  void transposedGemm(HostBuilder &b, const TransposedGemm &arguments);
  void outerProducts(HostBuilder &b, const OuterProducts &arguments);

  /// Columns of the submatrix become columns of panels.
  void packColumns(HostBuilder &b, const PackRight &arguments);
  /// Rows of the submatrix become columns of panels.
  void packTransposed(HostBuilder &b, const PackRight &arguments);
  void packRows(HostBuilder &b, const PackRows &arguments);
  void packLeft(HostBuilder &b, const PackLeft &arguments);
  void packLeftTransposed(HostBuilder &b, const PackLeftTransposed &arguments);
  void packVNNI(HostBuilder &b, const PackVNNI &arguments);
  void storeTransposed(HostBuilder &b, const StoreTransposed &arguments);

  /// Emits `body` as code of a team of 1 to `most` threads, with `work` multiply-adds between two barriers. Its results
  /// must not depend on the number of threads. Teams do not nest.
  void parallel(HostBuilder &b, Value most, Value work, function_ref<void(const Team &)> body);
  /// Without threads, `parallel` emits code for one: the code around it will be shared by threads.
  void setUsesThreads(bool uses) { usesThreads = uses; }

  /// The address of `bytes` bytes of the module, aligned to a cache line. They are zero when the module is loaded.
  Value createStaticMemory(HostBuilder &b, StringRef name, int64_t bytes);

private:
  /// Calls the kernel `name` with the members of `arguments`; `emit` generates its body.
  template <typename Arguments>
  void call(HostBuilder &b, StringRef name, const Arguments &arguments,
            function_ref<void(HostBuilder &, const llvm::type_identity_t<Arguments> &)> emit) {
    static_assert(sizeof(Arguments) == std::size(Arguments::arguments) * sizeof(Value), "every member is an argument");
    SmallVector<Value> operands;
    for (Value Arguments::*member : Arguments::arguments)
      operands.push_back(arguments.*member);
    func::FuncOp function = get(b, name, TypeRange(ValueRange(operands)), [&](HostBuilder &inner, ValueRange values) {
      Arguments inside;
      for (auto [member, value] : llvm::zip_equal(Arguments::arguments, values))
        inside.*member = value;
      emit(inner, inside);
    });
    func::CallOp::create(b, function, operands);
  }
  void rowDots(HostBuilder &b, const RowDots &arguments);
  void rowSums(HostBuilder &b, const RowSums &arguments);
  func::FuncOp get(HostBuilder &b, StringRef name, TypeRange inputs,
                   function_ref<void(HostBuilder &, ValueRange)> body);

  SymbolTable symbols;
  llvm::StringMap<func::FuncOp> functions;
  bool usesThreads = true;
};

} // namespace mlir::rnn::cpu

#endif // RNN_CODEGEN_CPU_KERNELLIBRARY_H
