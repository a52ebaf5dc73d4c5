//===- Kernels.cpp - the GPU kernels of a compiled module ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::rnn;

llvm::Expected<std::string> rnn::getKernels(ModuleOp module) {
  SmallVector<gpu::BinaryOp> binaries(module.getOps<gpu::BinaryOp>());
  if (binaries.empty())
    return llvm::createStringError(
        "the module has no kernels: every rnn op runs as a plan (--remarks prints the reasons); use "
        "--lowering=fused");
  if (binaries.size() > 1)
    return llvm::createStringError("the module has " + std::to_string(binaries.size()) +
                                   " kernel modules, which do not fit one file; use -o FILE.mlir");
  auto object = cast<gpu::ObjectAttr>(binaries.front().getObjects()[0]);
  // PTX is stored with the terminating zero that the driver needs.
  StringRef bytes = object.getObject().getValue();
  return (object.getFormat() == gpu::CompilationTarget::Assembly ? bytes.rtrim('\0') : bytes).str();
}
