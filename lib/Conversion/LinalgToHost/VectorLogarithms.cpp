//===- VectorLogarithms.cpp - log and log1p of f64 vectors --------------------===//
//
// With x = 2^k (1 + f) and s = f / (2 + f), log(1 + f) = 2 artanh(s) = f - (f^2 / 2 - s (f^2 / 2 + z P(z))) with z =
// s^2: the terms after f are small, so their rounding errors are. The error is below one unit in the last place.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::rnn;

namespace {

class LogarithmBuilder : public ImplicitLocOpBuilder {
public:
  LogarithmBuilder(Location loc, PatternRewriter &rewriter, VectorType type)
      : ImplicitLocOpBuilder(loc, rewriter), type(type), integers(type.clone(rewriter.getI64Type())) {}

  /// log(u + correction) of a positive number u, where the correction is below half a unit in the last place of u.
  Value logarithm(Value u, Value correction = {}) {
    // Denormals are scaled to normal numbers.
    constexpr double scale = 0x1p54;
    Value isDenormal = isLess(u, constant(std::numeric_limits<double>::min()));
    u = select(isDenormal, multiply(u, constant(scale)), u);
    // u = 2^k * m with sqrt(1/2) <= m < sqrt(2).
    Value bits = arith::BitcastOp::create(*this, integers, u), fraction = integer(52);
    Value above = arith::SubIOp::create(*this, bits, integer(llvm::bit_cast<int64_t>(std::sqrt(0.5))));
    Value k = arith::ShRSIOp::create(*this, above, fraction);
    Value shift = arith::ShLIOp::create(*this, k, fraction);
    Value m = arith::BitcastOp::create(*this, type, Value(arith::SubIOp::create(*this, bits, shift)));
    // k as f64: few processors convert vectors of i64.
    Value magic = constant(0x1.8p52);
    Value biased = arith::AddIOp::create(*this, k, Value(arith::BitcastOp::create(*this, integers, magic)));
    Value whole = subtract(arith::BitcastOp::create(*this, type, biased), magic);
    whole = select(isDenormal, subtract(whole, constant(54)), whole);

    Value f = subtract(m, constant(1)), s = divide(f, add(f, constant(2))), z = multiply(s, s);
    // 2 (artanh(s) / s - 1) / z, interpolated at Chebyshev nodes. Relative error of the logarithm: 2^-57.6.
    Value p = polynomial(z, {0.666666666666667, 0.39999999999899505, 0.28571428625975515, 0.22222211134790545,
                             0.181828891255921, 0.15331721589574307, 0.14616449820782476});
    Value half = multiply(multiply(f, f), constant(0.5));
    // ln(2) in two parts: the product of the first one and k is exact.
    Value low = multiply(whole, constant(1.90821492927058770002e-10));
    if (correction)
      low = add(low, divide(correction, u));
    Value small = add(multiply(s, add(half, multiply(z, p))), low);
    return add(multiply(whole, constant(6.93147180369123816490e-01)), subtract(f, subtract(half, small)));
  }

  /// The logarithm with the results for other arguments than positive numbers.
  Value complete(Value result, Value u) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Value zero = constant(0);
    result = select(compare(arith::CmpFPredicate::OEQ, u, zero), constant(-infinity), result);
    result = select(isLess(u, zero), constant(std::numeric_limits<double>::quiet_NaN()), result);
    // Infinity and NaN remain.
    return select(isLess(u, constant(infinity)), result, u);
  }

  Value log(Value x) { return complete(logarithm(x), x); }

  Value log1p(Value x) {
    Value one = constant(1), u = add(x, one);
    // What the rounding of 1 + x has lost.
    Value isLarge = isLess(one, x);
    Value lost = subtract(select(isLarge, one, x), subtract(u, select(isLarge, x, one)));
    // The result has the sign of x, also of -0.
    Value result = math::CopySignOp::create(*this, logarithm(u, lost), x);
    return complete(result, u);
  }

private:
  Value constant(double value) { return arith::ConstantOp::create(*this, DenseElementsAttr::get(type, value)); }
  Value integer(int64_t value) { return arith::ConstantOp::create(*this, DenseElementsAttr::get(integers, value)); }
  Value add(Value x, Value y) { return arith::AddFOp::create(*this, x, y); }
  Value subtract(Value x, Value y) { return arith::SubFOp::create(*this, x, y); }
  Value multiply(Value x, Value y) { return arith::MulFOp::create(*this, x, y); }
  Value divide(Value x, Value y) { return arith::DivFOp::create(*this, x, y); }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(*this, condition, x, y); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(*this, predicate, x, y);
  }
  Value isLess(Value x, Value y) { return compare(arith::CmpFPredicate::OLT, x, y); }
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value result = constant(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      result = math::FmaOp::create(*this, result, x, constant(coefficient));
    return result;
  }

  VectorType type, integers;
};

/// Replaces a logarithm of f64 vectors.
template <typename Op> struct ConvertLogarithm : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || !type.getElementType().isF64() || type.getRank() != 1 || type.isScalable())
      return failure();
    LogarithmBuilder b(op.getLoc(), rewriter, type);
    Value x = op.getOperand();
    rewriter.replaceOp(op, std::is_same_v<Op, math::LogOp> ? b.log(x) : b.log1p(x));
    return success();
  }
};

} // namespace

void host::populateVectorLogarithmPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertLogarithm<math::LogOp>, ConvertLogarithm<math::Log1pOp>>(patterns.getContext());
}
