//===- RNNTypes.td - operand and result types of the rnn dialect -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_IR_RNNTYPES_TD
#define RNN_DIALECT_RNN_IR_RNNTYPES_TD

include "mlir/IR/CommonTypeConstraints.td"

// These constraints check the kind of a type only. The verifier checks ranks and dimensions, with messages that name
// the operand and the expected size.
class RNN_Buffer<list<Type> elements, string what>
    : AnyTypeOf<[RankedTensorOf<elements>, MemRefOf<elements>], what # " (ranked tensor or memref)">;

def RNN_Float : RNN_Buffer<[F16, BF16, F32, F64], "values in f16, bf16, f32 or f64">;
def RNN_Lengths : RNN_Buffer<[I32], "i32 sequence lengths">;
def RNN_Resets : RNN_Buffer<[I1], "i1 reset marks">;
def RNN_Offsets : MemRefOf<[I64]>;
def RNN_Reserve : RNN_Buffer<[I8], "i8 reserve space">;

#endif // RNN_DIALECT_RNN_IR_RNNTYPES_TD
