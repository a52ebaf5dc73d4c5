// api.h - the public C11 interface of the rnn runtime: conventions, and all public headers.
//
// Handles are opaque. `*_create` returns an object that the caller owns. Accessors return borrowed pointers.
// `*_release` ends ownership and accepts NULL. Output parameters come last and are named `out_*`; after a failure they
// are NULL or zero. Functions return rnnrt_status_t, NULL for success. An invalid argument, including a NULL handle,
// returns a status. No function throws or aborts, with one exception: memory for compiled code (memory.h), which has no
// error branch.
//
// Environment variables, read once per process unless stated below:
// - RNNRT_TRACE=dispatch,plan,memory: one comma-separated line per event on stderr.
// - RNNRT_DROPOUT_DRAW=N: default of rnnrt_call_options_t.dropout_draw (-1).
// - RNNRT_HOST_CPU=baseline|avx2: highest instruction set of the host plans (default: that of the processor). Results
//   are reproducible for one set; between sets the last bits differ.
// - RNNRT_THREADS=N: threads of compiled host loops, 1 to 1024 (default: the processors that affinity and cgroup
//   quotas allow). Results do not depend on it. A waiting thread yields for up to 1 ms, then blocks. If the
//   processors are oversubscribed, small steps use one thread. threads.h: threads of OpenMP instead.
// - RNNRT_CLUSTERS=0: skips cluster launches for which compiled code has alternative kernels (default 1).
// - RNNRT_EMULATOR_PATH=PATH: librnn_emulator.so of devices `simt`, see emulator.h.
// - RNNRT_CUDA_PATH=PATH: libcuda.so.1 of the CUDA driver: the file, or its directory; no other path is tried.
//   Default: the search of the dynamic loader, then the usual driver directories.
// - RNNRT_CUDNN_PATH=PATH: libcudnn.so.9, likewise; the default also searches the Python packages of the active
//   environment (VIRTUAL_ENV, CONDA_PREFIX), ~/.local, /usr/local and /usr.
// - RNNRT_CUBLASLT_PATH=PATH: libcublasLt.so.13 or .12, likewise. Without it, compiled kernels compute every GEMM.
// - RNNRT_CUDNN_ALGO=NAME: cuDNN algorithm for sequences of equal length: standard, persist_static, persist_dynamic,
//   persist_static_small_h (default: see rnnrt_plan_algorithm).
// - RNNRT_CUDNN_PACKED=1: cuDNN plans describe sequences of one length as packed, without CUDNN_RNN_PADDED_IO_ENABLED;
//   different lengths and batch-major data are then errors (default 0).
// - RNNRT_TF32=1: allows cuDNN to round f32 GEMM operands to TF32 (default 0).
// - RNNRT_CHECK=1: reserve spaces of cuDNN plans have a header, which the backward pass checks; every call then waits
//   for its stream. Must be the same for forward and backward. Weights with a handle (weights.h) are compared with a
//   checksum.
// The paths are read when a device, or the first plan or GEMM of a device, is created; the last three for every plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_API_H
#define RNN_RUNTIME_API_H

#include "rnn_runtime/abi.h"
#include "rnn_runtime/call.h"
#include "rnn_runtime/device.h"
#include "rnn_runtime/dlpack.h"
#include "rnn_runtime/event.h"
#include "rnn_runtime/function.h"
#include "rnn_runtime/memory.h"
#include "rnn_runtime/module.h"
#include "rnn_runtime/plan.h"
#include "rnn_runtime/status.h"
#include "rnn_runtime/stream.h"
#include "rnn_runtime/tensor.h"
#include "rnn_runtime/threads.h"
#include "rnn_runtime/types.h"
#include "rnn_runtime/weights.h"

#endif // RNN_RUNTIME_API_H
