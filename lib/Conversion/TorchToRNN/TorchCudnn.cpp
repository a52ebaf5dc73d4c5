//===- TorchCudnn.cpp - PyTorch's calls of cuDNN and their gradients ----------===//
//
// PyTorch's dispatcher replaces aten::lstm and its siblings by `_cudnn_rnn` on CUDA, so traces of training steps have
// it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/ReserveSpace.h"
#include "TorchStack.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "rnn/Conversion/TorchToRNN/TorchToRNN.h"
#include "rnn/Dialect/RNN/Transforms/TensorBuilder.h"

using namespace mlir;
using namespace mlir::rnn;

bool rnn::isCudnnRNN(Operation *op) {
  StringRef name = getTorchName(op);
  return name == cudnnForward || name == cudnnBackward;
}

//===----------------------------------------------------------------------===//
// Reserve spaces
//===----------------------------------------------------------------------===//

static constexpr unsigned reserveResult = 3, reserveOperand = 20, weightBufferOperand = 3;

/// PyTorch declares u8 tensors with a size that only cuDNN has: the shape functions of its tracer return 0.
LogicalResult rnn::retypeTorchReserveSpaces(ModuleOp module) {
  auto getResult = [](Operation *op) {
    bool isForward = getTorchName(op) == cudnnForward && op->getNumResults() > reserveResult;
    return isForward ? std::optional<unsigned>(reserveResult) : std::nullopt;
  };
  auto getOperand = [](Operation *op) {
    bool isBackward = getTorchName(op) == cudnnBackward && op->getNumOperands() > reserveOperand;
    return isBackward ? std::optional<unsigned>(reserveOperand) : std::nullopt;
  };
  auto isTraining = [](Operation *op) { return !op->getResult(reserveResult).use_empty(); };
  return retypeReserveSpaces(module, {getResult, getOperand, isTraining, "torch.aten.detach", "convert-torch-to-rnn"});
}

//===----------------------------------------------------------------------===//
// One call
//===----------------------------------------------------------------------===//

namespace {
class CudnnRNN : public TorchStack {
public:
  using TorchStack::TorchStack;

  void convertForward();
  void convertBackward();

private:
  /// Operands from `mode` to `dropout_state`, of which the first is operand `index`.
  void readConfiguration(unsigned index);
  void readWeights();
  /// A state; zeros of `like`'s sizes if PyTorch passes none.
  Value state(unsigned index, StringRef name, Value like);
  Value zerosLike(Value like);
  /// Reports uses of the list of the parameters' gradients other than unpacking.
  void checkGradients();
  void replaceGradients(Value params);

  double dropout = 0;
  bool isTraining = false;
};
} // namespace

void CudnnRNN::readConfiguration(unsigned index) {
  static constexpr CellMode modes[] = {CellMode::RnnRelu, CellMode::RnnTanh, CellMode::Lstm, CellMode::Gru};
  int64_t mode = integerOperand(index, "mode");
  if (!hasFailed() && (mode < 0 || mode > 3))
    return fail("expects `mode` to be 0 (ReLU), 1 (tanh), 2 (LSTM) or 3 (GRU), but got " + Twine(mode));
  if (hasFailed())
    return;
  sizes.mode = modes[mode];
  sizes.layers = integerOperand(index + 3, "num_layers");
  isBatchMajor = boolean(index + 4, "batch_first");
  dropout = numberOperand(index + 5, "dropout");
  isTraining = boolean(index + 6, "train");
  sizes.directions = boolean(index + 7, "bidirectional") ? 2 : 1;
  Operation *batchSizes = operand(index + 8) ? operand(index + 8).getDefiningOp() : nullptr;
  if (!batchSizes || batchSizes->getName().getStringRef() != "torch.prim.ListConstruct" ||
      batchSizes->getNumOperands() != 0)
    fail("expects `batch_sizes` to be an empty list: packed sequences are imported from aten::lstm.data and its "
         "siblings "
         "only");
  if (sizes.layers == 1 || !isTraining)
    dropout = 0;
}

void CudnnRNN::readWeights() {
  int64_t perCell = integerOperand(2, "weight_stride0");
  if (!hasFailed() && (perCell < 2 || perCell > 5))
    fail("expects `weight_stride0`, the number of tensors per layer, to be 2 to 5, but got " + Twine(perCell));
  readParams(1, "weight", perCell >= 4);
}

Value CudnnRNN::zerosLike(Value like) {
  PatternRewriter &b = getRewriter();
  auto type = cast<RankedTensorType>(like.getType());
  if (type.hasStaticShape())
    return arith::ConstantOp::create(b, getLoc(), cast<TypedAttr>(b.getZeroAttr(type)));
  TensorBuilder t(b, getLoc(), type.getElementType());
  return t.zeros(tensor::getMixedSizes(b, getLoc(), like), type.getElementType());
}

Value CudnnRNN::state(unsigned index, StringRef name, Value like) {
  if (operand(index))
    return tensor(index, name, 3, "[L*D, B, .]");
  return hasFailed() || !like ? Value() : zerosLike(like);
}

void CudnnRNN::convertForward() {
  checkCounts({"input", "weight", "weight_stride0", "weight_buf", "hx", "cx", "mode", "hidden_size", "proj_size",
               "num_layers", "batch_first", "dropout", "train", "bidirectional", "batch_sizes", "dropout_state"},
              {"output", "hy", "cy", "reserve", "weight_buf"});
  readConfiguration(6);
  Value input = sequence(0, "input", "I");
  readWeights();
  Value hx = tensor(4, "hx", 3, "[L*D, B, P]"), cx = hasCell() ? tensor(5, "cx", 3, "[L*D, B, H]") : Value();
  Value packed = hasFailed() ? Value() : packParams();
  if (!packed)
    return;
  Value reserve = getOperation()->getResult(reserveResult);
  // Gradients have the list of weights too.
  for (OpOperand &use : llvm::make_early_inc_range(getOperation()->getResult(4).getUses())) {
    if (getTorchName(use.getOwner()) != cudnnBackward || use.getOperandNumber() != weightBufferOperand)
      return fail("expects its result `weight_buf`, which has cuDNN's layout of the parameters, to be used by "
                  "_cudnn_rnn_backward only, but '" +
                  use.getOwner()->getName().getStringRef() + "' uses it");
    use.set(getOperation()->getOperand(0));
  }
  bool savesValues = !reserve.use_empty();
  SmallVector<NamedAttribute> attributes = layerAttributes(dropout);
  Builder &b = getRewriter();
  attributes.push_back(b.getNamedAttr("is_training", b.getBoolAttr(savesValues || dropout != 0)));
  auto op = create<CudnnForwardOp>({input, hx, cx, packed, Value()}, attributes);
  if (!op)
    return;
  replace({{"output", op.getOutput()},
           {"hy", op.getOutputH()},
           {"cy", hasCell() ? op.getOutputC() : Value()},
           {"reserve", savesValues ? op.getReserveSpace() : Value()},
           {"weight_buf", Value()}});
}

void CudnnRNN::checkGradients() {
  SmallVector<Type> types;
  for (const CellParams &cell : cells)
    for (Value param : {cell.inputWeights, cell.recurrentWeights, cell.inputBias, cell.recurrentBias, cell.projection})
      if (param)
        types.push_back(param.getType());
  size_t count = types.size();
  for (Operation *user : getOperation()->getResult(3).getUsers()) {
    if (user->getName().getStringRef() != "torch.prim.ListUnpack" || user->getNumResults() != count)
      return fail(
          "expects its result 3, the list of the gradients of `weight`, to be used by torch.prim.ListUnpack with " +
          Twine(count) + " results only, but '" + user->getName().getStringRef() + "' uses it");
    for (auto [index, type, result] : llvm::enumerate(types, user->getResultTypes()))
      if (RankedTensorType builtin = getBuiltinTensorType(result); type != (builtin ? Type(builtin) : result))
        return fail("expects result " + Twine(index) +
                    " of the torch.prim.ListUnpack of the gradients to have the type " + toString(type) +
                    " of `weight[" + Twine(index) + "]`, but got " + toString(result));
  }
}

void CudnnRNN::replaceGradients(Value params) {
  Value list = getOperation()->getResult(3);
  if (list.use_empty())
    return;
  SmallVector<Value> gradients;
  for (const CellParams &cell : unpackStackParams(*this, sizes, cells, gateBlocks(), params))
    for (Value gradient :
         {cell.inputWeights, cell.recurrentWeights, cell.inputBias, cell.recurrentBias, cell.projection})
      if (gradient)
        gradients.push_back(gradient);
  if (hasFailed())
    return;
  for (OpOperand &use : llvm::make_early_inc_range(list.getUses())) {
    for (auto [result, gradient] : llvm::zip_equal(use.getOwner()->getResults(), gradients)) {
      Type type = result.getType();
      getRewriter().replaceAllUsesWith(
          result, getBuiltinTensorType(type) ? fromBuiltinTensor(getRewriter(), getLoc(), gradient, type) : gradient);
    }
    // The driver must find the next op, so the unpacking is erased with the other unused ops.
    use.set(getOperation()->getOperand(1));
  }
}

void CudnnRNN::convertBackward() {
  checkCounts({"input",       "weight",        "weight_stride0", "weight_buf", "hx",    "cx",
               "output",      "grad_output",   "grad_hy",        "grad_cy",    "mode",  "hidden_size",
               "proj_size",   "num_layers",    "batch_first",    "dropout",    "train", "bidirectional",
               "batch_sizes", "dropout_state", "reserve",        "output_mask"},
              {"grad_input", "grad_hx", "grad_cx", "grad_weight"});
  readConfiguration(10);
  Value input = sequence(0, "input", "I");
  readWeights();
  Value hx = tensor(4, "hx", 3, "[L*D, B, P]"), cx = hasCell() ? tensor(5, "cx", 3, "[L*D, B, H]") : Value();
  Value output = sequence(6, "output", "D*P");
  if (hasFailed())
    return;
  Value dy = operand(7) ? sequence(7, "grad_output", "D*P") : zerosLike(output);
  Value dhy = state(8, "grad_hy", hx), dcy = hasCell() ? state(9, "grad_cy", cx) : Value();
  Value reserve = integers(reserveOperand, "reserve", 8, 1, "bytes (tensor<?xi8>)", "bytes");
  if (!hasFailed())
    checkGradients();
  Value packed = hasFailed() ? Value() : packParams();
  if (!packed)
    return;
  // PyTorch does not pass the final states. No lowering reads their values, only their sizes, which are those of the
  // initial states.
  auto op = create<CudnnBackpropOp>({input, hx, cx, packed, Value(), output, hx, cx, dy, dhy, dcy, reserve},
                                    layerAttributes(dropout));
  if (!op)
    return;
  replaceGradients(op.getParamsBackprop());
  if (!hasFailed())
    replace({{"grad_input", op.getInputBackprop()},
             {"grad_hx", op.getInputHBackprop()},
             {"grad_cx", hasCell() ? op.getInputCBackprop() : Value()},
             {"grad_weight", Value()}});
}

LogicalResult rnn::convertCudnnRNN(Operation *op, PatternRewriter &rewriter) {
  CudnnRNN call(op, rewriter);
  if (getTorchName(op) == cudnnForward)
    call.convertForward();
  else
    call.convertBackward();
  return failure(call.hasFailed());
}
