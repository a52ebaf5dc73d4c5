//===- HandTiled.h - functions whose loops are tiled already -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_CPU_HANDTILED_H
#define RNN_CODEGEN_CPU_HANDTILED_H

#include "llvm/ADT/StringRef.h"

namespace mlir {
class Operation;
}

namespace mlir::rnn {

/// Attribute of functions (also of LLVM IR functions) whose loops are tiled and unrolled already. LLVM's loop
/// transformations are disabled for them.
inline constexpr llvm::StringLiteral handTiledAttribute = "rnn-hand-tiled";

/// Adds `handTiledAttribute` to a function, and `noinline`: a caller without the attribute would transform the loops.
void markHandTiled(Operation *function);

} // namespace mlir::rnn

#endif // RNN_CODEGEN_CPU_HANDTILED_H
