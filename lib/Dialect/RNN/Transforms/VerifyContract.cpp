//===- VerifyContract.cpp - contracts of the pipeline stages ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "rnn/Dialect/RNN/IR/RNN.h"
#include "rnn/Dialect/RNN/Transforms/FrameworkOps.h"
#include "rnn/Dialect/RNN/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNVERIFYCONTRACTPASS
#include "rnn/Dialect/RNN/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

static bool isLayerOfTensorFlow(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return name.starts_with("tf.CudnnRNN") || name.starts_with("tf.BlockLSTM");
}

/// Rejects the gradient of an inference.
static LogicalResult checkReserveSpace(Operation *op) {
  auto backprop = dyn_cast<CudnnBackpropOp>(op);
  if (!backprop)
    return success();
  Value reserve = backprop.getReserveSpace();
  // In a graph region, casts can form a cycle.
  SmallPtrSet<Operation *, 4> seen;
  while (auto cast = reserve.getDefiningOp<tensor::CastOp>()) {
    if (!seen.insert(cast).second)
      return success();
    reserve = cast.getSource();
  }
  auto forward = reserve.getDefiningOp<CudnnForwardOp>();
  if (!forward || forward.getIsTraining())
    return success();
  InFlightDiagnostic diag =
      op->emitOpError("expects `reserve_space` of a training pass, but it comes from a forward op "
                      "with is_training = false, which saves nothing; set is_training = true [C13]");
  diag.attachNote(forward.getLoc()) << "the forward op is here";
  return diag;
}

/// Rejects arguments and results of functions with types of frameworks, and of no value.
static LogicalResult checkSignature(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  auto check = [&](StringRef kind, TypeRange types) -> LogicalResult {
    for (auto [index, type] : llvm::enumerate(types))
      if (isa<OpaqueType, NoneType, TupleType>(getElementTypeOrSelf(type)))
        return op->emitOpError("`") << function.getName() << "` has " << kind << " " << index << " of type " << type
                                    << ", which no pass converts; use a tensor, memref or scalar";
    return success();
  };
  return success(succeeded(check("argument", function.getArgumentTypes())) &&
                 succeeded(check("result", function.getResultTypes())));
}

/// Rejects the op families that convert-tf-to-rnn converts.
static LogicalResult checkImport(Operation *op) {
  if (failed(checkSignature(op)))
    return failure();
  if (isLayerOfTensorFlow(op))
    return op->emitOpError("is left after stage import; run convert-tf-to-rnn");
  return checkReserveSpace(op);
}

namespace {
/// A dialect whose ops may have no tensor operand, or tensors of types of their own, and the programs that convert
/// them.
struct FrontEnd {
  StringLiteral dialect, advice;
};
} // namespace

static constexpr StringLiteral stablehloAdvice =
    "rnn-import-stablehlo converts StableHLO, of JAX for example, and reads its bytecode";
static constexpr StringLiteral torchAdvice = "torch-mlir's passes convert PyTorch's and ONNX's ops, after "
                                             "convert-torch-to-rnn or convert-onnx-to-rnn has converted "
                                             "the layers; examples/import/torch_to_linalg.sh runs both";
static constexpr FrontEnd frontEnds[] = {
    {"tf", "rnn-import-tf runs TensorFlow's own passes, which convert the ops around the layers"},
    {"stablehlo", stablehloAdvice},
    {"chlo", stablehloAdvice},
    {"vhlo", stablehloAdvice},
    {"mhlo", stablehloAdvice},
    {"torch", torchAdvice},
    {"torch_c", torchAdvice},
    {"onnx", torchAdvice},
    {"tosa", "upstream has no lowering of these ops to linalg"},
    {"shape", "upstream has no lowering of these ops to tensor ops"},
    {"ml_program", "only globals, global_load, global_load_const and global_store are converted"},
};

static const FrontEnd *findFrontEnd(Operation *op) {
  StringRef dialect = getTorchName(op).split('.').first;
  const auto *found = llvm::find_if(frontEnds, [&](const FrontEnd &frontEnd) { return frontEnd.dialect == dialect; });
  return found == std::end(frontEnds) ? nullptr : found;
}

/// Returns true for ops of torch-mlir that only pass values to others.
static bool isAuxiliary(StringRef name) {
  return name.starts_with("torch_c.") || name.starts_with("torch.constant.") || name == "torch.prim.ListConstruct";
}

/// Rejects ops that no pass converts, all in one message: those of frameworks, and unregistered ones on tensors.
static LogicalResult checkFrameworkOps(Operation *root) {
  llvm::MapVector<StringRef, SmallVector<Operation *>> left;
  root->walk([&](Operation *op) {
    auto isTensor = [](Type type) { return isa<TensorType>(type); };
    const bool usesTensors =
        llvm::any_of(op->getOperandTypes(), isTensor) || llvm::any_of(op->getResultTypes(), isTensor);
    // checkImport reports the others.
    if (findFrontEnd(op) ? !isLayerOfTensorFlow(op) : !op->isRegistered() && usesTensors)
      left[getTorchName(op)].push_back(op);
  });
  if (left.empty())
    return success();
  auto isAuxiliaryEntry = [](const auto &entry) { return isAuxiliary(entry.first); };
  if (!llvm::all_of(left, isAuxiliaryEntry))
    left.remove_if(isAuxiliaryEntry);
  auto first = left.front().second.front();
  InFlightDiagnostic diag = emitError(first->getLoc(), "ops are left after stage import that no pass converts: ");
  llvm::interleaveComma(left, diag, [&](auto &entry) {
    diag << "'" << entry.first << "'";
    if (entry.second.size() > 1)
      diag << " (" << entry.second.size() << " times)";
  });
  diag << "; convert them to linalg, tensor or arith ops before, or remove them";
  llvm::SmallSetVector<StringRef, 4> advice;
  for (auto &[name, ops] : left) {
    if (ops.front() != first)
      diag.attachNote(ops.front()->getLoc()) << "the first '" << name << "' is here";
    if (const FrontEnd *frontEnd = findFrontEnd(ops.front()))
      advice.insert(frontEnd->advice);
  }
  for (StringRef text : advice)
    diag.attachNote(root->getLoc()) << text;
  return failure();
}

static LogicalResult checkSimplify(Operation *op) {
  auto inputMode = isa<LayerOpInterface>(op) ? op->getAttrOfType<InputModeAttr>("input_mode") : InputModeAttr();
  if (inputMode && inputMode.getValue() == InputMode::AutoSelect)
    return op->emitOpError("still has `auto_select` after stage simplify; run canonicalize, or write linear_input or "
                           "skip_input");
  return checkImport(op);
}

/// C7: the layout of `params` is dense unless cuDNN runs the layer.
static LogicalResult checkParams(LayerOpInterface layer, TargetAttr target) {
  const bool isDense = layer.getLowering() == Lowering::Fused || (target && target.getKind() != TargetKind::Cuda);
  std::optional<ParamsCount> count = isDense ? getParamsCount(layer) : std::nullopt;
  if (!count || count->actual <= count->dense)
    return success(); // the verifier reports fewer
  return layer.emitOpError("expects `params` to have ")
         << count->dense << " elements (all matrices and biases), but got " << count->actual
         << "; only a layer that cuDNN runs may need more [C7]";
}

static LogicalResult checkSelect(Operation *op) {
  auto layer = dyn_cast<LayerOpInterface>(op);
  if (layer && !layer.getLowering())
    return op->emitOpError("has no `lowering` after stage select; run rnn-select-lowering");
  TargetAttr target = TargetAttr::lookup(op);
  const bool isLayer = isa<BlockLSTMOp, BlockLSTMGradOp, CudnnForwardOp, CudnnBackpropOp>(op);
  if (layer && failed(checkParams(layer, target)))
    return failure();
  if (isLayer && layer.getLowering() == Lowering::Fused && target && !target.getInfo().isHost()) {
    LoweringAttr lowering = layer.getLoweringAttr();
    if (!lowering.getKernel())
      return op->emitOpError("is fused but has no `kernel` after stage select; run rnn-select-lowering");
    if (lowering.getKernel() == FusedKernel::Persistent && !lowering.getCluster())
      return op->emitOpError("has a persistent kernel but no `cluster` after stage select; run rnn-select-lowering");
  }
  return checkSimplify(op);
}

static LogicalResult checkBufferize(Operation *op) {
  TargetAttr target = isa<LayerOpInterface>(op) ? TargetAttr::lookup(op) : TargetAttr();
  if (target && target.getKind() == TargetKind::Host)
    for (Type type : op->getOperandTypes())
      if (auto memref = dyn_cast<MemRefType>(type); memref && memref.getMemorySpace())
        return op->emitOpError("has an operand of type ")
               << type << ", but target `host` has the default memory space only; remove the memory space "
               << memref.getMemorySpace();
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (llvm::any_of(op->getOperandTypes(), isTensor) || llvm::any_of(op->getResultTypes(), isTensor))
    return op->emitOpError("has a tensor operand or result after stage bufferize; does an op in the function lack a "
                           "bufferization model?");
  return success();
}

static LogicalResult checkLower(Operation *op) {
  if (isa_and_nonnull<RNNDialect>(op->getDialect()))
    return op->emitOpError("is left after stage lower; no lowering handles it");
  return checkBufferize(op);
}

static LogicalResult checkEmit(Operation *op) {
  // Kernels that are binaries already, and their launches, become calls in the translation to LLVM IR.
  if (isa<ModuleOp, gpu::BinaryOp, gpu::LaunchFuncOp>(op) || isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
    return success();
  return op->emitOpError("is left after stage emit, whose result must be in the LLVM dialect; convert dialect '")
         << op->getName().getDialectNamespace() << "' to LLVM";
}

namespace {
struct VerifyContract : public rnn::impl::RNNVerifyContractPassBase<VerifyContract> {
  using RNNVerifyContractPassBase::RNNVerifyContractPassBase;

  void runOnOperation() override {
    using Check = LogicalResult (*)(Operation *);
    static constexpr Check checks[] = {checkImport, checkSimplify, checkSelect, checkBufferize,
                                       checkLower,  checkEmit,     checkEmit};
    Check check = checks[static_cast<size_t>(stage.getValue())];
    // Report every op that violates the contract, not merely the first.
    bool broken = false;
    getOperation()->walk([&](Operation *op) { broken |= failed(check(op)); });
    if (stage.getValue() == Stage::Import)
      broken |= failed(checkFrameworkOps(getOperation()));
    if (broken)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
