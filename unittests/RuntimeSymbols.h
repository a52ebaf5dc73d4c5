//===- RuntimeSymbols.h - the runtime's functions for the JIT -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_UNITTESTS_RUNTIMESYMBOLS_H
#define RNN_UNITTESTS_RUNTIMESYMBOLS_H

#include "rnn/Emit/JIT.h"
#include "rnn_runtime/api.h"
#include "llvm/ADT/SmallVector.h"

/// All functions that compiled code may call, for JITOptions::symbols.
inline llvm::SmallVector<mlir::rnn::RuntimeSymbol> getRuntimeSymbols() {
  size_t count;
  const rnnrt_abi_symbol_t *table = rnnrt_abi_symbols(&count);
  llvm::SmallVector<mlir::rnn::RuntimeSymbol> symbols;
  for (size_t index = 0; index < count; ++index)
    symbols.push_back({table[index].name, table[index].address});
  return symbols;
}

#endif // RNN_UNITTESTS_RUNTIMESYMBOLS_H
