//===- LaunchCalls.cpp - names of the calls that launch GPU kernels ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchCalls.h"
#include "llvm/IR/Module.h"

void mlir::rnn::renameLaunchCalls(llvm::Module &module) {
  static constexpr struct {
    const char *upstream, *name;
  } entries[] = {
#define RNNRT_MGPU_ENTRY(result, upstream, name, parameters) {#upstream, #name},
#include "rnn_runtime/mgpu.def"
#undef RNNRT_MGPU_ENTRY
  };
  for (auto [upstream, name] : entries) {
    llvm::Function *function = module.getFunction(upstream);
    if (!function || !function->isDeclaration())
      continue;
    if (llvm::Function *existing = module.getFunction(name)) {
      function->replaceAllUsesWith(existing);
      function->eraseFromParent();
    } else {
      function->setName(name);
    }
  }
}
