//===- CudnnLayers.cpp - tf.CudnnRNN and tf.CudnnRNNBackprop, V1 to V3 -------===//
//
// V2 adds `host_reserved`, TensorFlow's choice of an algorithm, which is ignored. V3 adds sequence lengths, projection
// and the batch-major layout.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TFOp.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::tf;

namespace {
/// The attributes that forward and gradient share, and the operands. With `time_major = false`, TensorFlow also
/// exchanges the first two dimensions of the states; the rnn ops do not.
struct Layer {
  TFOp &tf;
  int version;
  CellMode mode = CellMode::Lstm;
  bool isTimeMajor = true;
  SmallVector<NamedAttribute> attributes;
  /// Transposed operands by value: several operands often are the same value.
  llvm::DenseMap<Value, Value> transposed;

  explicit Layer(TFOp &tf, int version) : tf(tf), version(version) {}

  bool hasCell() const { return mode == CellMode::Lstm; }

  /// Reads the attributes. `extra` are those of one of the two ops only.
  void readAttributes(ArrayRef<StringRef> extra) {
    SmallVector<StringRef> known = {"rnn_mode", "input_mode", "direction", "dropout", "seed", "seed2"};
    if (version == 3)
      known.append({"num_proj", "time_major"});
    llvm::append_range(known, extra);
    tf.checkAttributes(known);
    mode = tf.word("rnn_mode", CellMode::Lstm);
    Builder &builder = tf.getRewriter();
    MLIRContext *context = builder.getContext();
    add("mode", CellModeAttr::get(context, mode));
    add("input_mode", InputModeAttr::get(context, tf.word("input_mode", InputMode::LinearInput)));
    add("direction", DirectionAttr::get(context, tf.word("direction", Direction::Unidirectional)));
    add("dropout", builder.getF64FloatAttr(tf.number("dropout", 0.0)));
    add("seed", builder.getI64IntegerAttr(tf.integer("seed", 0)));
    add("seed2", builder.getI64IntegerAttr(tf.integer("seed2", 0)));
    if (version != 3)
      return;
    isTimeMajor = tf.flag("time_major", true);
    if (!isTimeMajor)
      add("batch_major", builder.getUnitAttr());
    add("num_proj", builder.getI64IntegerAttr(readProjection()));
  }

  void add(StringRef name, Attribute value) { attributes.push_back(tf.getRewriter().getNamedAttr(name, value)); }

  /// Reads `[T, B, .]` or `[B, T, .]`.
  Value sequence(unsigned index, StringRef name, StringRef last) {
    return tf.tensor(index, name, 3, ((isTimeMajor ? "[T, B, " : "[B, T, ") + last + "]").str());
  }
  /// Reads `[L*D, B, .]` or `[B, L*D, .]` as `[L*D, B, .]`.
  Value state(unsigned index, StringRef name, StringRef last) {
    return layerMajor(tf.tensor(index, name, 3, ((isTimeMajor ? "[L*D, B, " : "[B, L*D, ") + last + "]").str()));
  }
  /// Reads a cell state, or returns null for a mode without cell state.
  Value cell(unsigned index, StringRef name) { return hasCell() ? state(index, name, "H") : Value(); }

  Value layerMajor(Value value) {
    if (isTimeMajor || !value || tf.hasFailed())
      return value;
    Value &result = transposed[value];
    return result ? result : result = tf.transpose(value);
  }
  /// Converts a state to TensorFlow's layout.
  Value toDeclared(Value value) { return isTimeMajor || tf.hasFailed() ? value : tf.transpose(value); }

  StringRef note() const {
    return isTimeMajor ? ""
                       : "sizes of states are those of [L*D, B, .]: time_major = false swaps the first two dimensions";
  }

private:
  int64_t readProjection() {
    int64_t projection = tf.integer("num_proj", 0);
    // cuDNN has no projection matrix if num_proj equals the number of units.
    auto cellType = hasCell() && tf.getOperation()->getNumOperands() > 2
                        ? dyn_cast<RankedTensorType>(tf.getOperation()->getOperand(2).getType())
                        : RankedTensorType();
    bool isIdentity = cellType && cellType.getRank() == 3 && cellType.getDimSize(2) == projection;
    return isIdentity ? 0 : projection;
  }
};
} // namespace

void tf::convertCudnnForward(TFOp &tf, int version) {
  SmallVector<StringRef> operandNames = {"input", "input_h", "input_c", "params"};
  SmallVector<StringRef> resultNames = {"output", "output_h", "output_c", "reserve_space"};
  if (version == 3)
    operandNames.push_back("sequence_lengths");
  if (version >= 2)
    resultNames.push_back("host_reserved");
  tf.checkCounts(operandNames, resultNames);
  Layer layer(tf, version);
  layer.readAttributes({"is_training"});
  bool isTraining = tf.flag("is_training", true);
  layer.add("is_training", tf.getRewriter().getBoolAttr(isTraining));
  SmallVector<Value> operands = {layer.sequence(0, "input", "I"), layer.state(1, "input_h", "P"),
                                 layer.cell(2, "input_c"), tf.tensor(3, "params", 1, "all parameters"),
                                 version == 3 ? tf.lengths(4, "sequence_lengths") : Value()};
  if (tf.hasFailed())
    return;

  auto op = tf.create<CudnnForwardOp>(operands, layer.attributes, layer.note());
  if (!op)
    return;
  SmallVector<Replacement> results = {{"output", op.getOutput()},
                                      {"output_h", layer.toDeclared(op.getOutputH())},
                                      {"output_c", layer.hasCell() ? layer.toDeclared(op.getOutputC()) : Value()}};
  // If the reserve space has uses, retypeReserveSpaces has changed its type from floats to bytes.
  Value reserve = tf.getOperation()->getResult(3);
  auto reserveType = dyn_cast<TensorType>(reserve.getType());
  bool isBytes = reserveType && reserveType.getElementType().isSignlessInteger(8);
  if (isTraining && !isBytes && !reserve.use_empty())
    return tf.fail("expects its result `reserve_space` to be bytes (tensor<?xi8>), but it is " +
                   toString(reserve.getType()));
  results.push_back({"reserve_space", isBytes ? op.getReserveSpace() : Value()});
  static constexpr int64_t trainingHostReserved[] = {2};
  if (version >= 2)
    results.push_back({"host_reserved", Value(),
                       version == 2 && isTraining ? ArrayRef<int64_t>(trainingHostReserved) : ArrayRef<int64_t>()});
  tf.replace(results);
}

void tf::convertCudnnBackprop(TFOp &tf, int version) {
  SmallVector<StringRef> operandNames = {"input", "input_h", "input_c", "params"};
  if (version == 3)
    operandNames.push_back("sequence_lengths");
  operandNames.append(
      {"output", "output_h", "output_c", "output_backprop", "output_h_backprop", "output_c_backprop", "reserve_space"});
  if (version >= 2)
    operandNames.push_back("host_reserved");
  tf.checkCounts(operandNames, {"input_backprop", "input_h_backprop", "input_c_backprop", "params_backprop"});
  Layer layer(tf, version);
  layer.readAttributes({});
  unsigned next = version == 3 ? 5 : 4;
  SmallVector<Value> operands = {layer.sequence(0, "input", "I"),
                                 layer.state(1, "input_h", "P"),
                                 layer.cell(2, "input_c"),
                                 tf.tensor(3, "params", 1, "all parameters"),
                                 version == 3 ? tf.lengths(4, "sequence_lengths") : Value(),
                                 layer.sequence(next, "output", "D*P"),
                                 layer.state(next + 1, "output_h", "P"),
                                 layer.cell(next + 2, "output_c"),
                                 layer.sequence(next + 3, "output_backprop", "D*P"),
                                 layer.state(next + 4, "output_h_backprop", "P"),
                                 layer.cell(next + 5, "output_c_backprop"),
                                 tf.reserve(next + 6, "reserve_space")};
  if (tf.hasFailed())
    return;

  auto op = tf.create<CudnnBackpropOp>(operands, layer.attributes, layer.note());
  if (!op)
    return;
  tf.replace({{"input_backprop", op.getInputBackprop()},
              {"input_h_backprop", layer.toDeclared(op.getInputHBackprop())},
              {"input_c_backprop", layer.hasCell() ? layer.toDeclared(op.getInputCBackprop()) : Value()},
              {"params_backprop", op.getParamsBackprop()}});
}
