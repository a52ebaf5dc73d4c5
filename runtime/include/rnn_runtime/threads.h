// threads.h - the threads that run compiled host loops.
//
// Compiled loops run on a pool of RNNRT_THREADS threads. In a program whose other code uses OpenMP, both kinds of
// threads would compete for the processors: those of OpenMP spin for a while after each parallel region. Such a program
// passes its OpenMP runtime, and compiled loops run on the same threads as its other code. In either case they compute
// with the rounding mode of the caller, and flush subnormal numbers to zero if it does. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_THREADS_H
#define RNN_RUNTIME_THREADS_H

#include "rnn_runtime/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Functions of an OpenMP runtime with the interface of GNU's libgomp, which those of LLVM and Intel have too.
typedef struct rnnrt_openmp {
  /// GOMP_parallel
  void (*parallel)(void (*function)(void *data), void *data, unsigned threads, unsigned flags);
  int (*thread_num)(void);  ///< omp_get_thread_num
  int (*num_threads)(void); ///< omp_get_num_threads
  int (*max_threads)(void); ///< omp_get_max_threads
} rnnrt_openmp_t;

/// Later compiled loops of this process run on threads of this OpenMP runtime; with NULL, on the pool again. They use
/// at most omp_get_max_threads() and RNNRT_THREADS threads, and one in the child of a fork. Results do not depend on
/// it. The functions must stay callable until the process ends. Any thread may call this. Returns INVALID_ARGUMENT if a
/// function is NULL.
RNNRT_API rnnrt_status_t rnnrt_threads_use_openmp(const rnnrt_openmp_t *openmp);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_THREADS_H
