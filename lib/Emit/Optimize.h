//===- Optimize.h - LLVM's optimization pipeline -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_EMIT_OPTIMIZE_H
#define RNN_LIB_EMIT_OPTIMIZE_H

#include "llvm/Support/Error.h"
#include <functional>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::rnn {

/// The parts of the pipeline. The first part inlines functions; the second one needs no other function, so that threads
/// run it on parts of a module.
enum class OptimizerPart { All, Simplify, Optimize };

/// Returns LLVM's default pipeline at -O`level` for the processor of `machine`, with vectors of `vectorBits` where LLVM
/// vectorizes loops. Functions with `handTiledAttribute` use a shorter pipeline. With `sanitizeAddress`, memory
/// accesses are checked by AddressSanitizer at run time.
std::function<llvm::Error(llvm::Module *)> makeOptimizer(unsigned level, llvm::TargetMachine *machine,
                                                         unsigned vectorBits, bool sanitizeAddress,
                                                         OptimizerPart part = OptimizerPart::All);

} // namespace mlir::rnn

#endif // RNN_LIB_EMIT_OPTIMIZE_H
