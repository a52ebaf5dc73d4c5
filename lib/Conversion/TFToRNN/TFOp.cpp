//===- TFOp.cpp - attributes and operands of a TensorFlow op -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TFOp.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::tf;

/// All attributes of the supported ops.
static constexpr StringLiteral allAttributes[] = {
    "rnn_mode",    "input_mode", "direction",          "dropout",           "seed",
    "seed2",       "num_proj",   "is_training",        "time_major",        "num_params",
    "forget_bias", "cell_clip",  "num_params_weights", "num_params_biases", "use_peephole"};

/// Returns true for attributes that TensorFlow and its importers add to any op.
static bool isBookkeeping(StringRef name) {
  static constexpr StringLiteral names[] = {"T", "S", "device", "name", "operandSegmentSizes", "resultSegmentSizes"};
  return name.starts_with("_") || name.contains('.') || llvm::is_contained(names, name);
}

void TFOp::checkAttributes(ArrayRef<StringRef> known) {
  for (NamedAttribute attribute : attributes) {
    StringRef name = attribute.getName();
    if (llvm::is_contained(known, name) || isBookkeeping(name))
      continue;
    if (llvm::is_contained(allAttributes, name))
      return fail("has no attribute `" + name + "`; remove it, or use the version of the op that has it");
    for (StringRef candidate : known)
      if (name.edit_distance_insensitive(candidate) <= 2)
        return fail("has an unknown attribute `" + name + "`; did you mean `" + candidate + "`?");
    return fail("has an unknown attribute `" + name +
                "`, which a newer version of TensorFlow may have; remove it if it does not change the result");
  }
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

Value TFOp::transpose(Value value) {
  if (!value)
    return value;
  PatternRewriter &rewriter = getRewriter();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, getLoc(), value);
  std::swap(sizes[0], sizes[1]);
  Value init = tensor::EmptyOp::create(rewriter, getLoc(), sizes, getElementTypeOrSelf(value.getType()));
  return linalg::TransposeOp::create(rewriter, getLoc(), value, init, ArrayRef<int64_t>{1, 0, 2}).getResult().front();
}
