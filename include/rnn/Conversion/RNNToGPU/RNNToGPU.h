//===- RNNToGPU.h - rnn ops to GPU kernels -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CONVERSION_RNNTOGPU_RNNTOGPU_H
#define RNN_CONVERSION_RNNTOGPU_RNNTOGPU_H

#include "mlir/IR/PatternMatch.h"
#include <optional>
#include <string>

namespace mlir::rnn {

/// Who computes the products over all steps.
enum class LargeProducts {
  Kernel,  ///< kernels of ours
  Auto,    ///< the library of the device, if it has one, where the product is large
  Library, ///< that library for all of them, if it has one
};

/// From "kernel", "auto" or "library".
std::optional<LargeProducts> symbolizeLargeProducts(llvm::StringRef name);

/// What kernels may use. An op around the rnn ops carries it while the patterns run.
struct KernelOptions {
  bool tf32 = false;         ///< factors of f32 products may lose the bits that tensor cores do not take
  bool programmatic = false; ///< steps may begin before the one in front has ended: compute capability 9.0 or later
  LargeProducts largeProducts = LargeProducts::Kernel;
};
void setKernelOptions(Operation *op, const KernelOptions &options);
/// Those of the innermost op around `op` that carries some, or the defaults.
KernelOptions getKernelOptions(Operation *op);
void removeKernelOptions(Operation *op);

/// A recurrence that might run in clusters of blocks.
struct ClusterQuery {
  bool backward = false;
  Type element;
  std::optional<int64_t> H; ///< none: known at run time only
  int64_t numGates = 4;
  bool isProjected = false;
  int64_t blocks = 0; ///< that a cluster is wanted to have; 0: any number
};
/// Why there is no such kernel, for reasons other than its size; empty: there is one.
std::string findReasonAgainstCluster(const ClusterQuery &query, const KernelOptions &options);
/// The number of blocks in the clusters that `convert-rnn-to-gpu` makes if it is asked for this family, or why it makes none.
FailureOr<int64_t> findClusterBlocks(const ClusterQuery &query, const KernelOptions &options, std::string &reason);

/// Adds patterns that turn each block LSTM and cudnn op in memref form with lowering `fused` into `gpu.launch` ops and the loop
/// over time that launches them; other ops are left alone. Dimensions that are not known yet are checked by
/// `rnnrt.expect_equal` before the first launch.
void populateRNNToGPUPatterns(RewritePatternSet &patterns, PatternBenefit benefit = 1);

} // namespace mlir::rnn

#endif // RNN_CONVERSION_RNNTOGPU_RNNTOGPU_H
