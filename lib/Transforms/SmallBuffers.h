//===- SmallBuffers.h - which buffers are small -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_TRANSFORMS_SMALLBUFFERS_H
#define RNN_LIB_TRANSFORMS_SMALLBUFFERS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::rnn {

/// The most bytes of a tensor that a loop updates in place, which may cost a copy, and of a buffer that moves before
/// loops.
constexpr int64_t smallBytes = 8192;

/// The bytes of a tensor or memref, or none if they are not known.
inline std::optional<int64_t> getKnownBytes(ShapedType type) {
  if (!type || !type.hasRank() || !type.hasStaticShape())
    return std::nullopt;
  Type element = type.getElementType();
  if (!element.isIntOrIndexOrFloat())
    return std::nullopt;
  const int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return type.getNumElements() * llvm::divideCeil(bits, 8);
}

/// Whether a tensor or memref has elements, and takes at most `smallBytes`. Unknown sizes are assumed to be 16, as a
/// batch of examples has.
inline bool isSmall(ShapedType type) {
  constexpr int64_t assumed = 16;
  if (!type || !type.hasRank())
    return false;
  auto shape =
      llvm::map_to_vector(type.getShape(), [](int64_t size) { return ShapedType::isDynamic(size) ? assumed : size; });
  std::optional<int64_t> bytes = getKnownBytes(type.clone(shape));
  return bytes && *bytes > 0 && *bytes <= smallBytes;
}

} // namespace mlir::rnn

#endif // RNN_LIB_TRANSFORMS_SMALLBUFFERS_H
