//===- Functions.h - functions of TensorFlow's modules -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_TFTORNN_FUNCTIONS_H
#define RNN_LIB_CONVERSION_TFTORNN_FUNCTIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::rnn {

/// Inlines `tf.PartitionedCall` and `tf.StatefulPartitionedCall`, so that a layer has its constant operands, and erases
/// private functions without uses that it inlined. A function that calls itself, or that has several blocks, is called
/// by `func.call`. Calls of functions that are not in the module, or of other types, stay.
void inlineTFCalls(ModuleOp module);

/// Names arguments and results of public functions as TensorFlow does (`tf._user_specified_name`, and
/// `tf_saved_model.index_path` of a SavedModel), for exported tables and C headers.
void nameTFArguments(ModuleOp module);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_TFTORNN_FUNCTIONS_H
