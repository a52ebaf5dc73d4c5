//===- GPUMemoryEffects.cpp - memory effects of gpu launch ops ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Transforms/GPUMemoryEffects.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace {
template <typename OpTy> struct AnyEffects : public MemoryEffectOpInterface::ExternalModel<AnyEffects<OpTy>, OpTy> {
  void getEffects(Operation *, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) const {
    // Kernels may access any memory, since arguments can be pointers.
    effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
  }
};
} // namespace

void rnn::registerGPUMemoryEffects(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, gpu::GPUDialect *) {
    gpu::LaunchFuncOp::attachInterface<AnyEffects<gpu::LaunchFuncOp>>(*context);
    gpu::WaitOp::attachInterface<AnyEffects<gpu::WaitOp>>(*context);
    gpu::HostRegisterOp::attachInterface<AnyEffects<gpu::HostRegisterOp>>(*context);
    gpu::HostUnregisterOp::attachInterface<AnyEffects<gpu::HostUnregisterOp>>(*context);
  });
}
