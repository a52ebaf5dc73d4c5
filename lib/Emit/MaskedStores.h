//===- MaskedStores.h - masked stores of one element -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_EMIT_MASKEDSTORES_H
#define RNN_LIB_EMIT_MASKEDSTORES_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::rnn {

/// Replaces masked stores whose mask is a constant with one element by stores of that element. With AVX512, LLVM 22
/// merges the masked store with a truncation of its value and then stores the element in its type before the
/// truncation, over the elements that follow (https://github.com/llvm/llvm-project/issues/179489). Run it after LLVM's
/// optimizations, which fold masks to constants.
void expandSingleElementStores(llvm::Module &module);

} // namespace mlir::rnn

#endif // RNN_LIB_EMIT_MASKEDSTORES_H
