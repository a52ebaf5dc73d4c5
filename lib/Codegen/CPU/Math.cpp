//===- Math.cpp - sigmoid and tanh of vectors --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/CPU/HostBuilder.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

/// The largest argument of `splitExp`: above it, 2^n is infinite.
static double getExpLimit(bool isDouble) {
  return isDouble ? 709 : 88;
}

/// Returns scale = 2^n and reduced = exp(r) - 1 with exp(x) = scale * (1 + reduced), |r| <= ln(2) / 2 and `reduced`
/// from Taylor's polynomial to the last bit of the type. Generates no branches and no calls. NaN propagates.
std::pair<Value, Value> HostBuilder::splitExp(Value x, double limit) {
  // The results of a cell are rounded to bf16 (2e-3), so an error of 4e-6 is enough if GEMMs take little time.
  bool isDouble = tiles.sum.isF64(), isShort = tiles.usesAMX();
  // Within these bounds 2^n is a normal number. Beyond them tanh and 1 - sigmoid have reached their limits.
  Value low = constant(isDouble ? -708 : -87), high = constant(std::min(limit, getExpLimit(isDouble)));
  x = arith::SelectOp::create(*this, arith::CmpFOp::create(*this, arith::CmpFPredicate::OLT, x, low), low, x);
  x = arith::SelectOp::create(*this, arith::CmpFOp::create(*this, arith::CmpFPredicate::OGT, x, high), high, x);
  // Adding 1.5 * 2^(bits of the fraction) rounds to an integer that is in the low bits of the sum.
  int fraction = isDouble ? 52 : 23;
  Value magic = constant(isDouble ? 0x1.8p52 : 0x1.8p23);
  Value shifted = fma(x, constant(0x1.71547652b82fep0), magic);
  // No contraction: the rounding of `shifted` must not be undone.
  Value whole = arith::SubFOp::create(*this, shifted, magic);
  Value r;
  if (isShort) {
    r = fma(whole, constant(-0.6931471805599453), x);
  } else {
    // ln(2) in two parts (Cody and Waite). The first part is short enough that its product with n is exact.
    r = fma(whole, constant(isDouble ? -6.93147180369123816490e-01 : -0.693359375), x);
    r = fma(whole, constant(isDouble ? -1.90821492927058770002e-10 : 2.12194440e-4), r);
  }
  // The shift discards the bits of `magic`.
  Value bits = arith::BitcastOp::create(*this, vectorType(getIntegerType(tiles.sum.getWidth())), shifted);
  bits = arith::AddIOp::create(*this, bits, splatInteger(isDouble ? 1023 : 127));
  bits = arith::ShLIOp::create(*this, bits, splatInteger(fraction));
  Value scale = arith::BitcastOp::create(*this, vectorType(tiles.sum), bits);
  // The first omitted term is less than half a unit in the last place: r^8 / 8! for float, r^14 / 14! for double. The
  // short polynomial omits r^6 / 6!, 2.4e-6.
  int degree = isDouble ? 13 : isShort ? 5 : 7;
  double factorial = 1;
  for (int k = 2; k <= degree; ++k)
    factorial *= k;
  Value p = constant(1 / factorial);
  for (int k = degree; k > 1; --k) {
    factorial /= k;
    p = fma(p, r, constant(1 / factorial));
  }
  return {scale, mulf(p, r)};
}

/// a / b for normal numbers b. With AMX, the error is a few units in the last place of f32: divisions of 512 bits (16
/// cycles each) would take most of the time of a step's cell.
Value HostBuilder::divideNormal(Value a, Value b) {
  if (!tiles.usesAMX())
    return divf(a, b);
  int64_t bits = tiles.sum.getWidth() * tiles.lanes;
  Value all = arith::ConstantOp::create(*this, getIntegerAttr(getIntegerType(std::max<int64_t>(tiles.lanes, 8)), -1));
  auto name = getStringAttr("llvm.x86.avx512.rcp14.ps." + std::to_string(bits));
  // 14 bits, which one iteration of Newton's method doubles.
  Value guess = LLVM::CallIntrinsicOp::create(*this, b.getType(), name, ValueRange{b, constant(0), all}).getResult(0);
  Value error = fma(arith::NegFOp::create(*this, b), guess, constant(2));
  return mulf(a, mulf(guess, error));
}

/// exp(x / 2)^2: the factors are normal numbers, so only the multiplication underflows, gradually, or overflows.
Value HostBuilder::exp(Value x) {
  auto [scale, reduced] = splitExp(arith::MulFOp::create(*this, x, constant(0.5)));
  Value root = fma(scale, reduced, scale);
  return arith::MulFOp::create(*this, root, root);
}

/// 1 / (1 + exp(-x)). The relative error is bounded for very negative x also, unlike that of tanh(x / 2) / 2 + 1 / 2.
Value HostBuilder::sigmoid(Value x) {
  auto [scale, reduced] = splitExp(arith::NegFOp::create(*this, x));
  Value result = divideNormal(constant(1), addf(constant(1), fma(scale, reduced, scale)));
  // The smallest quotient, 6e-39 for float, would not vanish: a large cell times a closed gate must be 0.
  Value isSmall = arith::CmpFOp::create(*this, arith::CmpFPredicate::OLT, x, constant(-getExpLimit(tiles.sum.isF64())));
  return arith::SelectOp::create(*this, isSmall, constant(0), result);
}

/// (exp(2x) - 1) / (exp(2x) + 1). The numerator is computed without cancellation, so the relative error is bounded near
/// 0.
Value HostBuilder::tanh(Value x) {
  // Far beyond the limits of tanh, but the reciprocal of the denominator is a normal number.
  auto [scale, reduced] = splitExp(arith::AddFOp::create(*this, x, x), 64);
  Value minusOne = fma(scale, reduced, arith::SubFOp::create(*this, scale, constant(1)));
  return divideNormal(minusOne, addf(minusOne, constant(2)));
}
