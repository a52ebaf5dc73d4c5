//===- RNNGPU.h - the rnngpu dialect -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNNGPU_IR_RNNGPU_H
#define RNN_DIALECT_RNNGPU_IR_RNNGPU_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/GPU/IR/CompilationInterfaces.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "rnn/Dialect/RNNGPU/IR/RNNGPUDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "rnn/Dialect/RNNGPU/IR/RNNGPUAttrs.h.inc"

#define GET_OP_CLASSES
#include "rnn/Dialect/RNNGPU/IR/RNNGPUOps.h.inc"

#endif // RNN_DIALECT_RNNGPU_IR_RNNGPU_H
