//===- TileCopy.cpp - copies from global memory to tiles -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::rnn;

/// The largest cp.async.
static constexpr int64_t vectorBytes = 16;

Value Tile::place(const Emitter &e, Value outer, Value depth) const {
  Value row = layout.depthIsContiguous ? outer : depth, column = layout.depthIsContiguous ? depth : outer;
  return e.add(first, e.add(e.mul(row, e.index(layout.getStride())), column));
}

/// Calls `use` for this thread's share of the vectors of `length` elements. Adjacent threads copy adjacent vectors.
void TileCopy::forEachPlace(const Emitter &e, Value thread, int64_t length,
                            function_ref<void(const Place &)> use) const {
  const int64_t fast = (layout.depthIsContiguous ? layout.depth : panelSize) / length;
  const int64_t vectors = fast * (layout.depthIsContiguous ? panelSize : layout.depth);
  for (int64_t panel = 0; panel * panelSize < layout.outer; ++panel)
    for (int64_t first = 0; first < vectors; first += threads) {
      Value number = e.add(thread, e.index(first));
      Value slow = e.div(number, e.index(fast)), quick = e.mul(e.remainder(number, e.index(fast)), e.index(length));
      Place place{panel, layout.depthIsContiguous ? slow : quick, layout.depthIsContiguous ? quick : slow, {}};
      place.tileOuter = e.add(place.outer, e.index(panel * panelSize));
      if (first + threads <= vectors)
        use(place);
      else
        e.ifThen(e.isLess(number, e.index(vectors)), [&] { use(place); });
    }
}

SmallVector<Value> TileCopy::begin(const Emitter &e, Value thread, const Tile &tile, const Part &part) const {
  SmallVector<Value> values;
  if (operand.address) {
    const int64_t length = vectorBytes * 8 / element.getIntOrFloatBitWidth();
    forEachPlace(e, thread, length, [&](const Place &place) { copyVector(e, tile, part, place); });
    return values;
  }
  forEachPlace(e, thread, 1, [&](const Place &place) {
    Value outer = e.add(part.firstOuter, place.outer), depth = e.add(part.firstDepth, place.depth);
    Value inside = e.both(e.isLess(outer, part.endOuter), e.isLess(depth, part.endDepth));
    values.push_back(e.ifElse(
        inside, [&] { return operand.read(e, place.panel, outer, depth); }, [&] { return e.number(0.0, element); }));
  });
  return values;
}

void TileCopy::end(const Emitter &e, Value thread, const Tile &tile, ValueRange values) const {
  if (operand.address)
    return;
  unsigned next = 0;
  forEachPlace(e, thread, 1, [&](const Place &place) {
    e.store(values[next++], tile.buffer, {tile.place(e, place.tileOuter, place.depth)});
  });
}

/// Copies 16 bytes by one cp.async, which zero-fills past the end of the matrix, or element by element if the source is
/// not aligned.
void TileCopy::copyVector(const Emitter &e, const Tile &tile, const Part &part, const Place &place) const {
  OpBuilder &builder = e.builder;
  const int64_t bytes = element.getIntOrFloatBitWidth() / 8, length = vectorBytes / bytes;
  Value outer = e.add(part.firstOuter, place.outer), depth = e.add(part.firstDepth, place.depth);
  Value start = layout.depthIsContiguous ? depth : outer;
  Value end = layout.depthIsContiguous ? part.endDepth : part.endOuter;
  Value inside = layout.depthIsContiguous ? e.isLess(outer, part.endOuter) : e.isLess(depth, part.endDepth);
  // Elements inside of the matrix; none if the vector starts outside.
  Value count = e.min(e.max(e.sub(end, start), e.index(0)), e.index(length));
  count = e.select(inside, count, e.index(0));
  Value source = operand.address(e, place.panel, outer, depth);
  Value target = tile.place(e, place.tileOuter, place.depth);
  Type i64 = builder.getI64Type();
  Value low = LLVM::AndOp::create(builder, e.loc, LLVM::PtrToIntOp::create(builder, e.loc, i64, source),
                                  LLVM::ConstantOp::create(builder, e.loc, i64, vectorBytes - 1));
  Value aligned = LLVM::ICmpOp::create(builder, e.loc, LLVM::ICmpPredicate::eq, low,
                                       LLVM::ConstantOp::create(builder, e.loc, i64, 0));
  auto ifOp = scf::IfOp::create(builder, e.loc, aligned, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(ifOp.thenBlock());
  Value valid = arith::IndexCastOp::create(builder, e.loc, builder.getI32Type(), e.mul(count, e.index(bytes)));
  NVVM::CpAsyncOp::create(builder, e.loc, e.address(tile.buffer, {target}), source, vectorBytes,
                          NVVM::LoadCacheModifierKind::CG, valid);
  builder.setInsertionPointToStart(ifOp.elseBlock());
  auto loop = scf::ForOp::create(builder, e.loc, e.index(0), e.index(length), e.index(1));
  // Unaligned sources are rare: do not unroll. The lowering of scf.for reads an attribute of this name.
  auto unroll =
      LLVM::LoopUnrollAttr::get(builder.getContext(), /*disable=*/builder.getBoolAttr(true), {}, {}, {}, {}, {}, {});
  loop->setAttr("loop_annotation", LLVM::LoopAnnotationAttr::get(builder.getContext(), {}, {}, {}, unroll, {}, {}, {},
                                                                 {}, {}, {}, {}, {}, {}, {}, {}));
  builder.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  Value value = e.ifElse(
      e.isLess(number, count),
      [&]() -> Value {
        Value offset = arith::IndexCastOp::create(builder, e.loc, i64, number);
        Value place =
            LLVM::GEPOp::create(builder, e.loc, source.getType(), element, source, ArrayRef<LLVM::GEPArg>{offset});
        return LLVM::LoadOp::create(builder, e.loc, element, place);
      },
      [&] { return e.number(0.0, element); });
  e.store(value, tile.buffer, {e.add(target, number)});
}
