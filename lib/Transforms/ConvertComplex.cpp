//===- ConvertComplex.cpp - tensors of complex numbers as two tensors ---------===//
//
// Real and imaginary parts in tensors of their own: vectors load them without shuffles, and all passes for real numbers
// apply to them. A product of complex matrices is four products of real ones.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgForms.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "rnn/Transforms/Passes.h"
#include "rnn/Transforms/ZeroTensors.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNCONVERTCOMPLEXPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

/// The type of the parts of a complex number or tensor, or null for other types.
static Type getPartType(Type type) {
  auto complex = dyn_cast<ComplexType>(getElementTypeOrSelf(type));
  if (!complex || !isa<FloatType>(complex.getElementType()))
    return {};
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(complex.getElementType());
  return isa<ComplexType>(type) ? complex.getElementType() : Type();
}

static bool isComplex(Type type) {
  return isa<ComplexType>(getElementTypeOrSelf(type));
}

//===----------------------------------------------------------------------===//
// Products of matrices
//===----------------------------------------------------------------------===//

static bool isComplexProduct(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && op.getNumDpsInputs() == 2 && op.getNumDpsInits() == 1 &&
         op.getNumReductionLoops() > 0 && !op.hasIndexSemantics() &&
         llvm::all_of(op->getOperandTypes(), [](Type type) { return bool(getPartType(type)); }) &&
         linalg::detail::isContractionBody(*op.getBlock(), [](Operation *product, Operation *sum) {
           return isa<complex::MulOp>(product) && isa<complex::AddOp>(sum);
         });
}

/// An elementwise op on tensors of one shape.
static Value createElementwise(OpBuilder &b, Location loc, ValueRange inputs, Type element,
                               function_ref<Value(OpBuilder &, ValueRange)> body) {
  Value first = inputs.front();
  const int64_t rank = cast<RankedTensorType>(first.getType()).getRank();
  Value init = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, first), element);
  SmallVector<AffineMap> maps(inputs.size() + 1, b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, loc, init.getType(), inputs, init, maps, iterators,
                                   [&](OpBuilder &b, Location loc, ValueRange arguments) {
                                     linalg::YieldOp::create(b, loc, body(b, arguments.drop_back()));
                                   })
      .getResult(0);
}

template <typename Op> static Value getPart(OpBuilder &b, Location loc, Value tensor, Type part) {
  return createElementwise(b, loc, tensor, part, [&](OpBuilder &b, ValueRange arguments) -> Value {
    return Op::create(b, loc, arguments.front());
  });
}

/// Replaces c + a b by matrix products of the parts: ar br - ai bi and ar bi + ai br.
static void splitProduct(RewriterBase &b, linalg::LinalgOp op) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  auto element = cast<ComplexType>(getElementTypeOrSelf(op->getResult(0)));
  const Type part = element.getElementType();
  auto getParts = [&](Value value) {
    return std::pair(getPart<complex::ReOp>(b, loc, value, part), getPart<complex::ImOp>(b, loc, value, part));
  };
  auto [leftRe, leftIm] = getParts(op->getOperand(0));
  auto [rightRe, rightIm] = getParts(op->getOperand(1));
  auto [initRe, initIm] = getParts(op->getOperand(2));
  auto multiply = [&](Value left, Value right, Value init) {
    return linalg::GenericOp::create(b, loc, init.getType(), ValueRange{left, right}, init, op.getIndexingMapsArray(),
                                     op.getIteratorTypesArray(),
                                     [&](OpBuilder &b, Location loc, ValueRange arguments) {
                                       Value product = arith::MulFOp::create(b, loc, arguments[0], arguments[1]);
                                       Value sum = arith::AddFOp::create(b, loc, arguments[2], product);
                                       linalg::YieldOp::create(b, loc, sum);
                                     })
        .getResult(0);
  };
  Value empty = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, op->getOperand(2)), part);
  Value positive = multiply(leftRe, rightRe, initRe);
  Value negative = multiply(leftIm, rightIm, fillWithZeros(b, loc, empty));
  Value imaginary = multiply(leftIm, rightRe, multiply(leftRe, rightIm, initIm));
  Value result = createElementwise(b, loc, {positive, negative, imaginary}, element,
                                   [&](OpBuilder &b, ValueRange arguments) -> Value {
                                     Value real = arith::SubFOp::create(b, loc, arguments[0], arguments[1]);
                                     return complex::CreateOp::create(b, loc, element, real, arguments[2]);
                                   });
  b.replaceOp(op, result);
}

//===----------------------------------------------------------------------===//
// Conversion of types
//===----------------------------------------------------------------------===//

namespace {
struct PartConverter : TypeConverter {
  PartConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](Type type, SmallVectorImpl<Type> &parts) -> std::optional<LogicalResult> {
      Type part = getPartType(type);
      if (!part)
        return std::nullopt;
      parts.assign(2, part);
      return success();
    });
  }
};

void replaceWithParts(ConversionPatternRewriter &b, Operation *op, Value re, Value im) {
  SmallVector<SmallVector<Value>> parts = {{re, im}};
  b.replaceOpWithMultiple(op, std::move(parts));
}

/// Clones an op that does not compute with elements for each part.
template <typename Op> struct ConvertStructural : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename OpConversionPattern<Op>::OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SmallVector<SmallVector<Value>> results(op->getNumResults());
    const bool hasParts = llvm::any_of(op->getResultTypes(), isComplex);
    for (unsigned part = 0; part < (hasParts ? 2u : 1u); ++part) {
      OperationState state(op.getLoc(), op->getName());
      for (ValueRange values : adaptor.getOperands())
        state.operands.push_back(values.size() == 1 ? values.front() : values[part]);
      for (Type type : op->getResultTypes())
        state.types.push_back(isComplex(type) ? getPartType(type) : type);
      state.addAttributes(op->getAttrs());
      for (auto [result, values] : llvm::zip_equal(b.create(state)->getResults(), results))
        values.push_back(result);
    }
    b.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

struct ConvertFill : OpConversionPattern<linalg::FillOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(linalg::FillOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    ValueRange values = adaptor.getOperands()[0], inits = adaptor.getOperands()[1];
    auto fill = [&](unsigned part) {
      return linalg::FillOp::create(b, op.getLoc(), values[part], inits[part]).getResult(0);
    };
    replaceWithParts(b, op, fill(0), fill(1));
    return success();
  }
};

struct ConvertPad : OpConversionPattern<tensor::PadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tensor::PadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    // These are converted afterwards; there is no operand of which the adaptor has the parts.
    Value value = op.getConstantPaddingValue();
    Value re = complex::ReOp::create(b, op.getLoc(), value), im = complex::ImOp::create(b, op.getLoc(), value);
    auto pad = [&](Value source, Value part) {
      return tensor::PadOp::create(b, op.getLoc(), getPartType(op.getType()), source, op.getMixedLowPad(),
                                   op.getMixedHighPad(), part, op.getNofold());
    };
    replaceWithParts(b, op, pad(adaptor.getSource()[0], re), pad(adaptor.getSource()[1], im));
    return success();
  }
};

struct ConvertGeneric : OpConversionPattern<linalg::GenericOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SmallVector<Value> inputs, inits;
    SmallVector<AffineMap> maps;
    for (auto [operand, values] : llvm::zip_equal(op->getOpOperands(), adaptor.getOperands())) {
      llvm::append_range(op.isDpsInput(&operand) ? inputs : inits, values);
      maps.append(values.size(), op.getMatchingIndexingMap(&operand));
    }
    auto generic = linalg::GenericOp::create(b, op.getLoc(), ValueRange(inits).getTypes(), inputs, inits, maps,
                                             op.getIteratorTypesArray());
    b.inlineRegionBefore(op.getRegion(), generic.getRegion(), generic.getRegion().end());
    if (failed(b.convertRegionTypes(&generic.getRegion(), *getTypeConverter())))
      return failure();
    SmallVector<SmallVector<Value>> results;
    ResultRange rest = generic.getResults();
    for (Type type : op->getResultTypes()) {
      const size_t count = isComplex(type) ? 2 : 1;
      results.push_back(llvm::to_vector_of<Value>(rest.take_front(count)));
      rest = rest.drop_front(count);
    }
    b.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

struct ConvertYield : OpConversionPattern<linalg::YieldOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(linalg::YieldOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SmallVector<Value> values;
    for (ValueRange parts : adaptor.getOperands())
      llvm::append_range(values, parts);
    b.replaceOpWithNewOp<linalg::YieldOp>(op, values);
    return success();
  }
};

struct ConvertCreate : OpConversionPattern<complex::CreateOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(complex::CreateOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    replaceWithParts(b, op, adaptor.getReal(), adaptor.getImaginary());
    return success();
  }
};

/// complex.re and complex.im.
template <typename Op, unsigned part> struct ConvertPart : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename OpConversionPattern<Op>::OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOp(op, adaptor.getOperands().front()[part]);
    return success();
  }
};

struct ConvertScalarConstant : OpConversionPattern<complex::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(complex::ConstantOp op, OpAdaptor, ConversionPatternRewriter &b) const override {
    auto create = [&](unsigned part) {
      return arith::ConstantOp::create(b, op.getLoc(), cast<TypedAttr>(op.getValue()[part]));
    };
    replaceWithParts(b, op, create(0), create(1));
    return success();
  }
};

struct ConvertConstant : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor, ConversionPatternRewriter &b) const override {
    auto elements = cast<DenseElementsAttr>(op.getValue());
    auto type = cast<ShapedType>(getPartType(op.getType()));
    SmallVector<APFloat> re, im;
    for (const std::complex<APFloat> &element : elements.getValues<std::complex<APFloat>>()) {
      re.push_back(element.real()), im.push_back(element.imag());
      if (elements.isSplat())
        break;
    }
    auto create = [&](ArrayRef<APFloat> values) {
      return arith::ConstantOp::create(b, op.getLoc(), DenseElementsAttr::get(type, values));
    };
    replaceWithParts(b, op, create(re), create(im));
    return success();
  }
};
} // namespace

/// The ops that ConvertStructural clones for each part.
template <typename... Ops> struct OpList {};
using StructuralOps =
    OpList<tensor::EmptyOp, tensor::CastOp, tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::ExpandShapeOp,
           tensor::CollapseShapeOp, tensor::ReshapeOp, tensor::ConcatOp, tensor::ExtractOp, tensor::InsertOp,
           tensor::FromElementsOp, tensor::SplatOp, tensor::DimOp, arith::SelectOp, bufferization::AllocTensorOp>;

template <typename... Ops> static bool isOneOf(Operation *op, OpList<Ops...>) {
  return isa<Ops...>(op);
}

template <typename... Ops>
static void addStructural(RewritePatternSet &patterns, const TypeConverter &converter, OpList<Ops...>) {
  patterns.add<ConvertStructural<Ops>...>(converter, patterns.getContext());
}

/// The types of the operands, results and block arguments of an op, and of a function.
static SmallVector<Type> getTypes(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(types, block.getArgumentTypes());
  if (auto function = dyn_cast<func::FuncOp>(op)) {
    llvm::append_range(types, function.getArgumentTypes());
    llvm::append_range(types, function.getResultTypes());
  }
  return types;
}

static bool hasComplex(Operation *op) {
  return llvm::any_of(getTypes(op), isComplex);
}

/// Whether an op with complex types can be converted.
static bool isConvertible(Operation *op) {
  if (llvm::any_of(getTypes(op), [](Type type) { return isComplex(type) && !getPartType(type); }))
    return false;
  if (auto function = dyn_cast<func::FuncOp>(op))
    return !function.isPublic() && !function.isExternal();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<DenseElementsAttr>(constant.getValue());
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    Value padding = pad.getConstantPaddingValue();
    return padding && padding.getParentRegion() != &pad.getRegion();
  }
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return generic.hasPureTensorSemantics();
  if (auto parent = op->getParentOfType<tensor::PadOp>())
    return isa<tensor::YieldOp>(op);
  return isOneOf(op, StructuralOps()) ||
         (isa<complex::ComplexDialect>(op->getDialect()) && !isa<complex::BitcastOp>(op)) ||
         isa<linalg::FillOp, linalg::YieldOp, scf::ForOp, scf::WhileOp, scf::IfOp, scf::YieldOp, scf::ConditionOp,
             func::CallOp, func::ReturnOp>(op);
}

static LogicalResult convertTypes(ModuleOp module) {
  MLIRContext *context = module.getContext();
  PartConverter converter;
  RewritePatternSet patterns(context);
  ConversionTarget target(*context);
  addStructural(patterns, converter, StructuralOps());
  patterns.add<ConvertFill, ConvertPad, ConvertGeneric, ConvertYield, ConvertCreate, ConvertPart<complex::ReOp, 0>,
               ConvertPart<complex::ImOp, 1>, ConvertScalarConstant, ConvertConstant>(converter, context);
  scf::populateSCFStructuralTypeConversions(converter, patterns);
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, converter);
  populateCallOpTypeConversionPattern(patterns, converter);
  populateReturnOpTypeConversionPattern(patterns, converter);
  target.markUnknownOpDynamicallyLegal([](Operation *op) { return !hasComplex(op); });
  return applyPartialConversion(module, target, std::move(patterns));
}

//===----------------------------------------------------------------------===//
// Simplification
//===----------------------------------------------------------------------===//

/// Results of elementwise ops that are the same number everywhere, or an operand.
static LogicalResult forwardResults(linalg::GenericOp op, PatternRewriter &b) {
  if (!op.hasPureTensorSemantics() || op.getNumParallelLoops() != op.getNumLoops())
    return failure();
  bool isChanged = false;
  for (auto [index, result] : llvm::enumerate(op.getResults())) {
    if (result.use_empty())
      continue;
    Value yielded = op.getBody()->getTerminator()->getOperand(index), init = op.getDpsInits()[index], same;
    FloatAttr constant;
    b.setInsertionPoint(op);
    if (matchPattern(yielded, m_Constant(&constant))) {
      Value number = arith::ConstantOp::create(b, op.getLoc(), constant);
      same = linalg::FillOp::create(b, op.getLoc(), number, init).getResult(0);
    } else if (auto argument = dyn_cast<BlockArgument>(yielded); argument && argument.getOwner() == op.getBody()) {
      Value operand = op->getOperand(argument.getArgNumber());
      AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(argument.getArgNumber()));
      if (map.isIdentity() && map == op.getMatchingIndexingMap(op.getDpsInitOperand(index)) &&
          operand.getType() == result.getType())
        same = operand;
    }
    if (!same)
      continue;
    b.replaceAllUsesWith(result, same);
    isChanged = true;
  }
  return success(isChanged);
}

/// Replaces a contraction by its init if a factor is zero, such as the imaginary part of a real tensor.
static LogicalResult foldZeroProduct(linalg::GenericOp op, PatternRewriter &b) {
  if (!isSumOfProducts(op) || (!isZero(op.getOperand(0)) && !isZero(op.getOperand(1))))
    return failure();
  b.replaceOp(op, op.getDpsInits().front());
  return success();
}

/// Whether `value` is computed from `argument`, in the block of the argument.
static bool needs(Value value, BlockArgument argument) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return op->getBlock() == argument.getOwner(); };
  if (value.getParentBlock() == argument.getOwner())
    (void)getBackwardSlice(value, &slice, options);
  return value == argument ||
         llvm::any_of(slice, [&](Operation *op) { return llvm::is_contained(op->getOperands(), argument); });
}

/// One op for each result of a reduction or of a copy: other passes know sums, broadcasts and transpositions with one
/// result.
static LogicalResult splitResults(linalg::GenericOp op, PatternRewriter &b) {
  if (!op.hasPureTensorSemantics() || op.getNumResults() < 2 ||
      (op.getNumReductionLoops() == 0 && !llvm::hasSingleElement(*op.getBody())))
    return failure();
  Block *body = op.getBody();
  auto yield = cast<linalg::YieldOp>(body->getTerminator());
  for (unsigned index = 0; index < op.getNumResults(); ++index)
    if (llvm::any_of(op.getRegionOutputArgs(), [&](BlockArgument argument) {
          return argument != op.getRegionOutputArgs()[index] && needs(yield.getOperand(index), argument);
        }))
      return failure();
  b.setInsertionPoint(op);
  SmallVector<Value> results;
  for (unsigned index = 0; index < op.getNumResults(); ++index) {
    Value init = op.getDpsInits()[index];
    SmallVector<AffineMap> maps = llvm::to_vector(ArrayRef(op.getIndexingMapsArray()).take_front(op.getNumDpsInputs()));
    maps.push_back(op.getMatchingIndexingMap(op.getDpsInitOperand(index)));
    auto single =
        linalg::GenericOp::create(b, op.getLoc(), init.getType(), op.getDpsInputs(), init, maps,
                                  op.getIteratorTypesArray(), [&](OpBuilder &b, Location loc, ValueRange arguments) {
                                    IRMapping mapping;
                                    mapping.map(op.getRegionInputArgs(), arguments.drop_back());
                                    mapping.map(op.getRegionOutputArgs()[index], arguments.back());
                                    // Values that only other results need are not used, and removed.
                                    for (auto [other, argument] : llvm::enumerate(op.getRegionOutputArgs()))
                                      if (other != index)
                                        mapping.map(argument, arguments.back());
                                    for (Operation &inner : body->without_terminator())
                                      b.clone(inner, mapping);
                                    linalg::YieldOp::create(b, loc, mapping.lookupOrDefault(yield.getOperand(index)));
                                  });
    results.push_back(single.getResult(0));
  }
  b.replaceOp(op, results);
  return success();
}

namespace {
struct ConvertComplex : public rnn::impl::RNNConvertComplexPassBase<ConvertComplex> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    bool isFound = false;
    WalkResult walk = module.walk([&](Operation *op) {
      if (!hasComplex(op))
        return WalkResult::advance();
      isFound = true;
      // Named ops become generic ones.
      auto named = dyn_cast<linalg::LinalgOp>(op);
      return isConvertible(op) || (named && named.hasPureTensorSemantics()) ? WalkResult::advance()
                                                                            : WalkResult::interrupt();
    });
    if (!isFound || walk.wasInterrupted())
      return;

    IRRewriter b(context);
    SmallVector<linalg::LinalgOp> ops;
    module.walk([&](linalg::LinalgOp op) {
      if (hasComplex(op))
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops) {
      if (isComplexProduct(op)) {
        splitProduct(b, op);
      } else if (!isa<linalg::GenericOp, linalg::FillOp>(op)) {
        b.setInsertionPoint(op);
        if (failed(linalg::generalizeNamedOp(b, op)))
          return signalPassFailure();
      }
    }
    RewritePatternSet arithmetic(context);
    populateComplexToStandardConversionPatterns(arithmetic);
    ConversionTarget target(*context);
    target.addIllegalDialect<complex::ComplexDialect>();
    target.addLegalOp<complex::ConstantOp, complex::CreateOp, complex::ReOp, complex::ImOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(module, target, std::move(arithmetic))) || failed(convertTypes(module)))
      return signalPassFailure();

    RewritePatternSet simplify(context);
    linalg::GenericOp::getCanonicalizationPatterns(simplify, context);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(simplify);
    simplify.add(forwardResults).add(foldZeroProduct).add(splitResults);
    (void)applyPatternsGreedily(module, std::move(simplify));
  }
};
} // namespace
