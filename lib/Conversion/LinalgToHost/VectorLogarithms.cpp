//===- VectorLogarithms.cpp - log and log1p of f64 vectors --------------------===//
//
// With x = 2^k (1 + f) and s = f / (2 + f), log(1 + f) = 2 artanh(s) = f - (f^2 / 2 - s (f^2 / 2 + z P(z))) with z =
// s^2: the terms after f are small, so their rounding errors are. The error is below one unit in the last place.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "F64Builder.h"
#include "Internal.h"
#include <limits>

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

namespace {

class LogarithmBuilder : public F64Builder {
public:
  using F64Builder::F64Builder;

  /// log(u + correction) of a positive number u, where the correction is below half a unit in the last place of u.
  Value logarithm(Value u, Value correction = {}) {
    // Denormals are scaled to normal numbers.
    constexpr double scale = 0x1p54;
    Value isDenormal = isLess(u, constant(std::numeric_limits<double>::min()));
    u = select(isDenormal, multiply(u, constant(scale)), u);
    auto [k, m] = splitExponent(u);
    k = select(isDenormal, subtract(k, constant(54)), k);

    Value f = subtract(m, constant(1)), s = divide(f, add(f, constant(2))), z = multiply(s, s);
    // 2 (artanh(s) / s - 1) / z, interpolated at Chebyshev nodes. Relative error of the logarithm: 2^-57.6.
    Value p = polynomial(z, {0.666666666666667, 0.39999999999899505, 0.28571428625975515, 0.22222211134790545,
                             0.181828891255921, 0.15331721589574307, 0.14616449820782476});
    Value half = multiply(multiply(f, f), constant(0.5));
    // ln(2) in two parts: the product of the first one and k is exact.
    Value low = multiply(k, constant(1.90821492927058770002e-10));
    if (correction)
      low = add(low, divide(correction, u));
    Value small = add(multiply(s, add(half, multiply(z, p))), low);
    return add(multiply(k, constant(6.93147180369123816490e-01)), subtract(f, subtract(half, small)));
  }

  /// `result` if u is a positive number, and else the result for zero, negative numbers, infinity or NaN.
  Value complete(Value result, Value u) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    result = select(isEqual(u, 0), constant(-infinity), result);
    result = select(isLess(u, constant(0)), constant(std::numeric_limits<double>::quiet_NaN()), result);
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
    Value result = copySign(logarithm(u, lost), x);
    return complete(result, u);
  }
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
