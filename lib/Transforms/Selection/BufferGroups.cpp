//===- BufferGroups.cpp - ops that share parameters or a reserve space -------===//
//
// Follows buffers with a lowering-dependent layout from op to op, through casts only. Any other producer or user (a
// function argument, a load from a file) may use the layout of another module or another run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "rnn/Transforms/Selection/Selection.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::rnn;

namespace {

/// The values of an op whose data layout depends on its lowering, with their names.
SmallVector<std::pair<Value, StringRef>> getLaidOut(Operation *op) {
  SmallVector<std::pair<Value, StringRef>> values;
  auto add = [&](Value value, StringRef name) {
    if (value)
      values.push_back({value, name});
  };
  if (auto forward = dyn_cast<CudnnForwardOp>(op)) {
    add(forward.getParams(), "params");
    // The reserve space is empty without training.
    if (forward.getIsTraining()) {
      add(forward.getReserveSpace(), "reserve_space");
      add(forward.getReserveSpaceOut(), "reserve_space");
    }
  } else if (auto backprop = dyn_cast<CudnnBackpropOp>(op)) {
    add(backprop.getParams(), "params");
    add(backprop.getReserveSpace(), "reserve_space");
    add(backprop.getParamsBackprop(), "params_backprop");
    add(backprop.getParamsBackpropOut(), "params_backprop");
  } else if (auto pack = dyn_cast<CudnnCanonicalToParamsOp>(op)) {
    add(pack.getParams(), "params");
    add(pack.getParamsOut(), "params");
  } else if (auto unpack = dyn_cast<CudnnParamsToCanonicalOp>(op)) {
    add(unpack.getParams(), "params");
  }
  return values;
}

class Collector {
public:
  SmallVector<BufferGroup> collect(Operation *root) {
    SmallVector<LayerOpInterface> ops;
    root->walk([&](LayerOpInterface op) {
      if (!getLaidOut(op).empty())
        ops.push_back(op);
    });
    for (LayerOpInterface op : ops)
      classes.insert(op.getOperation());
    for (LayerOpInterface op : ops)
      for (auto [value, name] : getLaidOut(op))
        follow(op, value, name);
    llvm::MapVector<Operation *, BufferGroup> groups;
    for (LayerOpInterface op : ops) {
      BufferGroup &group = groups[classes.getLeaderValue(op.getOperation())];
      group.ops.push_back(op);
      if (group.open.empty())
        group.open = open.lookup(op.getOperation());
    }
    SmallVector<BufferGroup> result;
    for (auto &[leader, group] : groups)
      result.push_back(std::move(group));
    return result;
  }

private:
  bool isLaidOut(Operation *op, Value value) {
    return llvm::any_of(getLaidOut(op), [&](const auto &entry) { return entry.first == value; });
  }

  /// Adds the ops that write or read `value` of `op` to its group.
  void follow(LayerOpInterface op, Value value, StringRef name) {
    auto leave = [&](const Twine &how) {
      std::string &reason = open[op.getOperation()];
      if (reason.empty())
        reason = ("`" + name + "` of '" + op->getName().getStringRef() + "' " + how).str();
    };
    if (!isa<TensorType>(value.getType()))
      return leave("is a memref, which other ops may share");
    SmallVector<Value> todo{value};
    llvm::SmallDenseSet<Value> seen{value};
    auto visit = [&](Value next) {
      if (seen.insert(next).second)
        todo.push_back(next);
    };
    auto join = [&](Operation *other, Value through) {
      if (isLaidOut(other, through)) {
        classes.unionSets(op.getOperation(), other);
        return true;
      }
      return false;
    };
    while (!todo.empty()) {
      Value current = todo.pop_back_val();
      if (auto cast = current.getDefiningOp<tensor::CastOp>())
        visit(cast.getSource());
      else if (Operation *writer = current.getDefiningOp(); !writer)
        leave("is a function argument");
      else if (!join(writer, current))
        leave("is written by '" + writer->getName().getStringRef() + "'");
      for (Operation *user : current.getUsers()) {
        if (auto cast = dyn_cast<tensor::CastOp>(user))
          visit(cast.getDest());
        else if (!isa<tensor::DimOp>(user) && !join(user, current))
          leave("is used by '" + user->getName().getStringRef() + "'");
      }
    }
  }

  llvm::EquivalenceClasses<Operation *> classes;
  llvm::DenseMap<Operation *, std::string> open;
};

} // namespace

SmallVector<BufferGroup> rnn::collectBufferGroups(Operation *root) {
  return Collector().collect(root);
}
