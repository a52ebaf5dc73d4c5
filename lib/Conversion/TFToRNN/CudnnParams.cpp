//===- CudnnParams.cpp - tf.CudnnRNN{ParamsSize,CanonicalToParams,ParamsToCanonical} ===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TFOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::tf;

namespace {
/// The sizes (operands 0 to 2) and attributes of all three ops.
struct Params {
  TFOp &tf;
  CellMode mode;
  InputMode inputMode;
  Direction direction;
  int64_t numProj = 0;
  Value layers, units, inputSize;

  /// `extra` are the attributes of one of the ops only.
  Params(TFOp &tf, bool hasProjection, ArrayRef<StringRef> extra) : tf(tf) {
    // Dropout and seeds do not affect the layout.
    SmallVector<StringRef> known = {"rnn_mode", "input_mode", "direction", "dropout", "seed", "seed2"};
    if (hasProjection)
      known.push_back("num_proj");
    llvm::append_range(known, extra);
    tf.checkAttributes(known);
    mode = tf.word("rnn_mode", CellMode::Lstm);
    inputMode = tf.word("input_mode", InputMode::LinearInput);
    direction = tf.word("direction", Direction::Unidirectional);
    (void)tf.number("dropout", 0.0);
    (void)tf.integer("seed", 0);
    (void)tf.integer("seed2", 0);
    layers = size(0, "num_layers");
    units = size(1, "num_units");
    inputSize = size(2, "input_size");
    if (!hasProjection)
      return;
    numProj = tf.integer("num_proj", 0);
    // As for layers, a projection to the number of units is no projection.
    if (std::optional<int64_t> known = getConstantInt(units); known && mode == CellMode::Lstm && numProj == *known)
      numProj = 0;
  }

  int64_t directions() const { return direction == Direction::Bidirectional ? 2 : 1; }
  int64_t biasesPerCell() const { return getNumParamPairs(mode); }
  int64_t weightsPerCell() const { return getNumParamPairs(mode) + (numProj > 0 ? 1 : 0); }

  /// The sizes, or none unless all are valid constants.
  std::optional<CudnnSizes> constants() const {
    std::optional<int64_t> l = getConstantInt(layers), h = getConstantInt(units), i = getConstantInt(inputSize);
    if (!l || !h || !i || *l < 1 || *h < 1 || *i < 1 || numProj < 0)
      return std::nullopt;
    bool skip = inputMode == InputMode::SkipInput || (inputMode == InputMode::AutoSelect && *h == *i);
    return CudnnSizes{mode, skip, directions(), *l, *i, *h, numProj > 0 ? numProj : *h};
  }

  CellModeAttr modeAttr() const { return CellModeAttr::get(context(), mode); }
  InputModeAttr inputModeAttr() const { return InputModeAttr::get(context(), inputMode); }
  DirectionAttr directionAttr() const { return DirectionAttr::get(context(), direction); }
  IntegerAttr numProjAttr() const { return tf.getRewriter().getI64IntegerAttr(numProj); }

private:
  MLIRContext *context() const { return tf.getRewriter().getContext(); }

  Value size(unsigned index, StringRef name) {
    Value value = tf.getOperation()->getNumOperands() > index ? tf.scalar(index, name, 32) : Value();
    PatternRewriter &rewriter = tf.getRewriter();
    return value ? rewriter.createOrFold<arith::IndexCastOp>(tf.getLoc(), rewriter.getIndexType(), value) : Value();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// tf.CudnnRNNParamsSize
//===----------------------------------------------------------------------===//

void tf::convertCudnnParamsSize(TFOp &tf) {
  tf.checkCounts({"num_layers", "num_units", "input_size"}, {"params_size"});
  Type element = tf.elementType("T");
  Params params(tf, /*hasProjection=*/true, {});
  if (tf.hasFailed())
    return;
  Type declared = tf.getOperation()->getResult(0).getType();
  auto declaredTensor = dyn_cast<TensorType>(declared);
  Type integer = declaredTensor ? declaredTensor.getElementType() : Type();
  if (!integer || !(integer.isSignlessInteger(32) || integer.isSignlessInteger(64)))
    return tf.fail("expects result `params_size` to be a tensor of i32 or i64, but it is declared as " +
                   toString(declared));

  PatternRewriter &rewriter = tf.getRewriter();
  Location loc = tf.getLoc();
  auto op = tf.verified(CudnnParamsSizeOp::create(rewriter, loc, params.layers, params.units, params.inputSize,
                                                  params.modeAttr(), params.directionAttr(), params.inputModeAttr(),
                                                  params.numProjAttr(), TypeAttr::get(element), LoweringAttr()));
  if (!op)
    return;
  Value size = op.getSize();
  if (integer.isInteger(32)) {
    std::optional<CudnnSizes> sizes = params.constants();
    std::optional<int64_t> least = sizes ? getDenseParamsSize(*sizes) : std::nullopt;
    if (sizes && (!least || !llvm::isInt<32>(*least)))
      return tf.fail("has more parameters than an i32 `params_size` can hold; declare it as tensor<1xi64> (S = i64)");
    if (!sizes) {
      // Saturate: a wrapped size would be negative.
      Value limit = arith::ConstantIndexOp::create(rewriter, loc, std::numeric_limits<int32_t>::max());
      size = arith::MinSIOp::create(rewriter, loc, size, limit);
    }
  }
  Value number = arith::IndexCastOp::create(rewriter, loc, integer, size);
  tf.replace({{"params_size", tensor::FromElementsOp::create(rewriter, loc, ValueRange(number))}});
}

//===----------------------------------------------------------------------===//
// Canonical weights and biases
//===----------------------------------------------------------------------===//

/// Returns the numbers of weights and biases among `count` values, named `what` in messages. They come from the
/// attributes, or follow from `count`.
static std::optional<std::pair<int64_t, int64_t>> countCanonical(const Params &params, int version, int64_t count,
                                                                 StringRef what) {
  TFOp &tf = params.tf;
  auto given = [&](StringRef name) -> std::optional<int64_t> {
    if (!tf.getOperation()->hasAttr(name))
      return std::nullopt;
    int64_t value = tf.integer(name, 1);
    if (value < 1 || value > count)
      tf.fail("expects attribute `" + name + "` to be at least 1 and at most " + Twine(count) + ", the number of " +
              what + ", but got " + Twine(value));
    return value;
  };
  int64_t weights, biases;
  if (version == 1) {
    weights = biases = given("num_params").value_or(count / 2);
  } else {
    std::optional<int64_t> givenWeights = given("num_params_weights"), givenBiases = given("num_params_biases");
    int64_t cells = count / (params.weightsPerCell() + params.biasesPerCell());
    weights = givenWeights ? *givenWeights : givenBiases ? count - *givenBiases : cells * params.weightsPerCell();
    biases = givenBiases.value_or(count - weights);
  }
  if (tf.hasFailed())
    return std::nullopt;
  if (weights + biases != count) {
    tf.fail("expects " + Twine(weights + biases) + " " + what + " (" + Twine(weights) + " weights and " +
            Twine(biases) + " biases), but got " + Twine(count));
    return std::nullopt;
  }
  return std::pair(weights, biases);
}

/// The attributes with the numbers of weights and biases in `version`.
static SmallVector<StringRef> getCountAttributes(int version) {
  if (version == 1)
    return {"num_params"};
  return {"num_params_weights", "num_params_biases"};
}

void tf::convertCudnnCanonicalToParams(TFOp &tf, int version) {
  Operation *source = tf.getOperation();
  if (source->getNumOperands() < 5)
    tf.fail("expects at least 5 operands (`num_layers`, `num_units`, `input_size`, weights, biases), but got " +
            Twine(source->getNumOperands()));
  if (source->getNumResults() != 1)
    tf.fail("expects 1 result (`params`), but got " + Twine(source->getNumResults()));
  Params params(tf, /*hasProjection=*/version == 2, getCountAttributes(version));
  if (tf.hasFailed())
    return;
  int64_t total = source->getNumOperands() - 3;
  auto counts = countCanonical(params, version, total, "operands after `input_size`");
  if (!counts)
    return;
  SmallVector<Value> weights, biases;
  for (int64_t index = 0; index < total; ++index) {
    bool isWeight = index < counts->first;
    StringRef list = isWeight ? "weights" : "biases";
    Value value = tf.anyShape(3 + index, list + "[" + Twine(isWeight ? index : index - counts->first) + "]");
    (isWeight ? weights : biases).push_back(value);
  }
  if (tf.hasFailed())
    return;
  auto declared = dyn_cast<RankedTensorType>(source->getResult(0).getType());
  if (std::optional<CudnnSizes> sizes = params.constants(); sizes && declared && declared.getRank() == 1) {
    std::optional<int64_t> least = getDenseParamsSize(*sizes);
    if (least && !declared.isDynamicDim(0) && declared.getDimSize(0) < *least)
      return tf.fail("declares `params` with " + Twine(declared.getDimSize(0)) +
                     " elements, but all matrices and biases have " + Twine(*least) + " [C7]");
  }
  PatternRewriter &rewriter = tf.getRewriter();
  ValueRange operands[] = {params.layers, params.units, params.inputSize, weights, biases};
  auto op = tf.verified(createLayerOp<CudnnCanonicalToParamsOp>(
      rewriter, tf.getLoc(), operands,
      {rewriter.getNamedAttr("mode", params.modeAttr()), rewriter.getNamedAttr("direction", params.directionAttr()),
       rewriter.getNamedAttr("input_mode", params.inputModeAttr()),
       rewriter.getNamedAttr("num_proj", params.numProjAttr())}));
  if (op)
    tf.replace({{"params", op.getParams()}});
}

void tf::convertCudnnParamsToCanonical(TFOp &tf, int version) {
  Operation *source = tf.getOperation();
  if (source->getNumOperands() != 4)
    tf.fail("expects 4 operands (`num_layers`, `num_units`, `input_size`, `params`), but got " +
            Twine(source->getNumOperands()));
  if (source->getNumResults() < 2)
    tf.fail("expects at least 2 results (weights, biases), but got " + Twine(source->getNumResults()));
  Params params(tf, /*hasProjection=*/version == 2, getCountAttributes(version));
  if (tf.hasFailed())
    return;
  Value buffer = tf.tensor(3, "params", 1, "all parameters");
  auto counts = tf.hasFailed() ? std::nullopt : countCanonical(params, version, source->getNumResults(), "results");
  if (!counts)
    return;
  // The result shapes are static if the sizes are constants and the number of results matches them.
  std::optional<CudnnSizes> sizes = params.constants();
  if (sizes && (getNumWeights(*sizes) != counts->first || getNumBiases(*sizes) != counts->second))
    sizes = std::nullopt;
  Type element = getElementTypeOrSelf(buffer.getType());
  SmallVector<Type> weightTypes, biasTypes;
  for (int64_t index = 0; index < counts->first; ++index) {
    auto [rows, columns] =
        sizes ? getWeightShape(*sizes, index) : std::pair<int64_t, int64_t>(ShapedType::kDynamic, ShapedType::kDynamic);
    weightTypes.push_back(RankedTensorType::get({rows, columns}, element));
  }
  biasTypes.assign(counts->second, RankedTensorType::get({sizes ? sizes->hidden : ShapedType::kDynamic}, element));
  auto op = tf.verified(CudnnParamsToCanonicalOp::create(
      tf.getRewriter(), tf.getLoc(), weightTypes, biasTypes, params.layers, params.units, params.inputSize, buffer,
      ValueRange(), ValueRange(), params.modeAttr(), params.directionAttr(), params.inputModeAttr(),
      params.numProjAttr(), LoweringAttr()));
  if (!op)
    return;
  SmallVector<std::string> names;
  for (int64_t index = 0; index < counts->first; ++index)
    names.push_back("weights[" + std::to_string(index) + "]");
  for (int64_t index = 0; index < counts->second; ++index)
    names.push_back("biases[" + std::to_string(index) + "]");
  SmallVector<Replacement> results;
  for (auto [name, value] : llvm::zip_equal(names, op->getResults()))
    results.push_back({name, value});
  tf.replace(results);
}
