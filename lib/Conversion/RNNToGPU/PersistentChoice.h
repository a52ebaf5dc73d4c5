//===- PersistentChoice.h - persistent or per-step kernels -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_PERSISTENTCHOICE_H
#define RNN_LIB_CONVERSION_RNNTOGPU_PERSISTENTCHOICE_H

#include "Layers.h"
#include "rnn/Codegen/GPU/PersistentShape.h"

namespace mlir::rnn {

/// The query of an op whose lowering has `kernel = persistent`, or nullopt. `backward` is left to the shape.
std::optional<PersistentQuery> getPersistentQuery(LayerOpInterface op, const KernelOptions &options, Type element,
                                                  int64_t numGates, bool isProjected);

/// The shape of the persistent kernel that the lowering of `op` requires, or nullopt if it has per-step kernels. It is
/// an error, after which the pass fails, if the required kernel cannot be built: rnn-select-lowering decides whether it
/// fits. `inParts`: the recurrence may run in several launches, beside those of other layers; false afterwards if no
/// such kernel can be built. Null: in one launch.
template <typename Shape>
std::optional<Shape> choosePersistentShape(LayerOpInterface op, const Emitter &host, Type element, int64_t numGates,
                                           bool isProjected = false, bool *inParts = nullptr) {
  std::optional<PersistentQuery> query = getPersistentQuery(op, host.options, element, numGates, isProjected);
  if (!query)
    return std::nullopt;
  std::string reason;
  if (inParts && *inParts) {
    PersistentQuery ofPart = *query;
    ofPart.inParts = true;
    // With a part of the device, a cluster has more examples.
    ofPart.examples = std::nullopt;
    if (FailureOr<Shape> shape = Shape::get(ofPart, reason); succeeded(shape))
      return *shape;
    *inParts = false;
  }
  FailureOr<Shape> shape = Shape::get(*query, reason);
  if (succeeded(shape))
    return *shape;
  op->emitError("requires a persistent kernel that cannot be built: ") << reason << "; run rnn-select-lowering";
  return std::nullopt;
}

/// True if a block of Gemm::isNarrow fits a multiprocessor beside a block of this kernel. Kernels with weights in
/// shared memory use all registers; others at most 224 of 256 threads
/// (test/Conversion/RNNToGPU/wavefront-registers.test).
template <typename Shape> bool leavesRoomForNarrow(const Shape &shape) {
  return shape.bits == 16 && shape.fragmentsInRegisters == shape.getWeights().getFragmentsPerWarp();
}

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RNNTOGPU_PERSISTENTCHOICE_H
