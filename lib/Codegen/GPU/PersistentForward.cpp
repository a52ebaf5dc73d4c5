//===- PersistentForward.cpp - forward recurrences as persistent kernels -------===//
//
// Every block has a tile with the states of all units for the examples of its cluster. Per step, a warp (1) loads the
// gates' arguments from the input, (2) waits until the states of the previous step have arrived from all blocks,
// (3) multiplies them with its rows of the weights, which yields all gates of some units, (4) computes these units,
// whose cells stay in registers, and (5) sends their states to all blocks, its own included.
//
// Two tiles and two mbarriers alternate, and the loop needs no block barrier:
// - The states of step n overwrite those of step n - 2, which every warp of the cluster reads in (3) of step n - 1. A
// warp
//   sends the states of step n only after it has received all states of step n - 1. Every warp of every block has sent
//   some of these (units that do not exist are sent as zeros), in (5) of step n - 1, after its reads in (3); a warp
//   synchronization separates its reads from its sends. So no warp still reads what is overwritten.
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
    Value exists;
    SmallVector<Value> once;
  };
  /// mma.sync returns four sums per lane: two rows for two examples. Lanes exchange them so that a lane has four rows
  /// of one example, its slots.
  static constexpr int64_t numSlots = 4;

  int64_t stride() const { return shape.getStride(); }
  int64_t tileElements() const { return shape.getTileElements(); }
  int64_t placesOfTile() const { return shape.hasOneGate() ? numSlots : 1; }
  /// The offset of the tile that receives the states of step `number`; the initial states are in the other one.
  Value tileOf(Value number) const { return e.mul(e.remainder(number, e.index(2)), e.index(tileElements())); }

  // --- Before the loop ---
  void orderWeights();
  void fillTiles();
  void findPlaces();
  void findTargets();
  SmallVector<Value> startCarried();

  // --- A step ---
  void syncWarp() const;
  Value exchange(Value value, int64_t lanes) const;
  SmallVector<Value> toSlots(ArrayRef<Value> sums);
  Value toBits(Value state) const;
  SmallVector<Value> gather(ArrayRef<Value> states);
  void sendStates(Value number, ArrayRef<Value> states);

  const PersistentRecurrence &recurrence;
  const PersistentForwardShape &shape;
  const PersistentForwardLayer &layer;

  Value tiles;                     ///< two, in shared memory
  Value example, pair, unitInTile; ///< of this lane: index in the cluster, its parity, and the first unit in a tile
  SmallVector<Place> places;       ///< by tile of the warp
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
                   Value along = split(shape.getFragmentsPerTile()), tile = split(shape.warps * shape.tiles),
                         block = split(shape.blocks);
                   // A lane holds rows group and group + 8: its slots 0 and 1, or 2 and 3.
                   Value lower = e.div(row, e.index(8)), group = e.remainder(row, e.index(8));
                   Value slot = e.add(e.mul(e.remainder(group, e.index(2)), e.index(2)), lower);
                   Value four = e.div(group, e.index(2)), gate = slot, inTile = four;
                   if (shape.hasOneGate())
                     gate = e.index(0), inTile = e.add(e.mul(four, e.index(numSlots)), slot);
                   Value unit = e.add(e.mul(block, e.index(shape.getUnits())),
                                      e.add(e.mul(tile, e.index(shape.getUnitsOfTile())), inTile));
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

void ForwardKernel::findPlaces() {
  pair = e.remainder(group, e.index(2));
  example = e.add(e.mul(member, e.index(2)), pair);
  unitInTile = e.mul(e.div(group, e.index(2)), e.index(placesOfTile()));
  for (int64_t tile = 0; tile < shape.tiles; ++tile) {
    Value number = e.add(e.mul(warp, e.index(shape.tiles)), e.index(tile));
    Value first = e.add(e.mul(rank, e.index(shape.getUnits())), e.mul(number, e.index(shape.getUnitsOfTile())));
    for (int64_t index = 0; index < placesOfTile(); ++index) {
      Place place;
      place.direction = direction;
      place.b = e.add(firstRow, example);
      place.unit = e.add(e.add(first, unitInTile), e.index(index));
      place.exists = e.both(e.both(e.isLess(place.unit, e.index(shape.H)), e.isLess(example, rows)),
                            e.isLess(place.b, recurrence.B));
      place.once = valuesIf(place.exists, [&] { return layer.readOnce(e, place); });
      places.push_back(place);
    }
  }
}

/// With several gates, the four lanes of an example hold the same four units; each sends them to a quarter of the
/// blocks.
void ForwardKernel::findTargets() {
  const int64_t lanes = shape.hasOneGate() ? 1 : 4;
  for (int64_t first = 0; first < shape.blocks; first += lanes) {
    Value other = lanes == 1 ? e.index(first) : e.add(unitInTile, e.index(first));
    Value exists = first + lanes > shape.blocks ? e.isLess(other, e.index(shape.blocks)) : Value();
    // mapa requires an existing block.
    Value number = toI32(exists ? e.select(exists, other, e.index(0)) : other);
    targets.push_back({exists, getRemote(tiles, number), getRemote(barriers, number)});
  }
}

/// The carried values of all places, concatenated.
SmallVector<Value> ForwardKernel::startCarried() {
  SmallVector<Value> carried;
  for (const Place &place : places)
    llvm::append_range(carried, valuesIf(place.exists, [&] { return layer.start(e, place); }));
  return carried;
}

//===----------------------------------------------------------------------===//
// A step
//===----------------------------------------------------------------------===//

void ForwardKernel::syncWarp() const {
  NVVM::SyncWarpOp::create(builder, e.loc, constant32(-1));
}

/// The value of lane (own lane xor `lanes`).
Value ForwardKernel::exchange(Value value, int64_t lanes) const {
  return gpu::ShuffleOp::create(builder, e.loc, value, lanes, 32, gpu::ShuffleMode::XOR).getShuffleResult();
}

/// Converts the registers of D (PTX ISA, mma.m16n8k16: rows group and group + 8, columns 2 * member and 2 * member + 1)
/// to the lane's slots: it keeps one column and exchanges the other with the lane that has the other rows.
SmallVector<Value> ForwardKernel::toSlots(ArrayRef<Value> sums) {
  Value isOdd = e.isEqual(pair, e.index(1));
  auto keep = [&](int64_t row) { return e.select(isOdd, sums[row * 2 + 1], sums[row * 2]); };
  auto swap = [&](int64_t row) { return exchange(e.select(isOdd, sums[row * 2], sums[row * 2 + 1]), 4); };
  Value own[] = {keep(0), keep(1)}, other[] = {swap(0), swap(1)};
  return {e.select(isOdd, other[0], own[0]), e.select(isOdd, other[1], own[1]), e.select(isOdd, own[0], other[0]),
          e.select(isOdd, own[1], other[1])};
}

Value ForwardKernel::toBits(Value state) const {
  Type bitsType = builder.getIntegerType(shape.bits);
  Value bits = arith::BitcastOp::create(builder, e.loc, bitsType, round(e, state));
  return bitsType == i32 ? bits : arith::ExtUIOp::create(builder, e.loc, i32, bits).getResult();
}

/// Packs the states of four adjacent units into words.
SmallVector<Value> ForwardKernel::gather(ArrayRef<Value> states) {
  // Two states in one word (16 bits) or two.
  auto join = [&](Value low, Value high) -> SmallVector<Value> {
    if (shape.bits == 32)
      return {low, high};
    Value shifted = arith::ShLIOp::create(builder, e.loc, high, constant32(16));
    return {arith::OrIOp::create(builder, e.loc, low, shifted)};
  };
  if (shape.hasOneGate()) {
    SmallVector<Value> words = join(toBits(states[0]), toBits(states[1]));
    llvm::append_range(words, join(toBits(states[2]), toBits(states[3])));
    return words;
  }
  Value own = toBits(states[0]), other = exchange(own, 8);
  Value isOdd = e.isEqual(e.remainder(unitInTile, e.index(2)), e.index(1)), isUpper = e.isLess(e.index(1), unitInTile);
  SmallVector<Value> lower, upper;
  for (Value word : join(e.select(isOdd, other, own), e.select(isOdd, own, other))) {
    Value second = exchange(word, 16);
    lower.push_back(e.select(isUpper, second, word));
    upper.push_back(e.select(isUpper, word, second));
  }
  llvm::append_range(lower, upper);
  return lower;
}

void ForwardKernel::sendStates(Value number, ArrayRef<Value> states) {
  Emitter sending = named("send");
  Value turn = e.remainder(number, e.index(2));
  expect(sending, turn, e.mul(rows, e.index(shape.getSentColumns() * shape.bits / 8)));
  SmallVector<SmallVector<Value>> words;
  for (int64_t tile = 0; tile < shape.tiles; ++tile)
    words.push_back(gather(states.slice(tile * placesOfTile(), placesOfTile())));
  // All lanes of the warp have read the tile that the sends overwrite.
  syncWarp();
  Value first = e.add(tileOf(number), e.mul(example, e.index(stride())));
  for (const Target &target : targets) {
    // Examples that the cluster does not have are not sent.
    Value isSent = e.isLess(example, rows);
    if (target.exists)
      isSent = e.both(isSent, target.exists);
    sending.ifThen(isSent, [&] {
      Value barrier = at(target.barriers, builder.getI64Type(), turn);
      for (int64_t tile = 0; tile < shape.tiles; ++tile) {
        Value place =
            e.add(e.mul(rank, e.index(shape.getUnits())),
                  e.mul(e.add(e.mul(warp, e.index(shape.tiles)), e.index(tile)), e.index(shape.getUnitsOfTile())));
        if (shape.hasOneGate())
          place = e.add(place, unitInTile);
        send(sending, words[tile], at(target.tiles, element, e.add(first, place)), barrier);
      }
    });
  }
}

void ForwardKernel::build() {
  orderWeights();
  launch(recurrence.B, recurrence.numDirections, shape.blocks, shape.getThreads(), shape.getBytes());
  tiles = addBuffer(shape.getTileBytes());
  loadWeights(recurrence.orderedWeights, shape.getWeights());
  fillTiles();
  findPlaces();
  SmallVector<Value> carried = startCarried();
  startBarriers();
  findTargets();

  Value zero = e.index(0), one = e.index(1), last = e.sub(recurrence.steps, one);
  const unsigned perPlace = carried.size() / places.size();
  carried = e.loop(zero, recurrence.steps, 1, carried, [&](Value number, ValueRange before) {
    Step step = recurrence.getStep(e, direction, number);
    SmallVector<SmallVector<Value>> values;
    for (const Place &place : places)
      values.push_back(valuesIf(place.exists, [&] { return layer.read(named("from the input"), place, step); }));
    e.ifThen(e.isLess(zero, number), [&] { waitFor(e.sub(number, one)); });
    syncWarp(); // lanes leave the wait one by one; mma.sync needs all of them
    // The tile with the states of the previous step.
    Value row = e.add(tileOf(e.add(number, one)), e.mul(group, e.index(stride())));
    SmallVector<Value> sums = multiplyAll(tiles, row), after, states;
    SmallVector<PersistentForwardLayer::Result> results;
    for (int64_t tile = 0; tile < shape.tiles; ++tile) {
      SmallVector<Value> slots = toSlots(ArrayRef(sums).slice(tile * 4, 4));
      for (int64_t index = 0; index < placesOfTile(); ++index) {
        const int64_t at = tile * placesOfTile() + index;
        ArrayRef<Value> gates =
            shape.hasOneGate() ? ArrayRef(slots).slice(index, 1) : ArrayRef(slots).take_front(shape.numGates);
        results.push_back(
            layer.step(e, step, places[at].once, values[at], gates, before.slice(at * perPlace, perPlace)));
        llvm::append_range(after, results.back().carried);
        states.push_back(e.select(places[at].exists, results.back().h, e.number(0.0, f32)));
      }
    }
    // Send before storing: other blocks wait for the states. The states of the last step have no reader.
    e.ifThen(e.isLess(number, last), [&] { sendStates(number, states); });
    Emitter storing = named("results");
    for (auto [place, result] : llvm::zip(places, results))
      storing.ifThen(place.exists,
                     [&, &place = place, &result = result] { layer.store(storing, place, step, result); });
    return after;
  });

  Emitter ending = named("finish");
  for (auto [number, place] : llvm::enumerate(places))
    ending.ifThen(place.exists, [&, number = number, &place = place] {
      layer.finish(ending, place, ValueRange(carried).slice(number * perPlace, perPlace));
    });
  finish();
}

void rnn::launchPersistentForward(const Emitter &host, const PersistentRecurrence &recurrence,
                                  const PersistentForwardShape &shape, const PersistentForwardLayer &layer) {
  ForwardKernel(host, recurrence, shape, layer).build();
}
