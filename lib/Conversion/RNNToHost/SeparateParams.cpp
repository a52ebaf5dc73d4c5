//===- SeparateParams.cpp - checks of parameters in arrays of their own --------===//
//
// docs/Semantics.md, "Separate parameters".
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stack.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

Value host::hasRows(HostBuilder &b, Value offsets) {
  return b.compare(arith::CmpIPredicate::ne, b.createOrFold<memref::DimOp>(offsets, 0), b.index(0));
}

/// The elements of each tensor of a layer and direction, in the order of rnn_layout::ParamsTensor.
static SmallVector<Value> getExtents(HostBuilder &b, const StackShape &s, Value pseudo) {
  Value isFirst = b.compare(arith::CmpIPredicate::ult, pseudo, b.index(s.D)), rows = b.mul(s.H, s.G);
  Value columns = b.select(isFirst, s.skips ? b.index(0) : s.I, b.mul(s.P, s.D));
  Value isProjected = b.compare(arith::CmpIPredicate::ne, s.P, s.H);
  return {b.mul(rows, columns), b.mul(rows, s.P), b.select(isProjected, b.mul(s.P, s.H), b.index(0)), rows, rows};
}

void host::checkOffsets(HostBuilder &b, LayerOpInterface op, Value call, const StackShape &s,
                        const ParamsBuffer &params, StringRef name) {
  const std::string buffer = name.str(), table = buffer + "_offsets";
  auto text = [&](const std::string &rule, Value value, const std::string &operand) {
    return b.getStringAttr("'" + op->getName().getStringRef().str() + "' op expects " + rule + " [C17]" +
                           describeArgument(value, operand));
  };
  Value rows = b.createOrFold<memref::DimOp>(params.offsets, 0), expected = b.mul(s.L, s.D);
  Value isUsed = hasRows(b, params.offsets), zero = b.index(0);
  rnnrt::ExpectEqualOp::create(b, call, rows, b.select(isUsed, expected, zero),
                               text("dim 0 of `" + table + "` to be L*D or 0", params.offsets, table));
  // A table with another number of rows must not be read.
  Value isValid = b.compare(arith::CmpIPredicate::eq, rows, expected);
  Value elements = b.createOrFold<memref::DimOp>(params.buffer, 0);
  StringAttr message =
      text("`" + table + "` to have offsets of tensors that lie within `" + buffer + "`", params.offsets, table);
  b.loop(b.select(isValid, rows, zero), [&](Value pseudo) {
    for (auto [column, extent] : llvm::enumerate(getExtents(b, s, pseudo))) {
      Value offset = memref::LoadOp::create(b, params.offsets, ValueRange{pseudo, b.index(column)});
      offset = arith::IndexCastOp::create(b, b.getIndexType(), offset);
      // The offset of an empty tensor is ignored. The subtraction cannot overflow: both sizes are in [0, 2^63).
      Value isEmpty = b.compare(arith::CmpIPredicate::eq, extent, zero);
      rnnrt::ExpectRangeOp::create(b, call, b.select(isEmpty, zero, offset), zero,
                                   b.select(isEmpty, zero, b.sub(elements, extent)), message);
    }
  });
}
