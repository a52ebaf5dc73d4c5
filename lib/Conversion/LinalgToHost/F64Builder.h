//===- F64Builder.h - arithmetic on f64 vectors -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_LINALGTOHOST_F64BUILDER_H
#define RNN_LIB_CONVERSION_LINALGTOHOST_F64BUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/bit.h"
#include <cmath>

namespace mlir::rnn::host {

/// The bits of the fraction of f64.
constexpr int fractionBits = 52;

/// Builds f64 vectors with the number of elements of another vector. Products and sums may become FMA.
class F64Builder : public ImplicitLocOpBuilder {
public:
  F64Builder(Location loc, PatternRewriter &rewriter, VectorType like)
      : ImplicitLocOpBuilder(loc, rewriter), type(like.clone(rewriter.getF64Type())),
        integers(like.clone(rewriter.getI64Type())) {}

  Value constant(double value) { return arith::ConstantOp::create(*this, DenseElementsAttr::get(type, value)); }
  Value integer(int64_t value) { return arith::ConstantOp::create(*this, DenseElementsAttr::get(integers, value)); }
  Value add(Value x, Value y) { return arith::AddFOp::create(*this, x, y, contract); }
  Value subtract(Value x, Value y) { return arith::SubFOp::create(*this, x, y, contract); }
  Value multiply(Value x, Value y) { return arith::MulFOp::create(*this, x, y, contract); }
  Value divide(Value x, Value y) { return arith::DivFOp::create(*this, x, y); }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(*this, condition, x, y); }
  Value abs(Value x) { return math::AbsFOp::create(*this, x); }
  Value copySign(Value magnitude, Value sign) { return math::CopySignOp::create(*this, magnitude, sign); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(*this, predicate, x, y);
  }
  Value isLess(Value x, Value y) { return compare(arith::CmpFPredicate::OLT, x, y); }
  Value isEqual(Value x, double y) { return compare(arith::CmpFPredicate::OEQ, x, constant(y)); }
  Value bits(Value x) { return arith::BitcastOp::create(*this, integers, x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(*this, type, x); }

  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value result = constant(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      result = add(multiply(result, x), constant(coefficient));
    return result;
  }

  /// x = 2^exponent * m with sqrt(1/2) <= m < sqrt(2), where x is positive and normal. The exponent is an f64 as well.
  struct Split {
    Value exponent, m;
  };
  Split splitExponent(Value x) {
    Value root = integer(llvm::bit_cast<int64_t>(std::sqrt(0.5)));
    Value width = integer(fractionBits);
    Value exponent = arith::ShRSIOp::create(*this, arith::SubIOp::create(*this, bits(x), root), width);
    Value m = fromBits(arith::SubIOp::create(*this, bits(x), Value(arith::ShLIOp::create(*this, exponent, width))));
    // Adding the bits of 1.5 * 2^52 converts to f64: few processors convert vectors of i64.
    Value magic = constant(0x1.8p52);
    return {arith::SubFOp::create(*this, fromBits(arith::AddIOp::create(*this, exponent, bits(magic))), magic), m};
  }

  VectorType type, integers;

private:
  static constexpr arith::FastMathFlags contract = arith::FastMathFlags::contract;
};

} // namespace mlir::rnn::host

#endif // RNN_LIB_CONVERSION_LINALGTOHOST_F64BUILDER_H
