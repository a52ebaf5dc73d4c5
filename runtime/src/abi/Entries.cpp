// Entries.cpp - the entries of abi.def. Each one checks the call, forwards to the plan and records the first failure.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/AMX.h"
#include "core/CompiledMemory.h"
#include "core/CurrentCall.h"
#include "core/Device.h"
#include "core/Exit.h"
#include "core/Invocation.h"
#include "core/Range.h"
#include "core/ThreadPool.h"
#include "rnn_runtime/abi.h"

#include <chrono>
#include <cstring>
#include <utility>

using namespace rnnrt;

/// Runs `body` unless the call has failed, and records its status in the call.
template <typename Body> static void enter(rnnrt_call_t *call, Body &&body) {
  if (!call || !call->first.ok())
    return;
  call->record(guarded(body));
}

/// Like `enter`, for a pass of a plan: traces it, and adds the problem to the message of a failure.
template <typename Body> static void dispatch(rnnrt_call_t *call, const Plan *plan, const char *what, Body &&body) {
  enter(call, [&] {
    if (!plan)
      return invalidArgument("%s expects `plan`, but got a null pointer", what);
    Range range(plan->key, what);
    auto start = std::chrono::steady_clock::now();
    Status status = body();
    if (tracing(TraceKind::Dispatch)) {
      std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
      const bool namesLowering = plan->key.find(" lowering=") != std::string::npos;
      trace("rnnrt,dispatch,%s prop=%s%s,%s,%.3f", plan->key.c_str(), what, namesLowering ? "" : " lowering=runtime",
            rnnrt_status_code_name(rnnrt_status_code(status.get())), ms.count());
    }
    if (status.ok())
      return status;
    std::string message = rnnrt_status_message(status.get());
    message += "; in " + plan->key + " prop=" + what;
    return Status(rnnrt_status_create(rnnrt_status_code(status.get()), message.c_str()));
  });
}

template <typename Body> static void dispatchRnn(rnnrt_call_t *call, Plan *plan, const char *what, Body &&body) {
  dispatch(call, plan, what, [&] {
    RnnPlan *rnn = plan->asRnn();
    return rnn ? body(*rnn) : invalidArgument("expects a plan of rnnrt_abi_rnn_plan");
  });
}

template <typename Body> static void dispatchBlock(rnnrt_call_t *call, Plan *plan, const char *what, Body &&body) {
  dispatch(call, plan, what, [&] {
    BlockLstmPlan *block = plan->asBlockLstm();
    return block ? body(*block) : invalidArgument("expects a plan of rnnrt_abi_block_lstm_plan");
  });
}

/// The context of a pass of `plan`, which consumes the resets that rnnrt_abi_set_resets stored.
static Status makeContext(rnnrt_call_t &call, const Plan &plan, RunContext &context) {
  context = call.context(std::exchange(call.nextResets, {}));
  if (context.resets.marks && !plan.hasResets())
    return Status(rnnrt_status_create(RNNRT_STATUS_UNIMPLEMENTED,
                                      "`resets` are not available for this plan: cuDNN has none; use the lowering "
                                      "`fused`"));
  return Status();
}

/// Like `dispatchRnn`, for a pass that applies resets.
template <typename Body> static void runRnn(rnnrt_call_t *call, Plan *plan, const char *what, Body &&body) {
  dispatchRnn(call, plan, what, [&](RnnPlan &rnn) {
    RunContext context;
    RNNRT_TRY(makeContext(*call, rnn, context));
    return body(rnn, context);
  });
}

template <typename Body> static void runBlock(rnnrt_call_t *call, Plan *plan, const char *what, Body &&body) {
  dispatchBlock(call, plan, what, [&](BlockLstmPlan &block) {
    RunContext context;
    RNNRT_TRY(makeContext(*call, block, context));
    return body(block, context);
  });
}

/// Gets the plan from the cache of the device. The call keeps it alive until it is reset or released.
template <typename Problem> static Status borrow(rnnrt_call_t *call, const Problem &problem, Plan *&result) {
  std::shared_ptr<Plan> plan;
  RNNRT_TRY(call->device->plans.get(*call->device->backend, problem, plan));
  Plan *raw = plan.get();
  call->plans.emplace(raw, std::move(plan));
  result = raw;
  return Status();
}

/// Returns the plan of a stack of recurrent layers; `arguments` are those of makeRnnProblem.
template <typename... Args> static rnnrt_plan_t *borrowRnnPlan(rnnrt_call_t *call, bool fused, Args... arguments) {
  rnnrt_plan_t *result = nullptr;
  enter(call, [&] {
    RnnProblem problem;
    RNNRT_TRY(makeRnnProblem(arguments..., problem));
    problem.fused = fused;
    return borrow(call, problem, result);
  });
  return result;
}

namespace {
/// The parts of a message of compiled code.
struct Expectation {
  Expectation(const char *message, const char *fallback) : rule(message ? message : fallback) {
    if (size_t end = rule.find('\n'); end != std::string::npos) {
      subject = "; " + rule.substr(end + 1);
      rule.resize(end);
    }
  }
  std::string rule, subject;
};
} // namespace

/// If a check has failed, ends the exported function at once: with wrong sizes, its loops would access memory out of
/// bounds.
static void leaveIfFailed(rnnrt_call_t *call) {
  Exit *exit = Exit::current();
  if (exit && !exit->team && exit->invocation == Invocation::of(call) && exit->invocation->hasFailed())
    exit->leave();
}

extern "C" {

void rnnrt_abi_expect_equal(rnnrt_call_t *call, int64_t actual, int64_t expected, const char *message) {
  enter(call, [&] {
    if (actual == expected)
      return Status();
    const Expectation text(message, "sizes differ");
    return invalidArgument("%s: expected %lld, but got %lld%s", text.rule.c_str(), (long long)expected,
                           (long long)actual, text.subject.c_str());
  });
  leaveIfFailed(call);
}

void rnnrt_abi_expect_range(rnnrt_call_t *call, int64_t actual, int64_t low, int64_t high, const char *message) {
  enter(call, [&] {
    if (low <= actual && actual <= high)
      return Status();
    const Expectation text(message, "value out of range");
    if (high == INT64_MAX)
      return invalidArgument("%s: expected a value of at least %lld, but got %lld%s", text.rule.c_str(), (long long)low,
                             (long long)actual, text.subject.c_str());
    return invalidArgument("%s: expected a value in [%lld, %lld], but got %lld%s", text.rule.c_str(), (long long)low,
                           (long long)high, (long long)actual, text.subject.c_str());
  });
  leaveIfFailed(call);
}

void rnnrt_abi_fail(const char *message) {
  failCompiledCode(invalidArgument("%s", message));
}

void *_mlir_memref_to_llvm_alloc(int64_t bytes) {
  return compiledAllocate(RNNRT_MEMORY_ALIGNMENT, bytes);
}
void *_mlir_memref_to_llvm_aligned_alloc(int64_t alignment, int64_t bytes) {
  return compiledAllocate(alignment, bytes);
}
void _mlir_memref_to_llvm_free(void *pointer) {
  compiledRelease(pointer);
}

//===-- Memory of the call's device ------------------------------------------------------------------------------===//

void *rnnrt_abi_alloc(rnnrt_call_t *call, int64_t bytes) {
  void *result = nullptr;
  enter(call, [&] {
    if (bytes < 0)
      return invalidArgument("cannot allocate a buffer of %lld bytes: a dimension is negative or the size overflows",
                             (long long)bytes);
    RNNRT_TRY(call->device->backend->allocate(call->stream.get(), bytes, result));
    if (Invocation *invocation = Invocation::of(call)) {
      try {
        invocation->addDeviceBlock(result);
      } catch (const std::bad_alloc &) {
        call->record(call->device->backend->release(call->stream.get(), std::exchange(result, nullptr)));
        throw;
      }
    }
    return Status();
  });
  return result;
}

void rnnrt_abi_free(rnnrt_call_t *call, void *pointer) {
  // Runs also after a failure: earlier allocations must not leak.
  if (!call || !pointer)
    return;
  if (Invocation *invocation = Invocation::of(call))
    invocation->removeDeviceBlock(pointer);
  call->record(guarded([&] { return call->device->backend->release(call->stream.get(), pointer); }));
}

void rnnrt_abi_copy(rnnrt_call_t *call, const void *source, void *target, int64_t bytes) {
  enter(call,
        [&] { return bytes > 0 ? call->device->backend->copy(call->stream.get(), target, source, bytes) : Status(); });
}

void rnnrt_abi_read(rnnrt_call_t *call, const void *source, void *target, int64_t bytes) {
  bool done = false;
  enter(call, [&] {
    Backend &backend = *call->device->backend;
    if (call->refusesWaits() && backend.isAsynchronous())
      return failedPrecondition(
          "compiled code reads elements of a tensor on the host, but the call refuses to wait for "
          "the device (host_waits)");
    RNNRT_TRY(backend.copy(call->stream.get(), target, source, bytes));
    RNNRT_TRY(backend.synchronize(call->stream.get() ? call->stream->native : nullptr));
    done = true;
    return Status();
  });
  if (!done && target && bytes > 0)
    std::memset(target, 0, bytes);
}

void rnnrt_abi_parallel(rnnrt_call_t *call, rnnrt_part_t function, void *context, int64_t max_parts, int64_t work) {
  bool isComplete = true;
  enter(call, [&] {
    isComplete = ThreadPool::get().run(function, context, max_parts, work);
    return Status();
  });
  // Here, where no frame has a destructor to run.
  if (!isComplete)
    Exit::current()->leave();
}

void rnnrt_abi_team_wait(void *team) {
  static_cast<rnnrt_team *>(team)->wait();
}

int64_t rnnrt_abi_enable_amx(rnnrt_call_t *call) {
  bool isEnabled = false;
  enter(call, [&] {
    RNNRT_TRY(enableAMX());
    isEnabled = true;
    return Status();
  });
  return isEnabled;
}

rnnrt_packed_t *rnnrt_abi_pack_begin(rnnrt_call_t *call, int64_t form, const void *weights, int64_t weights_bytes,
                                     int64_t input, int64_t hidden, int64_t index, int64_t bytes, void *memory) {
  PackedCopy *copy = nullptr;
  enter(call, [&] {
    Invocation *invocation = Invocation::of(call);
    if (invocation)
      invocation->reservePacking();
    if (memory) {
      copy = beginInModule(memory);
    } else {
      for (const std::shared_ptr<PackedWeights> &kept : call->weights)
        if (kept->contains(weights, weights_bytes)) {
          RNNRT_TRY(kept->check());
          copy = kept->begin(weights, {form, input, hidden, index}, bytes);
          break;
        }
    }
    if (copy && copy->record.is_packed != 1 && invocation)
      invocation->beginPacking(copy);
    return Status();
  });
  return &(copy ? copy : createPackedScratch(bytes))->record;
}

void rnnrt_abi_pack_end(rnnrt_call_t *call, rnnrt_packed_t *packed) {
  if (!packed)
    return;
  // The record is the first member.
  auto *copy = reinterpret_cast<PackedCopy *>(packed);
  if (Invocation *invocation = Invocation::of(call))
    invocation->endPacking(copy);
  endPacked(copy, call && call->first.ok());
}

void rnnrt_abi_make_current(rnnrt_call_t *call) {
  setCurrentCall(call);
  if (call)
    call->nextChain = 0;
}

void rnnrt_abi_try_clusters(rnnrt_call_t *call) {
  enter(call, [&] {
    call->triesClusters = true;
    call->skippedClusters = false;
    return Status();
  });
}

int64_t rnnrt_abi_clusters_ran(rnnrt_call_t *call) {
  bool ran = false;
  enter(call, [&] {
    ran = !call->skippedClusters;
    return Status();
  });
  if (call)
    call->triesClusters = false;
  return ran;
}

void rnnrt_abi_begin_chain(rnnrt_call_t *call) {
  enter(call, [&] { return call->device->backend->beginChain(*call); });
}

void rnnrt_abi_end_chain(rnnrt_call_t *call) {
  if (call && std::exchange(call->inChain, false))
    enter(call, [&] { return call->device->backend->endChain(*call); });
}

//===-- Wavefronts -----------------------------------------------------------------------------------------------===//

void rnnrt_abi_wavefront_begin(rnnrt_call_t *call, int64_t stages, int64_t layers, int64_t tasks, int64_t clusters) {
  enter(call, [&] {
    if (call->wavefront)
      return internalError("a wavefront begins inside of another one");
    if (stages < 2)
      return Status();
    if (tasks < 2 || clusters < 1 || !usesSignals())
      clusters = 0;
    return call->device->backend->createWavefront(call->stream.get(), {stages, layers, tasks, clusters},
                                                  call->wavefront);
  });
}

int64_t rnnrt_abi_wavefront_task(rnnrt_call_t *call, int64_t stage, int64_t reuses) {
  void *signals = nullptr;
  enter(call, [&] {
    if (call->wavefront) {
      RNNRT_TRY(call->wavefront->begin(stage, reuses != 0));
      signals = call->wavefront->signals();
    }
    if (tracing(TraceKind::Dispatch))
      trace("rnnrt,dispatch,wavefront stage=%lld order=%s,OK,0.000", (long long)stage,
            signals           ? "signals"
            : call->wavefront ? "tasks"
                              : "call");
    return Status();
  });
  return int64_t(reinterpret_cast<intptr_t>(signals));
}

void rnnrt_abi_wavefront_end(rnnrt_call_t *call) {
  if (call)
    call->endWavefront();
}

//===-- GEMM -----------------------------------------------------------------------------------------------------===//

int64_t rnnrt_abi_gemm(rnnrt_call_t *call, int32_t dtype, int32_t result_dtype, int32_t flags, int64_t rows,
                       int64_t columns, int64_t depth, const void *left, int64_t left_first, int64_t left_stride,
                       const void *right, int64_t right_first, int64_t right_stride, void *result, int64_t result_first,
                       int64_t result_stride, const void *bias) {
  bool done = false;
  enter(call, [&] {
    auto at = [](auto *data, int32_t type, int64_t first) {
      return data ? data + first * rnnrt_dtype_size(type) : nullptr;
    };
    auto in = [&](const void *data, int32_t type, int64_t first) {
      return at(static_cast<const char *>(data), type, first);
    };
    const Gemm gemm{dtype,
                    result_dtype,
                    flags,
                    rows,
                    columns,
                    depth,
                    {in(left, dtype, left_first), left_stride},
                    {in(right, dtype, right_first), right_stride},
                    at(static_cast<char *>(result), result_dtype, result_first),
                    result_stride,
                    bias};
    RNNRT_TRY(gemm.check());
    // An empty result is done, as is accumulating an empty reduction. The caller's kernel does other GEMMs of depth 0.
    done = !rows || !columns || (!depth && gemm.has(Accumulate) && !bias);
    if (done || !depth)
      return Status();
    const std::string text = tracing(TraceKind::Dispatch) || rangesAreSeen() ? gemm.describe() : std::string();
    Range range(text, "gemm");
    auto start = std::chrono::steady_clock::now();
    Backend &backend = *call->device->backend;
    // Only a device whose library computes every GEMM defers work.
    done = call->wavefront && call->wavefront->defer([&backend, gemm] {
      bool ignored = false;
      return backend.runGemm(nullptr, gemm, ignored);
    });
    Status status = done ? Status() : backend.runGemm(call->launchStream(), gemm, done);
    if (done && call->wavefront)
      call->wavefront->launched(/*clusters=*/0);
    if (tracing(TraceKind::Dispatch)) {
      std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
      trace("rnnrt,dispatch,gemm %s done=%d,%s,%.3f", text.c_str(), int(done),
            rnnrt_status_code_name(rnnrt_status_code(status.get())), ms.count());
    }
    return status;
  });
  return done;
}

//===-- Stacks of recurrent layers -------------------------------------------------------------------------------===//

rnnrt_plan_t *rnnrt_abi_rnn_plan(rnnrt_call_t *call, int32_t dtype, int32_t mode, int32_t input_mode, int32_t direction,
                                 int32_t training, int32_t batch_major, double dropout, int64_t seed, int64_t seed2,
                                 int64_t steps, int64_t batch, int64_t input, int64_t hidden, int64_t projection,
                                 int64_t layers) {
  return borrowRnnPlan(call, /*fused=*/false, dtype, mode, input_mode, direction, training, batch_major, dropout, seed,
                       seed2, steps, batch, input, hidden, projection, layers);
}

rnnrt_plan_t *rnnrt_abi_rnn_fused_plan(rnnrt_call_t *call, int32_t dtype, int32_t mode, int32_t input_mode,
                                       int32_t direction, int32_t training, int32_t batch_major, double dropout,
                                       int64_t seed, int64_t seed2, int64_t steps, int64_t batch, int64_t input,
                                       int64_t hidden, int64_t projection, int64_t layers) {
  return borrowRnnPlan(call, /*fused=*/true, dtype, mode, input_mode, direction, training, batch_major, dropout, seed,
                       seed2, steps, batch, input, hidden, projection, layers);
}

void rnnrt_abi_set_resets(rnnrt_call_t *call, int32_t reset_to, const void *resets) {
  enter(call, [&] {
    if (reset_to < 0 || reset_to > 1)
      return invalidArgument("expects `reset_to` to be in [0, 1], but got %d", reset_to);
    call->nextResets = {static_cast<const uint8_t *>(resets), reset_to == 1};
    return Status();
  });
}

int64_t rnnrt_abi_rnn_begin(rnnrt_call_t *call, int32_t pass, rnnrt_plan_t *plan, const int32_t *lengths,
                            int64_t params_elements, void *reserve, int64_t reserve_bytes) {
  static const char *const names[] = {"forward", "forward", "backward"};
  if (pass < 0 || pass > 2) {
    enter(call, [&] { return invalidArgument("expects the pass to be in [0, 2], but got %d", pass); });
    return 0;
  }
  bool done = false;
  runRnn(call, plan, names[pass], [&](RnnPlan &rnn, const RunContext &context) {
    RNNRT_TRY(rnn.begin(context, {FusedPass(pass), lengths, params_elements, reserve, reserve_bytes}));
    done = true;
    return Status();
  });
  return done;
}

int64_t rnnrt_abi_rnn_params_size(rnnrt_call_t *call, rnnrt_plan_t *plan) {
  int64_t result = 0;
  dispatchRnn(call, plan, "params_size", [&](RnnPlan &rnn) {
    result = rnn.paramsSize();
    return Status();
  });
  return result;
}

int64_t rnnrt_abi_rnn_reserve_size(rnnrt_call_t *call, rnnrt_plan_t *plan) {
  int64_t result = 0;
  dispatchRnn(call, plan, "reserve_size", [&](RnnPlan &rnn) {
    result = rnn.reserveSize();
    return Status();
  });
  return result;
}

void rnnrt_abi_rnn_forward(rnnrt_call_t *call, rnnrt_plan_t *plan, const int32_t *lengths, const void *x,
                           const void *h0, const void *c0, const void *params, int64_t params_elements, void *y,
                           void *hn, void *cn, void *reserve, int64_t reserve_bytes) {
  runRnn(call, plan, "forward", [&](RnnPlan &rnn, const RunContext &context) {
    return rnn.forward(context, {lengths, x, h0, c0, params, params_elements, y, hn, cn, reserve, reserve_bytes});
  });
}

void rnnrt_abi_rnn_backward_data(rnnrt_call_t *call, rnnrt_plan_t *plan, const int32_t *lengths, const void *x,
                                 const void *h0, const void *c0, const void *params, int64_t params_elements,
                                 const void *y, const void *dy, const void *dhn, const void *dcn, void *dx, void *dh0,
                                 void *dc0, void *reserve, int64_t reserve_bytes) {
  runRnn(call, plan, "backward_data", [&](RnnPlan &rnn, const RunContext &context) {
    return rnn.backwardData(
        context, {lengths, x, h0, c0, params, params_elements, y, dy, dhn, dcn, dx, dh0, dc0, reserve, reserve_bytes});
  });
}

void rnnrt_abi_rnn_backward_weights(rnnrt_call_t *call, rnnrt_plan_t *plan, const int32_t *lengths, const void *x,
                                    const void *h0, const void *y, void *dparams, int64_t params_elements,
                                    void *reserve, int64_t reserve_bytes) {
  runRnn(call, plan, "backward_weights", [&](RnnPlan &rnn, const RunContext &context) {
    return rnn.backwardWeights(context, {lengths, x, h0, y, dparams, params_elements, reserve, reserve_bytes});
  });
}

void rnnrt_abi_rnn_pack_params(rnnrt_call_t *call, rnnrt_plan_t *plan, int64_t num_weights, int64_t num_biases,
                               const void *const *tensors, const int64_t *elements, void *params,
                               int64_t params_elements) {
  dispatchRnn(call, plan, "pack_params", [&](RnnPlan &rnn) {
    return rnn.packParams(call->context(), num_weights, num_biases, tensors, elements, params, params_elements);
  });
}

void rnnrt_abi_rnn_unpack_params(rnnrt_call_t *call, rnnrt_plan_t *plan, int64_t num_weights, int64_t num_biases,
                                 void *const *tensors, const int64_t *elements, const void *params,
                                 int64_t params_elements) {
  dispatchRnn(call, plan, "unpack_params", [&](RnnPlan &rnn) {
    return rnn.unpackParams(call->context(), num_weights, num_biases, tensors, elements, params, params_elements);
  });
}

//===-- Block LSTM -----------------------------------------------------------------------------------------------===//

rnnrt_plan_t *rnnrt_abi_block_lstm_plan(rnnrt_call_t *call, int32_t dtype, int32_t layout, int32_t use_peephole,
                                        int32_t batch_major, double forget_bias, double cell_clip, int64_t steps,
                                        int64_t batch, int64_t input, int64_t hidden) {
  rnnrt_plan_t *result = nullptr;
  enter(call, [&] {
    BlockProblem problem;
    RNNRT_TRY(makeBlockProblem(dtype, layout, use_peephole, batch_major, forget_bias, cell_clip, steps, batch, input,
                               hidden, problem));
    return borrow(call, problem, result);
  });
  return result;
}

void rnnrt_abi_block_lstm_forward(rnnrt_call_t *call, rnnrt_plan_t *plan, int64_t seq_len_max, const void *x,
                                  const void *cs_prev, const void *h_prev, const void *w, const void *wci,
                                  const void *wcf, const void *wco, const void *b, void *i, void *cs, void *f, void *o,
                                  void *ci, void *co, void *h) {
  runBlock(call, plan, "forward", [&](BlockLstmPlan &block, const RunContext &context) {
    return block.forward(context, {seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci, co, h});
  });
}

void rnnrt_abi_block_lstm_backward(rnnrt_call_t *call, rnnrt_plan_t *plan, int64_t seq_len_max, const void *x,
                                   const void *cs_prev, const void *h_prev, const void *w, const void *wci,
                                   const void *wcf, const void *wco, const void *b, const void *i, const void *cs,
                                   const void *f, const void *o, const void *ci, const void *co, const void *h,
                                   const void *cs_grad, const void *h_grad, void *dx, void *dcs_prev, void *dh_prev,
                                   void *dw, void *dwci, void *dwcf, void *dwco, void *db) {
  runBlock(call, plan, "backward", [&](BlockLstmPlan &block, const RunContext &context) {
    return block.backward(context,
                          {seq_len_max, x, cs_prev, h_prev, w,  wci,      wcf,     wco, b,    i,    cs,   f, o, ci,
                           co,          h, cs_grad, h_grad, dx, dcs_prev, dh_prev, dw,  dwci, dwcf, dwco, db});
  });
}

} // extern "C"
