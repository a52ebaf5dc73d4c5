// Tensors.h - numbers for the bundle's programs: tensors in f64, conversions to and from every element type, errors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_TOOLS_GPU_BUNDLE_TENSORS_H
#define RNN_TOOLS_GPU_BUNDLE_TENSORS_H

#include "rnn_runtime/api.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace bundle {

/// The median of times, which it reorders; NaN if there are none.
inline double median(std::vector<double> &times) {
  if (times.empty())
    return NAN;
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

[[noreturn]] __attribute__((format(printf, 1, 2))) inline void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::fprintf(stderr, "error: ");
  std::vfprintf(stderr, format, arguments);
  std::fprintf(stderr, "\n");
  va_end(arguments);
  std::exit(2);
}

inline void check(rnnrt_status_t status) {
  if (status)
    fail("%s: %s", rnnrt_status_code_name(rnnrt_status_code(status)), rnnrt_status_message(status));
}

/// Reproducible numbers: the seed is a name.
class Random {
public:
  explicit Random(const std::string &seed) {
    for (char c : seed)
      state = (state ^ uint64_t(static_cast<unsigned char>(c))) * 1099511628211u;
  }
  /// In [0, 1).
  double uniform() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return double(state >> 11) / 9007199254740992.0;
  }
  int64_t below(int64_t limit) { return int64_t(uniform() * double(limit)); }

private:
  uint64_t state = 14695981039346656037u;
};

/// The nearest bf16, ties to even.
inline uint16_t toBFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if (std::isnan(value))
    return uint16_t((bits >> 16) | 0x40);
  return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
inline float fromBFloat(uint16_t value) {
  uint32_t bits = uint32_t(value) << 16;
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

struct Tensor {
  std::vector<int64_t> shape;
  std::vector<double> values;

  int64_t elements() const {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    return count;
  }

  /// The elements as `dtype`.
  std::vector<char> convert(int32_t dtype) const {
    std::vector<char> bytes(values.size() * rnnrt_dtype_size(dtype));
    for (size_t index = 0; index < values.size(); ++index)
      store(dtype, values[index], bytes.data(), index);
    return bytes;
  }

  static Tensor read(const rnnrt_tensor_t &tensor, const std::vector<char> &bytes) {
    Tensor result;
    result.shape.assign(tensor.shape, tensor.shape + tensor.rank);
    for (int64_t index = 0, count = rnnrt_tensor_elements(&tensor); index < count; ++index)
      result.values.push_back(load(tensor.dtype, bytes.data(), index));
    return result;
  }

  /// Rounds to `dtype`.
  void round(int32_t dtype) {
    std::vector<char> bytes = convert(dtype);
    for (size_t index = 0; index < values.size(); ++index)
      values[index] = load(dtype, bytes.data(), index);
  }

  /// The largest difference, relative to the largest element of `expected`; NaN if one of them is not a number,
  /// infinity if shapes differ.
  double errorAgainst(const Tensor &expected) const {
    if (shape != expected.shape)
      return INFINITY;
    double scale = 0, error = 0;
    for (size_t index = 0; index < values.size(); ++index) {
      double difference = std::fabs(values[index] - expected.values[index]);
      if (std::isnan(difference))
        return NAN;
      error = std::fmax(error, difference);
      scale = std::fmax(scale, std::fabs(expected.values[index]));
    }
    return scale > 0 ? error / scale : error;
  }

private:
  template <typename T> static void put(char *bytes, size_t index, T value) {
    std::memcpy(bytes + index * sizeof(T), &value, sizeof(T));
  }
  template <typename T> static T get(const char *bytes, size_t index) {
    T value;
    std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
    return value;
  }

  static void store(int32_t dtype, double value, char *bytes, size_t index) {
    switch (dtype) {
    case RNNRT_DTYPE_F16:
      return put(bytes, index, _Float16(value));
    case RNNRT_DTYPE_BF16:
      return put(bytes, index, toBFloat(float(value)));
    case RNNRT_DTYPE_F32:
      return put(bytes, index, float(value));
    case RNNRT_DTYPE_F64:
      return put(bytes, index, value);
    case RNNRT_DTYPE_I32:
      return put(bytes, index, int32_t(value));
    default:
      fail("the bundle has no numbers of element type %s", rnnrt_dtype_name(dtype));
    }
  }
  static double load(int32_t dtype, const char *bytes, size_t index) {
    switch (dtype) {
    case RNNRT_DTYPE_F16:
      return double(get<_Float16>(bytes, index));
    case RNNRT_DTYPE_BF16:
      return fromBFloat(get<uint16_t>(bytes, index));
    case RNNRT_DTYPE_F32:
      return get<float>(bytes, index);
    case RNNRT_DTYPE_F64:
      return get<double>(bytes, index);
    case RNNRT_DTYPE_I32:
      return get<int32_t>(bytes, index);
    default:
      fail("the bundle has no numbers of element type %s", rnnrt_dtype_name(dtype));
    }
  }
};

} // namespace bundle

#endif // RNN_TOOLS_GPU_BUNDLE_TENSORS_H
