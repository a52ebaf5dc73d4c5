//===- Internal.h - parts of convert-linalg-to-host -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_LINALGTOHOST_INTERNAL_H
#define RNN_LIB_CONVERSION_LINALGTOHOST_INTERNAL_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "rnn/Codegen/CPU/KernelLibrary.h"

namespace mlir::rnn::host {

/// If the op reads inputs at other indices than single loops, such as the windows of a convolution, replaces them by
/// strided views with one dimension for each loop, unless an index is not linear in the loops. Appends the op to `ops`,
/// in the order of execution, with the copies that make its vectors contiguous.
void prepareWindows(linalg::LinalgOp op, SmallVectorImpl<linalg::LinalgOp> &ops);

/// A new buffer for the elements of an operand, with one dimension for each of `loops`, and its indexing map. `map`,
/// that of the operand, is a permutation of these loops.
std::pair<Value, AffineMap> allocatePermuted(ImplicitLocOpBuilder &b, Value operand, AffineMap map,
                                             ArrayRef<unsigned> loops);

/// Copies all elements of `from` to `to`, whose dimensions are permuted as the maps say.
linalg::GenericOp createCopy(ImplicitLocOpBuilder &b, Value from, AffineMap fromMap, Value to, AffineMap toMap);

/// The product of the sizes of those loops of which `isCounted` is true. An unknown size counts as `unknown`.
uint64_t countIterations(ArrayRef<int64_t> sizes, uint64_t unknown, function_ref<bool(unsigned)> isCounted);

/// An operand is copied to another order of its elements only if each of them is used at least so often.
constexpr uint64_t fewestUses = 16;

/// An operand of a contraction that all tiles of rows read stays in L2 if it has at most so many bytes. For fewer rows
/// than `manyRows`, this matters less.
constexpr int64_t rightInL2 = 3 << 18, manyRows = 24;

/// Threads share an op if each of them gets at least this many times RNNRT_LEAST_WORK. Unlike the steps of a layer, it
/// is a region of its own, whose start and end take a microsecond, and its results move between the caches of threads.
constexpr int64_t leastShare = 4;

/// Replaces `op` by one with other operands, and with the loops `loops` only.
linalg::GenericOp replaceOperands(OpBuilder &b, linalg::LinalgOp op, ArrayRef<unsigned> loops, ValueRange operands,
                                  ArrayRef<AffineMap> maps);

/// Replaces `op` by one with other operands and the same loops.
linalg::GenericOp replaceOperands(OpBuilder &b, linalg::LinalgOp op, ValueRange operands, ArrayRef<AffineMap> maps);

/// Replaces a large contraction of floating-point matrices by a packed GEMM. Fails if the op was not erased: if the
/// sizes are dynamic, it remains in a branch for small ones. `isZero` and the result are those of convertToVectorLoops.
FailureOr<bool> convertToPackedGemm(linalg::LinalgOp op, bool isZero, const HostVectors &vectors,
                                    cpu::KernelLibrary &library);

/// Replaces an op on memrefs by loops over vectors. Fails without a change if the op has a form that the loops do not
/// support. If `isZero`, the result is zero before the op. Returns whether the loops then overwrite it without reading
/// it. If `isSmall`, other code runs unless the unknown sizes are small.
FailureOr<bool> convertToVectorLoops(linalg::LinalgOp op, bool isZero, const HostVectors &vectors,
                                     cpu::KernelLibrary &library, bool isSmall = false);

/// Replaces an op by a packed GEMM, or by loops over vectors if that fails. The arguments and the result are those of
/// convertToVectorLoops.
FailureOr<bool> convertToPackedOrLoops(linalg::LinalgOp op, bool isZero, const HostVectors &vectors,
                                       cpu::KernelLibrary &library);

/// An operand, and the loops of its dimensions in another order.
using OperandOrder = std::pair<unsigned, SmallVector<unsigned>>;

/// Replaces `op` by one on copies of operands, which `convert` converts. The arguments and the result, which is also
/// that of `convert`, are those of convertToVectorLoops; `op` is erased.
FailureOr<bool> convertOnCopies(linalg::LinalgOp op, ArrayRef<OperandOrder> orders, bool isZero,
                                const HostVectors &vectors, cpu::KernelLibrary &library,
                                function_ref<FailureOr<bool>(linalg::LinalgOp)> convert);

/// An op on buffers, and the op that fills its result with zeros, if nothing else writes to it before.
struct ZeroedOp {
  linalg::LinalgOp op;
  linalg::FillOp zeros;
};

/// Groups ops that one function can compute, in the order of their first ops. An op that cannot be outlined is a group
/// by itself.
SmallVector<SmallVector<ZeroedOp>> groupEqualOps(ArrayRef<ZeroedOp> ops);

/// Replaces the ops of a group by calls of a new function. Returns the op in the function.
linalg::LinalgOp outlineEqualOps(ArrayRef<ZeroedOp> ops, SymbolTable &symbols);

/// The number of multiply-adds that take as long as the ops in the body of a linalg op, for one element. It decides
/// whether threads are worth their start.
int64_t getCost(Block &body);

/// A loop whose iterations threads share, and the multiply-adds of one of them.
struct SharedLoop {
  scf::ForallOp loop;
  int64_t work;
};

/// The loops of which each iteration consists of linalg ops. Their ops use one thread.
SmallVector<SharedLoop> findSharedLoops(ModuleOp module);

/// Replaces equal loops by calls of a new function, which has one of them.
void outlineEqualLoops(SmallVectorImpl<SharedLoop> &loops, SymbolTable &symbols);

/// Replaces a loop by a region that threads execute, after its ops were converted. Each thread allocates the buffers of
/// an iteration once.
void shareLoop(const SharedLoop &shared, const HostVectors &vectors, cpu::KernelLibrary &library);

/// Patterns that replace sin, cos, tan, their inverses, powf and cbrt of f32 vectors by arithmetic. The largest error
/// is 0.52 units in the last place.
void populateVectorMathPatterns(RewritePatternSet &patterns);

/// Patterns that replace log and log1p of f64 vectors.
void populateVectorLogarithmPatterns(RewritePatternSet &patterns);

} // namespace mlir::rnn::host

#endif // RNN_LIB_CONVERSION_LINALGTOHOST_INTERNAL_H
