//===- ReserveSpace.cpp - change reserve spaces from floats to bytes ---------===//
//
// TensorFlow and JAX declare the reserve space with the element type of the layer, although it is bytes. No op converts
// between tensors of different element widths, so every value that carries a reserve space becomes `tensor<?xi8>`. The
// values are found by following uses and definitions from the layers. Nothing changes unless all of them support the
// type.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReserveSpace.h"
#include "ImportedOp.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::rnn;

static bool isBytes(Value value) {
  auto type = dyn_cast<TensorType>(value.getType());
  return type && type.getElementType().isSignlessInteger(8);
}

namespace {
class ReserveValues {
public:
  ReserveValues(ModuleOp module, const ReserveUses &uses) : uses(uses), module(module) {}

  LogicalResult collect();
  void retype();

private:
  /// Adds a value that carries the reserve space of the layer `origin`.
  void add(Value value, Operation *origin) {
    if (!isBytes(value) && origins.insert({value, origin}).second)
      worklist.push_back(value);
  }
  /// Returns true for an op whose result is its operand, for any type.
  bool isPassThrough(Operation *op) const {
    return op->getNumOperands() == 1 && op->getNumResults() == 1 &&
           (isa<tensor::CastOp>(op) ||
            (!uses.identity.empty() && op->getName().getStringRef() == uses.identity && isPlainOp(op)));
  }
  LogicalResult followUse(OpOperand &use, Operation *origin);
  LogicalResult followDefinition(Value value, Operation *origin);
  LogicalResult addArgument(func::FuncOp function, unsigned index, Operation *origin);
  LogicalResult addResult(func::FuncOp function, unsigned index, Operation *origin);
  /// The function that `symbol` refers to at `from`, or null.
  func::FuncOp lookup(Operation *from, SymbolRefAttr symbol);
  /// The callee of `call` if it has a body, or null.
  func::FuncOp getCallee(func::CallOp call);
  void collectUsers();
  /// All calls of `function`. Reports an error if it has other uses.
  FailureOr<SmallVector<func::CallOp>> getCalls(func::FuncOp function, Operation *origin);

  const ReserveUses &uses;
  ModuleOp module;
  SymbolTableCollection symbolTables;
  /// The ops that refer to a function. Computed on first use.
  std::optional<llvm::DenseMap<Operation *, llvm::SetVector<Operation *>>> users;
  llvm::MapVector<Value, Operation *> origins;
  SmallVector<Value> worklist;
  llvm::SetVector<func::FuncOp> functions;
  llvm::DenseSet<std::pair<Operation *, unsigned>> results;
};
} // namespace

LogicalResult ReserveValues::collect() {
  module.walk([&](Operation *op) {
    if (std::optional<unsigned> index = uses.getResult(op); index && uses.isTraining(op))
      add(op->getResult(*index), op);
    if (std::optional<unsigned> index = uses.getOperand(op))
      add(op->getOperand(*index), op);
  });
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *origin = origins.lookup(value);
    if (failed(followDefinition(value, origin)))
      return failure();
    for (OpOperand &use : value.getUses())
      if (failed(followUse(use, origin)))
        return failure();
  }
  return success();
}

LogicalResult ReserveValues::followUse(OpOperand &use, Operation *origin) {
  Operation *user = use.getOwner();
  if (uses.getOperand(user) == use.getOperandNumber())
    return success();
  if (isPassThrough(user)) {
    add(user->getResult(0), origin);
    return success();
  }
  auto function = isa<func::ReturnOp>(user) ? dyn_cast<func::FuncOp>(user->getParentOp()) : func::FuncOp();
  if (function)
    return addResult(function, use.getOperandNumber(), origin);
  if (auto call = dyn_cast<func::CallOp>(user)) {
    if (func::FuncOp callee = getCallee(call))
      return addArgument(callee, use.getOperandNumber(), origin);
  }
  InFlightDiagnostic diag = user->emitOpError("uses a reserve space, which is opaque bytes, as ")
                            << use.get().getType() << "; only gradient ops, tensor.cast, " << uses.identity
                            << (uses.identity.empty() ? "" : ", ")
                            << "and calls and returns of functions with a body support it";
  diag.attachNote(origin->getLoc()) << "it is the `reserve_space` of this '" << origin->getName() << "'";
  return failure();
}

LogicalResult ReserveValues::followDefinition(Value value, Operation *origin) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (function && argument.getOwner()->isEntryBlock())
      return addArgument(function, argument.getArgNumber(), origin);
  }
  Operation *definition = value.getDefiningOp();
  if (definition && isPassThrough(definition)) {
    add(definition->getOperand(0), origin);
    return success();
  }
  bool isForward = definition && uses.getResult(definition) == cast<OpResult>(value).getResultNumber();
  if (isForward && uses.isTraining(definition))
    return success();
  if (auto call = dyn_cast_or_null<func::CallOp>(definition)) {
    if (func::FuncOp callee = getCallee(call))
      return addResult(callee, cast<OpResult>(value).getResultNumber(), origin);
  }
  InFlightDiagnostic diag = origin->emitOpError("expects `reserve_space` to come from a training forward op or from an "
                                                "argument of a function, but it comes from ");
  if (!definition)
    diag << "an argument of a block";
  else if (isForward)
    diag << "a '" << definition->getName() << "' with is_training = false, which saves nothing; set is_training = true";
  else
    diag << "'" << definition->getName() << "'";
  diag.attachNote(value.getLoc()) << "the value comes from here";
  return failure();
}

func::FuncOp ReserveValues::lookup(Operation *from, SymbolRefAttr symbol) {
  Operation *found = symbolTables.lookupNearestSymbolFrom(from, symbol);
  // Upstream does not look up symbols from inside an unregistered op with regions: that op may be a symbol table.
  if (!found)
    found = symbolTables.lookupSymbolIn(module, symbol);
  return dyn_cast_or_null<func::FuncOp>(found);
}

/// Calls inside an unregistered op with regions are not verified.
static bool fits(func::CallOp call, func::FuncOp function) {
  return call.getOperandTypes() == function.getArgumentTypes() && call.getResultTypes() == function.getResultTypes();
}

func::FuncOp ReserveValues::getCallee(func::CallOp call) {
  func::FuncOp callee = lookup(call, call.getCalleeAttr());
  return callee && !callee.isExternal() && fits(call, callee) ? callee : func::FuncOp();
}

// SymbolUserMap crashes on unregistered ops with regions.
void ReserveValues::collectUsers() {
  users.emplace();
  module.walk([&](Operation *op) {
    auto add = [&](SymbolRefAttr symbol) {
      if (func::FuncOp function = lookup(op, symbol))
        (*users)[function].insert(op);
    };
    op->getAttrDictionary().walk(add);
    // The dictionary lacks the properties of unregistered ops.
    if (Attribute properties = op->isRegistered() ? Attribute() : op->getPropertiesAsAttribute())
      properties.walk(add);
  });
}

FailureOr<SmallVector<func::CallOp>> ReserveValues::getCalls(func::FuncOp function, Operation *origin) {
  if (!users)
    collectUsers();
  SmallVector<func::CallOp> calls;
  for (Operation *user : (*users)[function]) {
    auto call = dyn_cast<func::CallOp>(user);
    if (!call || !fits(call, function)) {
      InFlightDiagnostic diag = user->emitOpError("uses '@")
                                << function.getName()
                                << "' in an op other than a call of its type, so the type of its reserve space "
                                << "cannot change to tensor<?xi8>";
      diag.attachNote(origin->getLoc()) << "it is the `reserve_space` of this '" << origin->getName() << "'";
      return failure();
    }
    calls.push_back(call);
  }
  functions.insert(function);
  return calls;
}

LogicalResult ReserveValues::addArgument(func::FuncOp function, unsigned index, Operation *origin) {
  FailureOr<SmallVector<func::CallOp>> calls = getCalls(function, origin);
  if (failed(calls))
    return failure();
  for (func::CallOp call : *calls)
    add(call.getOperand(index), origin);
  add(function.getArgument(index), origin);
  return success();
}

LogicalResult ReserveValues::addResult(func::FuncOp function, unsigned index, Operation *origin) {
  if (!results.insert({function, index}).second)
    return success();
  FailureOr<SmallVector<func::CallOp>> calls = getCalls(function, origin);
  if (failed(calls))
    return failure();
  for (func::CallOp call : *calls)
    add(call.getResult(index), origin);
  for (Block &block : function.getBody())
    if (auto terminator = dyn_cast<func::ReturnOp>(block.getTerminator()))
      add(terminator.getOperand(index), origin);
  return success();
}

void ReserveValues::retype() {
  Type bytes = RankedTensorType::get({ShapedType::kDynamic}, IntegerType::get(module.getContext(), 8));
  SmallVector<Operation *> passThrough;
  for (auto &[value, origin] : origins) {
    value.setType(bytes);
    if (value.getDefiningOp() && isPassThrough(value.getDefiningOp()))
      passThrough.push_back(value.getDefiningOp());
  }
  for (Operation *op : passThrough) {
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  }
  for (func::FuncOp function : functions) {
    SmallVector<Type> resultTypes(function.getResultTypes());
    for (auto [index, type] : llvm::enumerate(resultTypes))
      if (results.contains({function, static_cast<unsigned>(index)}))
        type = bytes;
    function.setType(FunctionType::get(module.getContext(), function.front().getArgumentTypes(), resultTypes));
    remark::passed(function.getLoc(), remark::RemarkOpts::name("ReserveSpace").category(uses.category))
        << ("'@" + function.getName() + "' passes reserve spaces as tensor<?xi8>").str()
        << remark::reason("a reserve space is bytes, not elements of the layer's type");
  }
}

LogicalResult rnn::retypeReserveSpaces(ModuleOp module, const ReserveUses &uses) {
  ReserveValues values(module, uses);
  if (failed(values.collect()))
    return failure();
  values.retype();
  return success();
}
