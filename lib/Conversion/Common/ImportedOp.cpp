//===- ImportedOp.cpp - operands, attributes and results of an imported op ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportedOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlir::rnn;

std::string rnn::toString(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

std::string rnn::toString(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << "'" << type << "'";
  return text;
}

bool rnn::isPlainOp(Operation *op) {
  bool isTerminator = op->getBlock() && !op->getNextNode() && !isa_and_nonnull<ModuleOp>(op->getParentOp());
  return op->getNumRegions() == 0 && op->getNumSuccessors() == 0 && !isTerminator;
}

ImportedOp::ImportedOp(Operation *op, PatternRewriter &rewriter)
    : operands(op->getOperands()), op(op), rewriter(rewriter) {
  NamedAttrList all(op->getAttrDictionary());
  // The dictionary of an unregistered op lacks its properties.
  if (!op->isRegistered())
    if (auto properties = dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute()))
      for (NamedAttribute attribute : properties)
        all.set(attribute.getName(), attribute.getValue());
  attributes = all.getDictionary(op->getContext());
}

InFlightDiagnostic ImportedOp::emitError() const {
  return op->emitError() << "'" << getTorchName(op) << "' op ";
}

void ImportedOp::fail(const Twine &message) {
  if (!failed)
    emitError() << message;
  failed = true;
}

//===----------------------------------------------------------------------===//
// Counts and attributes
//===----------------------------------------------------------------------===//

static std::string listNames(ArrayRef<StringRef> names) {
  std::string text;
  for (StringRef name : names)
    text += (text.empty() ? "`" : ", `") + name.str() + "`";
  return text;
}

void ImportedOp::checkCounts(ArrayRef<StringRef> operandNames, ArrayRef<StringRef> resultNames) {
  if (operands.size() != operandNames.size())
    fail("expects " + Twine(operandNames.size()) + " operands (" + listNames(operandNames) + "), but got " +
         Twine(operands.size()));
  if (op->getNumResults() != resultNames.size())
    fail("expects " + Twine(resultNames.size()) + " results (" + listNames(resultNames) + "), but got " +
         Twine(op->getNumResults()));
}

void ImportedOp::failAttribute(StringRef name, StringRef what, Attribute value) {
  fail("expects attribute `" + name + "` to be " + what + ", but got " + toString(value));
}

StringAttr ImportedOp::stringAttr(StringRef name) {
  return attribute<StringAttr>(name, "a string");
}

double ImportedOp::number(StringRef name, double byDefault) {
  auto value = attribute<FloatAttr>(name, "a floating-point number");
  return value ? value.getValueAsDouble() : byDefault;
}

int64_t ImportedOp::integer(StringRef name, int64_t byDefault) {
  auto value = attribute<IntegerAttr>(name, "an integer");
  if (!value)
    return byDefault;
  // `true` is an i1 and would read as -1.
  if (value.getType().isInteger(1) || value.getValue().getSignificantBits() > 64) {
    fail("expects attribute `" + name + "` to be an integer of at most 64 bits, but got " + toString(value));
    return byDefault;
  }
  return value.getValue().getSExtValue();
}

bool ImportedOp::flag(StringRef name, std::optional<bool> byDefault) {
  auto value = attribute<BoolAttr>(name, "true or false");
  if (value)
    return value.getValue();
  if (!byDefault)
    fail("requires the attribute `" + name + "`, which has no default; add " + name + " = true or " + name +
         " = false");
  return byDefault.value_or(false);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

TensorType ImportedOp::floatTensor(Value value, const Twine &name) {
  if (failed)
    return TensorType();
  if (!value) {
    fail("requires `" + name + "`, which is absent");
    return TensorType();
  }
  Type type = value.getType();
  auto tensorType = dyn_cast<TensorType>(type);
  if (!tensorType || !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(tensorType.getElementType())) {
    fail("expects `" + name + "` to be a tensor of f16, bf16, f32 or f64, but got " + toString(type));
    return TensorType();
  }
  if (!element) {
    element = tensorType.getElementType();
    elementName = name.str();
  }
  if (tensorType.getElementType() != element) {
    fail("expects `" + name + "` to have element type " + toString(element) + " like `" + elementName + "`, but got " +
         toString(type));
    return TensorType();
  }
  return tensorType;
}

Value ImportedOp::ranked(Value value, const Twine &name, unsigned rank, StringRef shape) {
  // Look through casts to an unranked type. In a graph region they can form a cycle.
  SmallPtrSet<Operation *, 4> seen;
  while (!cast<TensorType>(value.getType()).hasRank() && value.getDefiningOp<tensor::CastOp>() &&
         seen.insert(value.getDefiningOp()).second)
    value = value.getDefiningOp<tensor::CastOp>().getSource();
  auto type = cast<TensorType>(value.getType());
  if (!type.hasRank()) {
    SmallVector<int64_t> dynamic(rank, ShapedType::kDynamic);
    return rewriter.createOrFold<tensor::CastOp>(getLoc(), RankedTensorType::get(dynamic, type.getElementType()),
                                                 value);
  }
  if (type.getRank() == static_cast<int64_t>(rank))
    return value;
  fail("expects `" + name + "` to have rank " + Twine(rank) + (shape.empty() ? "" : " (" + shape + ")") +
       ", but got rank " + Twine(type.getRank()) + " (" + toString(type) + ")");
  return Value();
}

Value ImportedOp::tensor(unsigned index, StringRef name, unsigned rank, StringRef shape) {
  return tensor(operand(index), name, rank, shape);
}

Value ImportedOp::tensor(Value value, const Twine &name, unsigned rank, StringRef shape) {
  return floatTensor(value, name) ? ranked(value, name, rank, shape) : Value();
}

Value ImportedOp::anyShape(unsigned index, const Twine &name) {
  TensorType type = floatTensor(operand(index), name);
  if (!type)
    return Value();
  if (!type.hasRank())
    fail("expects `" + name + "` to have a static rank, since any shape is valid here, but got " + toString(type) +
         "; add a tensor.cast to its rank");
  return operand(index);
}

Value ImportedOp::integers(unsigned index, StringRef name, unsigned width, unsigned rank, StringRef what,
                           StringRef shape) {
  if (failed)
    return Value();
  Value value = operand(index);
  auto type = value ? dyn_cast<TensorType>(value.getType()) : TensorType();
  if (type && type.getElementType().isSignlessInteger(width))
    return ranked(value, name, rank, shape);
  fail("expects `" + name + "` to be " + what + ", but got " + (value ? toString(value.getType()) : "nothing"));
  return Value();
}

Value ImportedOp::lengths(unsigned index, StringRef name) {
  return integers(index, name, 32, 1, "a tensor of i32", "[B]");
}

Value ImportedOp::scalar(unsigned index, StringRef name, unsigned width) {
  Value value = integers(index, name, width, 0, "a rank-0 tensor of i" + std::to_string(width), "a scalar");
  // Fold, so that the verifier of the new op sees constants.
  return value ? rewriter.createOrFold<tensor::ExtractOp>(getLoc(), value, ValueRange()) : Value();
}

//===----------------------------------------------------------------------===//
// Verification and results
//===----------------------------------------------------------------------===//

/// Replaces each `from` in `text` by `to`.
static void replaceIn(std::string &text, StringRef from, StringRef to) {
  for (size_t at = text.find(from.str()); at != std::string::npos; at = text.find(from.str(), at + to.size()))
    text.replace(at, from.size(), to.str());
}

bool ImportedOp::verifyCreated(Operation *created, StringRef note) {
  if (failed)
    return false;
  // Keep the attributes of other dialects.
  for (NamedAttribute attribute : attributes)
    if (attribute.getName().getValue().contains('.'))
      created->setDiscardableAttr(attribute.getName(), attribute.getValue());
  std::string message;
  SmallVector<std::pair<Location, std::string>> notes;
  auto rename = [&](std::string text) {
    replaceIn(text, ("'" + created->getName().getStringRef() + "' op ").str(), "");
    for (auto &[from, to] : renames)
      replaceIn(text, from, to);
    return text;
  };
  {
    // Other threads of this context may report diagnostics at the same time. Pass them on.
    uint64_t thread = llvm::get_threadid();
    ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diag) {
      if (llvm::get_threadid() != thread)
        return failure();
      if (message.empty())
        message = rename(diag.str());
      for (Diagnostic &attached : diag.getNotes())
        if (std::string text = attached.str(); !StringRef(text).starts_with("see current operation"))
          notes.emplace_back(attached.getLocation(), rename(text));
      return success();
    });
    if (succeeded(mlir::verify(created, /*verifyRecursively=*/false)))
      return true;
  }
  failed = true;
  InFlightDiagnostic diag = emitError() << message;
  for (auto &[loc, text] : notes)
    diag.attachNote(loc) << text;
  if (!note.empty())
    diag.attachNote(op->getLoc()) << note;
  return false;
}

Value ImportedOp::zeros(StringRef name, Type declared, ArrayRef<int64_t> preferredShape) {
  auto type = dyn_cast<TensorType>(declared);
  // MLIR has no zero of type i0.
  if (!type || !type.getElementType().isIntOrFloat() || type.getElementTypeBitWidth() == 0) {
    fail("expects result `" + name + "` to be a tensor of numbers, but it is declared as " + toString(declared));
    return Value();
  }
  SmallVector<int64_t> shape(preferredShape);
  if (!type.hasRank() && shape.empty()) {
    // The smallest shape. Upstream cannot return a rank-0 buffer as an unranked one.
    shape.push_back(0);
  } else if (type.hasRank() && mlir::failed(verifyCompatibleShape(type.getShape(), preferredShape))) {
    shape.assign(type.getShape().begin(), type.getShape().end());
    llvm::replace(shape, ShapedType::kDynamic, int64_t(0));
  }
  auto zeroType = RankedTensorType::get(shape, type.getElementType());
  Value zero = arith::ConstantOp::create(rewriter, getLoc(), cast<TypedAttr>(rewriter.getZeroAttr(zeroType)));
  return zeroType == declared ? zero : tensor::CastOp::create(rewriter, getLoc(), declared, zero);
}

void ImportedOp::replace(ArrayRef<Replacement> results) {
  if (!isPlainOp(op))
    return fail("expects no regions, no successors, and another op after it in its block");
  SmallVector<Value> values;
  for (auto [index, old, result] : llvm::enumerate(op->getResults(), results)) {
    if (failed)
      return;
    // An unused result needs no placeholder.
    if (!result.value && old.use_empty()) {
      values.push_back(Value());
      continue;
    }
    Type declared = declaredType(index);
    Value value = result.value ? result.value : zeros(result.name, declared, result.placeholderShape);
    if (value && value.getType() != declared) {
      if (!tensor::CastOp::areCastCompatible(value.getType(), declared))
        return fail("declares result `" + result.name + "` as " + toString(declared) + ", but the operands imply " +
                    toString(value.getType()));
      if (!old.use_empty())
        value = tensor::CastOp::create(rewriter, getLoc(), declared, value);
    }
    values.push_back(value && !old.use_empty() ? toResult(index, value) : value);
  }
  if (failed)
    return;
  for (auto [old, value] : llvm::zip_equal(op->getResults(), values))
    if (!old.use_empty())
      rewriter.replaceAllUsesWith(old, value);
  rewriter.eraseOp(op);
}

void rnn::eraseCreated(Operation *before, Operation *op, PatternRewriter &rewriter) {
  // Uses before definitions.
  while (op->getPrevNode() != before)
    rewriter.eraseOp(op->getPrevNode());
}
