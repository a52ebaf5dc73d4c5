//===- Functions.cpp - functions of TensorFlow's modules ----------------------===//
//
// Upstream's inliner refuses ops of unregistered dialects, so calls are inlined here.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "../Common/ImportedOp.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "rnn/Dialect/RNNRT/IR/ArgumentName.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::rnn;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static bool isTFCall(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return !op->isRegistered() && isPlainOp(op) && (name == "tf.PartitionedCall" || name == "tf.StatefulPartitionedCall");
}

/// Whether the operands or results of a call have types of its function. If not, a warning states the difference.
static bool areCompatible(Operation *call, StringRef kind, TypeRange types, func::FuncOp callee, StringRef calleeKind,
                          TypeRange expected) {
  auto warn = [&] { return call->emitWarning("the call is not inlined: expects "); };
  if (types.size() != expected.size()) {
    warn() << "as many " << kind << "s as `" << callee.getName() << "` has " << calleeKind << "s, " << expected.size()
           << ", but got " << types.size();
    return false;
  }
  for (auto [index, type, other] : llvm::enumerate(types, expected))
    if (type != other && !tensor::CastOp::areCastCompatible(type, other)) {
      warn() << kind << " " << index << " to have the type of " << calleeKind << " " << index << " of `"
             << callee.getName() << "`, " << other << ", but got " << type;
      return false;
    }
  return true;
}

static Value cast(OpBuilder &b, Location loc, Value value, Type type) {
  return value.getType() == type ? value : tensor::CastOp::create(b, loc, type, value).getResult();
}

namespace {
class CallInliner {
public:
  explicit CallInliner(ModuleOp module) : module(module) {}

  void run() {
    module.walk([&](func::FuncOp function) { visit(function); });
    for (func::FuncOp function : inlined)
      if (function.isPrivate() && SymbolTable::symbolKnownUseEmpty(function, module))
        function.erase();
  }

private:
  /// Inlines the calls in `function`, callees first. A function is in `active` while its calls are inlined.
  void visit(func::FuncOp function) {
    if (!done.insert(function).second)
      return;
    active.insert(function);
    SmallVector<Operation *> calls;
    function.walk([&](Operation *op) {
      if (isTFCall(op))
        calls.push_back(op);
    });
    for (Operation *call : calls)
      convert(call);
    active.erase(function);
  }

  void convert(Operation *call) {
    auto symbol = call->getAttrOfType<FlatSymbolRefAttr>("f");
    auto callee = symbol ? symbols.lookupNearestSymbolFrom<func::FuncOp>(call, symbol) : func::FuncOp();
    if (!callee || callee.isExternal() ||
        !areCompatible(call, "operand", call->getOperandTypes(), callee, "argument", callee.getArgumentTypes()) ||
        !areCompatible(call, "result", call->getResultTypes(), callee, "result", callee.getResultTypes()))
      return;
    visit(callee);
    OpBuilder b(call);
    SmallVector<Value> operands;
    for (auto [operand, type] : llvm::zip_equal(call->getOperands(), callee.getArgumentTypes()))
      operands.push_back(cast(b, call->getLoc(), operand, type));
    SmallVector<Value> results;
    if (active.contains(callee) || !callee.getBody().hasOneBlock())
      llvm::append_range(results, func::CallOp::create(b, call->getLoc(), callee, operands).getResults());
    else
      results = cloneBody(b, callee, operands);
    for (auto [old, result] : llvm::zip_equal(call->getResults(), results))
      old.replaceAllUsesWith(cast(b, call->getLoc(), result, old.getType()));
    call->erase();
  }

  SmallVector<Value> cloneBody(OpBuilder &b, func::FuncOp callee, ArrayRef<Value> operands) {
    inlined.insert(callee);
    Block &body = callee.getBody().front();
    IRMapping mapping;
    mapping.map(body.getArguments(), operands);
    for (Operation &op : body.without_terminator())
      b.clone(op, mapping);
    return llvm::map_to_vector(body.getTerminator()->getOperands(),
                               [&](Value value) { return mapping.lookupOrDefault(value); });
  }

  ModuleOp module;
  SymbolTableCollection symbols;
  DenseSet<Operation *> done, active;
  llvm::SetVector<func::FuncOp> inlined;
};
} // namespace

void rnn::inlineTFCalls(ModuleOp module) {
  bool hasCalls =
      module.walk([](Operation *op) { return isTFCall(op) ? WalkResult::interrupt() : WalkResult::advance(); })
          .wasInterrupted();
  if (hasCalls)
    CallInliner(module).run();
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The name in the attributes of an argument or result, or null. The path of an index into nested results names the
/// last level.
static StringAttr findName(DictionaryAttr attributes) {
  if (!attributes)
    return StringAttr();
  if (auto name = attributes.getAs<StringAttr>("tf._user_specified_name"))
    return name;
  auto path = attributes.getAs<ArrayAttr>("tf_saved_model.index_path");
  return path && !path.empty() ? dyn_cast<StringAttr>(path[path.size() - 1]) : StringAttr();
}

void rnn::nameTFArguments(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic())
      continue;
    for (unsigned index = 0; index < function.getNumArguments(); ++index) {
      auto given = function.getArgAttrOfType<StringAttr>(index, kArgumentNameAttr);
      // MLIR prints arguments without a name as %arg0, and the text's reader has read that.
      if (given && given.getValue() != ("arg" + Twine(index)).str())
        continue;
      if (StringAttr name = findName(function.getArgAttrDict(index)))
        function.setArgAttr(index, kArgumentNameAttr, name);
    }
    for (unsigned index = 0; index < function.getNumResults(); ++index)
      if (!function.getResultAttr(index, kArgumentNameAttr))
        if (StringAttr name = findName(function.getResultAttrDict(index)))
          function.setResultAttr(index, kArgumentNameAttr, name);
  }
}
