//===- RNNRT.h - the rnnrt dialect -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNNRT_IR_RNNRT_H
#define RNN_DIALECT_RNNRT_IR_RNNRT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "rnn/Dialect/RNN/IR/RNN.h"

#include "rnn/Dialect/RNNRT/IR/RNNRTDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "rnn/Dialect/RNNRT/IR/RNNRTTypes.h.inc"

#include "rnn/Dialect/RNNRT/IR/RNNRTInterfaces.h.inc"

#define GET_OP_CLASSES
#include "rnn/Dialect/RNNRT/IR/RNNRTOps.h.inc"

#endif // RNN_DIALECT_RNNRT_IR_RNNRT_H
