//===- HostTensor.h - a dense tensor in host memory -*- C++ -*-===//
//
// What goes into and comes out of a compiled function. Knows no dialect and no runtime.
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

/// "f32", "i64", "index", and so on, as MLIR spells them.
llvm::StringRef stringifyElementKind(ElementKind kind);
std::optional<ElementKind> symbolizeElementKind(llvm::StringRef name);
/// Bytes of one element; `i1` takes one byte.
int64_t getElementSize(ElementKind kind);
bool isFloatKind(ElementKind kind);

/// The product of `shape` times the element size, or none if a size is negative or the product does not fit in 63 bits.
std::optional<int64_t> getNumBytes(llvm::ArrayRef<int64_t> shape, ElementKind kind);

/// A dense row-major tensor, or a scalar (rank 0). Copies share the memory.
class HostTensor {
public:
  HostTensor() = default;
  /// Zero-filled memory, aligned to 64 bytes. The shape must satisfy `getNumBytes`; a failed allocation is an error.
  static llvm::Expected<HostTensor> allocate(ElementKind kind, llvm::ArrayRef<int64_t> shape);
  /// Memory of somebody else, kept alive by `data`.
  HostTensor(ElementKind kind, llvm::ArrayRef<int64_t> shape, std::shared_ptr<void> data)
      : kind(kind), shape(shape.begin(), shape.end()), data(std::move(data)) {}

  ElementKind getKind() const { return kind; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return shape.size(); }
  int64_t getNumElements() const;
  int64_t getNumBytes() const { return getNumElements() * getElementSize(kind); }
  void *getData() const { return data.get(); }
  template <typename T>
  T *getDataAs() const {
    return static_cast<T *>(data.get());
  }

  /// Element `index` in row-major order. Integers lose precision above 2^53.
  double getAsDouble(int64_t index) const;
  int64_t getAsInteger(int64_t index) const;
  /// Rounds to the element type; an integer type truncates to the nearest 64-bit integer, NaN to 0.
  void setFromDouble(int64_t index, double value);
  void setFromInteger(int64_t index, int64_t value);

  /// "2x3xf32"; a scalar is its element type.
  std::string getTypeString() const;

private:
  ElementKind kind = ElementKind::F32;
  llvm::SmallVector<int64_t, 4> shape;
  std::shared_ptr<void> data;
};

} // namespace mlir::rnn

#endif // RNN_SUPPORT_HOSTTENSOR_H
