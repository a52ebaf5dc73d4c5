//===- RNNToHost.cpp - rnn ops to compiled loops of the host ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Conversion/RNNToHost/RNNToHost.h"
#include "../Common/LayerLowering.h"
#include "Layers.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "rnn/Conversion/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_CONVERTRNNTOHOSTPASS
#include "rnn/Conversion/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

namespace {

/// Gives an op dense buffers for its strided ones until the end of its scope.
template <typename OpTy>
void useDenseBuffers(OpTy op, DenseBuffers &dense) {
  SmallPtrSet<Value, 8> outs;
  for (const auto &rule : getShapeRules(op).getResultRules())
    for (Value out : op.getOperandsOf(op.getSignature().outIndex(rule.resultIndex)))
      outs.insert(out);
  DenseMap<Value, Value> replacements;
  for (OpOperand &operand : op->getOpOperands()) {
    Value buffer = operand.get();
    if (!isa<MemRefType>(buffer.getType()))
      continue;
    auto [place, isNew] = replacements.try_emplace(buffer);
    if (isNew)
      place->second = outs.contains(buffer) ? dense.write(buffer) : dense.read(buffer);
    operand.set(place->second);
  }
}

/// Loops in place of the op. Nothing runs where a run-time check fails: the loops would leave the buffers.
template <typename OpTy>
void convert(OpTy op, const HostVectors &vectors, Library &library,
             void (*emit)(HostBuilder &, OpTy, const Problem &, Library &)) {
  Location loc = op.getLoc();
  Type element = cast<MemRefType>(op.getX().getType()).getElementType();
  HostBuilder b(loc, op, Tiles(element, vectors));
  Value call = rnnrt::CurrentCallOp::create(b, rnnrt::CallType::get(op.getContext()));
  Letters letters(b, op);
  Value isRight;
  auto require = [&](Value condition) {
    isRight = isRight ? b.createOrFold<arith::AndIOp>(isRight, condition) : condition;
  };
  letters.check(op, call);
  for (auto [actual, expected] : letters.getComparisons())
    require(b.compare(arith::CmpIPredicate::eq, actual, expected));
  Problem p;
  p.T = letters["T"], p.B = letters["B"], p.I = letters["I"], p.H = letters["H"];
  p.steps = p.T;
  if (Value length = op.getSeqLenMax()) {
    p.steps = b.createOrFold<arith::IndexCastOp>(b.getIndexType(), length);
    Value zero = b.index(0);
    rnnrt::ExpectRangeOp::create(b, call, p.steps, zero, p.T,
                                 b.getStringAttr("'" + op->getName().getStringRef() +
                                                 "' op expects `seq_len_max` to be in [0, T] [B7]"));
    require(b.compare(arith::CmpIPredicate::sge, p.steps, zero));
    require(b.compare(arith::CmpIPredicate::sle, p.steps, p.T));
  }
  p.P = p.H;
  p.finish(b);
  auto body = [&] {
    DenseBuffers dense(b, loc);
    useDenseBuffers(op, dense);
    emit(b, op, p, library);
    dense.finish();
  };
  if (isRight)
    b.branch(isRight, body);
  else
    body();
  op.erase();
}

struct ConvertRNNToHost : public rnn::impl::ConvertRNNToHostPassBase<ConvertRNNToHost> {
  using ConvertRNNToHostPassBase::ConvertRNNToHostPassBase;

  void runOnOperation() override {
    auto isPowerOf2 = [](unsigned bits) { return bits >= 64 && bits <= 2048 && llvm::isPowerOf2_32(bits); };
    if (!isPowerOf2(vectorBits)) {
      emitError(UnknownLoc::get(&getContext()), "expects `vector-bits` to be a power of 2 in [64, 2048], but got ")
          << vectorBits;
      return signalPassFailure();
    }
    HostVectors vectors;
    vectors.bits = vectorBits;
    vectors.registers = vectorRegisters;
    convertRNNToHost(getOperation(), vectors);
  }
};

} // namespace

void rnn::convertRNNToHost(ModuleOp module, const HostVectors &vectors) {
  SmallVector<Operation *> ops;
  module.walk([&](LayerOpInterface op) {
    bool isMemref = llvm::none_of(op->getOperandTypes(), llvm::IsaPred<TensorType>);
    if (isa<BlockLSTMOp, BlockLSTMGradOp>(op) && isMemref && op.getLowering() == Lowering::Fused)
      ops.push_back(op);
  });
  Library library(module);
  for (Operation *op : ops) {
    if (auto grad = dyn_cast<BlockLSTMGradOp>(op))
      convert(grad, vectors, library, emitBlockBackward);
    else
      convert(cast<BlockLSTMOp>(op), vectors, library, emitBlockForward);
  }
}
