//===- PersistentTasks.cpp - persistent kernels in several launches ------------===//
//
// In a wavefront of layers, the steps of a layer are divided into tasks, with a launch for each. A cluster that
// completes its task goes on with the next one, with weights and states on the chip, if the flag of that task is set.
// Otherwise it stores what the steps carry, and the next launch continues there. So a kernel never waits for another
// one (docs/internals/wavefront.md).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "rnn/Codegen/GPU/PersistentKernel.h"
#include "rnn/Dialect/RNNGPU/IR/RNNGPU.h"

using namespace mlir;
using namespace mlir::rnn;

//===----------------------------------------------------------------------===//
// Loop-carried values
//===----------------------------------------------------------------------===//

/// Adjacent units are adjacent.
static Value getCarriedIndex(const Emitter &e, const PersistentRecurrence &recurrence, const PersistentPlace &place,
                             int64_t number) {
  assert(number < PersistentRecurrence::maxCarried && "the buffer holds all loop-carried values");
  Value row = e.add(e.index(number * recurrence.numDirections), place.direction);
  row = e.add(e.mul(row, recurrence.B), place.b);
  return e.add(e.mul(row, e.index(recurrence.H)), place.unit);
}

SmallVector<Value> PersistentKernel::loadCarried(const PersistentRecurrence &recurrence, const PersistentPlace &place,
                                                 ArrayRef<Type> types) const {
  SmallVector<Value> values;
  for (auto [number, type] : llvm::enumerate(types)) {
    Value value = e.load(recurrence.carried, {getCarriedIndex(e, recurrence, place, number)});
    if (type.isInteger(1))
      value = arith::CmpFOp::create(builder, e.loc, arith::CmpFPredicate::UNE, value, e.number(0.0, value.getType()));
    values.push_back(value);
  }
  return values;
}

void PersistentKernel::storeCarried(const PersistentRecurrence &recurrence, const PersistentPlace &place,
                                    ValueRange values) const {
  for (auto [number, value] : llvm::enumerate(values)) {
    Value stored = value.getType().isInteger(1) ? e.select(value, e.number(1.0, f32), e.number(0.0, f32)) : value;
    e.store(stored, recurrence.carried, {getCarriedIndex(e, recurrence, place, number)});
  }
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

/// The signals of a stage are 32-bit words: a counter for each task, a flag for each task, and the number of completed
/// tasks for each cluster (abi.def, rnnrt_abi_wavefront_task).
static Value getSignal(const Emitter &e, const PersistentRecurrence &recurrence, Value number) {
  OpBuilder &builder = e.builder;
  auto type = LLVM::LLVMPointerType::get(builder.getContext(), unsigned(NVVM::NVVMMemorySpace::Global));
  auto to64 = [&](Value value) -> Value {
    return arith::IndexCastOp::create(builder, e.loc, builder.getI64Type(), value);
  };
  Value start = LLVM::IntToPtrOp::create(builder, e.loc, type, to64(recurrence.signals));
  return LLVM::GEPOp::create(builder, e.loc, type, builder.getI32Type(), start, ArrayRef<LLVM::GEPArg>{to64(number)});
}

Value PersistentKernel::getCounter(const PersistentRecurrence &recurrence, Value task) const {
  return getSignal(e, recurrence, toIndex(task));
}

Value PersistentKernel::getFlag(const PersistentRecurrence &recurrence, Value task) const {
  return getSignal(e, recurrence, e.add(recurrence.numTasks, toIndex(task)));
}

Value PersistentKernel::getProgress(const PersistentRecurrence &recurrence) const {
  assert(recurrence.numDirections == 1 && "clusters are numbered in one dimension of the grid");
  gpu::LaunchOp launch = kernel;
  Value cluster = e.div(launch.getBlockIds().x, e.index(blocks));
  return getSignal(e, recurrence, e.add(e.mul(recurrence.numTasks, e.index(2)), cluster));
}

static Value hasSignals(const Emitter &e, const PersistentRecurrence &recurrence) {
  return e.isLess(e.index(0), recurrence.signals);
}

Value PersistentKernel::isFirstThread() const {
  return e.both(e.isEqual(rank, e.index(0)), e.isEqual(thread, e.index(0)));
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

Value PersistentKernel::endOfTask(const PersistentRecurrence &recurrence, Value first) const {
  return e.min(e.add(first, recurrence.stepsOfTask), recurrence.steps);
}

Value PersistentKernel::hasNextTask(const PersistentRecurrence &recurrence, bool reversed, Value first,
                                    Value end) const {
  return reversed ? e.isLess(e.index(0), first) : e.isLess(end, recurrence.steps);
}

Value PersistentKernel::getTaskNumber(const PersistentRecurrence &recurrence, bool reversed, Value first) const {
  Value chunk = arith::DivUIOp::create(builder, e.loc, toI32(first), toI32(recurrence.stepsOfTask));
  return reversed ? e.sub(e.sub(toI32(recurrence.numTasks), constant32(1)), chunk) : chunk;
}

void PersistentKernel::startTask(const PersistentRecurrence &recurrence) {
  if (!recurrence.isPart())
    return;
  // A plain load: only this cluster stores to its word, in earlier launches of the stage and after each task of this
  // one.
  Value completed = e.ifElse(
      hasSignals(e, recurrence),
      [&]() -> Value { return LLVM::LoadOp::create(builder, e.loc, i32, getProgress(recurrence), 4); },
      [&] { return constant32(0); });
  Value remains = arith::CmpIOp::create(builder, e.loc, arith::CmpIPredicate::ule, completed, toI32(recurrence.task));
  auto branch = scf::IfOp::create(builder, e.loc, remains, /*withElseRegion=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
  taskState = addBuffer(PersistentLimits::taskBytes);
  // Visible to all threads of the cluster after startBarriers.
  e.ifThen(isFirstThread(), [&] { storeFirstOfTask(recurrence.first); });
}

void PersistentKernel::storeFirstOfTask(Value first) const {
  for (int64_t word : {firstOfTask, ownFirstOfTask})
    LLVM::StoreOp::create(builder, e.loc, toI32(first), at(taskState, i32, e.index(word)));
}

Value PersistentKernel::loadTaskState(int64_t word) const {
  // Volatile: otherwise LLVM keeps the value in a register during the steps.
  Value remote = getRemote(at(taskState, i32, e.index(word)), constant32(0));
  return LLVM::LoadOp::create(builder, e.loc, i32, remote, 4, /*isVolatile=*/true);
}

Value PersistentKernel::forEachTask(const PersistentRecurrence &recurrence, bool reversed, SmallVector<Value> &carried,
                                    function_ref<SmallVector<Value>(Value, Value, ValueRange)> body) {
  if (!recurrence.isPart()) {
    Value first = e.index(0);
    carried = body(first, recurrence.steps, carried);
    return first;
  }
  SmallVector<Location> locations(carried.size(), e.loc);
  auto types = llvm::to_vector(ValueRange(carried).getTypes());
  auto loop = scf::WhileOp::create(builder, e.loc, types, carried);
  Block *before = builder.createBlock(&loop.getBefore(), {}, types, locations);
  Value start = toIndex(loadTaskState(firstOfTask));
  SmallVector<Value> after = body(start, endOfTask(recurrence, start), before->getArguments());
  Value flag = e.ifElse(
      hasSignals(e, recurrence), [&] { return completeTask(recurrence, reversed); }, [&] { return constant32(0); });
  Value goesOn = arith::CmpIOp::create(builder, e.loc, arith::CmpIPredicate::ne, flag, constant32(0));
  scf::ConditionOp::create(builder, e.loc, goesOn, after);
  Block *yielding = builder.createBlock(&loop.getAfter(), {}, types, locations);
  scf::YieldOp::create(builder, e.loc, yielding->getArguments());
  builder.setInsertionPointAfter(loop);
  carried.assign(loop.getResults().begin(), loop.getResults().end());
  return toIndex(loadTaskState(firstOfTask));
}

/// Publishes the task unless it is the last one, and returns the flag of the next one, the same in all threads of the
/// cluster.
Value PersistentKernel::completeTask(const PersistentRecurrence &recurrence, bool reversed) const {
  Emitter publishing = named("end of a task");
  Location loc = publishing.loc;
  Value zero = constant32(0), none = constant32(-1), isFirst = isFirstThread();
  auto isNot = [&](Value value, Value other) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value, other);
  };
  // All threads must have read the state before it changes. After the second step of a task they have: the block
  // barrier of the first one precedes what this thread has received from every block.
  e.ifThen(recurrence.hasShortTask, [&] { synchronizeCluster(); });
  Value published = publishing.ifElse(
      isFirst,
      [&] {
        // Volatile, as in loadTaskState. The first thread is in the block that has the word.
        Value own = LLVM::LoadOp::create(builder, loc, i32, at(taskState, i32, e.index(ownFirstOfTask)), 4,
                                         /*isVolatile=*/true);
        Value first = toIndex(own), end = endOfTask(recurrence, first);
        Value hasNext = hasNextTask(recurrence, reversed, first, end);
        Value task = getTaskNumber(recurrence, reversed, first), next = e.add(task, constant32(1));
        Value flag = publishing.ifElse(
            hasNext,
            [&]() -> Value { return rnngpu::ReadSignalOp::create(builder, loc, i32, getFlag(recurrence, next)); },
            [&] { return zero; });
        LLVM::StoreOp::create(builder, loc, flag, at(taskState, i32, e.index(flagOfNext)));
        publishing.ifThen(isNot(flag, zero),
                          [&] { storeFirstOfTask(reversed ? e.sub(first, recurrence.stepsOfTask) : end); });
        LLVM::StoreOp::create(builder, loc, next, getProgress(recurrence), 4);
        return e.select(hasNext, task, none);
      },
      [&] { return none; });
  // One barrier passes on the flag, with all that precedes it, and gathers the results of all threads for the counter.
  synchronizeCluster();
  publishing.ifThen(isNot(published, none),
                    [&] { rnngpu::AddSignalOp::create(builder, loc, getCounter(recurrence, published)); });
  return loadTaskState(flagOfNext);
}

void PersistentKernel::finishTask(const PersistentRecurrence &recurrence, bool reversed, Value first) {
  if (!recurrence.isPart())
    return finish();
  Value end = endOfTask(recurrence, first);
  finish([&] {
    Value isLast = arith::XOrIOp::create(builder, e.loc, hasNextTask(recurrence, reversed, first, end),
                                         arith::ConstantOp::create(builder, e.loc, builder.getBoolAttr(true)));
    Value publishes = e.both(e.both(isLast, hasSignals(e, recurrence)), isFirstThread());
    e.ifThen(publishes, [&] {
      Value task = getTaskNumber(recurrence, reversed, first);
      rnngpu::AddSignalOp::create(builder, e.loc, getCounter(recurrence, task));
    });
  });
}
