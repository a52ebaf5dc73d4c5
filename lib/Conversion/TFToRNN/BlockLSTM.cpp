//===- BlockLSTM.cpp - tf.BlockLSTM and tf.BlockLSTMGrad, V1 and V2 ----------===//
//
// V1 has the gate layout `icfo`, V2 has `ifco`. V2 has no forget bias, and does not clip by default.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TFOp.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::tf;

/// The names of a signature's entries that TensorFlow has: all but the resets.
static SmallVector<StringRef> getNames(ArrayRef<NamedValue> values) {
  SmallVector<StringRef> names;
  for (const NamedValue &value : values)
    if (value.kind != ValueKind::Resets)
      names.push_back(value.name);
  return names;
}

static NamedAttribute getLayout(Builder &builder, int version) {
  GateLayout layout = version == 1 ? GateLayout::Icfo : GateLayout::Ifco;
  return builder.getNamedAttr("layout", GateLayoutAttr::get(builder.getContext(), layout));
}

/// Checks the counts of operands and results against those of our op. TensorFlow has the same operands, but
/// `seq_len_max` first.
template <typename OpTy> static void checkCounts(TFOp &tf) {
  SmallVector<StringRef> operands = getNames(OpTy::getSignature().operands);
  auto *length = llvm::find(operands, "seq_len_max");
  std::rotate(operands.begin(), length, length + 1);
  tf.checkCounts(operands, getNames(OpTy::getSignature().results));
}

/// Reads the operands and replaces the TensorFlow op by ours.
template <typename OpTy> static void convert(TFOp &tf, ArrayRef<NamedAttribute> attributes) {
  SmallVector<Value> operands;
  unsigned next = 1;
  for (const NamedValue &spec : OpTy::getSignature().operands) {
    if (spec.kind == ValueKind::Resets)
      operands.push_back(Value());
    else
      operands.push_back(spec.kind == ValueKind::I64 ? tf.scalar(0, spec.name, 64)
                                                     : tf.tensor(next++, spec.name, spec.rank, spec.shape));
  }
  if (tf.hasFailed())
    return;
  auto op = tf.create<OpTy>(operands, attributes);
  if (!op)
    return;
  SmallVector<Replacement> results;
  for (auto [spec, value] : llvm::zip_equal(OpTy::getSignature().results, op->getResults()))
    results.push_back({spec.name, value});
  tf.replace(results);
}

void tf::convertBlockLSTM(TFOp &tf, int version) {
  Builder &builder = tf.getRewriter();
  checkCounts<BlockLSTMOp>(tf);
  SmallVector<StringRef> known = {"cell_clip", "use_peephole"};
  if (version == 1)
    known.push_back("forget_bias");
  tf.checkAttributes(known);
  SmallVector<NamedAttribute> attributes = {
      getLayout(builder, version),
      builder.getNamedAttr("forget_bias", builder.getF64FloatAttr(version == 1 ? tf.number("forget_bias", 1.0) : 0.0)),
      builder.getNamedAttr("cell_clip", builder.getF64FloatAttr(tf.number("cell_clip", version == 1 ? 3.0 : 0.0)))};
  if (tf.flag("use_peephole", false))
    attributes.push_back(builder.getNamedAttr("use_peephole", builder.getUnitAttr()));
  convert<BlockLSTMOp>(tf, attributes);
}

/// Warns if the saved values of a V1 gradient come from a V2 forward op: TensorFlow's automatic gradient of BlockLSTMV2
/// builds that.
static void warnAboutLayout(TFOp &tf) {
  Operation *op = tf.getOperation();
  // i, cs, f, o, ci, co and h.
  constexpr unsigned first = 9, end = 16;
  for (Value value : op->getOperands().slice(first, end - first)) {
    Operation *source = value.getDefiningOp();
    while (source && source->getNumOperands() == 1 &&
           (source->getName().getStringRef() == "tensor.cast" || source->getName().getStringRef() == "tf.Identity"))
      source = source->getOperand(0).getDefiningOp();
    auto layer = dyn_cast_or_null<BlockLSTMOp>(source);
    if (!(layer && layer.getLayout() == GateLayout::Ifco) &&
        !(source && source->getName().getStringRef() == "tf.BlockLSTMV2"))
      continue;
    InFlightDiagnostic diag =
        op->emitWarning("'tf.BlockLSTMGrad' reads gates in the order icfo, but its saved values come from "
                        "tf.BlockLSTMV2, whose weights have the order ifco, as in TensorFlow's automatic gradient; "
                        "the gradient is wrong unless the gates are equal; use tf.BlockLSTMGradV2");
    diag.attachNote(source->getLoc()) << "the forward op is here";
    return;
  }
}

void tf::convertBlockLSTMGrad(TFOp &tf, int version) {
  Builder &builder = tf.getRewriter();
  checkCounts<BlockLSTMGradOp>(tf);
  tf.checkAttributes({"use_peephole"});
  if (version == 1 && !tf.hasFailed())
    warnAboutLayout(tf);
  SmallVector<NamedAttribute> attributes = {getLayout(builder, version)};
  // The gradient ops have no default for this attribute, unlike the forward ops.
  if (tf.flag("use_peephole", std::nullopt))
    attributes.push_back(builder.getNamedAttr("use_peephole", builder.getUnitAttr()));
  convert<BlockLSTMGradOp>(tf, attributes);
}
