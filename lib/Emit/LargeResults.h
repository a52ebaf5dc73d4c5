//===- LargeResults.h - results with many elements -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_EMIT_LARGERESULTS_H
#define RNN_LIB_EMIT_LARGERESULTS_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::rnn {

/// Private functions that return structs with many scalars, such as the memrefs of a training step, store the elements
/// in memory of their callers, each where it is computed. LLVM would store all of them at the return, in one block,
/// for which its schedulers compare each store with all others. Run it before LLVM's optimizations.
void demoteLargeResults(llvm::Module &module);

} // namespace mlir::rnn

#endif // RNN_LIB_EMIT_LARGERESULTS_H
