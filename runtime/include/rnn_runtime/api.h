// api.h - the runtime of rnn-mlir for programs, in C11: conventions, and all public headers.
//
// Handles are opaque. `*_create` gives ownership, accessors lend, `*_release` gives back and allows NULL. Outputs come
// last and are named `out_`; after a failure they are NULL or zero. Functions return rnnrt_status_t, NULL for success.
// Wrong arguments, a NULL handle included, give a status; nothing throws, and nothing prints and goes on. (The one
// place that cannot return an error, memory for compiled code, is described in memory.h.)
//
// Environment, read once:
//   RNNRT_TRACE=dispatch,plan,memory   one comma-separated line per event on stderr
//   RNNRT_DROPOUT_DRAW=N               default of rnnrt_call_options_t.dropout_draw
//   RNNRT_HOST_CPU=baseline|avx2       highest instruction set of the host device (default: what the processor has);
//                                      results differ between sets in the last bits and repeat exactly within one
//   RNNRT_THREADS=N                    threads of compiled loops on the host, 1 to 1024 (default: as many as processors that
//                                      the process may use and control groups give time for); results have the same bits
//                                      whatever it is. A thread that waits gives way for a millisecond, then sleeps; while
//                                      others want the processors, steps of small layers have one thread
//   RNNRT_CLUSTERS=0                   no clusters of blocks where compiled code has other kernels for the same work (default 1)
//   RNNRT_CUDA_PATH=PATH               libcuda.so.1 of the CUDA driver: the file, or its directory. Nothing else is tried
//                                      then. Default: the loader's search, then the places where drivers are put
//   RNNRT_CUDNN_PATH=PATH              libcudnn.so.9, in the same way; by default also in Python's packages of the active
//                                      environment (VIRTUAL_ENV, CONDA_PREFIX), ~/.local, /usr/local and /usr
//   RNNRT_CUBLASLT_PATH=PATH           libcublasLt.so.13 or .12, in the same way; without it, kernels of the program multiply
//   RNNRT_CUDNN_ALGO=NAME              cuDNN's algorithm for sequences of one length: standard, persist_static,
//                                      persist_dynamic, persist_static_small_h (default: rnnrt_plan_algorithm tells)
//   RNNRT_TF32=1                       cuDNN may round f32 operands of products to TF32 (default 0)
//   RNNRT_CHECK=1                      cuDNN's reserve spaces carry a header that the backward pass checks; every call
//                                      then waits for its stream. The same for forward and backward
// The paths are read whenever a device, or the first plan or product of one, is made; the last three whenever a plan is made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_API_H
#define RNN_RUNTIME_API_H

#include "rnn_runtime/abi.h"
#include "rnn_runtime/call.h"
#include "rnn_runtime/device.h"
#include "rnn_runtime/event.h"
#include "rnn_runtime/function.h"
#include "rnn_runtime/memory.h"
#include "rnn_runtime/module.h"
#include "rnn_runtime/plan.h"
#include "rnn_runtime/status.h"
#include "rnn_runtime/stream.h"
#include "rnn_runtime/tensor.h"
#include "rnn_runtime/types.h"

#endif // RNN_RUNTIME_API_H
