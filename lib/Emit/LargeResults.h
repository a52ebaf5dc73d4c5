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

/// Replaces the result of each private function that returns a struct with many scalars, such as the memrefs of a
/// training step, by a pointer to memory of the caller. The function stores each element of the struct right after its
/// computation. Otherwise LLVM stores all of them before the return, in one basic block, and its schedulers compare
/// each pair of these stores. Run it before LLVM's optimizations.
void demoteLargeResults(llvm::Module &module);

} // namespace mlir::rnn

#endif // RNN_LIB_EMIT_LARGERESULTS_H
