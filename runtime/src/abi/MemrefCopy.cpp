// MemrefCopy.cpp - copies between buffers of dynamic rank.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/abi.h"

#include <cstring>

namespace {

struct Unranked {
  int64_t rank;
  void *descriptor;
};

/// MLIR's descriptor of rank N: two pointers and an offset, then N sizes and N strides.
struct Strided {
  explicit Strided(const Unranked &unranked) : rank(unranked.rank) {
    const char *bytes = static_cast<const char *>(unranked.descriptor);
    std::memcpy(&data, bytes + sizeof(void *), sizeof(data));
    const int64_t *numbers = reinterpret_cast<const int64_t *>(bytes + 2 * sizeof(void *));
    offset = numbers[0];
    sizes = numbers + 1;
    strides = sizes + rank;
  }

  int64_t rank, offset;
  char *data;
  const int64_t *sizes, *strides;
};

/// Copies dimensions `dim` to `blocks`, each element of them a block of `bytes` bytes.
void copy(const Strided &from, const char *read, const Strided &to, char *write, int64_t elementBytes, int64_t dim,
          int64_t blocks, int64_t bytes) {
  if (dim == blocks) {
    std::memcpy(write, read, size_t(bytes));
    return;
  }
  for (int64_t index = 0; index < from.sizes[dim]; ++index)
    copy(from, read + index * from.strides[dim] * elementBytes, to, write + index * to.strides[dim] * elementBytes,
         elementBytes, dim + 1, blocks, bytes);
}

} // namespace

void memrefCopy(int64_t elementBytes, const void *source, const void *target) {
  const Strided from(*static_cast<const Unranked *>(source)), to(*static_cast<const Unranked *>(target));
  // An empty buffer may have a null pointer.
  for (int64_t dim = 0; dim < from.rank; ++dim)
    if (from.sizes[dim] == 0)
      return;
  // The innermost dimensions that are dense in both buffers are one block.
  int64_t blocks = from.rank, elements = 1;
  for (; blocks > 0; --blocks) {
    const int64_t dim = blocks - 1;
    if (from.sizes[dim] != 1 && (from.strides[dim] != elements || to.strides[dim] != elements))
      break;
    elements *= from.sizes[dim];
  }
  copy(from, from.data + from.offset * elementBytes, to, to.data + to.offset * elementBytes, elementBytes, 0, blocks,
       elements * elementBytes);
}
