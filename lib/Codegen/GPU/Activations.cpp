//===- Activations.cpp - activations of cells in GPU kernels ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/GPU/Activations.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "rnn/Dialect/RNNGPU/IR/RNNGPU.h"

using namespace mlir;
using namespace mlir::rnn;

static constexpr double log2e = 1.4426950408889634;

Value KernelCellBuilder::exp2(Value x) const {
  return rnngpu::Exp2Op::create(builder, loc, x.getType(), x);
}

Value KernelCellBuilder::reciprocal(Value x) const {
  return NVVM::RcpApproxFtzF32Op::create(builder, loc, x.getType(), x);
}

Value KernelCellBuilder::sigmoid(Value x) const {
  if (!x.getType().isF32())
    return CellBuilder::sigmoid(x);
  // For a large negative x the power is infinite and its reciprocal 0.
  return reciprocal(add(constant(1.0, x), exp2(mul(constant(-log2e, x), x))));
}

Value KernelCellBuilder::tanh(Value x) const {
  if (!x.getType().isF32())
    return CellBuilder::tanh(x);
  if (options.approximateTanh)
    return rnngpu::TanhOp::create(builder, loc, x.getType(), x);
  // 1 - 2 / (1 + exp(2 |x|)) cancels for small |x|, where a polynomial is used: x + x^3 p(x^2), interpolated at the
  // Chebyshev nodes of [0, 0.36], relative error 8e-8. Both are computed, which costs less than a branch.
  constexpr double limit = 0.6, coefficients[] = {-0.006269119679927826, 0.021110959351062775, -0.053873948752880096,
                                                  0.13332915306091309, -0.3333333134651184};
  auto multiplyAdd = [&](Value a, Value b, Value c) -> Value { return LLVM::FMAOp::create(builder, loc, a, b, c); };
  // Bits, since math ops would become calls of libdevice.
  Type i32 = builder.getI32Type();
  auto mask = [&](Value bits, int32_t kept) -> Value {
    Value constant = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(kept));
    return arith::AndIOp::create(builder, loc, bits, constant);
  };
  Value bits = arith::BitcastOp::create(builder, loc, i32, x);
  Value size = arith::BitcastOp::create(builder, loc, x.getType(), mask(bits, INT32_MAX));
  Value inverse = reciprocal(add(constant(1.0, x), exp2(mul(constant(2 * log2e, x), size))));
  Value large = multiplyAdd(inverse, constant(-2.0, x), constant(1.0, x));
  // `large` is not negative: add the sign of x.
  Value largeBits = arith::BitcastOp::create(builder, loc, i32, large);
  largeBits = arith::OrIOp::create(builder, loc, mask(largeBits, INT32_MAX), mask(bits, INT32_MIN));
  large = arith::BitcastOp::create(builder, loc, x.getType(), largeBits);
  Value square = mul(x, x), polynomial = constant(coefficients[0], x);
  for (double coefficient : llvm::ArrayRef(coefficients).drop_front())
    polynomial = multiplyAdd(polynomial, square, constant(coefficient, x));
  Value small = multiplyAdd(mul(polynomial, square), x, x);
  return select(arith::CmpFPredicate::OLT, size, constant(limit, x), small, large);
}
