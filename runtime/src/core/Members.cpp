// Members.cpp - one function for all members of a batch: rnnrt_call_members of function.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/CurrentCall.h"
#include "core/Device.h"
#include "core/Require.h"
#include "core/ThreadPool.h"
#include "rnn_runtime/function.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

using namespace rnnrt;

namespace {
class Members {
public:
  Members(rnnrt_call_t &call, const rnnrt_function_t &function, const rnnrt_tensor_t *const *arguments,
          int64_t numArguments, const int64_t *counts, int64_t numLevels, const int64_t *strides, int64_t count)
      : call(call), function(function), arguments(arguments), counts(counts), strides(strides),
        numArguments(numArguments), numLevels(numLevels), count(count) {}

  void runInOrder() {
    Arguments own(*this);
    for (int64_t member = 0; member < count && !rnnrt_call_status(&call); ++member)
      own.run(&call, member);
  }

  /// The loops of a member find the threads in use, and run on one.
  void runInParallel() {
    // Every member is more work than waking a thread.
    ThreadPool::get().run([](void *members, void *, int64_t, int64_t) { static_cast<Members *>(members)->runPart(); },
                          this, count, count * 64 * RNNRT_LEAST_WORK, /*isEven=*/false);
    if (!failure.ok())
      rnnrt_call_fail(&call, failure.take());
  }

private:
  /// The arguments of one member after the other.
  struct Arguments {
    explicit Arguments(const Members &members) : members(members), tensors(members.numArguments) {
      for (int64_t k = 0; k < members.numArguments; ++k) {
        tensors[k] = *members.arguments[k];
        pointers.push_back(&tensors[k]);
      }
    }
    void run(rnnrt_call_t *call, int64_t member) {
      for (int64_t k = 0; k < members.numArguments; ++k)
        tensors[k].data = static_cast<char *>(members.arguments[k]->data) + members.getOffset(k, member);
      members.function.entry(call, pointers.data(), members.numArguments, nullptr, 0);
    }
    const Members &members;
    std::vector<rnnrt_tensor_t> tensors;
    std::vector<const rnnrt_tensor_t *> pointers;
  };

  /// The bytes from the data of an argument in the first member to that in `member`.
  int64_t getOffset(int64_t argument, int64_t member) const {
    int64_t offset = 0;
    for (int64_t level = numLevels; level-- > 0; member /= counts[level])
      offset += member % counts[level] * strides[argument * numLevels + level];
    return offset;
  }

  void runPart() {
    Status status = guarded([&] {
      rnnrt_call_t *own = nullptr; // a call belongs to one thread
      RNNRT_TRY(Status(rnnrt_call_create(call.device.get(), nullptr, nullptr, &own)));
      const std::unique_ptr<rnnrt_call_t, decltype(&rnnrt_call_release)> owner(own, rnnrt_call_release);
      Arguments arguments(*this);
      for (int64_t member; (member = next.fetch_add(1)) < count;) {
        arguments.run(own, member);
        if (rnnrt_call_status(own))
          return std::move(own->first);
      }
      return Status();
    });
    if (status.ok())
      return;
    next = count;
    std::lock_guard<std::mutex> guard(mutex);
    if (failure.ok())
      failure = std::move(status);
  }

  rnnrt_call_t &call;
  const rnnrt_function_t &function;
  const rnnrt_tensor_t *const *arguments;
  const int64_t *counts, *strides;
  const int64_t numArguments, numLevels, count;
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  Status failure;
};
} // namespace

void rnnrt_call_members(rnnrt_call_t *call, const rnnrt_function_t *function, const rnnrt_tensor_t *const *arguments,
                        int64_t num_arguments, const int64_t *counts, int64_t num_levels, const int64_t *strides,
                        int32_t parallel) {
  if (!call)
    return;
  Status status = guarded([&] {
    RNNRT_REQUIRE(function, "function");
    if (num_arguments > 0)
      RNNRT_REQUIRE(arguments, "arguments");
    if (num_levels > 0)
      RNNRT_REQUIRE(counts, "counts");
    if (num_arguments > 0 && num_levels > 0)
      RNNRT_REQUIRE(strides, "strides");
    if (num_arguments != function->num_inputs || function->num_outputs != 0)
      return invalidArgument("expects a function with %lld arguments and without results, but `%s` has %lld and %lld",
                             (long long)num_arguments, function->name, (long long)function->num_inputs,
                             (long long)function->num_outputs);
    if (num_levels < 0)
      return invalidArgument("expects `num_levels` to be at least 0, but got %lld", (long long)num_levels);
    int64_t members = 1;
    for (int64_t level = 0; level < num_levels; ++level) {
      if (counts[level] < 0)
        return invalidArgument("expects `counts[%lld]` to be at least 0, but got %lld", (long long)level,
                               (long long)counts[level]);
      if (__builtin_mul_overflow(members, counts[level], &members))
        return invalidArgument("expects fewer than 2^63 members, but got more");
    }
    Members all(*call, *function, arguments, num_arguments, counts, num_levels, strides, members);
    if (parallel && members > 1 && !call->device->backend->isAsynchronous())
      all.runInParallel();
    else
      all.runInOrder();
    return Status();
  });
  if (!status.ok())
    rnnrt_call_fail(call, status.take());
}
