// TvmFfiLayouts.h - the structures of tvm-ffi and DLPack, for fakes and tests. They repeat those of the runtime, whose
// layouts they test. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_RUNTIME_TVMFFILAYOUTS_H
#define RNN_UNITTESTS_RUNTIME_TVMFFILAYOUTS_H

#include <cstdint>

namespace rnntest {

// The layouts of tvm/ffi/c_api.h and dlpack/dlpack.h.
struct DLTensor {
  void *data;
  int32_t deviceType, deviceId, rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};
struct DLManagedTensor {
  DLTensor tensor;
  void *context;
  void (*deleter)(DLManagedTensor *);
};
struct Any {
  int32_t type = 0;
  uint32_t padding = 0;
  union {
    int64_t integer = 0;
    double real;
    void *pointer;
  };
};

} // namespace rnntest

#endif // RNN_UNITTESTS_RUNTIME_TVMFFILAYOUTS_H
