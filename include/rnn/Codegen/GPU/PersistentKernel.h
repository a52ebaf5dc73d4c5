//===- PersistentKernel.h - all steps of a recurrence in one launch -*- C++ -*-===//
//
// The recurrent weights stay on the chip over all steps. A cluster of thread blocks owns some examples of the batch in
// one direction; each of its blocks owns some units of the layer. Blocks exchange values by asynchronous stores to each
// other's shared memory, counted by mbarriers. `PersistentKernel` is the common base of the forward and the backward
// kernel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_GPU_PERSISTENTKERNEL_H
#define RNN_CODEGEN_GPU_PERSISTENTKERNEL_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "rnn/Codegen/GPU/PersistentShape.h"
#include "rnn/Codegen/GPU/Step.h"

namespace mlir::rnn {

/// Launches a kernel that fills `ordered`, a buffer of type Fragments::getBufferType. `read` returns the element at a
/// row and a column of a fragment.
void orderFragments(const Emitter &host, StringRef name, const Fragments &fragments, Value ordered,
                    function_ref<Value(const Emitter &e, Value fragment, Value row, Value column)> read);

/// The recurrence that a persistent kernel runs.
struct PersistentRecurrence {
  std::string name;
  Type element;
  int64_t H, numDirections;
  Value steps, B;
  Value orderedWeights; ///< scratch of type PersistentWeights::getBufferType

  // Of one of several launches in which a recurrence runs; null if there is one.
  /// Its steps. Forward, the first launch begins at 0, backward, it ends at `steps`.
  Value first = {}, end = {};
  /// Between launches: loop-carried values, [maxCarried * numDirections * B * H] in the accumulator type.
  Value carried = {};
  static constexpr int64_t maxCarried = 10;
  /// The signals of the launches (rnnrt.wavefront_task), an address or 0, the number of this one and of all, and the
  /// steps of each but the last one, backward the first one: it begins at a multiple of them. All are indices.
  Value signals = {}, task = {}, numTasks = {}, stepsOfTask = {};
  /// An i1: a task may have a single step.
  Value hasShortTask = {};

  bool isPart() const { return bool(first); }

  Step getStep(const Emitter &e, Value direction, Value number) const {
    Value last = e.sub(steps, e.index(1));
    return makeStep(e, direction, numDirections, number, last, e.isEqual(number, e.index(0)), e.isEqual(number, last));
  }
};

/// An element of the state in a persistent kernel: one unit of one example.
struct PersistentPlace {
  Value direction, b, unit;
};

/// A launch of clusters under construction.
class PersistentKernel {
public:
  PersistentKernel(const Emitter &host, StringRef name, Type element);

protected:
  /// Creates the launch and moves the insertion point into it. `mostRows`: examples per cluster. `bytes`: shared memory
  /// of all buffers that will be added.
  void launch(Value B, int64_t numDirections, int64_t blocks, int64_t threads, int64_t mostRows, int64_t bytes);
  /// Ends the kernel with a cluster barrier, since the shared memory of a block must exist while others store to it.
  /// Moves the insertion point behind the launch. `ending`: emits what follows the barrier, or null.
  void finish(function_ref<void()> ending = nullptr);

  /// The barrier of all threads of the cluster, which orders their accesses.
  void synchronizeCluster() const;

  // --- Several launches of a recurrence: tasks ---
  /// If the clusters of an earlier launch have completed the task of this one, the kernel ends at once. Moves the
  /// insertion point into the other case.
  void startTask(const PersistentRecurrence &recurrence);
  /// Emits `body(first, end, carried)` for the steps [first, end) of the task, and in a loop for those of the next
  /// tasks, as long as their flags are set. With a single launch, for all steps. Returns the first step of the last
  /// task; `carried` becomes the values after it.
  Value forEachTask(const PersistentRecurrence &recurrence, bool reversed, SmallVector<Value> &carried,
                    function_ref<SmallVector<Value>(Value first, Value end, ValueRange carried)> body);
  /// `finish` that completes the last task of the recurrence, if that is the one that begins at `first`.
  void finishTask(const PersistentRecurrence &recurrence, bool reversed, Value first);

  // --- Helpers ---
  Emitter named(StringRef suffix) const { return host.named(name + ": " + suffix.str()); }
  Value toIndex(Value value) const;
  Value toI32(Value value) const;
  Value constant32(int64_t value) const;
  /// `pointer` + `place` elements of `type`.
  Value at(Value pointer, Type type, Value place) const;
  /// `values()` if the condition holds, else zeros; floats, integers and indices.
  SmallVector<Value> valuesIf(Value condition, function_ref<SmallVector<Value>()> values) const;
  /// `yes()` if the condition holds, else `no(types)`, with the types of the former.
  SmallVector<Value> valuesOf(Value condition, function_ref<SmallVector<Value>()> yes,
                              function_ref<SmallVector<Value>(ArrayRef<Type>)> no) const;

  Value completeTask(const PersistentRecurrence &recurrence, bool reversed) const;
  /// The words of `taskState`, which the first thread of the cluster changes at the end of a task: the flag of the next
  /// task, and if that is set its first step. All threads read them after that, and the step at the end of the kernel.
  /// The third word is the same step for the first thread only, which reads it while others may read the second one.
  static constexpr int64_t flagOfNext = 0, firstOfTask = 1, ownFirstOfTask = 2;
  void storeFirstOfTask(Value first) const;
  Value loadTaskState(int64_t word) const;
  Value endOfTask(const PersistentRecurrence &recurrence, Value first) const;
  /// An i1: a task follows the one of the steps [first, end).
  Value hasNextTask(const PersistentRecurrence &recurrence, bool reversed, Value first, Value end) const;
  /// The number (i32) of the task that begins at step `first`.
  Value getTaskNumber(const PersistentRecurrence &recurrence, bool reversed, Value first) const;
  /// The addresses of signals.
  Value getCounter(const PersistentRecurrence &recurrence, Value task) const;
  Value getFlag(const PersistentRecurrence &recurrence, Value task) const;
  Value getProgress(const PersistentRecurrence &recurrence) const;
  /// True in one thread of the cluster.
  Value isFirstThread() const;

  /// The initial loop-carried values of all places, concatenated; zeros for places that do not exist.
  template <typename LayerTy, typename PlaceTy>
  SmallVector<Value> startCarried(const LayerTy &layer, ArrayRef<PlaceTy> places,
                                  const PersistentRecurrence &recurrence, Value isFirstLaunch) const {
    SmallVector<Value> carried;
    for (const PlaceTy &place : places)
      llvm::append_range(carried, valuesIf(place.exists, [&] {
                           if (!recurrence.isPart())
                             return layer.start(e, place);
                           return valuesOf(
                               isFirstLaunch, [&] { return layer.start(e, place); },
                               [&](ArrayRef<Type> types) { return loadCarried(recurrence, place, types); });
                         }));
    return carried;
  }
  /// The loop-carried values of a place, from one launch to the next.
  SmallVector<Value> loadCarried(const PersistentRecurrence &recurrence, const PersistentPlace &place,
                                 ArrayRef<Type> types) const;
  void storeCarried(const PersistentRecurrence &recurrence, const PersistentPlace &place, ValueRange values) const;
  /// The values that all places load for step `number`, concatenated; zeros if the step or the place does not exist.
  template <typename LayerTy, typename PlaceTy>
  SmallVector<Value> readStep(const Emitter &reading, const LayerTy &layer, ArrayRef<PlaceTy> places,
                              const PersistentRecurrence &recurrence, Value number, Value exists) const {
    return valuesIf(exists, [&] {
      Step step = recurrence.getStep(e, direction, number);
      SmallVector<Value> values;
      for (const PlaceTy &place : places)
        llvm::append_range(values, valuesIf(place.exists, [&] { return layer.read(reading, place, step); }));
      return values;
    });
  }

  /// Rounds a float to the operand type of the MMA: to `element`, and f32 to tf32 unless operands are split.
  Value round(const Emitter &e, Value value) const;

  // --- Shared memory ---
  /// A pointer to shared memory, aligned to 16 bytes.
  Value addBuffer(int64_t bytes);
  /// Zeroes `words` 32-bit words.
  void clear(Value buffer, int64_t words);
  /// The same address in the block with index `rank` (i32) of the cluster.
  Value getRemote(Value pointer, Value rank) const;

  // --- mbarriers ---
  /// Initializes two mbarriers, used by alternating steps. All blocks of the cluster may send after it.
  void startBarriers();
  Value getBarrier(Value turn) const { return at(barriers, builder.getI64Type(), turn); }
  /// Announces, from one thread, the bytes that arrive in this phase of mbarrier `turn`; the phase ends when they have
  /// arrived.
  void expect(const Emitter &e, Value turn, Value bytes) const;
  /// Waits for the values that were sent in the step before `step`; in step 0 there are none.
  void waitForStepBefore(Value step) const;
  /// Stores two or four sums to the shared memory of another block and counts them on its mbarrier.
  void send(const Emitter &e, ValueRange values, Value target, Value barrier) const;

  // --- Matrix multiplication ---
  /// Loads this lane's part of `ordered`, a buffer of type PersistentWeights::getBufferType.
  void loadWeights(Value ordered, const PersistentWeights &where);
  /// A fragment of the right operand: its registers, and their remainders if operands are split.
  struct RightFragment {
    SmallVector<Value> values, rest;
  };
  /// The first `count` fragments along the tile; `row` is the offset of this lane's row in it.
  SmallVector<RightFragment> loadRights(Value tile, Value row, int64_t count) const;
  /// The sums of `numTiles` of the warp's tiles, four registers each: weights times `right`.
  SmallVector<Value> multiplyTiles(ArrayRef<RightFragment> right, int64_t firstTile, int64_t numTiles) const;
  /// The sums of all tiles of the warp, with fragments of `tile` that are loaded when they are needed.
  SmallVector<Value> multiplyAll(Value tile, Value row) const;
  /// The registers of a fragment in order; `first` points to those of this lane in fragment 0.
  SmallVector<Value> loadFragment(const Emitter &e, Value first, int64_t fragment) const;
  /// The two registers of a fragment of the right operand: `row` is the offset of this lane's row in the tile,
  /// `fragment` the index along it.
  SmallVector<Value> loadRight(const Emitter &e, Value tile, Value row, int64_t fragment) const;
  /// Rounds f32 registers to tf32 and returns the remainders. `mask`: see loadMask.
  SmallVector<Value> splitOff(const Emitter &e, MutableArrayRef<Value> registers, Value mask) const;
  /// The bits of f32 that tf32 has, as a value that the compiler cannot fold.
  Value loadMask(const Emitter &e) const;
  RightFragment makeRight(const Emitter &e, Value tile, Value row, int64_t fragment, Value mask) const;
  SmallVector<Value> multiplyTiles(const Emitter &e, function_ref<RightFragment(int64_t)> getRight, Value mask,
                                   int64_t firstTile, int64_t numTiles) const;
  /// sums += a * b for one fragment.
  void multiply(const Emitter &e, ValueRange a, ValueRange b, MutableArrayRef<Value> sums) const;

  const Emitter host;
  Emitter e;
  OpBuilder &builder;
  std::string name;
  Fragments fragments;
  Type element, f32, i32;
  PersistentWeights where;                 ///< as passed to loadWeights
  SmallVector<SmallVector<Value>> weights; ///< registers of fragments: by tile of the warp, then along the depth
  Value weightsInMemory;                   ///< this lane's part of the fragments that follow them
  Value maskInMemory;                      ///< null unless operands are split

  gpu::LaunchOp kernel;
  Value rows; ///< examples per cluster; depends on the clusters that the runtime has launched
  Value thread, lane, warp, rank;
  Value group, member;    ///< lane / 4 and lane % 4 (PTX ISA, "matrix fragments for mma")
  Value direction;        ///< of the cluster
  Value firstRow;         ///< first example of the cluster
  int64_t blocks = 0;     ///< of the cluster
  Value taskState;        ///< i32 words in shared memory of the first block, see forEachTask
  Value barriers;         ///< two mbarriers of 8 bytes
  Value dynamic;          ///< dynamic shared memory, or null
  int64_t dynamicEnd = 0; ///< bytes of it that are in use
};

} // namespace mlir::rnn

#endif // RNN_CODEGEN_GPU_PERSISTENTKERNEL_H
