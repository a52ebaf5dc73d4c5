//===- RuntimeOpVerification.cpp - assertions on sizes at run time -----------===//
//
// The models of upstream's RuntimeVerifiableOpInterface, for programs that are not lowered by this project's
// conversions: those have the same checks, and report a status.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/RuntimeVerifiableOpInterface.h"
#include "rnn/Dialect/RNN/IR/RNN.h"
#include "rnn/Dialect/RNN/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::rnn;

namespace {

using MakeMessage = function_ref<std::string(Operation *, StringRef)>;

/// Emits the assertions of one op.
class Verifier {
public:
  Verifier(OpBuilder &b, Location loc, LayerOpInterface op, MakeMessage makeMessage)
      : b(b), loc(loc), op(op), makeMessage(makeMessage), rules(getShapeRules(op)),
        sizes(materializeSymbolicDims(b, loc, rules)) {}

  void verifySizes() {
    emitSizeChecks(b, op, rules, sizes, [&](const SizeCheck &check) {
      std::string label = (" [" + check.label + "]").str();
      if (check.expected)
        require(compare(arith::CmpIPredicate::eq, check.actual, check.expected), check.rule + label);
      else
        require(compare(arith::CmpIPredicate::sge, check.actual, check.minimum),
                check.rule + " to be at least " + std::to_string(*getConstantInt(check.minimum)) + label);
    });
  }

  /// [C7] params have at least the elements of all matrices and biases. A static size was verified.
  template <typename OpTy> void verifyParams(OpTy layer) {
    auto type = cast<ShapedType>(layer.getParams().getType());
    bool isKnown = llvm::all_of(ArrayRef<StringRef>{"L", "H", "I"},
                                [&](StringRef name) { return rules.getStaticValue(name).has_value(); });
    // With a projection of any size, the size op has no attribute for P; the plan of the layer checks the parameters.
    // Ops with `params_offsets` always become compiled loops, which check the offsets.
    if ((isKnown && !type.isDynamicDim(0)) || int64_t(layer.getNumProj()) < 0 || layer.getParamsOffsets())
      return;
    Value expected =
        CudnnParamsSizeOp::create(b, loc, sizeOf("L"), sizeOf("H"), sizeOf("I"), layer.getModeAttr(),
                                  layer.getDirectionAttr(), layer.getInputModeAttr(), layer.getNumProjAttr(),
                                  TypeAttr::get(type.getElementType()), layer.getLoweringAttr());
    require(compare(arith::CmpIPredicate::sge, dimOf(layer.getParams(), 0), expected),
            "expects `params` to have the elements of all matrices and biases [C7]");
  }

  /// [C11] Every length is in [0, T].
  void verifyLengths(Value lengths) {
    if (!lengths)
      return;
    Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
    auto loop = scf::ForOp::create(b, loc, zero, dimOf(lengths, 0), one);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value row = loop.getInductionVar();
    Value length = isa<BaseMemRefType>(lengths.getType()) ? memref::LoadOp::create(b, loc, lengths, row).getResult()
                                                          : tensor::ExtractOp::create(b, loc, lengths, row).getResult();
    requireSteps(length, "expects the elements of `sequence_lengths` to be in [0, T] [C11]");
  }

  /// [B7] `seq_len_max` is in [0, T].
  void verifySeqLenMax(Value length) {
    if (length && !getConstantInt(length))
      requireSteps(length, "expects `seq_len_max` to be in [0, T] [B7]");
  }

private:
  void requireSteps(Value length, StringRef message) {
    Value steps = arith::IndexCastOp::create(b, loc, b.getIndexType(), length);
    // As unsigned numbers, negative ones are large.
    require(compare(arith::CmpIPredicate::ule, steps, sizeOf("T")), message);
  }

  Value sizeOf(StringRef name) { return getValueOrCreateConstantIndexOp(b, loc, sizes[rules.getSymbolIndex(name)]); }

  Value dimOf(Value operand, unsigned dim) {
    OpFoldResult size = isa<BaseMemRefType>(operand.getType()) ? memref::getMixedSize(b, loc, operand, dim)
                                                               : tensor::getMixedSize(b, loc, operand, dim);
    return getValueOrCreateConstantIndexOp(b, loc, size);
  }

  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  }

  void require(Value holds, StringRef message) { cf::AssertOp::create(b, loc, holds, makeMessage(op, message)); }

  OpBuilder &b;
  Location loc;
  LayerOpInterface op;
  MakeMessage makeMessage;
  ShapeRules rules;
  SmallVector<OpFoldResult> sizes;
};

template <typename OpTy>
struct VerificationModel : public RuntimeVerifiableOpInterface::ExternalModel<VerificationModel<OpTy>, OpTy> {
  void generateRuntimeVerification(Operation *operation, OpBuilder &b, Location loc, MakeMessage makeMessage) const {
    auto op = cast<OpTy>(operation);
    Verifier verifier(b, loc, cast<LayerOpInterface>(operation), makeMessage);
    verifier.verifySizes();
    if constexpr (std::is_same_v<OpTy, CudnnForwardOp> || std::is_same_v<OpTy, CudnnBackpropOp>) {
      verifier.verifyParams(op);
      verifier.verifyLengths(op.getSequenceLengths());
    } else {
      verifier.verifySeqLenMax(op.getSeqLenMax());
    }
  }
};

template <typename... OpTys> void attachModels(MLIRContext *context) {
  (OpTys::template attachInterface<VerificationModel<OpTys>>(*context), ...);
}

} // namespace

void rnn::registerRuntimeVerifiableOpInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, RNNDialect *) {
    attachModels<CudnnForwardOp, CudnnBackpropOp, BlockLSTMOp, BlockLSTMGradOp>(context);
    context->loadDialect<affine::AffineDialect, arith::ArithDialect, cf::ControlFlowDialect, memref::MemRefDialect,
                         scf::SCFDialect, tensor::TensorDialect>();
  });
}
