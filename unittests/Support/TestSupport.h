// TestSupport.h - tensors and errors for the tests of this folder.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_SUPPORT_TESTSUPPORT_H
#define RNN_UNITTESTS_SUPPORT_TESTSUPPORT_H

#include "rnn/Support/HostTensor.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

namespace support_test {

using mlir::rnn::ElementKind;
using mlir::rnn::HostTensor;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
inline constexpr ElementKind allKinds[] = {ElementKind::I1,  ElementKind::I8,   ElementKind::I16,  ElementKind::I32,
                                           ElementKind::I64, ElementKind::F16,  ElementKind::BF16, ElementKind::F32,
                                           ElementKind::F64, ElementKind::Index};

/// Returns the message of an error. A success fails the test.
template <typename T> std::string errorOf(llvm::Expected<T> result) {
  if (result) {
    ADD_FAILURE() << "expected an error";
    return "";
  }
  return llvm::toString(result.takeError());
}

/// Returns the message, or an empty string for a success.
inline std::string messageOf(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "";
}

/// Returns the value. An error returns an empty tensor and fails the test.
inline HostTensor valueOf(llvm::Expected<HostTensor> result) {
  if (result)
    return *result;
  ADD_FAILURE() << llvm::toString(result.takeError());
  return HostTensor(ElementKind::F32, {0}, nullptr);
}

inline HostTensor makeTensor(ElementKind kind, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<double> values) {
  HostTensor tensor = valueOf(HostTensor::allocate(kind, shape));
  EXPECT_EQ(tensor.getNumElements(), static_cast<int64_t>(values.size()));
  for (size_t index = 0; index < values.size(); ++index)
    tensor.setFromDouble(index, values[index]);
  return tensor;
}

} // namespace support_test

#endif // RNN_UNITTESTS_SUPPORT_TESTSUPPORT_H
