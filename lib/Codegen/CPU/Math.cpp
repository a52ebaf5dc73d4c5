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
/// from Taylor's polynomial to the last bit of the type. Generates no branches and no calls. NaN propagates. With
/// `halvesScale`, scale = 2^(n - 1), and n may be one more than the largest exponent.
std::pair<Value, Value> HostBuilder::splitExp(Value x, double limit, bool halvesScale) {
  bool isDouble = tiles.sum.isF64();
  // Within these bounds 2^n is a normal number. Beyond them tanh and 1 - sigmoid have reached their limits.
  Value low = constant(isDouble ? -708 : -87), high = constant(std::min(limit, getExpLimit(isDouble) + halvesScale));
  x = arith::SelectOp::create(*this, arith::CmpFOp::create(*this, arith::CmpFPredicate::OLT, x, low), low, x);
  x = arith::SelectOp::create(*this, arith::CmpFOp::create(*this, arith::CmpFPredicate::OGT, x, high), high, x);
  // Adding 1.5 * 2^(bits of the fraction) rounds to an integer that is in the low bits of the sum.
  int fraction = isDouble ? 52 : 23;
  Value magic = constant(isDouble ? 0x1.8p52 : 0x1.8p23);
  Value shifted = fma(x, constant(0x1.71547652b82fep0), magic);
  // No contraction: the rounding of `shifted` must not be undone.
  Value whole = arith::SubFOp::create(*this, shifted, magic);
  // ln(2) in two parts (Cody and Waite). The first part is short enough that its product with n is exact.
  Value r = fma(whole, constant(isDouble ? -6.93147180369123816490e-01 : -0.693359375), x);
  r = fma(whole, constant(isDouble ? -1.90821492927058770002e-10 : 2.12194440e-4), r);
  // The shift discards the bits of `magic`.
  Value bits = arith::BitcastOp::create(*this, vectorType(getIntegerType(tiles.sum.getWidth())), shifted);
  bits = arith::AddIOp::create(*this, bits, splatInteger((isDouble ? 1023 : 127) - halvesScale));
  bits = arith::ShLIOp::create(*this, bits, splatInteger(fraction));
  Value scale = arith::BitcastOp::create(*this, vectorType(tiles.sum), bits);
  // The first omitted term is less than half a unit in the last place: r^8 / 8! for float, r^14 / 14! for double.
  int degree = isDouble ? 13 : 7;
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

/// An AVX-512 instruction on all lanes. Those with `rounds` have an operand for the rounding mode at 512 bits.
Value HostBuilder::callAVX512(StringRef name, ArrayRef<Value> operands, bool rounds) {
  int64_t bits = tiles.sum.getWidth() * tiles.lanes;
  Type maskType = getIntegerType(std::max<int64_t>(tiles.lanes, 8));
  SmallVector<Value> all(operands);
  all.push_back(constant(0)); // in lanes that the mask excludes
  all.push_back(arith::ConstantOp::create(*this, getIntegerAttr(maskType, -1)));
  constexpr int currentDirection = 4;
  if (rounds && bits == 512)
    all.push_back(arith::ConstantOp::create(*this, getI32IntegerAttr(currentDirection)));
  std::string intrinsic = "llvm.x86.avx512." + name.str() + "." + std::to_string(bits);
  return LLVM::CallIntrinsicOp::create(*this, vectorType(tiles.sum), getStringAttr(intrinsic), all).getResult(0);
}

/// x - floor(x), or x minus the nearest integer; 0 for infinities.
Value HostBuilder::reduce(Value x, bool toNearest) {
  Value mode = arith::ConstantOp::create(*this, getI32IntegerAttr(toNearest ? 8 : 9)); // 8: no exceptions
  return callAVX512("mask.reduce.ps", {x, mode}, /*rounds=*/true);
}

Value HostBuilder::polynomial(Value x, ArrayRef<double> coefficients) {
  Value result = constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    result = fma(result, x, constant(coefficient));
  return result;
}

/// `sigmoid` with a relative error of 7e-5. The results of a cell with AMX are rounded to bf16 (2e-3), and the GEMMs
/// take so little time that exact gates and divisions (16 cycles each at 512 bits) would take most of a step's time.
Value HostBuilder::shortSigmoid(Value x) {
  Value t = mulf(x, constant(-0x1.71547652b82fep0));
  // 2^r for r in [0, 1), the polynomial with the smallest relative error (Remez): 2.6e-6.
  Value power = polynomial(reduce(t, /*toNearest=*/false), {1.0000025933706653, 0.6930038344710622, 0.24144275688619957,
                                                            0.05201146061903823, 0.013534167911703978});
  // VSCALEFPS multiplies by 2^floor(t) and overflows to infinity, whose reciprocal is 0.
  Value exponential = callAVX512("mask.scalef.ps", {power, t}, /*rounds=*/true);
  return callAVX512("rcp14.ps", {addf(constant(1), exponential)}); // 14 bits
}

/// `tanh` with a relative error of 8e-5, as `shortSigmoid`.
Value HostBuilder::shortTanh(Value x) {
  Value t = mulf(x, constant(2 * 0x1.71547652b82fep0));
  // Far beyond the limits of tanh, but 2^t has a reciprocal. NaN propagates.
  Value limit = constant(64);
  t = arith::SelectOp::create(*this, arith::CmpFOp::create(*this, arith::CmpFPredicate::OGT, t, limit), limit, t);
  Value r = reduce(t, /*toNearest=*/true), whole = arith::SubFOp::create(*this, t, r);
  // (2^r - 1) / r, the polynomial with the smallest relative error: 1.5e-5.
  Value quotient = polynomial(r, {0.6931368577797037, 0.24023252162023906, 0.05583728826074844, 0.009618110774827555});
  Value scale = callAVX512("mask.scalef.ps", {constant(1), whole}, /*rounds=*/true);
  Value minusOne = fma(scale, mulf(quotient, r), arith::SubFOp::create(*this, scale, constant(1)));
  return mulf(minusOne, callAVX512("rcp14.ps", {addf(minusOne, constant(2))}));
}

/// exp(x / 2)^2: the factors are normal numbers, so only the multiplication underflows, gradually, or overflows.
Value HostBuilder::exp(Value x) {
  auto [scale, reduced] = splitExp(arith::MulFOp::create(*this, x, constant(0.5)));
  Value root = fma(scale, reduced, scale);
  return arith::MulFOp::create(*this, root, root);
}

/// exp(x) - 1 without cancellation. The scale is halved: 2^n may be above the largest number although exp(x) is not.
Value HostBuilder::expm1(Value x) {
  auto [scale, reduced] = splitExp(x, std::numeric_limits<double>::infinity(), /*halvesScale=*/true);
  Value half = fma(scale, reduced, arith::SubFOp::create(*this, scale, constant(0.5)));
  return addf(half, half);
}

/// 1 / (1 + exp(-x)). The relative error is bounded for very negative x also, unlike that of tanh(x / 2) / 2 + 1 / 2.
Value HostBuilder::sigmoid(Value x) {
  if (tiles.usesAMX())
    return shortSigmoid(x);
  auto [scale, reduced] = splitExp(arith::NegFOp::create(*this, x));
  Value result = divf(constant(1), addf(constant(1), fma(scale, reduced, scale)));
  // The smallest quotient, 6e-39 for float, would not vanish: a large cell times a closed gate must be 0.
  Value isSmall = arith::CmpFOp::create(*this, arith::CmpFPredicate::OLT, x, constant(-getExpLimit(tiles.sum.isF64())));
  return arith::SelectOp::create(*this, isSmall, constant(0), result);
}

/// (exp(2x) - 1) / (exp(2x) + 1). The numerator is computed without cancellation, so the relative error is bounded near
/// 0.
Value HostBuilder::tanh(Value x) {
  if (tiles.usesAMX())
    return shortTanh(x);
  // Far beyond the limits of tanh, but the reciprocal of the denominator is a normal number.
  auto [scale, reduced] = splitExp(arith::AddFOp::create(*this, x, x), 64);
  Value minusOne = fma(scale, reduced, arith::SubFOp::create(*this, scale, constant(1)));
  return divf(minusOne, addf(minusOne, constant(2)));
}
