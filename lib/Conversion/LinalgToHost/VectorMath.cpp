//===- VectorMath.cpp - functions of f32 vectors by polynomials in f64 --------===//
//
// Argument reduction and polynomials are computed in f64. The relative error before the final rounding to f32 is below
// 2^-33, so the total error is hardly more than that of this rounding, half a unit in the last place. Denormals of f32
// are normal numbers of f64, and its overflows are finite there: they need no special cases. The polynomials
// interpolate at Chebyshev nodes; the comments give their relative errors. Contraction to FMA changes only the last
// bits of f64.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "F64Builder.h"
#include "Internal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

namespace {

constexpr double pi = 0x1.921fb54442d18p1, infinity = std::numeric_limits<double>::infinity();

/// x = whole + fraction, |fraction| <= 1/2. The low bits of `integer`, i64, are those of `whole`.
struct Rounded {
  Value whole, integer;
};

/// Builds functions of f32 vectors in f64.
class MathBuilder : public F64Builder {
public:
  MathBuilder(Location loc, PatternRewriter &rewriter, VectorType single)
      : F64Builder(loc, rewriter, single), single(single) {}

  Value extend(Value x) { return arith::ExtFOp::create(*this, type, x); }
  Value truncate(Value x) { return arith::TruncFOp::create(*this, single, x); }

  /// x times `factor`, rounded to an integer below 2^51: adding 1.5 * 2^52 leaves no bits for a fraction.
  Rounded round(Value x, double factor = 1) {
    Value magic = constant(0x1.8p52), shifted = add(multiply(x, constant(factor)), magic);
    // No contraction: the rounding of `shifted` must not be undone.
    return {arith::SubFOp::create(*this, shifted, magic), bits(shifted)};
  }

  /// log2 of x >= 0, where x is not an f64 denormal (no f32 is one). The absolute error is at most 2^-44. So is the
  /// relative error for x near 1, where the result is near 0.
  Value log2(Value x) {
    auto [whole, m] = splitExponent(x);
    // log(m) = 2 artanh(s), |s| < 0.1716. Error: 2^-45.1.
    Value s = divide(subtract(m, constant(1)), add(m, constant(1)));
    Value p = polynomial(multiply(s, s), {2.8853900817778504, 0.9617966941124542, 0.5770779426002068,
                                          0.41220923060095693, 0.31990651794130825, 0.28288934209103966});
    Value result = add(multiply(s, p), whole);
    result = select(isEqual(x, 0), constant(-infinity), result);
    // Infinities and NaN remain.
    return select(isLess(x, constant(infinity)), result, x);
  }

  /// 2^x. Results above or below the numbers of f32 are at least 2^1000 or at most 2^-1000, and rounded later.
  Value exp2(Value x) {
    Value high = constant(1000), low = constant(-1000);
    x = select(isLess(high, x), high, x);
    x = select(isLess(x, low), low, x);
    auto [whole, integer] = round(x);
    Value biased = arith::AddIOp::create(*this, integer, this->integer(1023));
    Value scale = fromBits(arith::ShLIOp::create(*this, biased, this->integer(fractionBits)));
    // Error: 2^-34.1.
    Value p = polynomial(subtract(x, whole),
                         {0.999999999959497, 0.6931471805568274, 0.24022651214120053, 0.05550410906373737,
                          0.009618025530398209, 0.0013333478409865399, 0.00015469755744925822, 1.5303721130801367e-05});
    return multiply(p, scale);
  }

  /// x = quarters * pi / 2 + r with |r| <= pi / 4.
  struct Angle {
    Value sine, cosine; ///< of r
    Value quarters;     ///< i64
  };
  /// Reduces |x| <= 2^28.
  Angle reduceAngle(Value x) {
    auto [whole, quarters] = round(x, 2 / pi);
    // pi / 2 in two parts (Cody and Waite). The first has 25 bits: its product with `whole` is exact.
    constexpr double first = 0x1.921fb5p0, second = 0x1.110b4611a6263p-26;
    Value r = subtract(x, multiply(whole, constant(first)));
    r = subtract(r, multiply(whole, constant(second)));
    Value square = multiply(r, r);
    // Errors: 2^-35.6 and 2^-41.5. The product keeps the sign of -0.
    Value sine = polynomial(
        square, {1, -0.16666666663853044, 0.008333331873837089, -0.00019840086263755443, 2.7249864655139585e-06});
    Value cosine = polynomial(square, {1, -0.49999999999963857, 0.041666666637372694, -0.0013888885089126252,
                                       2.479986150250612e-05, -2.7237076731325097e-07});
    return {multiply(r, sine), cosine, quarters};
  }

  /// Whether bit `bit` of the integers is set.
  Value hasBit(Value x, int bit) {
    Value masked = arith::AndIOp::create(*this, x, integer(int64_t(1) << bit));
    return arith::CmpIOp::create(*this, arith::CmpIPredicate::ne, masked, integer(0));
  }

  /// The angle of the point (x, y) as of std::atan2.
  Value atan2(Value y, Value x) {
    Value absX = abs(x), absY = abs(y), isSteep = isLess(absX, absY);
    Value small = select(isSteep, absX, absY), large = select(isSteep, absY, absX);
    // Both infinite: 45 degrees. Otherwise an infinite one has the direction of its axis. NaN remains.
    Value isInfinite = isEqual(large, infinity), one = constant(1), zero = constant(0);
    small = select(isInfinite, select(isEqual(small, infinity), one, multiply(small, zero)), small);
    large = select(isInfinite, one, large);
    large = select(isEqual(large, 0), one, large);
    // t = tan(angle), or for angles above 22.5 degrees tan(angle - 45 degrees) = (small - large) / (small + large).
    Value isSecond = isLess(multiply(large, constant(std::sqrt(2.0) - 1)), small);
    Value t = divide(select(isSecond, subtract(small, large), small), select(isSecond, add(small, large), large));
    // Error: 2^-38.3.
    Value p = polynomial(multiply(t, t),
                         {1, -0.33333333331440346, 0.19999998917102724, -0.142856124970554, 0.11107494737165279,
                          -0.09028978546374875, 0.07135296999665997, -0.0404316541421241});
    Value angle = multiply(t, p);
    angle = select(isSecond, add(angle, constant(pi / 4)), angle);
    angle = select(isSteep, subtract(constant(pi / 2), angle), angle);
    Value isLeft = arith::CmpIOp::create(*this, arith::CmpIPredicate::slt, bits(x), integer(0)); // -0 also
    angle = select(isLeft, subtract(constant(pi), angle), angle);
    return copySign(angle, y);
  }

  VectorType single;
};

/// sin, cos and tan. If a vector has arguments beyond 2^28, a loop over its lanes calls the C library, and only the
/// lanes of such arguments take these results.
Value computeAngleFunction(MathBuilder &b, Operation *op) {
  Value argument = op->getOperand(0), x = b.extend(argument);
  auto [sine, cosine, quarters] = b.reduceAngle(x);
  Value isOdd = b.hasBit(quarters, 0), result;
  if (isa<math::TanOp>(op)) {
    Value numerator = b.select(isOdd, cosine, sine), denominator = b.select(isOdd, sine, cosine);
    Value quotient = b.divide(numerator, denominator);
    result = b.select(isOdd, arith::NegFOp::create(b, quotient), quotient);
  } else {
    bool isSine = isa<math::SinOp>(op);
    if (!isSine) // cos(x) = sin(x + pi / 2)
      quarters = arith::AddIOp::create(b, quarters, b.integer(1));
    result = isSine ? b.select(isOdd, cosine, sine) : b.select(isOdd, sine, cosine);
    result = b.select(b.hasBit(quarters, 1), arith::NegFOp::create(b, result), result);
  }
  result = b.truncate(result);

  Value magnitude = b.abs(x);
  Value isLarge = b.isLess(b.constant(0x1p28), magnitude), isFinite = b.isLess(magnitude, b.constant(infinity));
  isLarge = arith::AndIOp::create(b, isLarge, isFinite);
  Value any = vector::ReductionOp::create(b, vector::CombiningKind::OR, isLarge);
  auto branch = scf::IfOp::create(b, b.single, any, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, result);
  b.setInsertionPointToStart(branch.thenBlock());
  Value zero = arith::ConstantIndexOp::create(b, 0), one = arith::ConstantIndexOp::create(b, 1);
  Value count = arith::ConstantIndexOp::create(b, b.single.getNumElements());
  auto loop = scf::ForOp::create(b, zero, count, one, result);
  scf::YieldOp::create(b, b.select(isLarge, loop.getResult(0), result));
  b.setInsertionPointToStart(loop.getBody());
  Value lane = loop.getInductionVar();
  Value element = vector::ExtractOp::create(b, argument, lane);
  Operation *scalar = b.insert(op->clone());
  scalar->setOperands(element);
  scalar->getResult(0).setType(b.getF32Type());
  Value inserted = vector::InsertOp::create(b, scalar->getResult(0), loop.getRegionIterArgs().front(), lane);
  scf::YieldOp::create(b, inserted);
  return branch.getResult(0);
}

/// std::pow in all cases: of zeros, infinities, NaN, and negative bases.
Value computePower(MathBuilder &b, Value base, Value exponent) {
  Value x = b.extend(base), y = b.extend(exponent), magnitude = b.abs(x), one = b.constant(1);
  Value logarithm = b.log2(magnitude);
  Value result = b.exp2(b.multiply(y, logarithm));
  // 1^y is 1, even for an infinite y, and for NaN if the base is no -1; x^0 is 1 even for NaN.
  result = b.select(b.isEqual(magnitude, 1), one, result);
  Value half = b.multiply(y, b.constant(0.5));
  Value floorOfY = math::FloorOp::create(b, y), floorOfHalf = math::FloorOp::create(b, half);
  Value isInteger = b.compare(arith::CmpFPredicate::OEQ, floorOfY, y);
  Value isOdd = arith::AndIOp::create(b, isInteger, b.compare(arith::CmpFPredicate::ONE, floorOfHalf, half));
  result = b.select(isOdd, b.copySign(result, x), result);
  Value isNegative = arith::AndIOp::create(b, b.isLess(x, b.constant(0)), b.isLess(b.constant(-infinity), x));
  Value nan = b.constant(std::numeric_limits<double>::quiet_NaN());
  result = b.select(isNegative, b.select(isInteger, result, nan), result);
  return b.truncate(b.select(b.isEqual(y, 0), one, result));
}

Value computeCubeRoot(MathBuilder &b, Value argument) {
  Value x = b.extend(argument);
  Value root = b.exp2(b.multiply(b.log2(b.abs(x)), b.constant(1.0 / 3)));
  return b.truncate(b.copySign(root, x));
}

/// Replaces a function of f32 vectors.
template <typename Op> struct ConvertFunction : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || !type.getElementType().isF32() || type.getRank() != 1 || type.isScalable())
      return failure();
    MathBuilder b(op.getLoc(), rewriter, type);
    rewriter.replaceOp(op, compute(b, op));
    return success();
  }

  static Value compute(MathBuilder &b, Op op) {
    if constexpr (std::is_same_v<Op, math::PowFOp>)
      return computePower(b, op.getLhs(), op.getRhs());
    else if constexpr (std::is_same_v<Op, math::CbrtOp>)
      return computeCubeRoot(b, op.getOperand());
    else if constexpr (std::is_same_v<Op, math::Atan2Op>)
      return b.truncate(b.atan2(b.extend(op.getLhs()), b.extend(op.getRhs())));
    else if constexpr (std::is_same_v<Op, math::AtanOp>)
      return b.truncate(b.atan2(b.extend(op.getOperand()), b.constant(1)));
    else if constexpr (std::is_same_v<Op, math::AsinOp> || std::is_same_v<Op, math::AcosOp>) {
      Value x = b.extend(op.getOperand()), one = b.constant(1);
      Value other = math::SqrtOp::create(b, b.multiply(b.subtract(one, x), b.add(one, x)));
      return b.truncate(std::is_same_v<Op, math::AsinOp> ? b.atan2(x, other) : b.atan2(other, x));
    } else
      return computeAngleFunction(b, op);
  }
};

} // namespace

void host::populateVectorMathPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertFunction<math::SinOp>, ConvertFunction<math::CosOp>, ConvertFunction<math::TanOp>,
               ConvertFunction<math::AsinOp>, ConvertFunction<math::AcosOp>, ConvertFunction<math::AtanOp>,
               ConvertFunction<math::Atan2Op>, ConvertFunction<math::PowFOp>, ConvertFunction<math::CbrtOp>>(
      patterns.getContext());
}
