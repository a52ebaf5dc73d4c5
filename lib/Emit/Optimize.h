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

/// Returns LLVM's default pipeline at -O`level` for the processor of `machine`, with vectors of `vectorBits` where LLVM
/// vectorizes loops. Functions with `handTiledAttribute` use a shorter pipeline. With `sanitizeAddress`, memory
/// accesses are checked by AddressSanitizer at run time.
std::function<llvm::Error(llvm::Module *)> makeOptimizer(unsigned level, llvm::TargetMachine *machine,
                                                         unsigned vectorBits, bool sanitizeAddress);

} // namespace mlir::rnn

#endif // RNN_LIB_EMIT_OPTIMIZE_H
