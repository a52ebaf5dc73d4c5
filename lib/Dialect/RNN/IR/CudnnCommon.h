//===- CudnnCommon.h - checks shared by the cudnn ops -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_DIALECT_RNN_IR_CUDNNCOMMON_H
#define RNN_LIB_DIALECT_RNN_IR_CUDNNCOMMON_H

#include "Internal.h"
#include "mlir/IR/Matchers.h"

namespace mlir::rnn::detail {

inline int64_t getNumDirections(Direction direction) {
  return direction == Direction::Bidirectional ? 2 : 1;
}

/// The `num_proj` of a layer op whose P is the last dimension of `input_h` (docs/Semantics.md, "lstm").
constexpr int64_t projectionOfState = -1;

/// C6, S3. `units` is H if it is static. `allowsAny`: the op may have projectionOfState.
LogicalResult verifyProjection(Operation *op, CellMode mode, int64_t numProj, StringRef label,
                               std::optional<int64_t> units = std::nullopt, bool allowsAny = false);
/// C9
LogicalResult verifyDropout(Operation *op, const llvm::APFloat &dropout, StringRef label);

/// C10: TensorFlow stores each seed in a 64-bit attribute and uses 32 bits.
template <typename OpTy> LogicalResult verifySeeds(OpTy op, StringRef label) {
  for (auto [name, seed] : {std::pair<StringRef, int64_t>("seed", op.getSeed()), {"seed2", op.getSeed2()}})
    if (!llvm::isInt<32>(seed))
      return op.emitOpError("expects `") << name << "` to fit in 32 bits, but got " << seed << " [" << label << "]";
  return success();
}

/// Returns true if a conversion of parameters has projection matrices. As in cuDNN there are none if `num_proj` equals
/// the hidden size. A dynamic hidden size is assumed to differ; a run-time check verifies it.
template <typename OpTy> bool hasProjection(OpTy op) {
  return op.getNumProj() > 0 && static_cast<int64_t>(op.getNumProj()) != getConstantInt(op.getUnits());
}

/// The sizes of a layer op, or none if one is dynamic.
template <typename OpTy> std::optional<CudnnSizes> getSizes(OpTy op, const ShapeRules &rules) {
  std::optional<int64_t> input = rules.getStaticValue("I"), layers = rules.getStaticValue("L"),
                         hidden = rules.getStaticValue("H"), projection = hidden;
  if (int64_t numProj = op.getNumProj())
    projection = numProj == projectionOfState ? rules.getStaticValue("P") : std::optional<int64_t>(numProj);
  if (!input || !layers || !hidden || !projection || op.getInputMode() == InputMode::AutoSelect)
    return std::nullopt;
  return CudnnSizes{op.getMode(),
                    op.getInputMode() == InputMode::SkipInput,
                    getNumDirections(op.getDirection()),
                    *layers,
                    *input,
                    *hidden,
                    *projection};
}

} // namespace mlir::rnn::detail

#endif // RNN_LIB_DIALECT_RNN_IR_CUDNNCOMMON_H
