//===- Internal.h - parts of convert-linalg-to-host -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_LINALGTOHOST_INTERNAL_H
#define RNN_LIB_CONVERSION_LINALGTOHOST_INTERNAL_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "rnn/Codegen/CPU/KernelLibrary.h"

namespace mlir::rnn::host {

/// If the op reads inputs at other indices than single loops, such as the windows of a convolution, replaces them by
/// strided views with one dimension for each loop, unless an index is not linear in the loops. Appends the op to `ops`,
/// in the order of execution, with the copies that make its vectors contiguous.
void prepareWindows(linalg::LinalgOp op, SmallVectorImpl<linalg::LinalgOp> &ops);

/// Replaces a large contraction of floating-point matrices by a packed GEMM. Fails if the op was not erased: if the
/// sizes are dynamic, it remains in a branch for small ones. `isZero` and the result are those of convertToVectorLoops.
FailureOr<bool> convertToPackedGemm(linalg::LinalgOp op, bool isZero, const HostVectors &vectors,
                                    cpu::KernelLibrary &library);

/// Replaces an op on memrefs by loops over vectors. Fails without a change if the op has a form that the loops do not
/// support. If `isZero`, the result is zero before the op. Returns whether the loops then overwrite it without reading
/// it.
FailureOr<bool> convertToVectorLoops(linalg::LinalgOp op, bool isZero, const HostVectors &vectors,
                                     cpu::KernelLibrary &library);

} // namespace mlir::rnn::host

#endif // RNN_LIB_CONVERSION_LINALGTOHOST_INTERNAL_H
