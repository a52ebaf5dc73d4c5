//===- PersistentBackward.cpp - backward recurrences as persistent kernels -----===//
//
// Per step, a block (1) loads the saved values of the forward pass, (2) waits until the partial sums of the previous
// step have arrived from all blocks of its cluster, and adds them in the order of the blocks, (3) computes its gate
// gradients, (4) multiplies them with its columns of the weights, and (5) sends the partial sums to the blocks that own
// the units.
//
// Two slots and two mbarriers alternate, which suffices: a block sends the sums of step n only after it has received
// all sums of step n - 1, and those were sent after the block barrier that follows the last reads of the slot.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/GPU/PersistentBackward.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::rnn;

namespace {

class BackwardKernel : public PersistentKernel {
public:
  BackwardKernel(const Emitter &host, const PersistentRecurrence &recurrence, const PersistentBackwardShape &shape,
                 const PersistentBackwardLayer &layer)
      : PersistentKernel(host, recurrence.name, recurrence.element), recurrence(recurrence), shape(shape),
        layer(layer) {}

  void build();

private:
  /// One sum of the block that this thread owns.
  struct Place : PersistentPlace {
    Value number; ///< index among the block's sums, in the order of the result registers of mma.sync
    Value inTile; ///< offset of the first gate's gradient in the tile, in elements
    Value exists;
    SmallVector<Value> once;
  };

  Value half(Value turn) const { return e.mul(turn, e.index(shape.getTileElements())); }

  // --- Before the loop ---
  void orderWeights();
  Place findPlace(int64_t number);
  void findTargets();
  SmallVector<Value> startCarried();

  // --- A step ---
  Value addPartialSums(const Place &place, Value step);
  SmallVector<Value> receive(Value step);
  void storeGates(const Place &place, const Step &step, Value turn,
                  const PersistentBackwardLayer::Gradients &gradients);
  void sendSums(Value turn, ValueRange sums);

  const PersistentRecurrence &recurrence;
  const PersistentBackwardShape &shape;
  const PersistentBackwardLayer &layer;

  Value slots, tile; ///< pointers to shared memory
  SmallVector<Place> places;
  /// By tile of the warp: the address of this block's part of the owner's slots, and the owner's mbarriers.
  SmallVector<Value> targetSlots, targetBarriers;
};

} // namespace

//===----------------------------------------------------------------------===//
// Before the loop
//===----------------------------------------------------------------------===//

/// The left operand is R: rows are the units that own the sums, columns the gates of the block's units. Units that do
/// not exist are padded with zeros.
void BackwardKernel::orderWeights() {
  const int64_t tilesOfLayer = shape.blocks * shape.tiles, depth = fragments.getDepth(),
                perGate = shape.getUnits() / depth;
  orderFragments(host, "persistent_weights", fragments, recurrence.orderedWeights,
                 [&](const Emitter &e, Value fragment, Value row, Value column) {
                   auto split = [&](int64_t count) {
                     Value part = e.remainder(fragment, e.index(count));
                     fragment = e.div(fragment, e.index(count));
                     return part;
                   };
                   Value along = split(shape.getFragmentsPerTile()), tileOfLayer = split(tilesOfLayer),
                         block = split(shape.blocks);
                   Value gate = e.div(along, e.index(perGate)), first = e.remainder(along, e.index(perGate));
                   Value from = e.add(e.mul(tileOfLayer, e.index(16)), row);
                   Value unit =
                       e.add(e.mul(block, e.index(shape.getUnits())), e.add(e.mul(first, e.index(depth)), column));
                   Value H = e.index(recurrence.H), exists = e.both(e.isLess(from, H), e.isLess(unit, H));
                   return e.ifElse(
                       exists, [&] { return layer.getWeight(e, fragment, gate, unit, from); },
                       [&] { return e.number(0.0, element); });
                 });
}

/// Registers of D (PTX ISA, mma.m16n8k16): a lane holds rows group and group + 8, columns 2 * member and 2 * member
/// + 1.
BackwardKernel::Place BackwardKernel::findPlace(int64_t number) {
  Place place;
  place.number = e.add(thread, e.index(number * shape.getThreads()));
  auto part = [&](int64_t unit, int64_t count) {
    return e.remainder(e.div(place.number, e.index(unit)), e.index(count));
  };
  Value column = part(1, 2), owner = part(2, 32), upper = part(64, 2), tileNumber = e.div(place.number, e.index(128));
  Value unit = e.add(e.mul(tileNumber, e.index(16)), e.add(e.mul(upper, e.index(8)), e.div(owner, e.index(4))));
  Value row = e.add(e.mul(e.remainder(owner, e.index(4)), e.index(2)), column);
  place.direction = direction;
  place.unit = e.add(e.mul(rank, e.index(shape.getUnits())), unit);
  place.b = e.add(firstRow, row);
  place.inTile = e.add(e.mul(row, e.index(shape.getTileStride())), unit);
  place.exists =
      e.both(e.both(e.isLess(place.unit, e.index(recurrence.H)), e.isLess(row, rows)), e.isLess(place.b, recurrence.B));
  if ((number + 1) * shape.getThreads() > shape.getSums())
    place.exists = e.both(place.exists, e.isLess(place.number, e.index(shape.getSums())));
  place.once = valuesIf(place.exists, [&] { return layer.readOnce(e, place); });
  return place;
}

void BackwardKernel::findTargets() {
  Value own = e.mul(rank, e.index(shape.getSums()));
  for (int64_t tileOfWarp = 0; tileOfWarp < shape.getTilesOfWarp(); ++tileOfWarp) {
    Value number = e.add(e.mul(warp, e.index(shape.getTilesOfWarp())), e.index(tileOfWarp));
    Value owner = toI32(e.div(number, e.index(shape.tiles)));
    Value first = e.mul(e.remainder(number, e.index(shape.tiles)), e.index(128));
    Value place = e.add(e.add(own, first), e.mul(lane, e.index(2)));
    targetSlots.push_back(getRemote(at(slots, f32, place), owner));
    targetBarriers.push_back(getRemote(barriers, owner));
  }
}

/// The carried values of all places, concatenated.
SmallVector<Value> BackwardKernel::startCarried() {
  SmallVector<Value> carried;
  for (const Place &place : places)
    llvm::append_range(carried, valuesIf(place.exists, [&] { return layer.start(e, place); }));
  return carried;
}

//===----------------------------------------------------------------------===//
// A step
//===----------------------------------------------------------------------===//

Value BackwardKernel::addPartialSums(const Place &place, Value step) {
  Emitter adding = named("partial sums");
  Value first = e.mul(e.remainder(step, e.index(2)), e.index(shape.blocks * shape.getSums()));
  return valuesIf(place.exists, [&] {
    Value sum;
    for (int64_t block = 0; block < shape.blocks; ++block) {
      Value number = e.add(e.add(first, e.index(block * shape.getSums())), place.number);
      Value part = LLVM::LoadOp::create(builder, adding.loc, f32, at(slots, f32, number));
      sum = sum ? adding.add(sum, part) : part;
    }
    return SmallVector<Value>{sum};
  })[0];
}

/// The sums of all places from `step`.
SmallVector<Value> BackwardKernel::receive(Value step) {
  waitFor(step);
  SmallVector<Value> sums;
  for (const Place &place : places)
    sums.push_back(addPartialSums(place, step));
  return sums;
}

void BackwardKernel::storeGates(const Place &place, const Step &step, Value turn,
                                const PersistentBackwardLayer::Gradients &gradients) {
  Emitter storing = named("gradients of the gates");
  storing.ifThen(place.exists, [&] {
    layer.store(storing, place, step, gradients);
    for (auto [gate, value] : llvm::enumerate(gradients.states)) {
      Value number = e.add(e.add(half(turn), place.inTile), e.index(gate * shape.getUnits()));
      LLVM::StoreOp::create(builder, storing.loc, round(storing, value), at(tile, element, number));
    }
  });
}

/// `sums`: the partial sums of the warp's tiles.
void BackwardKernel::sendSums(Value turn, ValueRange sums) {
  Emitter sending = named("send");
  // Columns of examples that the cluster does not have are not sent.
  Value isSent = e.isLess(e.mul(member, e.index(2)), rows), pairs = e.div(e.add(rows, e.index(1)), e.index(2));
  expect(sending, turn, e.mul(pairs, e.index(shape.blocks * shape.getUnits() * 2 * 4)));
  sending.ifThen(isSent, [&] {
    Value first = e.mul(turn, e.index(shape.blocks * shape.getSums()));
    for (int64_t tileOfWarp = 0; tileOfWarp < shape.getTilesOfWarp(); ++tileOfWarp) {
      Value barrier = at(targetBarriers[tileOfWarp], builder.getI64Type(), turn);
      for (int64_t upper : {0, 1})
        send(sending, sums.slice(tileOfWarp * 4 + upper * 2, 2),
             at(targetSlots[tileOfWarp], f32, e.add(first, e.index(upper * 64))), barrier);
    }
  });
}

void BackwardKernel::build() {
  orderWeights();
  launch(recurrence.B, recurrence.numDirections, shape.blocks, shape.getThreads(), shape.getBytes());
  slots = addBuffer(shape.getSlotBytes());
  tile = addBuffer(shape.getTileBytes());
  loadWeights(recurrence.orderedWeights, shape.getWeights());
  clear(tile, shape.getTileBytes() / 4); // padded rows and units are multiplied but never stored
  for (int64_t number = 0; number * shape.getThreads() < shape.getSums(); ++number)
    places.push_back(findPlace(number));
  SmallVector<Value> carried = startCarried();
  startBarriers();
  findTargets();

  Value zero = e.index(0), one = e.index(1), last = e.sub(recurrence.steps, one);
  const unsigned perPlace = carried.size() / places.size();
  carried = e.loop(zero, recurrence.steps, 1, carried, [&](Value count, ValueRange before) {
    Step step = recurrence.getStep(e, direction, e.sub(last, count));
    Value turn = e.remainder(count, e.index(2));
    SmallVector<SmallVector<Value>> saved;
    for (const Place &place : places)
      saved.push_back(valuesIf(place.exists, [&] { return layer.read(named("saved values"), place, step); }));
    SmallVector<Value> sums = valuesIf(e.isLess(zero, count), [&] { return receive(e.sub(count, one)); }), after;
    for (auto [number, place, values, sum] : llvm::enumerate(places, saved, sums)) {
      PersistentBackwardLayer::Gradients gradients =
          layer.stepBack(e, step, place.once, values, sum, before.slice(number * perPlace, perPlace));
      storeGates(place, step, turn, gradients);
      llvm::append_range(after, gradients.carried);
    }
    // The tile holds the block's gate gradients, and all received sums have been read.
    e.barrier();
    Value row = e.add(half(turn), e.mul(group, e.index(shape.getTileStride())));
    auto sendAll = [&] { sendSums(turn, multiplyAll(tile, row)); };
    if (layer.computesStateGradient())
      sendAll();
    else // the sums of the first step have no reader
      e.ifThen(e.isLess(count, last), sendAll);
    return after;
  });

  SmallVector<Value> sums(places.size());
  if (layer.computesStateGradient())
    sums = valuesIf(e.isLess(zero, recurrence.steps), [&] { return receive(last); });
  Emitter ending = named("finish");
  for (auto [number, place] : llvm::enumerate(places))
    ending.ifThen(place.exists, [&, number = number, &place = place] {
      layer.finish(ending, place, sums[number], ValueRange(carried).slice(number * perPlace, perPlace));
    });
  finish();
}

void rnn::launchPersistentBackward(const Emitter &host, const PersistentRecurrence &recurrence,
                                   const PersistentBackwardShape &shape, const PersistentBackwardLayer &layer) {
  BackwardKernel(host, recurrence, shape, layer).build();
}
