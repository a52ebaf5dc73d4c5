// Returned.h - functions that return tensors, such as those of rnn_mlir.compile. Functions of layers write to memory of
// the caller instead: Arguments.h. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_PYTHON_XLA_RETURNED_H
#define RNN_PYTHON_XLA_RETURNED_H

#include "Modules.h"

#pragma GCC visibility push(hidden)
namespace rnn_xla {

/// Calls a function of target host on `operands`, and lets it write its results to `results`. Returns an error
/// if the function has other numbers, ranks or element types of arguments and results, or if a tensor that it returns
/// has another shape than the result.
ffi::Error runReturning(rnnrt_call_t *call, const rnnrt_function_t &function, ffi::RemainingArgs &operands,
                        ffi::RemainingRets &results);

} // namespace rnn_xla
#pragma GCC visibility pop

#endif // RNN_PYTHON_XLA_RETURNED_H
