//===- TorchTypes.h - tensors of torch-mlir as builtin tensors -*- C++ -*-===//
//
// torch-mlir's type `!torch.vtensor<[2,3],f32>` is read and written as text, so that the same code serves opaque types
// and torch-mlir's own. Its ops `torch_c.to_builtin_tensor` and `torch_c.from_builtin_tensor` convert values.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_COMMON_TORCHTYPES_H
#define RNN_LIB_CONVERSION_COMMON_TORCHTYPES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "rnn/Dialect/RNN/Transforms/FrameworkOps.h"

namespace mlir::rnn {

/// Returns true for a type of the torch dialect.
bool isTorchType(Type type);
/// The builtin tensor with the same shape and a signless element type, or null if `type` is not a `!torch.vtensor` with
/// a known rank and element type.
RankedTensorType getBuiltinTensorType(Type type);

/// The builtin tensor of a `!torch.vtensor`, or `value` itself if its type has no builtin counterpart.
Value toBuiltinTensor(OpBuilder &b, Location loc, Value value);
Value fromBuiltinTensor(OpBuilder &b, Location loc, Value value, Type torchType);

/// A dense attribute with signless elements, or null if `value` is not supported. Resources are read.
DenseElementsAttr getSignlessElements(Attribute value);

/// Replaces literals of torch and ONNX, and zeros of torch, by constants and filled tensors.
void convertTorchLiterals(ModuleOp module);

/// Makes arguments, results and calls of functions builtin tensors. Folds conversions, and erases ops of the torch
/// dialect that have no uses.
void convertTorchBoundaries(ModuleOp module);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_COMMON_TORCHTYPES_H
