//===- TFOp.cpp - operands, attributes and results of a TensorFlow op --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TFOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::tf;

std::string tf::toString(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

std::string tf::toString(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << "'" << type << "'";
  return text;
}

void TFOp::fail(const Twine &message) {
  if (!failed)
    op->emitOpError(message);
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

void TFOp::checkCounts(ArrayRef<StringRef> operandNames, ArrayRef<StringRef> resultNames) {
  if (op->getNumOperands() != operandNames.size())
    fail("expects " + Twine(operandNames.size()) + " operands (" + listNames(operandNames) + "), but got " +
         Twine(op->getNumOperands()));
  if (op->getNumResults() != resultNames.size())
    fail("expects " + Twine(resultNames.size()) + " results (" + listNames(resultNames) + "), but got " +
         Twine(op->getNumResults()));
  if (op->getNumRegions() != 0 || op->getNumSuccessors() != 0)
    fail("expects no regions and no successors");
}

/// All attributes of the supported ops.
static constexpr StringLiteral allAttributes[] = {
    "rnn_mode",    "input_mode", "direction",          "dropout",           "seed",
    "seed2",       "num_proj",   "is_training",        "time_major",        "num_params",
    "forget_bias", "cell_clip",  "num_params_weights", "num_params_biases", "use_peephole"};

/// Returns true for attributes that TensorFlow and its importers add to any op.
static bool isBookkeeping(StringRef name) {
  static constexpr StringLiteral names[] = {"T", "S", "device", "operandSegmentSizes", "resultSegmentSizes"};
  return name.starts_with("_") || name.contains('.') || llvm::is_contained(names, name);
}

void TFOp::checkAttributes(ArrayRef<StringRef> known) {
  for (NamedAttribute attribute : op->getAttrDictionary()) {
    StringRef name = attribute.getName();
    if (llvm::is_contained(known, name) || isBookkeeping(name))
      continue;
    if (llvm::is_contained(allAttributes, name))
      return fail("has no attribute `" + name + "`; remove it, or use the version of the op that has it");
    for (StringRef candidate : known)
      if (name.edit_distance_insensitive(candidate) <= 2)
        return fail("has an unknown attribute `" + name + "`; did you mean `" + candidate + "`?");
  }
}

template <typename AttrTy> AttrTy TFOp::attribute(StringRef name, StringRef what) {
  Attribute value = op->getAttr(name);
  auto typed = dyn_cast_or_null<AttrTy>(value);
  if (value && !typed)
    fail("expects attribute `" + name + "` to be " + what + ", but got " + toString(value));
  return typed;
}

StringAttr TFOp::stringAttr(StringRef name) {
  return attribute<StringAttr>(name, "a string");
}

double TFOp::number(StringRef name, double byDefault) {
  auto value = attribute<FloatAttr>(name, "a floating-point number");
  return value ? value.getValueAsDouble() : byDefault;
}

int64_t TFOp::integer(StringRef name, int64_t byDefault) {
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

bool TFOp::flag(StringRef name, std::optional<bool> byDefault) {
  auto value = attribute<BoolAttr>(name, "true or false");
  if (value)
    return value.getValue();
  if (!byDefault)
    fail("requires the attribute `" + name + "`, which has no default; add " + name + " = true or " + name +
         " = false");
  return byDefault.value_or(false);
}

Type TFOp::elementType(StringRef name) {
  auto value = attribute<TypeAttr>(name, "a type");
  if (!value) {
    fail("requires the attribute `" + name + "`, the element type of the parameters, which has no default; add " +
         name + " = f32");
    return Type();
  }
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(value.getValue())) {
    fail("expects attribute `" + name + "` to be f16, bf16, f32 or f64, but got " + toString(value.getValue()));
    return Type();
  }
  return value.getValue();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

TensorType TFOp::floatTensor(unsigned index, const Twine &name) {
  if (failed)
    return TensorType();
  Type type = op->getOperand(index).getType();
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

Value TFOp::ranked(Value value, const Twine &name, unsigned rank, StringRef shape) {
  // Look through casts to an unranked type.
  while (!cast<TensorType>(value.getType()).hasRank() && value.getDefiningOp<tensor::CastOp>())
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

Value TFOp::tensor(unsigned index, StringRef name, unsigned rank, StringRef shape) {
  return floatTensor(index, name) ? ranked(op->getOperand(index), name, rank, shape) : Value();
}

Value TFOp::anyShape(unsigned index, const Twine &name) {
  TensorType type = floatTensor(index, name);
  if (!type)
    return Value();
  if (!type.hasRank())
    fail("expects `" + name + "` to have a static rank, since any shape is valid here, but got " + toString(type) +
         "; add a tensor.cast to its rank");
  return op->getOperand(index);
}

/// The element type of a tensor of signless integers of `width`.
static bool isIntegerTensor(Type type, unsigned width) {
  auto tensorType = dyn_cast<TensorType>(type);
  return tensorType && tensorType.getElementType().isSignlessInteger(width);
}

Value TFOp::lengths(unsigned index, StringRef name) {
  if (failed)
    return Value();
  Value value = op->getOperand(index);
  if (isIntegerTensor(value.getType(), 32))
    return ranked(value, name, 1, "[B]");
  fail("expects `" + name + "` to be a tensor of i32, but got " + toString(value.getType()));
  return Value();
}

Value TFOp::reserve(unsigned index, StringRef name) {
  if (failed)
    return Value();
  Value value = op->getOperand(index);
  if (isIntegerTensor(value.getType(), 8))
    return ranked(value, name, 1, "bytes");
  fail("expects `" + name + "` to be bytes (tensor<?xi8>), but got " + toString(value.getType()));
  return Value();
}

Value TFOp::scalar(unsigned index, StringRef name, unsigned width) {
  if (failed)
    return Value();
  Value value = op->getOperand(index);
  if (!isIntegerTensor(value.getType(), width)) {
    fail("expects `" + name + "` to be a rank-0 tensor of i" + Twine(width) + ", but got " + toString(value.getType()));
    return Value();
  }
  value = ranked(value, name, 0, "a scalar");
  // Fold, so that the verifier of the new op sees constants.
  return value ? rewriter.createOrFold<tensor::ExtractOp>(getLoc(), value, ValueRange()) : Value();
}

Value TFOp::transpose(Value value) {
  if (!value)
    return value;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, getLoc(), value);
  std::swap(sizes[0], sizes[1]);
  Value init = tensor::EmptyOp::create(rewriter, getLoc(), sizes, getElementTypeOrSelf(value.getType()));
  return linalg::TransposeOp::create(rewriter, getLoc(), value, init, ArrayRef<int64_t>{1, 0, 2}).getResult().front();
}

//===----------------------------------------------------------------------===//
// Verification and results
//===----------------------------------------------------------------------===//

/// Replaces each `from` in `text` by `to`.
static void replaceIn(std::string &text, StringRef from, StringRef to) {
  for (size_t at = text.find(from.str()); at != std::string::npos; at = text.find(from.str(), at + to.size()))
    text.replace(at, from.size(), to.str());
}

bool TFOp::verifyCreated(Operation *created, StringRef note) {
  if (failed)
    return false;
  // Keep the attributes of other dialects.
  for (NamedAttribute attribute : op->getAttrDictionary())
    if (attribute.getName().getValue().contains('.'))
      created->setDiscardableAttr(attribute.getName(), attribute.getValue());
  std::string message;
  SmallVector<std::pair<Location, std::string>> notes;
  auto rename = [&](std::string text) {
    replaceIn(text, ("'" + created->getName().getStringRef() + "' op ").str(), "");
    // The two operands that have different names in TensorFlow.
    replaceIn(text, "`layers`", "`num_layers`");
    replaceIn(text, "`units`", "`num_units`");
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
  InFlightDiagnostic diag = op->emitOpError(message);
  for (auto &[loc, text] : notes)
    diag.attachNote(loc) << text;
  if (!note.empty())
    diag.attachNote(op->getLoc()) << note;
  return false;
}

Value TFOp::zeros(StringRef name, Type declared, ArrayRef<int64_t> preferredShape) {
  auto type = dyn_cast<TensorType>(declared);
  if (!type || !type.getElementType().isIntOrFloat()) {
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

void TFOp::replace(ArrayRef<Replacement> results) {
  SmallVector<Value> values;
  for (auto [old, result] : llvm::zip_equal(op->getResults(), results)) {
    if (failed)
      return;
    Type declared = old.getType();
    Value value = result.value;
    if (!value) {
      // An unused result needs no placeholder.
      values.push_back(old.use_empty() ? Value() : zeros(result.name, declared, result.placeholderShape));
      continue;
    }
    if (value.getType() != declared) {
      if (!tensor::CastOp::areCastCompatible(value.getType(), declared))
        return fail("declares result `" + result.name + "` as " + toString(declared) + ", but the operands imply " +
                    toString(value.getType()));
      if (!old.use_empty())
        value = tensor::CastOp::create(rewriter, getLoc(), declared, value);
    }
    values.push_back(value);
  }
  if (failed)
    return;
  for (auto [old, value] : llvm::zip_equal(op->getResults(), values))
    if (!old.use_empty())
      rewriter.replaceAllUsesWith(old, value);
  rewriter.eraseOp(op);
}
