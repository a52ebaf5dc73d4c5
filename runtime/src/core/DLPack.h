// DLPack.h - the structures of dlpack.h, version 1, which is no dependency, and element types in its terms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_DLPACK_H
#define RNNRT_CORE_DLPACK_H

#include "rnn_runtime/types.h"

namespace rnnrt {

struct DLDevice {
  int32_t type, id;
};
struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DLTensor {
  void *data;
  DLDevice device;
  int32_t rank;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};
struct DLManagedTensor {
  DLTensor tensor;
  void *context;
  void (*deleter)(DLManagedTensor *);
};
struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *context;
  void (*deleter)(DLManagedTensorVersioned *);
  uint64_t flags;
  DLTensor tensor;
};
enum : int32_t { hostDevice = 1, cudaDevice = 2 };

/// The element type of DLPack for an rnnrt_dtype_t.
inline DLDataType toDLPack(int32_t dtype) {
  const uint8_t bits = uint8_t(8 * rnnrt_dtype_size(dtype));
  switch (dtype) {
  case RNNRT_DTYPE_F16:
  case RNNRT_DTYPE_F32:
  case RNNRT_DTYPE_F64:
    return {2, bits, 1};
  case RNNRT_DTYPE_BF16:
    return {4, bits, 1};
  case RNNRT_DTYPE_I1:
    return {6, bits, 1};
  default:
    return {0, bits, 1};
  }
}

} // namespace rnnrt

#endif // RNNRT_CORE_DLPACK_H
