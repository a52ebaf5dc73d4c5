//===- TorchTypes.cpp - tensors of torch-mlir as builtin tensors -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TorchTypes.h"
#include "ImportedOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Iterators.h"
#include "rnn/Dialect/RNN/Transforms/TensorBuilder.h"

using namespace mlir;
using namespace mlir::rnn;

static constexpr StringLiteral toBuiltin = "torch_c.to_builtin_tensor", fromBuiltin = "torch_c.from_builtin_tensor";

//===----------------------------------------------------------------------===//
// Types and values
//===----------------------------------------------------------------------===//

bool rnn::isTorchType(Type type) {
  if (auto opaque = dyn_cast<OpaqueType>(type))
    return opaque.getDialectNamespace() == "torch";
  return type.getDialect().getNamespace() == "torch";
}

/// The signless type of a torch element type as text.
static Type getElementType(StringRef text, MLIRContext *context) {
  Builder b(context);
  unsigned width;
  if (text == "f16")
    return b.getF16Type();
  if (text == "bf16")
    return b.getBF16Type();
  if (text == "f32")
    return b.getF32Type();
  if (text == "f64")
    return b.getF64Type();
  if ((text.consume_front("si") || text.consume_front("ui") || text.consume_front("i")) &&
      !text.getAsInteger(10, width) && width > 0 && width <= 64)
    return b.getIntegerType(width);
  return Type();
}

RankedTensorType rnn::getBuiltinTensorType(Type type) {
  if (!isTorchType(type))
    return RankedTensorType();
  std::string storage;
  llvm::raw_string_ostream(storage) << type;
  StringRef text = storage;
  if (!text.consume_front("!torch.vtensor<[") || !text.consume_back(">"))
    return RankedTensorType();
  auto [dims, rest] = text.split(']');
  SmallVector<int64_t> shape;
  while (!dims.empty()) {
    auto [dim, others] = dims.split(',');
    int64_t size = ShapedType::kDynamic;
    if (dim.trim() != "?" && (dim.trim().getAsInteger(10, size) || size < 0))
      return RankedTensorType();
    shape.push_back(size);
    dims = others;
  }
  Type element = rest.consume_front(",") ? getElementType(rest.trim(), type.getContext()) : Type();
  return element ? RankedTensorType::get(shape, element) : RankedTensorType();
}

static Value createConversion(OpBuilder &b, Location loc, StringRef name, Value value, Type type) {
  OperationState state(loc, name);
  state.addOperands(value);
  state.addTypes(type);
  return b.create(state)->getResult(0);
}

Value rnn::toBuiltinTensor(OpBuilder &b, Location loc, Value value) {
  RankedTensorType type = getBuiltinTensorType(value.getType());
  if (!type)
    return value;
  Operation *source = value.getDefiningOp();
  if (source && source->getName().getStringRef() == fromBuiltin && source->getNumOperands() == 1 &&
      source->getOperand(0).getType() == type)
    return source->getOperand(0);
  return createConversion(b, loc, toBuiltin, value, type);
}

Value rnn::fromBuiltinTensor(OpBuilder &b, Location loc, Value value, Type torchType) {
  return createConversion(b, loc, fromBuiltin, value, torchType);
}

DenseElementsAttr rnn::getSignlessElements(Attribute value) {
  auto elements = dyn_cast_or_null<ElementsAttr>(value);
  auto type = elements ? dyn_cast<RankedTensorType>(elements.getType()) : RankedTensorType();
  if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return DenseElementsAttr();
  Type element = type.getElementType();
  if (element.isInteger())
    element = IntegerType::get(type.getContext(), element.getIntOrFloatBitWidth());
  RankedTensorType signless = RankedTensorType::get(type.getShape(), element);
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    return signless == type ? dense : dense.bitcast(element);
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  // The bits of i1 are stored in another form.
  bool isSplat = false;
  if (!blob || element.isInteger(1) || !DenseElementsAttr::isValidRawBuffer(signless, blob->getData(), isSplat))
    return DenseElementsAttr();
  return DenseElementsAttr::getFromRawBuffer(signless, blob->getData());
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The builtin type of a tensor of torch, or the type itself.
static Type convertType(Type type) {
  RankedTensorType tensor = getBuiltinTensorType(type);
  return tensor ? tensor : type;
}

static SmallVector<Type> convertTypes(TypeRange types) {
  return llvm::map_to_vector(types, convertType);
}

static void convertFunction(func::FuncOp function) {
  auto newType = FunctionType::get(function.getContext(), convertTypes(function.getArgumentTypes()),
                                   convertTypes(function.getResultTypes()));
  for (NamedAttribute attribute : llvm::to_vector(function->getDiscardableAttrs()))
    if (attribute.getName().getValue().starts_with("torch."))
      function->removeDiscardableAttr(attribute.getName());
  if (newType == function.getFunctionType())
    return;
  function.setFunctionType(newType);
  if (function.isExternal())
    return;
  OpBuilder b(function.getContext());
  b.setInsertionPointToStart(&function.front());
  for (auto [argument, type] : llvm::zip_equal(function.getArguments(), newType.getInputs())) {
    Type old = argument.getType();
    if (old == type)
      continue;
    argument.setType(type);
    Value back = fromBuiltinTensor(b, argument.getLoc(), argument, old);
    argument.replaceAllUsesExcept(back, back.getDefiningOp());
  }
  for (Block &block : function.getBody())
    if (auto terminator = dyn_cast<func::ReturnOp>(block.getTerminator())) {
      b.setInsertionPoint(terminator);
      for (OpOperand &operand : terminator->getOpOperands())
        operand.set(toBuiltinTensor(b, terminator.getLoc(), operand.get()));
    }
}

static void convertCall(func::CallOp call) {
  OpBuilder b(call);
  for (OpOperand &operand : call->getOpOperands())
    operand.set(toBuiltinTensor(b, call.getLoc(), operand.get()));
  b.setInsertionPointAfter(call);
  for (OpResult result : call.getResults()) {
    Type old = result.getType(), type = convertType(old);
    if (old == type)
      continue;
    result.setType(type);
    Value back = fromBuiltinTensor(b, call.getLoc(), result, old);
    result.replaceAllUsesExcept(back, back.getDefiningOp());
  }
}

/// Replaces a literal of torch or ONNX by a constant.
static void convertLiteral(Operation *op) {
  StringRef name = getTorchName(op);
  Attribute value = name == "torch.vtensor.literal" ? getAttributeOrProperty(op, "value")
                    : name == "onnx.Constant"       ? getAttributeOrProperty(op, "torch.onnx.value")
                                                    : Attribute();
  if (!value || op->getNumResults() != 1 || op->getNumOperands() != 0 || !isPlainOp(op))
    return;
  Type declared = op->getResult(0).getType();
  DenseElementsAttr elements = getSignlessElements(value);
  if (!elements || elements.getType() != getBuiltinTensorType(declared))
    return;
  OpBuilder b(op);
  Value constant = arith::ConstantOp::create(b, op->getLoc(), elements);
  op->getResult(0).replaceAllUsesWith(fromBuiltinTensor(b, op->getLoc(), constant, declared));
  op->erase();
}

/// Returns an element of a list of sizes as a constant or as a `tensor.dim`, or null if it is computed otherwise.
static OpFoldResult getSize(OpBuilder &b, Value element) {
  Operation *op = element.getDefiningOp();
  auto integer = [](Operation *constant) {
    bool isConstant = constant && constant->getName().getStringRef() == "torch.constant.int";
    return isConstant ? dyn_cast_or_null<IntegerAttr>(getAttributeOrProperty(constant, "value")) : IntegerAttr();
  };
  if (IntegerAttr size = integer(op))
    return size.getInt() >= 0 ? OpFoldResult(b.getIndexAttr(size.getInt())) : OpFoldResult();
  if (!op || getTorchName(op) != "torch.aten.size.int" || op->getNumOperands() != 2)
    return OpFoldResult();
  RankedTensorType type = getBuiltinTensorType(op->getOperand(0).getType());
  IntegerAttr dim = integer(op->getOperand(1).getDefiningOp());
  if (!type || !dim || dim.getInt() < -type.getRank() || dim.getInt() >= type.getRank())
    return OpFoldResult();
  int64_t index = dim.getInt() < 0 ? dim.getInt() + type.getRank() : dim.getInt();
  return tensor::getMixedSize(b, op->getLoc(), toBuiltinTensor(b, op->getLoc(), op->getOperand(0)), index);
}

/// Converts `aten.zeros` and `aten.new_zeros`, by which PyTorch makes initial states that the caller does not pass.
/// Static sizes come from the result type, dynamic ones from the list of sizes.
static void convertZeros(Operation *op) {
  StringRef name = getTorchName(op);
  const unsigned listOperand = name == "torch.aten.zeros" ? 0 : 1;
  if ((listOperand == 1 && name != "torch.aten.new_zeros") || op->getNumResults() != 1 ||
      op->getNumOperands() <= listOperand || !isPlainOp(op))
    return;
  Type declared = op->getResult(0).getType();
  RankedTensorType type = getBuiltinTensorType(declared);
  if (!type)
    return;
  OpBuilder b(op);
  Value zeros;
  if (type.hasStaticShape()) {
    zeros = arith::ConstantOp::create(b, op->getLoc(), cast<TypedAttr>(b.getZeroAttr(type)));
  } else {
    Operation *list = op->getOperand(listOperand).getDefiningOp();
    if (!list || list->getName().getStringRef() != "torch.prim.ListConstruct" ||
        list->getNumOperands() != type.getRank())
      return;
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, element] : llvm::enumerate(list->getOperands())) {
      sizes.push_back(type.isDynamicDim(dim) ? getSize(b, element) : b.getIndexAttr(type.getDimSize(dim)));
      if (!sizes.back())
        return;
    }
    TensorBuilder t(b, op->getLoc(), type.getElementType());
    zeros = t.withType(t.zeros(sizes, type.getElementType()), type);
  }
  op->getResult(0).replaceAllUsesWith(fromBuiltinTensor(b, op->getLoc(), zeros, declared));
  op->erase();
}

/// Returns true for ops that may be erased without uses of their results.
static bool isErasable(StringRef name) {
  static constexpr StringLiteral names[] = {"torch.prim.ListConstruct",
                                            "torch.prim.ListUnpack",
                                            "torch.prim.TupleConstruct",
                                            "torch.vtensor.literal",
                                            "torch.bind_symbolic_shape",
                                            "torch.symbolic_int",
                                            "torch.aten.size.int",
                                            toBuiltin,
                                            fromBuiltin,
                                            "onnx.Constant"};
  return name.starts_with("torch.constant.") || llvm::is_contained(names, name);
}

void rnn::convertTorchLiterals(ModuleOp module) {
  SmallVector<Operation *> literals, others;
  module.walk([&](Operation *op) {
    if (op->getNumResults() == 1 && isTorchType(op->getResult(0).getType()))
      (op->getNumOperands() == 0 ? literals : others).push_back(op);
  });
  llvm::for_each(literals, convertLiteral);
  llvm::for_each(others, convertZeros);
}

void rnn::convertTorchBoundaries(ModuleOp module) {
  SmallVector<Operation *> conversions;
  module.walk([](func::FuncOp function) { convertFunction(function); });
  module.walk([](func::CallOp call) { convertCall(call); });
  module.walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    if ((name == toBuiltin || name == fromBuiltin) && op->getNumOperands() == 1 && op->getNumResults() == 1)
      conversions.push_back(op);
  });
  for (Operation *op : conversions) {
    Operation *source = op->getOperand(0).getDefiningOp();
    StringRef inverse = op->getName().getStringRef() == toBuiltin ? fromBuiltin : toBuiltin;
    // In a graph region, conversions can form a cycle.
    if (source && source->getNumOperands() == 1 && source->getOperand(0) == op->getResult(0))
      continue;
    if (source && source->getName().getStringRef() == inverse && source->getNumOperands() == 1 &&
        source->getOperand(0).getType() == op->getResult(0).getType())
      op->getResult(0).replaceAllUsesWith(source->getOperand(0));
  }
  // Users before definitions.
  module.walk<WalkOrder::PostOrder, mlir::ReverseIterator>([](Operation *op) {
    if (op->use_empty() && isPlainOp(op) && isErasable(getTorchName(op)))
      op->erase();
  });
}
