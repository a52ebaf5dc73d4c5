//===- CudnnParamsOps.cpp - sizes and conversion of opaque parameters --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudnnCommon.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::detail;

//===----------------------------------------------------------------------===//
// The dense layout
//===----------------------------------------------------------------------===//

int64_t rnn::getNumParamPairs(CellMode mode) {
  return 2 * rnn_layout::numGates(getLayoutMode(mode));
}

static int64_t getWeightsPerCell(const CudnnSizes &sizes) {
  return getNumParamPairs(sizes.mode) + (sizes.projection != sizes.hidden ? 1 : 0);
}

int64_t rnn::getNumWeights(const CudnnSizes &sizes) {
  return getWeightsPerCell(sizes) * sizes.layers * sizes.directions;
}

int64_t rnn::getNumBiases(const CudnnSizes &sizes) {
  return getNumParamPairs(sizes.mode) * sizes.layers * sizes.directions;
}

std::pair<int64_t, int64_t> rnn::getWeightShape(const CudnnSizes &sizes, int64_t index) {
  int64_t perCell = getWeightsPerCell(sizes), pairs = getNumParamPairs(sizes.mode);
  int64_t layer = index / perCell / sizes.directions, place = index % perCell;
  if (place == pairs)
    return {sizes.projection, sizes.hidden};
  if (place >= pairs / 2)
    return {sizes.hidden, sizes.projection};
  if (layer > 0)
    return {sizes.hidden, sizes.directions * sizes.projection};
  return {sizes.skipInput ? 0 : sizes.hidden, sizes.input};
}

namespace {
/// The arithmetic of `rnn_layout::StackLayout` on sizes that are none after an overflow.
struct CheckedArith {
  using Size = std::optional<int64_t>;
  Size constant(int64_t value) const { return value; }
  Size add(Size a, Size b) const { return a && b ? llvm::checkedAdd(*a, *b) : std::nullopt; }
  Size sub(Size a, Size b) const { return a && b ? llvm::checkedSub(*a, *b) : std::nullopt; }
  Size mul(Size a, Size b) const { return a && b ? llvm::checkedMul(*a, *b) : std::nullopt; }
};
} // namespace

std::optional<int64_t> rnn::getDenseParamsSize(const CudnnSizes &s) {
  return rnn_layout::StackLayout<CheckedArith>({},
                                               {/*steps=*/0, /*batch=*/0, s.input, s.hidden, s.projection, s.layers,
                                                s.directions, getLayoutMode(s.mode), s.skipInput,
                                                /*isProjected=*/s.projection != s.hidden},
                                               /*elementBytes=*/8)
      .paramsSize();
}

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

LogicalResult rnn::detail::verifyProjection(Operation *op, CellMode mode, int64_t numProj, StringRef label,
                                            std::optional<int64_t> units, bool allowsAny) {
  if (numProj < 0 && !(allowsAny && numProj == projectionOfState))
    return op->emitOpError("expects `num_proj` to be 0 (no projection) or positive, but got ")
           << numProj << " [" << label << "]";
  if (numProj != 0 && mode != CellMode::Lstm)
    return op->emitOpError("has `num_proj` = ")
           << numProj << ", but only mode lstm can project, not " << stringifyCellMode(mode) << " [" << label << "]";
  if (units && numProj > *units)
    return op->emitOpError("expects `num_proj` to be at most the hidden size ")
           << *units << ", but got " << numProj << " [" << label << "]";
  return success();
}

LogicalResult rnn::detail::verifyDropout(Operation *op, const APFloat &dropout, StringRef label) {
  double value = dropout.convertToDouble();
  if (value >= 0.0 && value <= 1.0) // false for NaN
    return success();
  return op->emitOpError("expects `dropout` to be in [0, 1], but got ") << value << " [" << label << "]";
}

/// All sizes, or none if one is not constant or the input mode is `auto_select`.
template <typename OpTy> static std::optional<CudnnSizes> getConstantSizes(OpTy op) {
  std::optional<int64_t> layers = getConstantInt(op.getLayers()), units = getConstantInt(op.getUnits()),
                         input = getConstantInt(op.getInputSize());
  if (!layers || !units || !input || op.getInputMode() == InputMode::AutoSelect)
    return std::nullopt;
  return CudnnSizes{op.getMode(),
                    op.getInputMode() == InputMode::SkipInput,
                    getNumDirections(op.getDirection()),
                    *layers,
                    *input,
                    *units,
                    op.getNumProj() > 0 ? static_cast<int64_t>(op.getNumProj()) : *units};
}

/// S1, S2, S3
template <typename OpTy> static LogicalResult verifySizeOperands(OpTy op) {
  std::optional<int64_t> layers = getConstantInt(op.getLayers()), units = getConstantInt(op.getUnits()),
                         input = getConstantInt(op.getInputSize());
  for (auto [name, size] :
       {std::pair<StringRef, std::optional<int64_t>>("layers", layers), {"units", units}, {"input_size", input}})
    if (size && *size < 1)
      return op.emitOpError("expects `") << name << "` to be positive, but got " << *size << " [S1]";
  if (op.getInputMode() == InputMode::SkipInput && units && input && *units != *input)
    return op.emitOpError("with `skip_input` expects `input_size` to be ")
           << *units << " like `units`, but got " << *input << " [S2]";
  if (op.getInputMode() == InputMode::AutoSelect && (!units || !input))
    return op.emitOpError("with `auto_select` requires constant `units` and `input_size`; use linear_input or "
                          "skip_input [S2]");
  if (failed(verifyProjection(op, op.getMode(), op.getNumProj(), "S3", units)))
    return failure();
  std::optional<CudnnSizes> sizes = getConstantSizes(op);
  if (sizes && !getDenseParamsSize(*sizes))
    return op.emitOpError("has more parameters than 64 bits can count [S1]");
  return success();
}

//===----------------------------------------------------------------------===//
// rnn.cudnn_params_size, rnn.cudnn_reserve_size
//===----------------------------------------------------------------------===//

template <typename OpTy> static LogicalResult verifyElementType(OpTy op) {
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(op.getElementType()))
    return success();
  return op.emitOpError("expects `element_type` to be f16, bf16, f32 or f64, but got ")
         << op.getElementType() << " [S6]";
}

void CudnnParamsSizeOp::collectShapeRules(ShapeRules &) {}
void CudnnReserveSizeOp::collectShapeRules(ShapeRules &) {}
LogicalResult CudnnParamsSizeOp::verifyAttributes() {
  return verifyElementType(*this);
}
LogicalResult CudnnParamsSizeOp::verifySizes(const ShapeRules &) {
  return verifySizeOperands(*this);
}

LogicalResult CudnnReserveSizeOp::verifyAttributes() {
  if (failed(verifyElementType(*this)) || failed(verifyDropout(*this, getDropout(), "C9")))
    return failure();
  return verifySeeds(*this, "C10");
}

LogicalResult CudnnReserveSizeOp::verifySizes(const ShapeRules &) {
  for (auto [name, value] : {std::pair<StringRef, Value>("steps", getSteps()), {"batch", getBatch()}}) {
    std::optional<int64_t> size = getConstantInt(value);
    if (size && *size < 1)
      return emitOpError("expects `") << name << "` to be positive, but got " << *size << " [S1]";
  }
  return verifySizeOperands(*this);
}

namespace mlir::rnn::detail {
// A size op has one index result, which no shape rule describes.
template <>
void inferResults<CudnnParamsSizeOp>(ValueRange, const CudnnParamsSizeOp::Properties &, SmallVectorImpl<Type> &types,
                                     SmallVectorImpl<int32_t> &, MLIRContext *context) {
  types.assign(1, IndexType::get(context));
}
template <>
void inferResults<CudnnReserveSizeOp>(ValueRange, const CudnnReserveSizeOp::Properties &, SmallVectorImpl<Type> &types,
                                      SmallVectorImpl<int32_t> &, MLIRContext *context) {
  types.assign(1, IndexType::get(context));
}
} // namespace mlir::rnn::detail

RNN_DEFINE_ASSEMBLY(CudnnParamsSizeOp)
RNN_DEFINE_ASSEMBLY(CudnnReserveSizeOp)
RNN_DEFINE_PLAIN_EFFECTS(CudnnParamsSizeOp)
RNN_DEFINE_PLAIN_EFFECTS(CudnnReserveSizeOp)

//===----------------------------------------------------------------------===//
// rnn.cudnn_canonical_to_params, rnn.cudnn_params_to_canonical
//===----------------------------------------------------------------------===//

template <typename OpLike> static void collectPackRules(OpLike op, ShapeRules &rules) {
  // Only an empty list has no element type. The verifier rejects it with [S4].
  Type element = op.getWeights().empty() ? Type(Float32Type::get(rules.getContext()))
                                         : getElementTypeOrSelf((*op.getWeights().begin()).getType());
  rules.result("C7", "params", 0, element, {AffineExpr()});
}

namespace mlir::rnn {
static void collectRules(CudnnCanonicalToParamsOp::Adaptor op, ShapeRules &rules) {
  collectPackRules(op, rules);
}
} // namespace mlir::rnn

void CudnnCanonicalToParamsOp::collectShapeRules(ShapeRules &rules) {
  collectPackRules(*this, rules);
}
void CudnnParamsToCanonicalOp::collectShapeRules(ShapeRules &) {}
LogicalResult CudnnCanonicalToParamsOp::verifyAttributes() {
  return success();
}
LogicalResult CudnnParamsToCanonicalOp::verifyAttributes() {
  return success();
}

/// S4, S5 for canonical tensors in operands, results or `outs`. `exact` compares shapes instead of element counts.
template <typename OpTy>
static LogicalResult verifyCanonical(OpTy op, ValueRange weights, ValueRange biases, bool exact, StringRef what) {
  if (failed(verifySizeOperands(op)))
    return failure();
  int64_t directions = getNumDirections(op.getDirection()), pairs = getNumParamPairs(op.getMode());
  int64_t weightsPerLayer = (pairs + (hasProjection(op) ? 1 : 0)) * directions;
  std::optional<int64_t> layers = getConstantInt(op.getLayers());
  using Group = std::tuple<StringRef, int64_t, int64_t>;
  for (auto [name, count, perLayer] :
       {Group("weights", weights.size(), weightsPerLayer), Group("biases", biases.size(), pairs * directions)}) {
    // The product of layers and perLayer may overflow.
    if (layers && (count % perLayer != 0 || count / perLayer != *layers))
      return op.emitOpError("expects ") << perLayer << " " << name << " for each of " << *layers
                                        << " layer(s), but got " << count << " [S4]";
    if (count == 0 || count % perLayer != 0)
      return op.emitOpError("expects a positive multiple of ")
             << perLayer << " " << name << " (" << perLayer << " for each layer), but got " << count << " [S4]";
  }
  if (weights.size() / weightsPerLayer != biases.size() / (pairs * directions))
    return op.emitOpError("has weights for ") << weights.size() / weightsPerLayer << " layer(s), but biases for "
                                              << biases.size() / (pairs * directions) << " [S4]";
  std::optional<CudnnSizes> sizes = getConstantSizes(op);
  if (!sizes)
    return success();
  auto verifyOne = [&](StringRef name, int64_t index, Value value, ArrayRef<int64_t> expected) -> LogicalResult {
    auto type = cast<ShapedType>(value.getType());
    if (exact ? succeeded(verifyCompatibleShape(type.getShape(), expected))
              : !type.hasStaticShape() || type.getNumElements() == ShapedType::getNumElements(expected))
      return success();
    InFlightDiagnostic diag = op.emitOpError("expects ") << what << name << " " << index << " to be ";
    llvm::interleave(expected, diag, " x ");
    if (!exact)
      diag << " (any shape of " << ShapedType::getNumElements(expected) << " elements)";
    return diag << ", but got " << type << " [S5]";
  };
  for (auto [index, value] : llvm::enumerate(weights)) {
    auto [rows, columns] = getWeightShape(*sizes, index);
    if (failed(verifyOne("weight", index, value, {rows, columns})))
      return failure();
  }
  for (auto [index, value] : llvm::enumerate(biases))
    if (failed(verifyOne("bias", index, value, {sizes->hidden})))
      return failure();
  return success();
}

/// C7
template <typename OpTy> static LogicalResult verifyParamsElements(OpTy op, Value params) {
  auto type = params ? cast<ShapedType>(params.getType()) : ShapedType();
  std::optional<CudnnSizes> sizes = getConstantSizes(op);
  if (!type || type.isDynamicDim(0) || !sizes)
    return success();
  std::optional<int64_t> least = getDenseParamsSize(*sizes);
  if (!least || type.getDimSize(0) >= *least)
    return success();
  return op.emitOpError("expects `params` to have at least ")
         << *least << " elements (all matrices and biases), but got " << type.getDimSize(0) << " [C7]";
}

std::optional<ParamsCount> rnn::getParamsCount(LayerOpInterface layer) {
  auto count = [](std::optional<CudnnSizes> sizes, Value params) -> std::optional<ParamsCount> {
    auto type = params ? cast<ShapedType>(params.getType()) : ShapedType();
    std::optional<int64_t> dense = sizes ? getDenseParamsSize(*sizes) : std::nullopt;
    if (!dense || !type || type.isDynamicDim(0))
      return std::nullopt;
    return ParamsCount{*dense, type.getDimSize(0)};
  };
  Operation *op = layer.getOperation();
  if (auto forward = dyn_cast<CudnnForwardOp>(op); forward && !forward.getParamsOffsets())
    return count(getSizes(forward, getShapeRules(layer)), forward.getParams());
  if (auto backprop = dyn_cast<CudnnBackpropOp>(op); backprop && !backprop.getParamsOffsets())
    return count(getSizes(backprop, getShapeRules(layer)), backprop.getParams());
  if (auto pack = dyn_cast<CudnnCanonicalToParamsOp>(op))
    return count(getConstantSizes(pack), pack.getParams() ? Value(pack.getParams()) : Value(pack.getParamsOut()));
  if (auto unpack = dyn_cast<CudnnParamsToCanonicalOp>(op))
    return count(getConstantSizes(unpack), unpack.getParams());
  return std::nullopt;
}

LogicalResult CudnnCanonicalToParamsOp::verifySizes(const ShapeRules &) {
  if (failed(verifyCanonical(*this, getWeights(), getBiases(), /*exact=*/false, "")))
    return failure();
  return verifyParamsElements(*this, getParams() ? Value(getParams()) : Value(getParamsOut()));
}

LogicalResult CudnnParamsToCanonicalOp::verifySizes(const ShapeRules &) {
  bool isValue = rnn::detail::isValueForm(getOperation());
  if (failed(verifyCanonical(*this, isValue ? ValueRange(getWeights()) : ValueRange(getWeightsOut()),
                             isValue ? ValueRange(getBiases()) : ValueRange(getBiasesOut()), /*exact=*/true,
                             isValue ? "result " : "out ")))
    return failure();
  return verifyParamsElements(*this, getParams());
}

RNN_DEFINE_LAYER_OP(CudnnCanonicalToParamsOp)
RNN_DEFINE_ASSEMBLY(CudnnParamsToCanonicalOp)
RNN_DEFINE_PLAIN_EFFECTS(CudnnCanonicalToParamsOp)
RNN_DEFINE_PLAIN_EFFECTS(CudnnParamsToCanonicalOp)
