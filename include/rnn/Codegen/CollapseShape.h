//===- CollapseShape.h - memrefs with fewer dimensions -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_COLLAPSESHAPE_H
#define RNN_CODEGEN_COLLAPSESHAPE_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::rnn {

/// Merges each group of dimensions of a memref into one. Upstream's type inference returns size 0 for a group with a
/// static size 0 and a dynamic size, for which its verifier requires a dynamic size.
inline Value collapseShape(OpBuilder &builder, Location loc, Value buffer, ArrayRef<ReassociationIndices> groups) {
  auto type = cast<MemRefType>(buffer.getType());
  MemRefType collapsed = memref::CollapseShapeOp::computeCollapsedType(type, groups);
  SmallVector<int64_t> shape(collapsed.getShape());
  for (auto [size, group] : llvm::zip(shape, groups))
    if (llvm::any_of(group, [&](int64_t dim) { return type.isDynamicDim(dim); }))
      size = ShapedType::kDynamic;
  auto result = MemRefType::get(shape, type.getElementType(), collapsed.getLayout(), type.getMemorySpace());
  return memref::CollapseShapeOp::create(builder, loc, result, buffer, groups);
}

} // namespace mlir::rnn

#endif // RNN_CODEGEN_COLLAPSESHAPE_H
