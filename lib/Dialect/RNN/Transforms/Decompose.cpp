//===- Decompose.cpp - rnn ops into scf, tensor and linalg ops ---------------===//
//
// The models of linalg's AggregatedOpInterface, and the pass that uses them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecomposeStack.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/CSE.h"
#include "rnn/Dialect/RNN/Transforms/Passes.h"
#include "rnn/Dialect/RNN/Transforms/TimeMajor.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNDECOMPOSEPASS
#include "rnn/Dialect/RNN/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

namespace {

using Results = FailureOr<SmallVector<Value>>;

/// Bytes of the reserve space of a decomposed op. The draw has the offset that it has in the header of the runtime's
/// reserve space, so that a decomposed gradient reads the masks of either; its size differs from every size of the
/// runtime, which therefore refuses it.
constexpr int64_t reserveBytes = rnn_layout::reserveHeaderBytes;

/// Whether there are projection matrices; none if H is dynamic.
template <typename OpTy> std::optional<bool> isProjected(OpTy op, std::optional<int64_t> hidden) {
  if (op.getNumProj() == 0)
    return false;
  return hidden ? std::optional<bool>(*hidden != int64_t(op.getNumProj())) : std::nullopt;
}

/// The size H if it is static, also behind casts.
std::optional<int64_t> getHidden(const ShapeRules &rules) {
  const ShapeRules::Symbol &hidden = rules.getSymbols()[rules.getSymbolIndex("H")];
  if (hidden.value)
    return hidden.value;
  FailureOr<int64_t> size =
      ValueBoundsConstraintSet::computeConstantBound(presburger::BoundType::EQ, {hidden.from, hidden.dim});
  return succeeded(size) ? std::optional<int64_t>(*size / hidden.divisor) : std::nullopt;
}

/// Emits the form with or without projection matrices, or both if that is known at run time only. `emit` returns values
/// of types that do not depend on it.
template <typename OpTy>
SmallVector<Value> emitForms(OpBuilder &b, OpTy op, function_ref<SmallVector<Value>(bool)> emit) {
  ShapeRules rules = getShapeRules(op);
  if (std::optional<bool> known = isProjected(op, getHidden(rules)))
    return emit(*known);
  TensorBuilder t(b, op.getLoc(), b.getF32Type());
  Value hidden = t.value(materializeSymbolicDims(b, op.getLoc(), rules)[rules.getSymbolIndex("H")]);
  Value differs =
      arith::CmpIOp::create(b, op.getLoc(), arith::CmpIPredicate::ne, hidden, t.value(t.constant(op.getNumProj())));
  return t.ifElse(differs, [&] { return emit(true); }, [&] { return emit(false); });
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

/// Emits the draw (i64) of the dropout masks of a forward op with dropout. Reports an error and returns null if the op
/// has no valid attribute for it.
Value emitDraw(OpBuilder &b, CudnnForwardOp op) {
  Attribute attr = op->getDiscardableAttr(RNNDialect::dropoutDrawAttrName);
  if (auto number = dyn_cast_or_null<IntegerAttr>(attr))
    return arith::ConstantOp::create(b, op.getLoc(), number);
  if (auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(attr)) {
    auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, symbol);
    if (function && function.getFunctionType() == b.getFunctionType({}, {b.getI64Type()}))
      return func::CallOp::create(b, op.getLoc(), function, ValueRange()).getResult(0);
    op.emitOpError("expects `") << RNNDialect::dropoutDrawAttrName << "` to name a function `() -> i64`, but " << symbol
                                << (function ? " has another type" : " does not exist");
    return {};
  }
  op.emitOpError("draws dropout masks, and its decomposition has no random state; set `")
      << RNNDialect::dropoutDrawAttrName
      << "` to the number of the draw, or to a function `() -> i64` that returns it (rnn-decompose{dropout-draw=...})";
  return {};
}

/// The reserve space of a forward op: the draw, if there is one.
FailureOr<Value> emitReserve(OpBuilder &b, CudnnForwardOp op, Value draw) {
  TensorBuilder t(b, op.getLoc(), b.getF32Type());
  auto type = cast<RankedTensorType>(op.getReserveSpace().getType());
  int64_t bytes = type.isDynamicDim(0) ? (op.getIsTraining() ? reserveBytes : 0) : type.getDimSize(0);
  if (draw && bytes < reserveBytes)
    return op.emitOpError("expects `reserve_space` to have at least ")
           << reserveBytes << " bytes for the draw of the dropout masks, but got " << type;
  Value reserve = t.zeros({t.constant(bytes)}, b.getI8Type());
  if (draw) {
    SmallVector<Value> parts;
    for (int64_t byte = 0; byte < 8; ++byte) {
      Value bits = arith::ConstantIntOp::create(b, op.getLoc(), b.getI64Type(), 8 * byte);
      Value shifted = arith::ShRUIOp::create(b, op.getLoc(), draw, bits);
      parts.push_back(arith::TruncIOp::create(b, op.getLoc(), b.getI8Type(), shifted));
    }
    Value number = tensor::FromElementsOp::create(b, op.getLoc(), parts);
    reserve = t.insert(number, reserve, {t.constant(rnn_layout::reserveDrawByte)}, {t.constant(8)});
  }
  return t.withType(reserve, type);
}

Value readDraw(OpBuilder &b, CudnnBackpropOp op) {
  Location loc = op.getLoc();
  Value draw;
  for (int64_t byte = 0; byte < 8; ++byte) {
    Value index = arith::ConstantIndexOp::create(b, loc, rnn_layout::reserveDrawByte + byte);
    Value part = arith::ExtUIOp::create(b, loc, b.getI64Type(),
                                        tensor::ExtractOp::create(b, loc, op.getReserveSpace(), index).getResult());
    Value bits = arith::ConstantIntOp::create(b, loc, b.getI64Type(), 8 * byte);
    part = arith::ShLIOp::create(b, loc, part, bits);
    draw = draw ? arith::OrIOp::create(b, loc, draw, part).getResult() : part;
  }
  return draw;
}

/// The values with the types of the results that they replace.
SmallVector<Value> withTypes(OpBuilder &b, Location loc, ArrayRef<Value> values, TypeRange types) {
  TensorBuilder t(b, loc, b.getF32Type());
  SmallVector<Value> results;
  for (auto [value, type] : llvm::zip_equal(values, types))
    results.push_back(t.withType(value, type));
  return results;
}

Results decompose(OpBuilder &b, CudnnForwardOp op) {
  Value draw;
  if (op.drawsDropout() && !(draw = emitDraw(b, op)))
    return failure();
  FailureOr<Value> reserve = emitReserve(b, op, draw);
  if (failed(reserve))
    return failure();
  // Saved values are shared with the gradient by CSE. With dropout the gradient reads the draw from the reserve space,
  // so it has another forward pass.
  bool saves =
      op.getIsTraining() && !draw && llvm::any_of(op.getReserveSpace().getUsers(), llvm::IsaPred<CudnnBackpropOp>);
  SmallVector<Type> types(op->getResultTypes().begin(), op->getResultTypes().end());
  types.pop_back(); // the reserve space
  SmallVector<Value> results = emitForms(b, op, [&](bool isProjected) {
    StackDecomposition stack(b, op, isProjected, draw);
    StackDecomposition::Forward forward = stack.emitForward(saves);
    SmallVector<Value> values = {stack.emitOutput(forward), forward.outputH};
    if (forward.outputC)
      values.push_back(forward.outputC);
    return withTypes(b, op.getLoc(), values, types);
  });
  results.push_back(*reserve);
  return results;
}

Results decompose(OpBuilder &b, CudnnBackpropOp op) {
  auto states = cast<RankedTensorType>(op.getInputH().getType()).getDimSize(0);
  bool hasDropout = !op.getDropout().isZero() && states != (op.getDirection() == Direction::Bidirectional ? 2 : 1);
  Value draw = hasDropout ? readDraw(b, op) : Value();
  return emitForms(b, op, [&](bool isProjected) {
    StackDecomposition stack(b, op, isProjected, draw);
    bool needsInput = !op.getInputBackprop().use_empty(), needsParams = !op.getParamsBackprop().use_empty();
    StackDecomposition::Gradients g = stack.emitBackward(op.getOutputBackprop(), op.getOutputHBackprop(),
                                                         op.getOutputCBackprop(), needsInput, needsParams);
    // A result without uses may be anything of its type.
    SmallVector<Value> values = {needsInput ? g.input : op.getInput(), g.inputH};
    if (g.inputC)
      values.push_back(g.inputC);
    values.push_back(needsParams ? g.params : op.getParams());
    return withTypes(b, op.getLoc(), values, op->getResultTypes());
  });
}

Results decompose(OpBuilder &b, BlockLSTMOp op) {
  return withTypes(b, op.getLoc(), decomposeBlockLSTM(b, op), op->getResultTypes());
}

Results decompose(OpBuilder &b, BlockLSTMGradOp op) {
  return withTypes(b, op.getLoc(), decomposeBlockLSTMGrad(b, op), op->getResultTypes());
}

//===----------------------------------------------------------------------===//
// Sizes and parameters
//===----------------------------------------------------------------------===//

template <typename OpTy> bool skipsInput(OpTy op) {
  return op.getInputMode() == InputMode::SkipInput ||
         (op.getInputMode() == InputMode::AutoSelect &&
          getConstantInt(op.getUnits()) == getConstantInt(op.getInputSize()));
}

Results decompose(OpBuilder &b, CudnnParamsSizeOp op) {
  TensorBuilder t(b, op.getLoc(), b.getF32Type());
  OpFoldResult hidden = getAsOpFoldResult(op.getUnits()), layers = getAsOpFoldResult(op.getLayers());
  OpFoldResult input = getAsOpFoldResult(op.getInputSize()), none = t.constant(0);
  auto size = [&](bool isProjected) {
    OpFoldResult projection = isProjected ? OpFoldResult(t.constant(op.getNumProj())) : hidden;
    rnn_layout::StackSizes<OpFoldResult> sizes{none,
                                               none,
                                               input,
                                               hidden,
                                               projection,
                                               layers,
                                               op.getDirection() == Direction::Bidirectional ? 2 : 1,
                                               getLayoutMode(op.getMode()),
                                               skipsInput(op),
                                               isProjected};
    return t.value(rnn_layout::StackLayout<TensorBuilder>(t, sizes, /*elementBytes=*/8).paramsSize());
  };
  if (std::optional<bool> known = isProjected(op, getConstantInt(op.getUnits())))
    return SmallVector<Value>{size(*known)};
  Value differs = arith::CmpIOp::create(b, op.getLoc(), arith::CmpIPredicate::ne, op.getUnits(),
                                        t.value(t.constant(op.getNumProj())));
  return SmallVector<Value>{arith::SelectOp::create(b, op.getLoc(), differs, size(true), size(false)).getResult()};
}

Results decompose(OpBuilder &b, CudnnReserveSizeOp op) {
  return SmallVector<Value>{arith::ConstantIndexOp::create(b, op.getLoc(), reserveBytes).getResult()};
}

Results decompose(OpBuilder &b, CudnnCanonicalToParamsOp op) {
  auto type = cast<RankedTensorType>(op.getParams().getType());
  TensorBuilder t(b, op.getLoc(), type.getElementType());
  // The canonical order is the order of the buffer.
  SmallVector<Value> parts;
  OpFoldResult total = t.constant(0);
  for (ValueRange list : {ValueRange(op.getWeights()), ValueRange(op.getBiases())})
    for (Value part : list) {
      parts.push_back(t.collapse(part));
      total = t.add(total, tensor::getMixedSize(b, op.getLoc(), parts.back(), 0));
    }
  // The type may have more elements.
  Value params = type.isDynamicDim(0) ? t.empty({total}, type.getElementType())
                                      : t.zeros({t.constant(type.getDimSize(0))}, type.getElementType());
  OpFoldResult offset = t.constant(0);
  for (Value part : parts) {
    OpFoldResult size = tensor::getMixedSize(b, op.getLoc(), part, 0);
    params = t.insert(part, params, {offset}, {size});
    offset = t.add(offset, size);
  }
  return SmallVector<Value>{t.withType(params, type)};
}

Results decompose(OpBuilder &b, CudnnParamsToCanonicalOp op) {
  Type element = getElementTypeOrSelf(op.getParams().getType());
  TensorBuilder t(b, op.getLoc(), element);
  int64_t G = rnn_layout::numGates(getLayoutMode(op.getMode()));
  int64_t D = op.getDirection() == Direction::Bidirectional ? 2 : 1;
  OpFoldResult hidden = getAsOpFoldResult(op.getUnits()), input = getAsOpFoldResult(op.getInputSize());
  // The number of results decides if there are projection matrices.
  int64_t pseudoLayers = op.getBiases().size() / (2 * G), perLayer = op.getWeights().size() / pseudoLayers;
  bool projects = perLayer > 2 * G;
  OpFoldResult projection = projects ? OpFoldResult(t.constant(op.getNumProj())) : hidden, offset = t.constant(0);
  SmallVector<Value> results;
  auto take = [&](Value result, ArrayRef<OpFoldResult> sizes) {
    OpFoldResult size = t.constant(1);
    for (OpFoldResult one : sizes)
      size = t.mul(size, one);
    Value part = isConstantIntValue(size, 0) ? t.empty(sizes, element)
                                             : t.expand(t.slice(op.getParams(), {offset}, {size}), sizes);
    results.push_back(t.withType(part, result.getType()));
    offset = t.add(offset, size);
  };
  for (auto [index, result] : llvm::enumerate(op.getWeights())) {
    int64_t pseudoLayer = index / perLayer, part = index % perLayer;
    if (part == 2 * G)
      take(result, {projection, hidden});
    else if (part >= G)
      take(result, {hidden, projection});
    else if (pseudoLayer < D && skipsInput(op))
      take(result, {t.constant(0), hidden});
    else if (pseudoLayer < D)
      take(result, {hidden, input});
    else
      take(result, {hidden, t.mul(t.constant(D), projection)});
  }
  for (Value result : op.getBiases())
    take(result, {hidden});
  return results;
}

//===----------------------------------------------------------------------===//
// Interface and pass
//===----------------------------------------------------------------------===//

template <typename OpTy>
struct AggregatedOpModel : public linalg::AggregatedOpInterface::ExternalModel<AggregatedOpModel<OpTy>, OpTy> {
  Results decomposeOperation(Operation *op, OpBuilder &b) const {
    if (!cast<LayerOpInterface>(op).isValueForm())
      return op->emitOpError("in memref form has no decomposition; decompose it before bufferization");
    if constexpr (llvm::is_one_of<OpTy, BlockLSTMOp, BlockLSTMGradOp>::value) {
      // tensor.extract_slice refuses an offset in a dimension of size 0.
      ShapeRules rules = getShapeRules(cast<OpTy>(op));
      for (StringRef name : {"T", "B", "I"})
        if (rules.getStaticValue(name) == 0)
          return op->emitOpError("with ") << name << " = 0 has no decomposition; its results are zeros or empty";
    }
    makeTimeMajor(b, cast<LayerOpInterface>(op));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(op);
    return decompose(b, cast<OpTy>(op));
  }
};

struct Decompose : public rnn::impl::RNNDecomposePassBase<Decompose> {
  using RNNDecomposePassBase::RNNDecomposePassBase;

  void runOnOperation() override {
    SmallVector<linalg::AggregatedOpInterface> ops;
    getOperation()->walk([&](linalg::AggregatedOpInterface op) {
      if (isa<LayerOpInterface>(op.getOperation()))
        ops.push_back(op);
    });
    Attribute draw = parseDraw();
    IRRewriter rewriter(&getContext());
    for (linalg::AggregatedOpInterface op : ops) {
      auto forward = dyn_cast<CudnnForwardOp>(op.getOperation());
      if (forward && draw && !op->hasAttr(RNNDialect::dropoutDrawAttrName))
        op->setDiscardableAttr(RNNDialect::dropoutDrawAttrName, draw);
      Results results = op.decomposeOperation(rewriter);
      if (failed(results))
        return signalPassFailure();
      rewriter.replaceOp(op, *results);
    }
    // The first run simplifies the loop of a forward pass, and the second one merges it with that of the gradient.
    DominanceInfo dominance(getOperation());
    for (int run = 0; run < 2; ++run)
      eliminateCommonSubExpressions(rewriter, dominance, getOperation());
  }

private:
  /// A number, the name of a function, or none.
  Attribute parseDraw() {
    StringRef text = dropoutDraw;
    int64_t number;
    if (text.empty())
      return {};
    if (!text.getAsInteger(10, number))
      return IntegerAttr::get(IntegerType::get(&getContext(), 64), number);
    text.consume_front("@");
    return FlatSymbolRefAttr::get(&getContext(), text);
  }
};

template <typename... OpTys> void attachModels(MLIRContext *context) {
  (OpTys::template attachInterface<AggregatedOpModel<OpTys>>(*context), ...);
}

} // namespace

void rnn::registerAggregatedOpInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, RNNDialect *) {
    attachModels<CudnnForwardOp, CudnnBackpropOp, CudnnParamsSizeOp, CudnnReserveSizeOp, CudnnCanonicalToParamsOp,
                 CudnnParamsToCanonicalOp, BlockLSTMOp, BlockLSTMGradOp>(context);
    // Users of the interface do not name the dialects of the ops that it creates.
    context->loadDialect<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                         scf::SCFDialect, tensor::TensorDialect>();
  });
}
