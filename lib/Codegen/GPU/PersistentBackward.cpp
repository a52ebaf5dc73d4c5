//===- PersistentBackward.cpp - backward recurrences as persistent kernels -----===//
//
// Per step, a block (1) starts to load the saved values of the forward pass for the next step, (2) waits until the
// partial sums of the previous step have arrived from all blocks of its cluster, and adds them in the order of the
// blocks, (3) computes its gate gradients, (4) multiplies them with its columns of the weights, (5) sends the partial
// sums to the blocks that own the units, and (6) stores its gradients: no other block waits for those.
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
    Value number; ///< index among the block's sums, see findPlace
    Value inTile; ///< offset of the first gate's gradient in the tile, in elements
    Value exists;
    SmallVector<Value> once;
  };
  /// What a place computes in a step: loop-carried values, and the gradients that `storeResults` stores.
  struct Outcome {
    SmallVector<Value> carried, states, inputs;
  };

  Value half(Value turn) const { return e.mul(turn, e.index(shape.getTileElements())); }

  // --- Before the loop ---
  void orderWeights();
  Place findPlace(int64_t number);
  void findTargets();
  /// True if results are read again from the tile instead of being kept in registers during the GEMM: the tile has them
  /// in the precision in which they are stored.
  bool storesFromTile() const { return !element.isF32() || shape.isSplit; }

  // --- A step ---
  SmallVector<Value> readStep(Value number, Value exists) {
    return PersistentKernel::readStep(named("saved values"), layer, ArrayRef<Place>(places), recurrence, number,
                                      exists);
  }
  Value addPartialSums(const Place &place, Value turn);
  Outcome stepPlace(const Place &place, const Step &step, Value turn, Value before, ArrayRef<Value> prepared,
                    ValueRange carried);
  void storeResults(const Place &place, const Step &step, Value turn, const Outcome &outcome);
  void sendSums(Value turn, ValueRange sums);

  const PersistentRecurrence &recurrence;
  const PersistentBackwardShape &shape;
  const PersistentBackwardLayer &layer;

  Value slots, tile; ///< pointers to shared memory
  SmallVector<Place> places;
  /// The address of this lane's sums in the slots of another block, and its mbarriers.
  struct Target {
    Value slots, barriers;
  };
  SmallVector<Target> targets; ///< by tile of the warp / tilesOfTarget
  int64_t tilesOfTarget = 1;
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

/// A lane's four registers of D (PTX ISA, mma.m16n8k16: rows group and group + 8, columns 2 * member and 2 * member +
/// 1) are adjacent sums. So a lane sends 16 bytes at once, and the lanes of a pair of examples 128 adjacent bytes.
/// Pairs of examples come first, so that threads of few examples are in few warps.
BackwardKernel::Place BackwardKernel::findPlace(int64_t number) {
  Place place;
  place.number = e.add(thread, e.index(number * shape.getThreads()));
  Value rest = place.number;
  auto split = [&](int64_t count) {
    Value part = e.remainder(rest, e.index(count));
    rest = e.div(rest, e.index(count));
    return part;
  };
  Value column = split(2), upper = split(2), group = split(8), tileNumber = split(shape.tiles), pair = rest;
  Value unit = e.add(e.mul(tileNumber, e.index(16)), e.add(e.mul(upper, e.index(8)), group));
  Value row = e.add(e.mul(pair, e.index(2)), column);
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

/// Adjacent tiles of a warp belong to one block, if all blocks have as many: they share the target.
void BackwardKernel::findTargets() {
  const int64_t tilesOfWarp = shape.getTilesOfWarp();
  tilesOfTarget = tilesOfWarp % shape.tiles == 0 ? shape.tiles : 1;
  Value own = e.mul(rank, e.index(shape.getSums()));
  Value ofLane = e.add(e.mul(member, e.index(shape.tiles * 32)), e.mul(group, e.index(4)));
  for (int64_t tileOfWarp = 0; tileOfWarp < tilesOfWarp; tileOfWarp += tilesOfTarget) {
    Value number = e.add(e.mul(warp, e.index(tilesOfWarp)), e.index(tileOfWarp));
    Value owner = toI32(e.div(number, e.index(shape.tiles)));
    Value first = tilesOfTarget > 1 ? e.index(0) : e.mul(e.remainder(number, e.index(shape.tiles)), e.index(32));
    targets.push_back({getRemote(at(slots, f32, e.add(e.add(own, first), ofLane)), owner), getRemote(barriers, owner)});
  }
}

//===----------------------------------------------------------------------===//
// A step
//===----------------------------------------------------------------------===//

/// The place's sum of the parts in the slots of `turn`, in the order of the blocks.
Value BackwardKernel::addPartialSums(const Place &place, Value turn) {
  Emitter adding = named("partial sums");
  Value first = e.mul(turn, e.index(shape.blocks * shape.getSums())), sum;
  for (int64_t block = 0; block < shape.blocks; ++block) {
    Value number = e.add(e.add(first, e.index(block * shape.getSums())), place.number);
    Value part = LLVM::LoadOp::create(builder, adding.loc, f32, at(slots, f32, number));
    sum = sum ? adding.add(sum, part) : part;
  }
  return sum;
}

/// The arithmetic of a place that exists; it writes the gate gradients to the tile. `before`: the turn of the step
/// before.
BackwardKernel::Outcome BackwardKernel::stepPlace(const Place &place, const Step &step, Value turn, Value before,
                                                  ArrayRef<Value> prepared, ValueRange carried) {
  Emitter storing = named("gradients of the gates");
  size_t numCarried = 0, numStates = 0;
  SmallVector<Value> all = valuesIf(place.exists, [&] {
    Value sum = addPartialSums(place, before);
    PersistentBackwardLayer::Gradients gradients = layer.stepBack(e, step, place.once, prepared, sum, carried);
    for (auto [gate, value] : llvm::enumerate(gradients.states)) {
      Value number = e.add(e.add(half(turn), place.inTile), e.index(gate * shape.getUnits()));
      LLVM::StoreOp::create(builder, storing.loc, round(storing, value), at(tile, element, number));
    }
    SmallVector<Value> values(gradients.carried);
    numCarried = values.size();
    if (!storesFromTile())
      for (Value value : gradients.states)
        values.push_back(storing.convert(value, element));
    numStates = values.size() - numCarried;
    for (Value value : gradients.inputs)
      values.push_back(storing.convert(value, element));
    return values;
  });
  ArrayRef<Value> values(all);
  return {SmallVector<Value>(values.take_front(numCarried)), SmallVector<Value>(values.slice(numCarried, numStates)),
          SmallVector<Value>(values.drop_front(numCarried + numStates))};
}

void BackwardKernel::storeResults(const Place &place, const Step &step, Value turn, const Outcome &outcome) {
  Emitter storing = named("results");
  storing.ifThen(place.exists, [&] {
    SmallVector<Value> states(outcome.states);
    for (int64_t gate = 0; storesFromTile() && gate < shape.numGates; ++gate) {
      Value number = e.add(e.add(half(turn), place.inTile), e.index(gate * shape.getUnits()));
      states.push_back(LLVM::LoadOp::create(builder, storing.loc, element, at(tile, element, number)));
    }
    layer.store(storing, place, step, states, outcome.inputs);
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
      const Target &target = targets[tileOfWarp / tilesOfTarget];
      Value place = e.add(first, e.index(tileOfWarp % tilesOfTarget * 32));
      send(sending, sums.slice(tileOfWarp * 4, 4), at(target.slots, f32, place),
           at(target.barriers, builder.getI64Type(), turn));
    }
  });
}

void BackwardKernel::build() {
  const bool isPart = recurrence.isPart();
  Value isFirstLaunch = isPart ? host.isEqual(recurrence.end, recurrence.steps) : Value();
  if (isPart)
    host.ifThen(isFirstLaunch, [&] { orderWeights(); });
  else
    orderWeights();
  launch(recurrence.B, recurrence.numDirections, shape.blocks, shape.getThreads(), shape.mostRows,
         shape.getBytes() + (isPart ? PersistentLimits::taskBytes : 0));
  startTask(recurrence);
  slots = addBuffer(shape.getSlotBytes());
  tile = addBuffer(shape.getTileBytes());
  loadWeights(recurrence.orderedWeights, shape.getWeights());
  clear(tile, shape.getTileBytes() / 4); // padded rows and units are multiplied but never stored
  const int64_t sumsOfTurn = shape.blocks * shape.getSums();
  clear(at(slots, f32, e.index(sumsOfTurn)), sumsOfTurn); // the sums before the first step
  for (int64_t number = 0; number < shape.getPlacesOfThread(); ++number)
    places.push_back(findPlace(number));
  SmallVector<Value> carried = startCarried(layer, ArrayRef<Place>(places), recurrence, isFirstLaunch);
  startBarriers();
  findTargets();

  // `begin`, `stop` and `count` number the steps of the launch as they are executed: 0 is the last one in time.
  Value zero = e.index(0), one = e.index(1), endOfLaunch = isPart ? recurrence.end : recurrence.steps;
  Value lastNumber = e.sub(endOfLaunch, one);
  const unsigned perPlace = carried.size() / places.size(), numCarried = carried.size();
  Value task = forEachTask(recurrence, /*reversed=*/true, carried, [&](Value first, Value end, ValueRange ofTask) {
    Value begin = e.sub(endOfLaunch, end), stop = e.sub(endOfLaunch, first), last = e.sub(stop, one);
    SmallVector<Value> all(ofTask);
    llvm::append_range(all, readStep(e.sub(lastNumber, begin), e.isLess(begin, stop)));
    const unsigned readPerPlace = (all.size() - numCarried) / places.size();
    all = e.loop(begin, stop, 1, all, [&](Value count, ValueRange before) {
      Value number = e.sub(lastNumber, count);
      Step step = recurrence.getStep(e, direction, number);
      Value turn = e.remainder(count, e.index(2)), turnBefore = e.sub(one, turn);
      SmallVector<Value> read(before.drop_front(numCarried)), after;
      SmallVector<SmallVector<Value>> prepared;
      for (auto [index, place] : llvm::enumerate(places))
        prepared.push_back(valuesIf(place.exists, [&, index = index] {
          return layer.prepare(named("prepare"), step, ArrayRef(read).slice(index * readPerPlace, readPerPlace));
        }));
      read = readStep(e.sub(number, one), isPart ? e.isLess(e.add(count, one), stop) : e.isLess(count, last));
      waitForStepBefore(count);
      SmallVector<Outcome> outcomes;
      for (auto [index, place] : llvm::enumerate(places)) {
        outcomes.push_back(
            stepPlace(place, step, turn, turnBefore, prepared[index], before.slice(index * perPlace, perPlace)));
        llvm::append_range(after, outcomes.back().carried);
      }
      // The tile holds the block's gate gradients, and all received sums have been read.
      e.barrier();
      Value row = e.add(half(turn), e.mul(group, e.index(shape.getTileStride())));
      auto sendAll = [&] { sendSums(turn, multiplyAll(tile, row)); };
      if (layer.computesStateGradient())
        sendAll();
      else // the sums of the first step have no reader
        e.ifThen(isPart ? e.isLess(zero, number) : e.isLess(count, last), sendAll);
      for (auto [place, outcome] : llvm::zip(places, outcomes))
        storeResults(place, step, turn, outcome);
      llvm::append_range(after, read);
      return after;
    });
    all.truncate(numCarried);
    return all;
  });

  SmallVector<Value> sums(places.size());
  Value numSteps = e.sub(endOfLaunch, task), areSent = e.isLess(zero, numSteps);
  Value hasNextLaunch = isPart ? e.isLess(zero, task) : Value();
  if (isPart && !layer.computesStateGradient())
    areSent = e.both(areSent, hasNextLaunch);
  if (isPart || layer.computesStateGradient())
    sums = valuesIf(areSent, [&] {
      waitForStepBefore(numSteps);
      Value turn = e.remainder(e.sub(numSteps, one), e.index(2));
      SmallVector<Value> received;
      for (const Place &place : places)
        received.push_back(valuesIf(place.exists, [&] { return SmallVector<Value>{addPartialSums(place, turn)}; })[0]);
      return received;
    });
  Emitter ending = named("finish");
  for (auto [number, place] : llvm::enumerate(places))
    ending.ifThen(place.exists, [&, number = number, &place = place] {
      ValueRange ofPlace = ValueRange(carried).slice(number * perPlace, perPlace);
      auto finishPlace = [&] {
        layer.finish(ending, place, layer.computesStateGradient() ? sums[number] : Value(), ofPlace);
      };
      if (!isPart)
        return finishPlace();
      ending.ifThen(hasNextLaunch, [&] {
        // The next launch starts with zero instead of the sums.
        SmallVector<Value> next(ofPlace);
        next[0] = ending.add(sums[number], next[0]);
        storeCarried(recurrence, place, next);
      });
      ending.ifThen(ending.isEqual(task, zero), finishPlace);
    });
  finishTask(recurrence, /*reversed=*/true, task);
}

void rnn::launchPersistentBackward(const Emitter &host, const PersistentRecurrence &recurrence,
                                   const PersistentBackwardShape &shape, const PersistentBackwardLayer &layer) {
  BackwardKernel(host, recurrence, shape, layer).build();
}
