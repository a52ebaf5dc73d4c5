//===- ResultSizes.cpp - sizes of results as functions of sizes of arguments -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace mlir::rnn;

void ResultSizes::addArgument(Value argument, int64_t rank) {
  if (isa<MemRefType>(argument.getType()))
    for (int64_t dim = 0; dim < rank; ++dim) {
      argumentSizes.emplace_back(argument, dim);
      columns.push_back(numColumns + dim);
    }
  numColumns += std::max<int64_t>(rank, 0);
}

SmallVector<int64_t> ResultSizes::getRow(Value result, int64_t dim) const {
  SmallVector<int64_t> row(numColumns);
  auto type = cast<MemRefType>(result.getType());
  if (!type.isDynamicDim(dim)) {
    row[0] = type.getDimSize(dim);
    return row;
  }
  AffineMap map;
  ValueDimList operands;
  if (failed(ValueBoundsConstraintSet::computeDependentBound(map, operands, presburger::BoundType::EQ, {result, dim},
                                                             argumentSizes)))
    return {};
  SmallVector<int64_t> flat;
  // A division adds columns for its result.
  if (failed(getFlattenedAffineExpr(map.getResult(0), map.getNumDims(), map.getNumSymbols(), &flat)) ||
      flat.size() != operands.size() + 1)
    return {};
  row[0] = flat.back();
  for (auto [operand, factor] : llvm::zip(operands, flat))
    row[columns[llvm::find(argumentSizes, operand) - argumentSizes.begin()]] += factor;
  return row;
}

SmallVector<int64_t> ResultSizes::get(Value result) const {
  SmallVector<int64_t> rows;
  auto type = dyn_cast<MemRefType>(result.getType());
  if (!type || type.hasStaticShape())
    return rows;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    SmallVector<int64_t> row = getRow(result, dim);
    if (row.empty())
      return {};
    llvm::append_range(rows, row);
  }
  return rows;
}
