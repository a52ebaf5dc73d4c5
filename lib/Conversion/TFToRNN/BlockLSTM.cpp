//===- BlockLSTM.cpp - tf.BlockLSTM and tf.BlockLSTMGrad, V1 and V2 ----------===//
//
// V1 orders the gates icfo and V2 ifco; V2 has no forget bias and does not clip by default.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TFOp.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::tf;

static constexpr StringRef forwardOperands[] = {"seq_len_max", "x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"};
static constexpr StringRef forwardResults[] = {"i", "cs", "f", "o", "ci", "co", "h"};
static constexpr StringRef gradOperands[] = {"seq_len_max", "x",   "cs_prev", "h_prev", "w",       "wci",
                                             "wcf",         "wco", "b",       "i",      "cs",      "f",
                                             "o",           "ci",  "co",      "h",      "cs_grad", "h_grad"};
static constexpr StringRef gradResults[] = {"x_grad",   "cs_prev_grad", "h_prev_grad", "w_grad",
                                            "wci_grad", "wcf_grad",     "wco_grad",    "b_grad"};

static NamedAttribute getLayout(Builder &builder, int version) {
  GateLayout layout = version == 1 ? GateLayout::Icfo : GateLayout::Ifco;
  return builder.getNamedAttr("layout", GateLayoutAttr::get(builder.getContext(), layout));
}

/// The operands that forward and gradient share, in the order of our ops.
static SmallVector<Value> readOperands(TFOp &tf) {
  SmallVector<Value> operands = {
      tf.tensor(1, "x", 3, "[T, B, I]"),    tf.tensor(2, "cs_prev", 2, "[B, H]"), tf.tensor(3, "h_prev", 2, "[B, H]"),
      tf.tensor(4, "w", 2, "[I + H, 4*H]"), tf.tensor(5, "wci", 1, "[H]"),        tf.tensor(6, "wcf", 1, "[H]"),
      tf.tensor(7, "wco", 1, "[H]"),        tf.tensor(8, "b", 1, "[4*H]"),        tf.scalar(0, "seq_len_max", 64)};
  return operands;
}

void tf::convertBlockLSTM(TFOp &tf, int version) {
  Builder &builder = tf.getRewriter();
  tf.checkCounts(forwardOperands, forwardResults);
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
  SmallVector<Value> operands = readOperands(tf);
  if (tf.hasFailed())
    return;
  auto op = tf.create<BlockLSTMOp>(operands, attributes);
  if (!op)
    return;
  SmallVector<Replacement> results;
  for (auto [name, value] : llvm::zip_equal(forwardResults, op->getResults()))
    results.push_back({name, value});
  tf.replace(results);
}

void tf::convertBlockLSTMGrad(TFOp &tf, int version) {
  Builder &builder = tf.getRewriter();
  tf.checkCounts(gradOperands, gradResults);
  tf.checkAttributes({"use_peephole"});
  SmallVector<NamedAttribute> attributes = {getLayout(builder, version)};
  // TensorFlow gives this attribute no default here, unlike in the forward ops.
  if (tf.flag("use_peephole", std::nullopt))
    attributes.push_back(builder.getNamedAttr("use_peephole", builder.getUnitAttr()));
  SmallVector<Value> operands = readOperands(tf);
  for (unsigned index = std::size(forwardOperands); index < std::size(gradOperands); ++index)
    operands.push_back(tf.tensor(index, gradOperands[index], 3, "[T, B, H]"));
  if (tf.hasFailed())
    return;
  auto op = tf.create<BlockLSTMGradOp>(operands, attributes);
  if (!op)
    return;
  SmallVector<Replacement> results;
  for (auto [name, value] : llvm::zip_equal(gradResults, op->getResults()))
    results.push_back({name, value});
  tf.replace(results);
}
