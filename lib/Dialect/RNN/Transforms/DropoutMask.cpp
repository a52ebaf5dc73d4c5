//===- DropoutMask.cpp - Philox4x32-10 in arith ops ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Dialect/RNN/Transforms/DropoutMask.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::rnn;

Value DropoutMask::emitKept(OpBuilder &b, Location loc, Value layer, Value draw, Value element) const {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto word = [&](uint32_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(i32, APInt(32, value)));
  };
  auto wide = [&](uint64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(i64, APInt(64, value)));
  };
  auto low = [&](Value value) -> Value { return arith::TruncIOp::create(b, loc, i32, value); };
  auto shift = [&](Value value, uint64_t bits) -> Value { return arith::ShRUIOp::create(b, loc, value, wide(bits)); };
  auto exclusive = [&](Value x, Value y) -> Value { return arith::XOrIOp::create(b, loc, x, y); };

  Value number = arith::IndexCastOp::create(b, loc, i64, element);
  Value counter[4] = {low(shift(number, 2)), low(shift(number, 34)),
                      low(arith::IndexCastOp::create(b, loc, i64, layer)), low(draw)};
  uint32_t key0 = uint32_t(seed), key1 = uint32_t(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    auto product0 = arith::MulUIExtendedOp::create(b, loc, word(0xd2511f53), counter[0]);
    auto product1 = arith::MulUIExtendedOp::create(b, loc, word(0xcd9e8d57), counter[2]);
    counter[0] = exclusive(exclusive(product1.getHigh(), counter[1]), word(key0));
    counter[2] = exclusive(exclusive(product0.getHigh(), counter[3]), word(key1));
    counter[1] = product1.getLow();
    counter[3] = product0.getLow();
    key0 += 0x9e3779b9;
    key1 += 0xbb67ae85;
  }
  // Word number % 4 of the four.
  Value which = arith::AndIOp::create(b, loc, number, wide(3)), chosen = counter[3];
  for (uint64_t k = 3; k-- > 0;) {
    Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, which, wide(k));
    chosen = arith::SelectOp::create(b, loc, here, counter[k], chosen);
  }
  // In 64 bits: a rate of 1 keeps nothing.
  Value drawn = arith::ExtUIOp::create(b, loc, i64, chosen);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, drawn, wide(uint64_t(rate * 4294967296.0)));
}
