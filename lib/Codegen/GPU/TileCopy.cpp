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
/// With `isGuarded`, `use` is inside of a branch if only some threads have a vector.
void TileCopy::forEachPlace(const Emitter &e, Value thread, int64_t length, function_ref<void(const Place &)> use,
                            bool isGuarded) const {
  const int64_t fast = (layout.depthIsContiguous ? layout.depth : panelSize) / length;
  const int64_t vectors = fast * (layout.depthIsContiguous ? panelSize : layout.depth);
  for (int64_t panel = 0; panel * panelSize < layout.outer; ++panel)
    for (int64_t first = 0; first < vectors; first += threads) {
      Value number = e.add(thread, e.index(first));
      Value slow = e.div(number, e.index(fast)), quick = e.mul(e.remainder(number, e.index(fast)), e.index(length));
      Place place{panel, layout.depthIsContiguous ? slow : quick, layout.depthIsContiguous ? quick : slow, {}};
      place.tileOuter = e.add(place.outer, e.index(panel * panelSize));
      if (!isGuarded || first + threads <= vectors)
        use(place);
      else
        e.ifThen(e.isLess(number, e.index(vectors)), [&] { use(place); });
    }
}

//===----------------------------------------------------------------------===//
// Before the loop
//===----------------------------------------------------------------------===//

static Value toBytes(const Emitter &e, Value pointer) {
  return LLVM::PtrToIntOp::create(e.builder, e.loc, e.builder.getI64Type(), pointer);
}

static Value constant64(const Emitter &e, int64_t value) {
  return LLVM::ConstantOp::create(e.builder, e.loc, e.builder.getI64Type(), value);
}

void TileCopy::prepare(const Emitter &e, Value thread, const Part &newPart) {
  part = newPart;
  if (!operand.address || !operand.isAffine)
    return;
  Value zero = e.index(0);
  step = LLVM::SubOp::create(e.builder, e.loc, toBytes(e, operand.address(e, 0, zero, e.index(1))),
                             toBytes(e, operand.address(e, 0, zero, zero)));
  areAligned = emitAlignmentTest(e, thread);
  forEachPlace(
      e, thread, getLength(), [&](const Place &place) { vectors.push_back(prepareVector(e, place)); },
      /*isGuarded=*/false);
}

/// Tests that each row of each panel starts at a multiple of 16 bytes and that no vector crosses the end of a row.
Value TileCopy::emitAlignmentTest(const Emitter &e, Value thread) const {
  OpBuilder &builder = e.builder;
  Value zero = e.index(0), one = e.index(1), bits;
  auto add = [&](Value value) { bits = bits ? LLVM::OrOp::create(builder, e.loc, bits, value).getResult() : value; };
  Value first = toBytes(e, operand.address(e, 0, zero, zero));
  add(first);
  Value next = layout.depthIsContiguous ? operand.address(e, 0, one, zero) : operand.address(e, 0, zero, one);
  add(LLVM::SubOp::create(builder, e.loc, toBytes(e, next), first));
  for (int64_t panel = 1; panel * panelSize < layout.outer; ++panel)
    add(toBytes(e, operand.address(e, panel, zero, zero)));
  Value extent = arith::IndexCastOp::create(builder, e.loc, builder.getI64Type(), part.extent);
  add(LLVM::MulOp::create(builder, e.loc, extent, constant64(e, element.getIntOrFloatBitWidth() / 8)));
  Value low = LLVM::AndOp::create(builder, e.loc, bits, constant64(e, vectorBytes - 1));
  return LLVM::ICmpOp::create(builder, e.loc, LLVM::ICmpPredicate::eq, low, constant64(e, 0));
}

TileCopy::Vector TileCopy::prepareVector(const Emitter &e, const Place &place) const {
  Value outer = e.add(part.firstOuter, place.outer), depth = e.add(part.firstDepth, place.depth);
  Value limit = e.sub(part.endDepth, part.firstDepth);
  if (part.depthMultiple % layout.depth != 0) // else a tile is inside of the depth or outside
    limit = e.sub(limit, place.depth);
  // A grid has at least one block. Of an empty matrix (multiple 0), its tile is outside.
  if (part.outerMultiple == 0 || part.outerMultiple % panelSize != 0)
    limit = e.select(e.isLess(outer, part.endOuter), limit, e.index(0));
  limit = e.max(e.min(limit, e.index(INT32_MAX)), e.index(0));
  return {operand.address(e, place.panel, outer, depth),
          arith::IndexCastOp::create(e.builder, e.loc, e.builder.getI32Type(), limit)};
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

SmallVector<Value> TileCopy::begin(const Emitter &e, Value thread, const Tile &tile, Value done) const {
  SmallVector<Value> values;
  if (operand.address) {
    auto copyAll = [&] {
      forEachPlace(e, thread, getLength(), [&](const Place &place) { copyVector(e, tile, place, done); });
    };
    if (!areAligned) {
      copyAll();
      return values;
    }
    scf::IfOp::create(
        e.builder, e.loc, areAligned,
        [&](OpBuilder &, Location) {
          copyAligned(e, thread, tile, done);
          scf::YieldOp::create(e.builder, e.loc);
        },
        [&](OpBuilder &, Location) {
          copyAll();
          scf::YieldOp::create(e.builder, e.loc);
        });
    return values;
  }
  forEachPlace(e, thread, 1, [&](const Place &place) {
    Value outer = e.add(part.firstOuter, place.outer), depth = e.add(e.add(part.firstDepth, done), place.depth);
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

static void copyAsync(const Emitter &e, Value target, Value source, Value validBytes) {
  NVVM::CpAsyncOp::create(e.builder, e.loc, target, source, vectorBytes, NVVM::LoadCacheModifierKind::CG, validBytes);
}

/// One cp.async per vector, which is inside of the matrix or outside of it (zero fill).
void TileCopy::copyAligned(const Emitter &e, Value thread, const Tile &tile, Value done) const {
  OpBuilder &builder = e.builder;
  Type i32 = builder.getI32Type(), i8 = builder.getI8Type();
  Value done32 = arith::IndexCastOp::create(builder, e.loc, i32, done);
  Value done64 = arith::IndexCastOp::create(builder, e.loc, builder.getI64Type(), done);
  Value advanced = LLVM::MulOp::create(builder, e.loc, done64, step);
  Value all = arith::ConstantOp::create(builder, e.loc, builder.getI32IntegerAttr(vectorBytes));
  Value none = arith::ConstantOp::create(builder, e.loc, builder.getI32IntegerAttr(0));
  unsigned next = 0;
  forEachPlace(e, thread, getLength(), [&](const Place &place) {
    const Vector &vector = vectors[next++];
    Value source = LLVM::GEPOp::create(builder, e.loc, vector.pointer.getType(), i8, vector.pointer,
                                       ArrayRef<LLVM::GEPArg>{advanced});
    Value inside = arith::CmpIOp::create(builder, e.loc, arith::CmpIPredicate::slt, done32, vector.limit);
    copyAsync(e, e.address(tile.buffer, {tile.place(e, place.tileOuter, place.depth)}), source,
              e.select(inside, all, none));
  });
}

/// Copies a vector whose alignment is unknown. Vectors of an affine operand are not all aligned here; each other one is
/// tested.
void TileCopy::copyVector(const Emitter &e, const Tile &tile, const Place &place, Value done) const {
  OpBuilder &builder = e.builder;
  const int64_t bytes = element.getIntOrFloatBitWidth() / 8, length = getLength();
  Value outer = e.add(part.firstOuter, place.outer), depth = e.add(e.add(part.firstDepth, done), place.depth);
  Value start = layout.depthIsContiguous ? depth : outer;
  Value end = layout.depthIsContiguous ? part.endDepth : part.endOuter;
  Value inside = layout.depthIsContiguous ? e.isLess(outer, part.endOuter) : e.isLess(depth, part.endDepth);
  // Elements inside of the matrix; none if the vector starts outside.
  Value count = e.min(e.max(e.sub(end, start), e.index(0)), e.index(length));
  count = e.select(inside, count, e.index(0));
  Value source = operand.address(e, place.panel, outer, depth);
  if (operand.isAffine)
    return copyElements(e, tile, place, source, count);
  Value low = LLVM::AndOp::create(builder, e.loc, toBytes(e, source), constant64(e, vectorBytes - 1));
  Value aligned = LLVM::ICmpOp::create(builder, e.loc, LLVM::ICmpPredicate::eq, low, constant64(e, 0));
  scf::IfOp::create(
      builder, e.loc, aligned,
      [&](OpBuilder &, Location) {
        Value valid = arith::IndexCastOp::create(builder, e.loc, builder.getI32Type(), e.mul(count, e.index(bytes)));
        copyAsync(e, e.address(tile.buffer, {tile.place(e, place.tileOuter, place.depth)}), source, valid);
        scf::YieldOp::create(builder, e.loc);
      },
      [&](OpBuilder &, Location) {
        copyElements(e, tile, place, source, count);
        scf::YieldOp::create(builder, e.loc);
      });
}

/// Copies `count` elements of a vector and zeroes the others.
void TileCopy::copyElements(const Emitter &e, const Tile &tile, const Place &place, Value source, Value count) const {
  OpBuilder &builder = e.builder;
  OpBuilder::InsertionGuard guard(builder);
  Value target = tile.place(e, place.tileOuter, place.depth);
  auto loop = scf::ForOp::create(builder, e.loc, e.index(0), e.index(getLength()), e.index(1));
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
        Value offset = arith::IndexCastOp::create(builder, e.loc, builder.getI64Type(), number);
        Value place =
            LLVM::GEPOp::create(builder, e.loc, source.getType(), element, source, ArrayRef<LLVM::GEPArg>{offset});
        return LLVM::LoadOp::create(builder, e.loc, element, place);
      },
      [&] { return e.number(0.0, element); });
  e.store(value, tile.buffer, {e.add(target, number)});
}
