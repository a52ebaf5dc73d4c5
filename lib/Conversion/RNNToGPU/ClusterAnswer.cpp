//===- ClusterAnswer.cpp - whether a recurrence can run in clusters ----------===//
//
// Asked by selection, before there are kernels, and by the lowering itself.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "ClusterForward.h"
#include "rnn/Conversion/RNNToGPU/RNNToGPU.h"

using namespace mlir;
using namespace mlir::rnn;

std::string rnn::findReasonAgainstCluster(const ClusterQuery &query, const KernelOptions &options) {
  if (query.isProjected)
    return "the state goes through a projection in every step";
  if (!options.programmatic) // what the pass knows of the GPU
    return "clusters need compute capability 9.0; name the GPU, as --chip=sm_90a";
  if (!query.element.isF16() && !query.element.isBF16() && !query.element.isF32())
    return "clusters are there for f16, bf16 and f32 alone";
  if (!query.H)
    return "the number of units is known at run time only";
  return "";
}

FailureOr<int64_t> rnn::findClusterBlocks(const ClusterQuery &query, const KernelOptions &options, std::string &reason) {
  reason = findReasonAgainstCluster(query, options);
  if (!reason.empty())
    return failure();
  auto getBlocks = [&](const auto &shape) -> FailureOr<int64_t> {
    if (failed(shape))
      return failure();
    return shape->blocks;
  };
  if (query.backward)
    return getBlocks(ClusterShape::choose(*query.H, query.numGates, query.element, options, query.blocks, reason));
  return getBlocks(ClusterForwardShape::choose(*query.H, query.numGates, query.element, options, query.blocks, reason));
}
