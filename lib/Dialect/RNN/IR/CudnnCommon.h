//===- CudnnCommon.h - checks that the cudnn ops share -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_DIALECT_RNN_IR_CUDNNCOMMON_H
#define RNN_LIB_DIALECT_RNN_IR_CUDNNCOMMON_H

#include "Internal.h"
#include "mlir/IR/Matchers.h"

namespace mlir::rnn::detail {

inline constexpr llvm::StringLiteral cudnnHeader[] = {"mode", "direction", "input_mode"};

inline int64_t getNumDirections(Direction direction) { return direction == Direction::Bidirectional ? 2 : 1; }

/// C6, S3. `units` is H where it is known.
LogicalResult verifyProjection(Operation *op, CellMode mode, int64_t numProj, StringRef label,
                               std::optional<int64_t> units = std::nullopt);
/// C9
LogicalResult verifyDropout(Operation *op, const llvm::APFloat &dropout, StringRef label);

/// C10: TensorFlow stores both seeds as 64-bit attributes and uses 32 bits of each.
template <typename OpTy>
LogicalResult verifySeeds(OpTy op, StringRef label) {
  for (auto [name, seed] : {std::pair<StringRef, int64_t>("seed", op.getSeed()), {"seed2", op.getSeed2()}})
    if (!llvm::isInt<32>(seed))
      return op.emitOpError("expects `") << name << "` to fit in 32 bits, but got " << seed << " [" << label << "]";
  return success();
}

/// Whether a conversion of parameters has projection matrices. As in cuDNN there are none where `num_proj` is the
/// hidden size itself; a hidden size that is not known is taken to be another one, which the run-time check confirms.
template <typename OpTy>
bool hasProjection(OpTy op) {
  return op.getNumProj() > 0 && static_cast<int64_t>(op.getNumProj()) != getConstantInt(op.getUnits());
}

/// The sizes of a layer op if all are static.
template <typename OpTy>
std::optional<CudnnSizes> getSizes(OpTy op, const ShapeRules &rules) {
  std::optional<int64_t> input = rules.getStaticValue("I"), layers = rules.getStaticValue("L"),
                         hidden = rules.getStaticValue("H");
  if (!input || !layers || !hidden || op.getInputMode() == InputMode::AutoSelect)
    return std::nullopt;
  return CudnnSizes{op.getMode(),
                    op.getInputMode() == InputMode::SkipInput,
                    getNumDirections(op.getDirection()),
                    *layers,
                    *input,
                    *hidden,
                    op.getNumProj() > 0 ? static_cast<int64_t>(op.getNumProj()) : *hidden};
}

} // namespace mlir::rnn::detail

#endif // RNN_LIB_DIALECT_RNN_IR_CUDNNCOMMON_H
