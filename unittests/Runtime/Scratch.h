// Scratch.h - an allocator of device memory that belongs to another library.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_RUNTIME_SCRATCH_H
#define RNN_UNITTESTS_RUNTIME_SCRATCH_H

#include "rnn_runtime/api.h"

#include "gtest/gtest.h"

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>

namespace rnntest {

/// An allocator of device memory that belongs to the other library. Its memory is not known to the fake driver, which
/// treats it as host memory.
struct Scratch {
  std::map<void *, size_t> live;
  int64_t allocations = 0;
  int64_t left = INT64_MAX;           ///< allocations until it is exhausted
  std::function<void()> onAllocation; ///< called at the begin of each allocation; may be empty

  rnnrt_allocator_t get() {
    return {[](void *user, size_t alignment, size_t bytes) -> void * {
              auto *scratch = static_cast<Scratch *>(user);
              EXPECT_EQ(alignment, 256u);
              EXPECT_EQ(bytes % alignment, 0u);
              EXPECT_GT(bytes, 0u);
              if (scratch->onAllocation)
                scratch->onAllocation();
              if (scratch->left-- <= 0)
                return nullptr;
              ++scratch->allocations;
              void *made = std::aligned_alloc(alignment, bytes);
              scratch->live[made] = bytes;
              return made;
            },
            [](void *user, void *pointer, size_t, size_t bytes) {
              auto *scratch = static_cast<Scratch *>(user);
              EXPECT_EQ(scratch->live[pointer], bytes);
              scratch->live.erase(pointer);
              std::free(pointer);
            },
            this};
  }
};

} // namespace rnntest

#endif // RNN_UNITTESTS_RUNTIME_SCRATCH_H
