//===- Matrix.cpp - row-major matrices inside of flat buffers -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/GPU/Matrix.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "rnn/Codegen/CollapseShape.h"
#include "rnn/Codegen/GPU/Kernel.h"

using namespace mlir;
using namespace mlir::rnn;

void Matrix::store(const Emitter &e, Value value, Value row, Value column) const {
  e.store(e.convert(value, cast<MemRefType>(buffer.getType()).getElementType()), buffer, {place(e, row, column)});
}

Matrix rnn::select(const Emitter &e, Value condition, const Matrix &yes, const Matrix &no) {
  if (std::optional<int64_t> constant = getConstantIntValue(condition))
    return *constant ? yes : no;
  auto type = cast<MemRefType>(yes.buffer.getType());
  Value a = yes.buffer, b = no.buffer;
  if (a.getType() != b.getType()) {
    // Buffers of different sizes, or a subview.
    constexpr int64_t any = ShapedType::kDynamic;
    auto common = MemRefType::get({any}, type.getElementType(), StridedLayoutAttr::get(type.getContext(), any, {1}));
    a = memref::CastOp::create(e.builder, e.loc, common, a);
    b = memref::CastOp::create(e.builder, e.loc, common, b);
  }
  Matrix result{e.select(condition, a, b), e.select(condition, yes.first, no.first),
                e.select(condition, yes.stride, no.stride)};
  if (yes.batch || no.batch) {
    result.batch = yes.batch ? yes.batch : no.batch;
    auto stepOf = [&](const Matrix &matrix) { return matrix.batch ? matrix.step : e.mul(result.batch, matrix.stride); };
    result.step = e.select(condition, stepOf(yes), stepOf(no));
  }
  return result;
}

void rnn::launchCopy(const Emitter &host, StringRef name, Value rows, Value columns, const Matrix &from,
                     const Matrix &to) {
  launchElementwise(host, name, rows, columns, [&](const Emitter &e, Value row, Value column) {
    to.store(e, from.load(e, row, column), row, column);
  });
}

Value rnn::flatten(const Emitter &e, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 1)
    return buffer;
  ReassociationIndices all = llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
  return collapseShape(e.builder, e.loc, buffer, all);
}

GemmOperand rnn::operandOf(std::function<Matrix(const Emitter &, int64_t)> matrix, bool depthIsContiguous,
                           bool isAffine) {
  return GemmOperand::inMemory(
      depthIsContiguous,
      [=](const Emitter &e, int64_t panel, Value outer, Value depth) {
        return depthIsContiguous ? matrix(e, panel).address(e, outer, depth)
                                 : matrix(e, panel).address(e, depth, outer);
      },
      isAffine);
}
