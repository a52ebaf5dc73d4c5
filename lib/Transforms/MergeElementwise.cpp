//===- MergeElementwise.cpp - elementwise ops with several results ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FirstUser.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNMERGEELEMENTWISEPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

/// Larger ops keep too many values in registers, or streams of memory.
constexpr size_t mostOps = 256;
constexpr size_t mostStreams = 16;

static size_t countOps(linalg::GenericOp op) {
  return op.getBody()->getOperations().size();
}

/// Whether each iteration computes one element of each result, and reads no result.
static bool isElementwise(linalg::GenericOp op) {
  auto isUnread = [](BlockArgument argument) { return argument.use_empty(); };
  return op && op.hasPureTensorSemantics() && op.getNumLoops() > 0 && op.getNumParallelLoops() == op.getNumLoops() &&
         llvm::all_of(op.getRegionOutputArgs(), isUnread) &&
         llvm::all_of(op.getIndexingMapsArray(),
                      [&](AffineMap map) { return map.isProjectedPermutation(/*allowZeroInResults=*/true); }) &&
         llvm::all_of(op.getDpsInitsMutable(),
                      [&](OpOperand &init) { return op.getMatchingIndexingMap(&init).isIdentity(); });
}

/// The op that uses results of `producer` before all others, if it uses them in the iteration that computes them. All
/// other users follow it.
static linalg::GenericOp findConsumer(linalg::GenericOp producer) {
  Operation *first = findFirstUser(producer);
  auto consumer = dyn_cast_if_present<linalg::GenericOp>(first);
  if (!isElementwise(consumer))
    return {};
  for (Operation *user : producer->getUsers())
    if (user != first && first->isProperAncestor(user)) // an element that the body extracts
      return {};
  for (OpOperand &operand : consumer->getOpOperands())
    if (operand.get().getDefiningOp() == producer &&
        (!consumer.isDpsInput(&operand) || !consumer.getMatchingIndexingMap(&operand).isIdentity()))
      return {};
  return consumer;
}

/// The next op in the block that reads an element which `op` reads in the same iteration, if no result of `op` is used
/// before it.
static linalg::GenericOp findSibling(linalg::GenericOp op) {
  Operation *user = findFirstUser(op);
  linalg::GenericOp next;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isPermutation()) // else the other op may have loops of other sizes
      continue;
    for (OpOperand &use : input->get().getUses()) {
      auto sibling = dyn_cast<linalg::GenericOp>(use.getOwner());
      if (sibling && sibling->getBlock() == op->getBlock() && op->isBeforeInBlock(sibling) &&
          (!user || sibling->isBeforeInBlock(user)) && (!next || sibling->isBeforeInBlock(next)) &&
          isElementwise(sibling) && sibling.isDpsInput(&use) && sibling.getMatchingIndexingMap(&use) == map)
        next = sibling;
    }
  }
  return next;
}

/// Whether another op than `consumer` uses a result of the producer.
static bool isKept(OpResult result, linalg::GenericOp consumer) {
  return llvm::any_of(result.getUsers(), [&](Operation *user) { return user != consumer; });
}

/// The operands of the merged op that have an element for each iteration. Broadcast ones stay in L1.
static size_t countStreams(linalg::GenericOp producer, linalg::GenericOp consumer) {
  llvm::SmallDenseSet<std::pair<Value, AffineMap>> inputs;
  for (linalg::GenericOp op : {producer, consumer})
    for (OpOperand *input : op.getDpsInputOperands())
      if (AffineMap map = op.getMatchingIndexingMap(input);
          map.isPermutation() && input->get().getDefiningOp() != producer)
        inputs.insert({input->get(), map});
  size_t kept = llvm::count_if(producer->getResults(), [&](OpResult result) { return isKept(result, consumer); });
  return inputs.size() + kept + consumer->getNumResults();
}

/// Merges two ops at the place of the second one. Results of the producer that nothing else uses are dropped.
static linalg::GenericOp merge(linalg::GenericOp producer, linalg::GenericOp consumer) {
  OpBuilder b(consumer);
  SmallVector<Value> inputs(producer.getInputs()), inits;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : producer.getDpsInputOperands())
    maps.push_back(producer.getMatchingIndexingMap(input));
  SmallVector<OpResult> kept;
  for (auto [result, init] : llvm::zip_equal(producer->getResults(), producer.getDpsInits()))
    if (isKept(result, consumer))
      kept.push_back(result), inits.push_back(init);
  IRMapping mapping;
  SmallVector<std::pair<BlockArgument, unsigned>> arguments; // of the consumer, for its own inputs
  for (OpOperand *input : consumer.getDpsInputOperands()) {
    if (input->get().getDefiningOp() == producer)
      continue;
    AffineMap map = consumer.getMatchingIndexingMap(input);
    unsigned position = 0;
    while (position < inputs.size() && (inputs[position] != input->get() || maps[position] != map))
      ++position;
    if (position == inputs.size())
      inputs.push_back(input->get()), maps.push_back(map);
    arguments.emplace_back(consumer.getMatchingBlockArgument(input), position);
  }
  llvm::append_range(inits, consumer.getDpsInits());
  // Each result needs a buffer of its own. If a loop carries it, bufferization would copy it out of a buffer that is
  // allocated before the loop.
  for (Value &init : inits)
    if (auto empty = init.getDefiningOp<tensor::EmptyOp>())
      init = b.clone(*empty)->getResult(0);
  maps.append(inits.size(), b.getMultiDimIdentityMap(consumer.getNumLoops()));
  auto types = llvm::to_vector(ValueRange(inits).getTypes());
  auto merged = linalg::GenericOp::create(
      b, consumer.getLoc(), types, inputs, inits, maps, consumer.getIteratorTypesArray(),
      [&](OpBuilder &b, Location loc, ValueRange values) {
        mapping.map(producer.getRegionInputArgs(), values.take_front(producer.getNumDpsInputs()));
        for (Operation &op : producer.getBody()->without_terminator())
          b.clone(op, mapping);
        auto yielded = [&](OpResult result) {
          return mapping.lookupOrDefault(producer.getBody()->getTerminator()->getOperand(result.getResultNumber()));
        };
        for (OpOperand *input : consumer.getDpsInputOperands())
          if (auto result = dyn_cast<OpResult>(input->get()); result && result.getOwner() == producer)
            mapping.map(consumer.getMatchingBlockArgument(input), yielded(result));
        for (auto [argument, position] : arguments)
          mapping.map(argument, values[position]);
        for (Operation &op : consumer.getBody()->without_terminator())
          b.clone(op, mapping);
        SmallVector<Value> results = llvm::map_to_vector(kept, yielded);
        for (Value value : consumer.getBody()->getTerminator()->getOperands())
          results.push_back(mapping.lookupOrDefault(value));
        linalg::YieldOp::create(b, loc, results);
      });
  for (auto [result, replacement] : llvm::zip(kept, merged.getResults()))
    result.replaceAllUsesWith(replacement);
  consumer->replaceAllUsesWith(merged.getResults().drop_front(kept.size()));
  consumer->erase();
  producer->erase();
  return merged;
}

namespace {
struct MergeElementwise : public rnn::impl::RNNMergeElementwisePassBase<MergeElementwise> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) {
      if (!block->empty())
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      for (Operation *op = &block->front(), *next; op; op = next) {
        next = op->getNextNode();
        auto producer = dyn_cast<linalg::GenericOp>(op);
        if (!isElementwise(producer))
          continue;
        linalg::GenericOp consumer = findConsumer(producer);
        if (!consumer)
          consumer = findSibling(producer);
        if (!consumer || countOps(producer) + countOps(consumer) > mostOps ||
            countStreams(producer, consumer) > mostStreams)
          continue;
        // The merged op may be merged into the next one.
        bool isNext = consumer == next;
        linalg::GenericOp merged = merge(producer, consumer);
        if (isNext)
          next = merged;
      }
    getOperation()->walk([](tensor::EmptyOp empty) {
      if (empty->use_empty())
        empty->erase();
    });
  }
};
} // namespace
