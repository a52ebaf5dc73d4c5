//===- EntryArgument.h - signatures of exported functions -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RUNTIMETOLLVM_ENTRYARGUMENT_H
#define RNN_LIB_CONVERSION_RUNTIMETOLLVM_ENTRYARGUMENT_H

#include "mlir/IR/Value.h"
#include <optional>
#include <string>

namespace mlir::rnn {

/// An argument or result of an exported function.
struct EntryArgument {
  std::string name;
  Type type;     ///< scalar or memref type in the function
  Type exported; ///< scalar or tensor type for callers
  int32_t dtype, kind;
  int32_t rank = 0; ///< -1 for any rank
  SmallVector<int64_t> shape;
  SmallVector<int64_t> sizes = {};   ///< as in ExportedArgument
  SmallVector<int64_t, 0> rows = {}; ///< as in rnnrt_argument_t::sizes
  int32_t flags = 0;                 ///< rnnrt_argument_flags_t
};

/// Determines how `argument.type` is exported. Returns the reason if it cannot be. `value` is null for a result.
std::optional<std::string> classifyArgument(EntryArgument &argument, Value value);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RUNTIMETOLLVM_ENTRYARGUMENT_H
