//===- RNNPlugin.cpp - dialects and passes as a plugin -----------------------===//
//
// mlir-opt --load-dialect-plugin=RNNPlugin.so --load-pass-plugin=RNNPlugin.so registers what rnn-opt registers, except
// the `tf` dialect: a host may have its own, and reads TensorFlow's ops with --allow-unregistered-dialect otherwise.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "rnn/Config/Version.h"
#include "rnn/InitAllDialects.h"
#include "rnn/InitAllPasses.h"
#include "llvm/Config/llvm-config.h"
#include <dlfcn.h>

using namespace mlir;

/// The version of the plugin interface, or 0, which every host refuses, if the host has another LLVM than this plugin.
/// The hosts' own message does not name the versions, and mlir-opt drops it.
static uint32_t getInterfaceVersion() {
  // The first definition of the program and the libraries that it was linked with; the library that the plugin itself
  // loaded comes last.
  using GetVersionFn = void (*)(unsigned *, unsigned *, unsigned *);
  unsigned major = LLVM_VERSION_MAJOR, minor = LLVM_VERSION_MINOR, patch = LLVM_VERSION_PATCH;
  if (auto getVersion = reinterpret_cast<GetVersionFn>(dlsym(RTLD_DEFAULT, "LLVMGetVersion")))
    getVersion(&major, &minor, &patch);
  if (major == LLVM_VERSION_MAJOR && minor == LLVM_VERSION_MINOR)
    return MLIR_PLUGIN_API_VERSION;
  static bool isReported = false;
  if (!std::exchange(isReported, true))
    llvm::errs() << "error: RNNPlugin.so expects a program with LLVM " << LLVM_VERSION_MAJOR << "."
                 << LLVM_VERSION_MINOR << ", but this program has LLVM " << major << "." << minor << "." << patch
                 << "; load the plugin with mlir-opt of LLVM " << LLVM_VERSION_MAJOR
                 << ", or build rnn-mlir with the program's LLVM\n";
  return 0;
}

static void registerDialects(DialectRegistry *registry) {
  rnn::registerAllDialects(*registry);
  // The pipeline of target cuda translates kernels to binaries. Registration is idempotent.
  registerAllGPUToLLVMIRTranslations(*registry);
}

extern "C" DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {getInterfaceVersion(), "RNNPlugin", RNN_VERSION, registerDialects};
}

extern "C" PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {getInterfaceVersion(), "RNNPlugin", RNN_VERSION, rnn::registerAllPasses};
}
