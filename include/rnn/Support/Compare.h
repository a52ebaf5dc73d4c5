//===- Compare.h - numeric comparison of tensors -*- C++ -*-===//
//
// Elementwise: |got - expected| <= atol + rtol * |expected|. NaN equals NaN, and an infinity equals itself.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_SUPPORT_COMPARE_H
#define RNN_SUPPORT_COMPARE_H

#include "rnn/Support/HostTensor.h"

namespace mlir::rnn {

struct CompareOptions {
  double atol = 0.0, rtol = 0.0;
};

/// Compares two tensors. The error has `what`, the number of differing elements, the worst one with its index, both
/// values and both errors, and the counts of NaN and infinities on each side. A different type or shape is an error
/// too.
llvm::Error compareTensors(llvm::StringRef what, const HostTensor &got, const HostTensor &expected,
                           const CompareOptions &options);

} // namespace mlir::rnn

#endif // RNN_SUPPORT_COMPARE_H
