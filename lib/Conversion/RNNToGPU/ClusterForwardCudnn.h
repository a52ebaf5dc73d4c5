//===- ClusterForwardCudnn.h - the forward recurrence of a stack's layer in one launch -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_CLUSTERFORWARDCUDNN_H
#define RNN_LIB_CONVERSION_RNNTOGPU_CLUSTERFORWARDCUDNN_H

#include "ClusterForward.h"
#include "Cudnn.h"

namespace mlir::rnn {

/// The forward recurrence of the stack's layer in work.
struct CudnnForwardRecurrence : ClusterRecurrence {
  Value gates; ///< the gates' arguments where they come from the input, in rows of `gatePlaces`; training: the gates behind it
  Places gatePlaces;
  Matrix output, exact; ///< the layer's states for products, and before they are rounded; without a buffer: nobody wants them
  Value y;              ///< the result of the stack, zero past the end of a row; or null
  Value hn, cn;         ///< or null
};
void launchCudnnForward(const Stack &stack, const CudnnForwardRecurrence &recurrence, const ClusterForwardShape &shape);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RNNTOGPU_CLUSTERFORWARDCUDNN_H
