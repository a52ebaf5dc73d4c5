//===- PersistentForward.cpp - forward recurrences as persistent kernels -------===//
//
// Every block has a tile with the states of all units for the examples of its cluster. Per step, a block (1) starts to
// load the gates' arguments from the input for the next step, and (2) waits until the states of the previous step have
// arrived from all blocks. Each warp (3) multiplies a slice of the units with all rows of the block's weights, which
// keeps the dependent chains of MMAs short, and stores its partial sums in shared memory. After a block barrier, a
// thread (4) adds the partial sums of all gates of its units in the order of the warps and computes these units, whose
// cells stay in registers, (5) sends their states to all blocks, its own included, and (6) stores results.
//
// Two tiles and two mbarriers alternate:
// - The states of step n overwrite those of step n - 2, which the warps of the cluster read in (3) of step n - 1. A
//   thread sends states of step n only after it has received all states of step n - 1. Every block has sent some of
//   these (units that do not exist are sent as zeros), after the block barrier that follows (3) of step n - 1.
// - The partial sums of step n overwrite those of step n - 1 after all states of step n - 1 have arrived. The block's
//   own threads sent these after they had read the partial sums.
// - For the same reason no two warps of a cluster are more than one step apart. An mbarrier never counts bytes of two
//   phases, and its parity identifies the phase.
// - In step n, one thread of a block announces the number of bytes. The phase cannot end before, even if bytes arrive
//   earlier.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/GPU/PersistentForward.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::rnn;

namespace {

class ForwardKernel : public PersistentKernel {
public:
  ForwardKernel(const Emitter &host, const PersistentRecurrence &recurrence, const PersistentForwardShape &shape,
                const PersistentForwardLayer &layer)
      : PersistentKernel(host, recurrence.name, recurrence.element), recurrence(recurrence), shape(shape),
        layer(layer) {}

  void build();

private:
  /// One unit of one example that this thread computes.
  struct Place : PersistentPlace {
    Value row, unitInBlock; ///< the example's index in the cluster
    Value isSent;           ///< the cluster has the example, whether or not the unit exists
    Value inWarp;           ///< as isSent, for the first lane of the warp: the same in all its lanes
    Value exists;
    SmallVector<Value> once;
  };
  /// What a place computes in a step.
  struct Outcome {
    PersistentForwardLayer::Result result;
    SmallVector<Value> words; ///< the states of shape.getUnitsPerSend() adjacent units
  };

  int64_t stride() const { return shape.getStride(); }
  int64_t tileElements() const { return shape.getTileElements(); }
  /// The offset of the tile that receives the states of step `number`; the initial states are in the other one.
  Value tileOf(Value number) const { return e.mul(e.remainder(number, e.index(2)), e.index(tileElements())); }

  // --- Before the loop ---
  void orderWeights();
  void fillTiles();
  void findPlaces();
  void findTargets();

  // --- A step; `number` counts the steps of the launch ---
  SmallVector<Value> readStep(Value number, Value exists) {
    return PersistentKernel::readStep(named("from the input"), layer, ArrayRef<Place>(places), recurrence,
                                      recurrence.isPart() ? e.add(recurrence.first, number) : number, exists);
  }
  void storePartialSums(Value row);
  SmallVector<Value> addPartialSums(const Place &place);
  Value exchange(Value value, int64_t lanes) const;
  SmallVector<Value> gather(Value state) const;
  Outcome stepPlace(const Place &place, const Step &step, ValueRange values, ValueRange carried);
  void sendStates(const Place &place, Value number, ArrayRef<Value> words);

  const PersistentRecurrence &recurrence;
  const PersistentForwardShape &shape;
  const PersistentForwardLayer &layer;

  Value tiles, partialSums; ///< in shared memory; two tiles
  SmallVector<Place> places;
  struct Target {
    Value exists; ///< null: always
    Value tiles, barriers;
  };
  SmallVector<Target> targets; ///< blocks that this lane sends to
};

} // namespace

//===----------------------------------------------------------------------===//
// Before the loop
//===----------------------------------------------------------------------===//

/// Gates and units that do not exist are padded with zeros.
void ForwardKernel::orderWeights() {
  orderFragments(host, "persistent_weights", fragments, recurrence.orderedWeights,
                 [&](const Emitter &e, Value fragment, Value row, Value column) {
                   auto split = [&](int64_t count) {
                     Value part = e.remainder(fragment, e.index(count));
                     fragment = e.div(fragment, e.index(count));
                     return part;
                   };
                   Value inSlice = split(shape.getFragmentsPerSlice()), tile = split(shape.tiles),
                         slice = split(shape.slices), ofTiles = split(shape.groups), block = split(shape.blocks);
                   tile = e.add(e.mul(ofTiles, e.index(shape.tiles)), tile);
                   // A lane has rows group and group + 8: two adjacent gates, or units, of the four that two lanes
                   // have.
                   Value lower = e.div(row, e.index(8)), group = e.remainder(row, e.index(8));
                   Value slot = e.add(e.mul(e.remainder(group, e.index(2)), e.index(2)), lower);
                   Value four = e.div(group, e.index(2)), gate = slot, inTile = four;
                   if (shape.hasOneGate())
                     gate = e.index(0), inTile = e.add(e.mul(four, e.index(4)), slot);
                   Value unit = e.add(e.mul(block, e.index(shape.getUnits())),
                                      e.add(e.mul(tile, e.index(shape.getUnitsOfTile())), inTile));
                   Value along = e.add(e.mul(slice, e.index(shape.getFragmentsPerSlice())), inSlice);
                   Value from = e.add(e.mul(along, e.index(shape.getDepth())), column), H = e.index(shape.H);
                   Value exists = e.both(e.isLess(unit, H), e.isLess(from, H));
                   exists = e.both(exists, e.isLess(gate, e.index(shape.numGates)));
                   return e.ifElse(
                       exists, [&] { return layer.getWeight(e, fragment, gate, unit, from); },
                       [&] { return e.number(0.0, element); });
                 });
}

/// Fills one tile with the initial states, the other with zeros. Columns that no block sends stay zero; they are
/// multiplied.
void ForwardKernel::fillTiles() {
  Emitter filling = named("initial states");
  Value before = e.index(tileElements()), zero = e.number(0.0, element);
  e.loop(thread, before, shape.getThreads(), {}, [&](Value place, ValueRange) {
    Value row = e.div(place, e.index(stride())), unit = e.remainder(place, e.index(stride()));
    PersistentPlace where{direction, e.add(firstRow, row), unit};
    Value exists =
        e.both(e.both(e.isLess(unit, e.index(shape.H)), e.isLess(row, rows)), e.isLess(where.b, recurrence.B));
    Value state =
        filling.ifElse(exists, [&] { return round(filling, layer.getState(filling, where)); }, [&] { return zero; });
    LLVM::StoreOp::create(builder, filling.loc, zero, at(tiles, element, place));
    LLVM::StoreOp::create(builder, filling.loc, state, at(tiles, element, e.add(before, place)));
    return SmallVector<Value>();
  });
}

/// Adjacent threads have adjacent units of one example; the first examples are in the first warps.
void ForwardKernel::findPlaces() {
  Value units = e.index(shape.getUnits()), sent = e.mul(rows, units);
  for (int64_t index = 0; index < shape.getPlacesOfThread(); ++index) {
    Value offset = e.index(index * shape.getThreads()), number = e.add(offset, thread);
    Place place;
    place.row = e.div(number, units);
    place.unitInBlock = e.remainder(number, units);
    place.direction = direction;
    place.b = e.add(firstRow, place.row);
    place.unit = e.add(e.mul(rank, units), place.unitInBlock);
    place.isSent = e.isLess(number, sent);
    place.inWarp = e.isLess(e.add(offset, e.mul(warp, e.index(32))), sent);
    place.exists =
        e.both(e.both(e.isLess(place.unit, e.index(shape.H)), place.isSent), e.isLess(place.b, recurrence.B));
    place.once = valuesIf(place.exists, [&] { return layer.readOnce(e, place); });
    places.push_back(place);
  }
}

/// The lanes that have the same words each send them to a part of the blocks.
void ForwardKernel::findTargets() {
  const int64_t lanes = shape.getUnitsPerSend();
  for (int64_t first = 0; first < shape.blocks; first += lanes) {
    Value other = e.add(e.remainder(lane, e.index(lanes)), e.index(first));
    Value exists = first + lanes > shape.blocks ? e.isLess(other, e.index(shape.blocks)) : Value();
    // mapa requires an existing block.
    Value number = toI32(exists ? e.select(exists, other, e.index(0)) : other);
    targets.push_back({exists, getRemote(tiles, number), getRemote(barriers, number)});
  }
}

//===----------------------------------------------------------------------===//
// A step
//===----------------------------------------------------------------------===//

/// Multiplies this warp's slice of the states with all tiles of the weights. `row`: the offset of this lane's row in
/// the tile of states. The partial sums are ordered by slice, example, unit and gate.
void ForwardKernel::storePartialSums(Value row) {
  Emitter storing = named("partial sums");
  const int64_t ofSlice = shape.getFragmentsPerSlice();
  Value slice = e.remainder(warp, e.index(shape.slices)), ofTiles = e.div(warp, e.index(shape.slices));
  SmallVector<RightFragment> right =
      loadRights(tiles, e.add(row, e.mul(slice, e.index(ofSlice * shape.getDepth()))), ofSlice);
  // Registers of D (PTX ISA, mma.m16n8k16): rows group and group + 8 of the weights, examples 2 * member and the next.
  Value example = e.mul(member, e.index(2));
  Value first = e.add(e.mul(slice, e.index(shape.getPartialSumsOfSlice())),
                      e.add(e.mul(example, e.index(shape.getPartialStride())), e.mul(group, e.index(2))));
  first = e.add(first, e.mul(ofTiles, e.index(shape.tiles * 16)));
  Value isStored = e.isLess(example, rows);
  const int64_t together = shape.isSplit ? 2 : 4; // independent chains, whose sums need few registers
  for (int64_t tile = 0; tile < shape.tiles; tile += together) {
    const int64_t count = std::min(together, shape.tiles - tile);
    SmallVector<Value> sums = multiplyTiles(right, tile, count);
    storing.ifThen(isStored, [&] {
      for (int64_t index = 0; index < count; ++index)
        for (int64_t column : {0, 1}) {
          Value pair = LLVM::UndefOp::create(builder, storing.loc, VectorType::get({2}, f32));
          for (int64_t upper : {0, 1})
            pair = LLVM::InsertElementOp::create(builder, storing.loc, pair, sums[index * 4 + upper * 2 + column],
                                                 constant32(upper));
          Value place = e.add(first, e.index((tile + index) * 16 + column * shape.getPartialStride()));
          LLVM::StoreOp::create(builder, storing.loc, pair, at(partialSums, f32, place), 8);
        }
    });
  }
}

/// The sums of a place's gates, in the order of the slices.
SmallVector<Value> ForwardKernel::addPartialSums(const Place &place) {
  Emitter adding = named("sums");
  const int64_t slots = shape.hasOneGate() ? 1 : 4;
  Value first = e.add(e.mul(place.row, e.index(shape.getPartialStride())), e.mul(place.unitInBlock, e.index(slots)));
  SmallVector<Value> sums;
  for (int64_t slice = 0; slice < shape.slices; ++slice) {
    Value address = at(partialSums, f32, e.add(first, e.index(slice * shape.getPartialSumsOfSlice())));
    Type type = slots == 1 ? f32 : Type(VectorType::get({4}, f32));
    Value loaded = LLVM::LoadOp::create(builder, adding.loc, type, address, 4 * slots);
    for (int64_t gate = 0; gate < shape.numGates; ++gate) {
      Value part = slots == 1
                       ? loaded
                       : LLVM::ExtractElementOp::create(builder, adding.loc, loaded, constant32(gate)).getResult();
      if (slice == 0)
        sums.push_back(part);
      else
        sums[gate] = adding.add(sums[gate], part);
    }
  }
  return sums;
}

/// The value of lane (own lane xor `lanes`).
Value ForwardKernel::exchange(Value value, int64_t lanes) const {
  return gpu::ShuffleOp::create(builder, e.loc, value, lanes, 32, gpu::ShuffleMode::XOR).getShuffleResult();
}

/// Packs the states of adjacent units, one in each lane, into words that all these lanes have.
SmallVector<Value> ForwardKernel::gather(Value state) const {
  Type bitsType = builder.getIntegerType(shape.bits);
  Value bits = arith::BitcastOp::create(builder, e.loc, bitsType, round(e, state));
  SmallVector<Value> words{bitsType == i32 ? bits : arith::ExtUIOp::create(builder, e.loc, i32, bits).getResult()};
  for (int64_t lanes = 1; lanes < shape.getUnitsPerSend(); lanes *= 2) {
    Value isUpper = e.isEqual(e.remainder(e.div(lane, e.index(lanes)), e.index(2)), e.index(1));
    SmallVector<Value> lower, upper;
    for (Value word : words) {
      Value other = exchange(word, lanes);
      lower.push_back(e.select(isUpper, other, word));
      upper.push_back(e.select(isUpper, word, other));
    }
    if (lanes == 1 && shape.bits == 16) {
      Value shifted = arith::ShLIOp::create(builder, e.loc, upper[0], constant32(16));
      words = {arith::OrIOp::create(builder, e.loc, lower[0], shifted)};
      continue;
    }
    words = lower;
    llvm::append_range(words, upper);
  }
  return words;
}

/// The arithmetic of a place. All lanes of a warp execute it or none.
ForwardKernel::Outcome ForwardKernel::stepPlace(const Place &place, const Step &step, ValueRange values,
                                                ValueRange carried) {
  size_t numCarried = 0, numOthers = 0, numComputed = 0;
  SmallVector<Value> all = valuesIf(place.inWarp, [&] {
    SmallVector<Value> computed = valuesIf(place.exists, [&] {
      SmallVector<Value> sums = addPartialSums(place), read(values);
      PersistentForwardLayer::Result result = layer.step(e, step, place.once, read, sums, carried);
      numCarried = result.carried.size();
      numOthers = result.others.size();
      SmallVector<Value> flat{result.h};
      llvm::append_range(flat, result.carried);
      llvm::append_range(flat, result.others);
      if (result.next)
        flat.push_back(result.next);
      numComputed = flat.size();
      return flat;
    });
    // The last value is `next`, if the layer has one.
    const bool hasNext = numComputed > 1 + numCarried + numOthers;
    llvm::append_range(computed, gather(hasNext ? computed.back() : computed.front()));
    // Another lane's send implies that the partial sums that this lane has read may be overwritten.
    NVVM::SyncWarpOp::create(builder, e.loc, constant32(-1));
    return computed;
  });
  ArrayRef<Value> flat(all);
  return {{flat[0], SmallVector<Value>(flat.slice(1, numCarried)),
           SmallVector<Value>(flat.slice(1 + numCarried, numOthers))},
          SmallVector<Value>(flat.drop_front(numComputed))};
}

void ForwardKernel::sendStates(const Place &place, Value number, ArrayRef<Value> words) {
  Emitter sending = named("send");
  const int64_t together = shape.getUnitsPerSend();
  Value unit = e.mul(e.div(place.unit, e.index(together)), e.index(together));
  Value first = e.add(tileOf(number), e.add(e.mul(place.row, e.index(stride())), unit));
  sending.ifThen(place.isSent, [&] {
    for (const Target &target : targets) {
      auto sendWords = [&] {
        send(sending, words, at(target.tiles, element, first),
             at(target.barriers, builder.getI64Type(), e.remainder(number, e.index(2))));
      };
      if (target.exists)
        sending.ifThen(target.exists, sendWords);
      else
        sendWords();
    }
  });
}

void ForwardKernel::build() {
  Value isFirstLaunch = recurrence.isPart() ? host.isEqual(recurrence.first, host.index(0)) : Value();
  if (recurrence.isPart())
    host.ifThen(isFirstLaunch, [&] { orderWeights(); });
  else
    orderWeights();
  const bool isPart = recurrence.isPart();
  launch(recurrence.B, recurrence.numDirections, shape.blocks, shape.getThreads(), shape.mostRows,
         shape.getBytes() + (isPart ? PersistentLimits::taskBytes : 0));
  startTask(recurrence);
  tiles = addBuffer(shape.getTileBytes());
  partialSums = addBuffer(shape.getPartialBytes());
  loadWeights(recurrence.orderedWeights, shape.getWeights());
  fillTiles();
  findPlaces();
  SmallVector<Value> carried = startCarried(layer, ArrayRef<Place>(places), recurrence, isFirstLaunch);
  startBarriers();
  findTargets();

  Value one = e.index(1);
  const unsigned perPlace = carried.size() / places.size(), numCarried = carried.size();
  // `begin`, `stop` and `last` number the steps of the launch from 0.
  Value firstOfLaunch = isPart ? recurrence.first : e.index(0);
  Value task = forEachTask(recurrence, /*reversed=*/false, carried, [&](Value first, Value end, ValueRange ofTask) {
    layer.startTask(e, first);
    Value begin = e.sub(first, firstOfLaunch), stop = e.sub(end, firstOfLaunch), last = e.sub(stop, one);
    SmallVector<Value> all(ofTask);
    llvm::append_range(all, readStep(begin, e.isLess(begin, stop)));
    const unsigned readPerPlace = (all.size() - numCarried) / places.size();
    all = e.loop(begin, stop, 1, all, [&](Value number, ValueRange before) {
      Value inAll = e.add(firstOfLaunch, number);
      Step step = recurrence.getStep(e, direction, inAll);
      Value hasNext = isPart ? e.isLess(e.add(number, one), stop) : e.isLess(number, last);
      SmallVector<Value> read = readStep(e.add(number, one), hasNext), after;
      waitForStepBefore(number);
      // The tile with the states of the previous step.
      storePartialSums(e.add(tileOf(e.add(number, one)), e.mul(group, e.index(stride()))));
      e.barrier();
      SmallVector<Outcome> outcomes;
      for (auto [index, place] : llvm::enumerate(places)) {
        outcomes.push_back(stepPlace(place, step, before.slice(numCarried + index * readPerPlace, readPerPlace),
                                     before.slice(index * perPlace, perPlace)));
        llvm::append_range(after, outcomes.back().result.carried);
      }
      // Send before storing: other blocks wait for the states. Those of the last step have no reader.
      e.ifThen(isPart ? e.isLess(inAll, e.sub(recurrence.steps, one)) : hasNext, [&] {
        expect(named("send"), e.remainder(number, e.index(2)),
               e.mul(rows, e.index(shape.getSentColumns() * shape.bits / 8)));
        for (auto [place, outcome] : llvm::zip(places, outcomes))
          sendStates(place, number, outcome.words);
      });
      Emitter storing = named("results");
      for (auto [place, outcome] : llvm::zip(places, outcomes))
        storing.ifThen(place.exists,
                       [&, &place = place, &outcome = outcome] { layer.store(storing, place, step, outcome.result); });
      llvm::append_range(after, read);
      return after;
    });
    all.truncate(numCarried);
    return all;
  });

  Emitter ending = named("finish");
  Value end = isPart ? endOfTask(recurrence, task) : Value();
  Value hasNextLaunch = isPart ? ending.isLess(end, recurrence.steps) : Value();
  if (isPart) // the states of the last step must not arrive after the end of the block
    ending.ifThen(hasNextLaunch, [&] { waitForStepBefore(e.sub(end, firstOfLaunch)); });
  for (auto [number, place] : llvm::enumerate(places))
    ending.ifThen(place.exists, [&, number = number, &place = place] {
      ValueRange ofPlace = ValueRange(carried).slice(number * perPlace, perPlace);
      if (!isPart)
        return layer.finish(ending, place, ofPlace);
      ending.ifThen(ending.isEqual(end, recurrence.steps), [&] { layer.finish(ending, place, ofPlace); });
      ending.ifThen(hasNextLaunch, [&] { storeCarried(recurrence, place, ofPlace); });
    });
  finishTask(recurrence, /*reversed=*/false, task);
}

void rnn::launchPersistentForward(const Emitter &host, const PersistentRecurrence &recurrence,
                                  const PersistentForwardShape &shape, const PersistentForwardLayer &layer) {
  ForwardKernel(host, recurrence, shape, layer).build();
}
