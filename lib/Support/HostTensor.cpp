//===- HostTensor.cpp - a contiguous tensor in host memory --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Support/HostTensor.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <unistd.h>

using namespace mlir::rnn;

namespace {
struct KindInfo {
  llvm::StringLiteral name;
  int64_t size;
};
} // namespace

// In the order of the enumeration.
static constexpr KindInfo kinds[] = {{"i1", 1},  {"i8", 1},   {"i16", 2}, {"i32", 4}, {"i64", 8},
                                     {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}, {"index", 8}};

llvm::StringRef mlir::rnn::stringifyElementKind(ElementKind kind) {
  return kinds[static_cast<size_t>(kind)].name;
}

std::optional<ElementKind> mlir::rnn::symbolizeElementKind(llvm::StringRef name) {
  for (auto [index, info] : llvm::enumerate(kinds))
    if (info.name == name)
      return static_cast<ElementKind>(index);
  return std::nullopt;
}

int64_t mlir::rnn::getElementSize(ElementKind kind) {
  return kinds[static_cast<size_t>(kind)].size;
}

bool mlir::rnn::isFloatKind(ElementKind kind) {
  return kind == ElementKind::F16 || kind == ElementKind::BF16 || kind == ElementKind::F32 || kind == ElementKind::F64;
}

std::optional<int64_t> mlir::rnn::getNumBytes(llvm::ArrayRef<int64_t> shape, ElementKind kind) {
  // A zero size makes the tensor empty. The other sizes must be valid nevertheless.
  int64_t bytes = getElementSize(kind);
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    if (size == 0)
      empty = true;
    else if (llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  }
  return empty ? 0 : bytes;
}

/// The bytes of physical memory, or the maximum value if unknown.
static int64_t getPhysicalMemory() {
  int64_t bytes, pages = sysconf(_SC_PHYS_PAGES), pageSize = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || pageSize <= 0 || llvm::MulOverflow(pages, pageSize, bytes))
    return std::numeric_limits<int64_t>::max();
  return bytes;
}

/// Truncates with saturation. NaN becomes 0. A plain cast is undefined for these values.
static int64_t toInteger(double value) {
  if (std::isnan(value))
    return 0;
  if (value >= 0x1p63)
    return std::numeric_limits<int64_t>::max();
  return value < -0x1p63 ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(value);
}

llvm::Expected<HostTensor> HostTensor::allocate(ElementKind kind, llvm::ArrayRef<int64_t> shape) {
  std::optional<int64_t> bytes = mlir::rnn::getNumBytes(shape, kind);
  HostTensor tensor(kind, shape, nullptr);
  if (!bytes || *bytes > std::numeric_limits<int64_t>::max() - 64)
    return llvm::createStringError("a tensor " + tensor.getTypeString() + " has more bytes than 63 bits can count");
  const size_t size = std::max<int64_t>(*bytes, 1);
  void *memory = nullptr;
  // A system that overcommits memory would kill the process when the memory is written. aligned_alloc would need a
  // multiple of the alignment, whose end AddressSanitizer does not check.
  if (*bytes > getPhysicalMemory() || posix_memalign(&memory, 64, size) != 0)
    return llvm::createStringError("no memory for a tensor " + tensor.getTypeString() + " of " +
                                   std::to_string(*bytes) + " bytes");
  std::memset(memory, 0, size);
  tensor.data = std::shared_ptr<void>(memory, std::free);
  return tensor;
}

int64_t HostTensor::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

static const llvm::fltSemantics &getSemantics(ElementKind kind) {
  return kind == ElementKind::F16 ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat();
}

double HostTensor::getAsDouble(int64_t index) const {
  switch (kind) {
  case ElementKind::F32:
    return getDataAs<float>()[index];
  case ElementKind::F64:
    return getDataAs<double>()[index];
  case ElementKind::F16:
  case ElementKind::BF16: {
    llvm::APFloat value(getSemantics(kind), llvm::APInt(16, getDataAs<uint16_t>()[index]));
    bool losesInfo;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToDouble();
  }
  default:
    return static_cast<double>(getAsInteger(index));
  }
}

int64_t HostTensor::getAsInteger(int64_t index) const {
  switch (kind) {
  case ElementKind::I1:
    return getDataAs<uint8_t>()[index] != 0;
  case ElementKind::I8:
    return getDataAs<int8_t>()[index];
  case ElementKind::I16:
    return getDataAs<int16_t>()[index];
  case ElementKind::I32:
    return getDataAs<int32_t>()[index];
  case ElementKind::I64:
  case ElementKind::Index:
    return getDataAs<int64_t>()[index];
  default:
    return toInteger(getAsDouble(index));
  }
}

void HostTensor::setFromDouble(int64_t index, double value) {
  switch (kind) {
  case ElementKind::F32:
    getDataAs<float>()[index] = static_cast<float>(value);
    return;
  case ElementKind::F64:
    getDataAs<double>()[index] = value;
    return;
  case ElementKind::F16:
  case ElementKind::BF16: {
    llvm::APFloat number(value);
    bool losesInfo;
    number.convert(getSemantics(kind), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    getDataAs<uint16_t>()[index] = number.bitcastToAPInt().getZExtValue();
    return;
  }
  default:
    setFromInteger(index, toInteger(value));
  }
}

void HostTensor::setFromInteger(int64_t index, int64_t value) {
  switch (kind) {
  case ElementKind::I1:
    getDataAs<uint8_t>()[index] = value != 0;
    return;
  case ElementKind::I8:
    getDataAs<int8_t>()[index] = value;
    return;
  case ElementKind::I16:
    getDataAs<int16_t>()[index] = value;
    return;
  case ElementKind::I32:
    getDataAs<int32_t>()[index] = value;
    return;
  case ElementKind::I64:
  case ElementKind::Index:
    getDataAs<int64_t>()[index] = value;
    return;
  default:
    setFromDouble(index, static_cast<double>(value));
  }
}

std::string HostTensor::getTypeString() const {
  std::string text;
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + stringifyElementKind(kind).str();
}
