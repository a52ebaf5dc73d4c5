// Threads.cpp - the public function of threads.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/threads.h"
#include "core/Require.h"
#include "core/ThreadPool.h"

using namespace rnnrt;

rnnrt_status_t rnnrt_threads_use_openmp(const rnnrt_openmp_t *openmp) {
  return guarded([&] {
           if (openmp) {
             RNNRT_REQUIRE(openmp->parallel, "openmp->parallel");
             RNNRT_REQUIRE(openmp->thread_num, "openmp->thread_num");
             RNNRT_REQUIRE(openmp->num_threads, "openmp->num_threads");
             RNNRT_REQUIRE(openmp->max_threads, "openmp->max_threads");
           }
           ThreadPool::get().useOpenMP(openmp);
           return Status();
         })
      .take();
}
