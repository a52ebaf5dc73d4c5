//===- HostTensor.h - a contiguous tensor in host memory -*- C++ -*-===//
//
// Arguments and results of compiled functions. Depends on no dialect and not on the runtime.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_SUPPORT_HOSTTENSOR_H
#define RNN_SUPPORT_HOSTTENSOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace mlir::rnn {

/// Element types of tensors at the boundary. `Index` is a 64-bit integer in memory.
enum class ElementKind { I1, I8, I16, I32, I64, F16, BF16, F32, F64, Index };

/// MLIR's names: "f32", "i64", "index" and so on.
llvm::StringRef stringifyElementKind(ElementKind kind);
std::optional<ElementKind> symbolizeElementKind(llvm::StringRef name);
/// Bytes of one element. `i1` has one byte.
int64_t getElementSize(ElementKind kind);
bool isFloatKind(ElementKind kind);

/// The number of bytes of a tensor, or none if a size is negative or the result overflows 63 bits.
std::optional<int64_t> getNumBytes(llvm::ArrayRef<int64_t> shape, ElementKind kind);

/// A contiguous row-major tensor, or a scalar (rank 0). Copies share the memory.
class HostTensor {
public:
  HostTensor() = default;
  /// Allocates zero-filled memory, aligned to 64 bytes. The shape must satisfy `getNumBytes`. A failed allocation is an
  /// error.
  static llvm::Expected<HostTensor> allocate(ElementKind kind, llvm::ArrayRef<int64_t> shape);
  /// Wraps external memory, which `data` keeps alive.
  HostTensor(ElementKind kind, llvm::ArrayRef<int64_t> shape, std::shared_ptr<void> data)
      : kind(kind), shape(shape.begin(), shape.end()), data(std::move(data)) {}

  ElementKind getKind() const { return kind; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return shape.size(); }
  int64_t getNumElements() const;
  int64_t getNumBytes() const { return getNumElements() * getElementSize(kind); }
  void *getData() const { return data.get(); }
  template <typename T> T *getDataAs() const { return static_cast<T *>(data.get()); }

  /// Element `index` in row-major order. Integers lose precision above 2^53.
  double getAsDouble(int64_t index) const;
  int64_t getAsInteger(int64_t index) const;
  /// Rounds to the element type. An integer type truncates and saturates to 64 bits; NaN becomes 0.
  void setFromDouble(int64_t index, double value);
  void setFromInteger(int64_t index, int64_t value);

  /// "2x3xf32", or the element type of a scalar.
  std::string getTypeString() const;

private:
  ElementKind kind = ElementKind::F32;
  llvm::SmallVector<int64_t, 4> shape;
  std::shared_ptr<void> data;
};

} // namespace mlir::rnn

#endif // RNN_SUPPORT_HOSTTENSOR_H
