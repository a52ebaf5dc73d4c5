//===- ClusterBackward.cpp - a backward recurrence in one launch -------------===//
//
// Per step, a block (1) reads what the forward saved, (2) waits until the partial sums of the step before have come from all
// blocks of its cluster, and adds them in the order of the blocks, (3) computes the gradients of its gates, (4) multiplies
// them with its columns of the weights, and (5) sends the partial sums to the blocks that own their units. Two slots and two
// mbarriers take turns. That is enough: a block sends the sums of a step only when it has received all of the step before,
// and those were sent by threads behind a barrier that stands after the last reads of the slot.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::rnn;

FailureOr<ClusterShape> ClusterShape::choose(int64_t H, int64_t numGates, Type element, const KernelOptions &options,
                                             int64_t wanted, std::string &reason) {
  // More weights and sums than this in the registers of a thread, and ptxas spills others (measured with ptxas 13.0 for
  // sm_90a).
  constexpr int64_t maxRegisters = 160;
  return chooseClusterShape<ClusterShape>(H, wanted, reason, [&](int64_t blocks) {
    ClusterShape shape{numGates, blocks, int64_t(llvm::divideCeil(H, 16 * blocks)), 8, element.getIntOrFloatBitWidth(),
                       splitsFactors(element, options), 0};
    while (blocks * shape.tiles % shape.warps != 0)
      --shape.warps;
    const ClusterWeights weights = shape.getWeights();
    // What a thread carries and reads for more than two places does not fit beside.
    const int64_t places = llvm::divideCeil(shape.getSums(), shape.getThreads());
    const int64_t others = shape.getTilesOfWarp() * 4 + 24 * std::max<int64_t>(places - 2, 0);
    shape.piecesInRegisters = weights.getPiecesOfWarp();
    if (weights.getRegisters() + others > maxRegisters) {
      // The registers of one piece more are on their way while another multiplies, and the parts of what is split.
      const int64_t room = maxRegisters - 16 - (shape.isSplit ? 12 : 0) - others;
      shape.piecesInRegisters = std::max<int64_t>(room, 0) / ClusterPieces::registers;
    } else if (shape.isSplit && numGates == 1 && weights.getRegisters() + others > 64) {
      // Here ptxas comes near 128, and spills one or two to have room for a second block.
      shape.piecesInRegisters -= 1;
    }
    return shape;
  });
}

namespace {

class BackwardKernel : public ClusterKernel {
public:
  BackwardKernel(const Emitter &host, const ClusterRecurrence &recurrence, const ClusterShape &shape,
                 const ClusterBackwardLayer &layer)
      : ClusterKernel(host, recurrence.name, recurrence.element), recurrence(recurrence), shape(shape), layer(layer) {}

  void build();

private:
  /// A sum of the block that this thread owns.
  struct Place : ClusterBackwardLayer::Place {
    Value number; ///< among the block's sums, in the order of the registers that mma.sync leaves
    Value inTile; ///< where the first gate's gradient stands in the tile, in elements
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
  void storeGates(const Place &place, const Step &step, Value turn, const ClusterBackwardLayer::Gradients &gradients);
  void sendSums(Value turn, ValueRange sums);

  const ClusterRecurrence &recurrence;
  const ClusterShape &shape;
  const ClusterBackwardLayer &layer;

  Value slots, tile;                       ///< pointers to workgroup memory
  SmallVector<Place> places;
  /// By tile of the warp: this block's place in the slots of the owner, and the owner's mbarriers.
  SmallVector<Value> targetSlots, targetBarriers;
};

} // namespace

//===----------------------------------------------------------------------===//
// Before the loop
//===----------------------------------------------------------------------===//

/// The matrix that multiplies is R: its rows are the units that sums go to, its columns the gates of the block's units.
/// Zeros stand for units that do not exist.
void BackwardKernel::orderWeights() {
  const int64_t tilesOfLayer = shape.blocks * shape.tiles, depth = pieces.getDepth(), perGate = shape.getUnits() / depth;
  orderPieces(host, "cluster_weights", pieces, recurrence.orderedWeights,
              [&](const Emitter &e, Value piece, Value row, Value column) {
                auto split = [&](int64_t count) {
                  Value part = e.remainder(piece, e.index(count));
                  piece = e.div(piece, e.index(count));
                  return part;
                };
                Value along = split(shape.getPieces()), tileOfLayer = split(tilesOfLayer), block = split(shape.blocks);
                Value gate = e.div(along, e.index(perGate)), first = e.remainder(along, e.index(perGate));
                Value from = e.add(e.mul(tileOfLayer, e.index(16)), row);
                Value unit = e.add(e.mul(block, e.index(shape.getUnits())), e.add(e.mul(first, e.index(depth)), column));
                Value H = e.index(recurrence.H), exists = e.both(e.isLess(from, H), e.isLess(unit, H));
                return e.choose(
                    exists, [&] { return layer.getWeight(e, piece, gate, unit, from); },
                    [&] { return e.number(0.0, element); });
              });
}

/// Registers of D (PTX ISA, mma.m16n8k16): a lane has rows group and group + 8, of each the columns 2 * member and the next.
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
  place.exists = e.both(e.both(e.isLess(place.unit, e.index(recurrence.H)), e.isLess(row, rows)),
                        e.isLess(place.b, recurrence.B));
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

/// Of all places, one after the other.
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

/// The sums of all places that come from a step.
SmallVector<Value> BackwardKernel::receive(Value step) {
  waitFor(step);
  SmallVector<Value> sums;
  for (const Place &place : places)
    sums.push_back(addPartialSums(place, step));
  return sums;
}

void BackwardKernel::storeGates(const Place &place, const Step &step, Value turn,
                                const ClusterBackwardLayer::Gradients &gradients) {
  Emitter storing = named("gradients of the gates");
  storing.when(place.exists, [&] {
    layer.store(storing, place, step, gradients);
    for (auto [gate, value] : llvm::enumerate(gradients.states)) {
      Value number = e.add(e.add(half(turn), place.inTile), e.index(gate * shape.getUnits()));
      LLVM::StoreOp::create(builder, storing.loc, round(storing, value), at(tile, element, number));
    }
  });
}

/// `sums`: partial ones of all units, for the warp's tiles.
void BackwardKernel::sendSums(Value turn, ValueRange sums) {
  Emitter sending = named("send");
  // The columns of examples that the cluster does not have stay at home.
  Value wanted = e.isLess(e.mul(member, e.index(2)), rows), pairs = e.div(e.add(rows, e.index(1)), e.index(2));
  expect(sending, turn, e.mul(pairs, e.index(shape.blocks * shape.getUnits() * 2 * 4)));
  sending.when(wanted, [&] {
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
  clear(tile, shape.getTileBytes() / 4); // rows and units that do not exist are never stored, but multiplied
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
      ClusterBackwardLayer::Gradients gradients =
          layer.stepBack(e, step, place.once, values, sum, before.slice(number * perPlace, perPlace));
      storeGates(place, step, turn, gradients);
      llvm::append_range(after, gradients.carried);
    }
    // The gates' gradients of the block are in the tile, and all that it received has been read.
    e.barrier();
    Value row = e.add(half(turn), e.mul(group, e.index(shape.getTileStride())));
    auto sendAll = [&] { sendSums(turn, multiplyAll(tile, row)); };
    if (layer.wantsState())
      sendAll();
    else // nobody wants what the first step sends back
      e.when(e.isLess(count, last), sendAll);
    return after;
  });

  SmallVector<Value> sums(places.size());
  if (layer.wantsState())
    sums = valuesIf(e.isLess(zero, recurrence.steps), [&] { return receive(last); });
  Emitter ending = named("finish");
  for (auto [number, place] : llvm::enumerate(places))
    ending.when(place.exists, [&, number = number, &place = place] {
      layer.finish(ending, place, sums[number], ValueRange(carried).slice(number * perPlace, perPlace));
    });
  finish();
}

void rnn::launchClusterBackward(const Emitter &host, const ClusterRecurrence &recurrence, const ClusterShape &shape,
                                const ClusterBackwardLayer &layer) {
  BackwardKernel(host, recurrence, shape, layer).build();
}
