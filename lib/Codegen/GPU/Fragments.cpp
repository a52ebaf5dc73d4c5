//===- Fragments.cpp - MMA fragments of recurrent weights ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "rnn/Codegen/GPU/Kernel.h"
#include "rnn/Codegen/GPU/PersistentKernel.h"

using namespace mlir;
using namespace mlir::rnn;

/// Registers of the left operand (PTX ISA, mma.m16n8k16 and m16n8k8): rows group and group + 8, columns at the member
/// and half a fragment later. In this order a thread loads 16 bytes at once. With tf32 the kernel also rounds f32.
void rnn::orderFragments(const Emitter &host, StringRef name, const Fragments &fragments, Value ordered,
                         function_ref<Value(const Emitter &, Value, Value, Value)> read) {
  Value count = host.size(ordered, 0), registers = host.index(Fragments::lanes * Fragments::registers);
  launchElementwise(host, name, count, registers, [&](const Emitter &e, Value fragment, Value place) {
    auto split = [&](int64_t count) {
      Value part = e.remainder(place, e.index(count));
      place = e.div(place, e.index(count));
      return part;
    };
    Value lower = split(2), right = split(2), member = split(4), group = place;
    Value row = e.add(e.mul(lower, e.index(8)), group);
    Value first =
        e.add(e.mul(right, e.index(fragments.getDepth() / 2)), e.mul(member, e.index(fragments.getPerRegister())));
    Value lane = e.add(e.mul(group, e.index(4)), member);
    Value number = e.add(e.mul(lane, e.index(4)), e.add(e.mul(right, e.index(2)), lower));
    for (int64_t index = 0; index < fragments.getPerRegister(); ++index) {
      Value value = read(e, fragment, row, e.add(first, e.index(index)));
      if (fragments.element.isF32() && !splitsOperands(fragments.element, e.options)) {
        value = NVVM::ConvertFloatToTF32Op::create(e.builder, e.loc, e.builder.getI32Type(), value,
                                                   NVVM::FPRoundingMode::RNA);
        value = LLVM::BitcastOp::create(e.builder, e.loc, fragments.element, value);
      }
      e.store(value, ordered, {fragment, number, e.index(index)});
    }
  });
}
