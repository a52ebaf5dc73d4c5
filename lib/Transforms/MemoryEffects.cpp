//===- MemoryEffects.cpp - memory effects of gpu and mpi ops -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Transforms/MemoryEffects.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace {
template <typename OpTy> struct AnyEffects : public MemoryEffectOpInterface::ExternalModel<AnyEffects<OpTy>, OpTy> {
  void getEffects(Operation *, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) const {
    // Kernels may access any memory, since arguments can be pointers. Communication keeps its order.
    effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
  }
};

template <typename... OpTys> void attachAnyEffects(MLIRContext *context) {
  (OpTys::template attachInterface<AnyEffects<OpTys>>(*context), ...);
}
} // namespace

void rnn::registerMemoryEffectExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, gpu::GPUDialect *) {
    attachAnyEffects<gpu::LaunchFuncOp, gpu::WaitOp, gpu::HostRegisterOp, gpu::HostUnregisterOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, mpi::MPIDialect *) {
    attachAnyEffects<mpi::AllReduceOp, mpi::Barrier, mpi::FinalizeOp, mpi::InitOp, mpi::IRecvOp, mpi::ISendOp,
                     mpi::RecvOp, mpi::SendOp, mpi::Wait>(context);
  });
}
