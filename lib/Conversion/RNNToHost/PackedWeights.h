//===- PackedWeights.h - packed weights that calls may share -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOHOST_PACKEDWEIGHTS_H
#define RNN_LIB_CONVERSION_RNNTOHOST_PACKEDWEIGHTS_H

#include "rnn/Codegen/CPU/KernelLibrary.h"

namespace mlir::rnn::host {

using cpu::HostBuilder;

/// What the packed weights of one layer and direction are computed from. Calls share packed weights if all of this is
/// equal.
struct WeightsSource {
  Value buffer;     ///< the operand with the weights
  std::string form; ///< attributes that the layout depends on
  Value I, H;       ///< sizes of the network
  Value index;      ///< of the layer and direction in the operand
  Value count;      ///< of layers and directions
  /// i1: the buffer has separate tensors (docs/Semantics.md), whose offsets the other members do not identify, so that
  /// calls must not share their packed weights. Null: false.
  Value isSeparate = Value();
};

/// Packed weights of a layer, in several parts. They belong to the module if the operand is one of its constants,
/// to the caller's handle (rnn_runtime/weights.h) if that covers the operand, else to this call.
class PackedWeights {
public:
  /// A number of elements of one type.
  struct Size {
    Value count;
    FloatType type;
  };

  PackedWeights(HostBuilder &b, cpu::KernelLibrary &library, const WeightsSource &source, ArrayRef<Size> sizes);
  /// Generates `pack`, which runs unless an earlier call has packed these weights.
  void ifUnpacked(function_ref<void()> pack);
  /// Returns an i1: whether the packed weights are scratch of this call, which later calls cannot use, and the call has
  /// at most `most` steps (`steps`). If one GEMM processes `most` steps, it is then the only user of the weights.
  Value areOfFewSteps(Value steps, Value most);
  /// Ends the use of the buffers in this call.
  void release();

  SmallVector<Value> parts; ///< scratch
  Value mustPack;           ///< i1: no earlier call has packed these weights
  Value isScratch;          ///< i1: no other call uses the buffers

private:
  HostBuilder &b;
  Value call, record;
};

} // namespace mlir::rnn::host

#endif // RNN_LIB_CONVERSION_RNNTOHOST_PACKEDWEIGHTS_H
