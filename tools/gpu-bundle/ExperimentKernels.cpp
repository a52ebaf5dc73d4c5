// ExperimentKernels.cpp - kernels that measure parts of a time step of the persistent kernels: exchange through
// distributed shared memory, memory order, MMAs. As PTX: clang++ --target=nvptx64-nvidia-cuda
// -march=sm_90a -S. Experiments.cpp runs them. Blocks have multiples of 32 threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define KERNEL extern "C" __attribute__((nvptx_kernel))

using Int = unsigned;
using Long = unsigned long long;

/// The result of a kernel, written by one thread.
struct Result {
  Long cycles, nanoseconds, failures, value;
};

/// Slots of the exchange, then whatever makes a block as large as those of a persistent kernel.
extern __attribute__((address_space(3))) char slots[];
static __attribute__((address_space(3))) Long barriers[2];

static inline Int thread() {
  return __nvvm_read_ptx_sreg_tid_x();
}
static inline Int threads() {
  return __nvvm_read_ptx_sreg_ntid_x();
}
static inline Int rank() {
  Int value;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(value));
  return value;
}
static inline Int blocksInCluster() {
  Int value;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(value));
  return value;
}
static inline Long cycles() {
  Long value;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(value)::"memory");
  return value;
}
static inline Long nanoseconds() {
  Long value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value)::"memory");
  return value;
}
template <typename T> static inline Int addressOf(__attribute__((address_space(3))) T *pointer) {
  return Int(reinterpret_cast<unsigned long>(pointer));
}
static inline Int addressIn(Int block, Int address) {
  Int value;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(value) : "r"(address), "r"(block));
  return value;
}
static inline void clusterBarrier() {
  asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
}

/// One thread of a step: how its block arrives at the barrier, waits for it, and sends.
template <bool releases, bool acquires, bool isWide> struct Exchange {
  static constexpr Int packetBytes = isWide ? 16 : 8;

  static void expect(Int barrier, Int bytes) {
    if (releases)
      asm volatile(
          "{\n\t.reg .b64 state;\n\tmbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 state, [%0], %1;\n\t}" ::
              "r"(barrier),
          "r"(bytes)
          : "memory");
    else
      asm volatile(
          "{\n\t.reg .b64 state;\n\tmbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 state, [%0], %1;\n\t}" ::
              "r"(barrier),
          "r"(bytes)
          : "memory");
  }
  /// Returns false if the barrier does not complete within 200 ms.
  static bool wait(Int barrier, Int parity) {
    Long begin = 0;
    for (Int round = 1;; ++round) {
      if (round % 1024 == 0) {
        const Long now = nanoseconds();
        if (!begin)
          begin = now;
        else if (now - begin > 200000000)
          return false;
      }
      Int done;
      if (acquires)
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
      else
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
      if (done) {
        if (!acquires)
          asm volatile("fence.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
        return true;
      }
    }
  }
  static void send(Int address, Int value, Int barrier) {
    if (isWide)
      asm volatile(
          "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %1, %1, %1}, [%2];" ::"r"(address),
          "r"(value), "r"(barrier)
          : "memory");
    else
      asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %1}, [%2];" ::"r"(address),
                   "r"(value), "r"(barrier)
                   : "memory");
  }

  /// Every block sends `packets` packets in each step, as many to every block, `stride` bytes apart, and continues when
  /// it has received as many. `stored`: null, or memory for a store of each thread before its block arrives.
  static void run(Result *result, Int steps, Int packets, Int stride, Int *stored) {
    const Int me = rank(), blocks = blocksInCluster(), each = packets / blocks;
    const Int base = addressOf(slots), bufferBytes = packets * stride, barrier = addressOf(barriers);
    if (thread() == 0) {
      for (Int index = 0; index < 2; ++index)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier + 8 * index) : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    clusterBarrier();
    const Long beginCycles = cycles(), begin = nanoseconds();
    Int value = me, failures = 0;
    for (Int step = 0; step < steps && !failures; ++step) {
      const Int which = step & 1, parity = step >> 1 & 1;
      if (stored)
        *reinterpret_cast<volatile Int *>(stored + (Long(step & 63) * blocks + me) * threads() + thread()) = value;
      if (thread() == 0)
        expect(barrier + 8 * which, packets * packetBytes);
      for (Int packet = thread(); packet < packets; packet += threads()) {
        const Int to = packet / each, slot = me * each + packet % each;
        send(addressIn(to, base + which * bufferBytes + slot * stride), value, addressIn(to, barrier + 8 * which));
      }
      if (!wait(barrier + 8 * which, parity))
        failures = 1;
      Int received;
      asm volatile("ld.shared.u32 %0, [%1];"
                   : "=r"(received)
                   : "r"(base + which * bufferBytes + thread() % packets * stride)
                   : "memory");
      value = received + 1;
      __nvvm_bar_sync(0);
    }
    const Long endCycles = cycles(), end = nanoseconds();
    clusterBarrier();
    if (thread() == 0 && me == 0)
      *result = {endCycles - beginCycles, end - begin, failures, value};
  }
};

#define EXCHANGE(name, releases, acquires, isWide)                                                                     \
  KERNEL void exchange_##name(Result *result, Int steps, Int packets, Int stride, Int *stored) {                       \
    Exchange<releases, acquires, isWide>::run(result, steps, packets, stride, stored);                                 \
  }
EXCHANGE(relaxed, false, false, false)
EXCHANGE(release, true, false, false)
EXCHANGE(acquire, false, true, false)
EXCHANGE(release_acquire, true, true, false)
EXCHANGE(wide, false, false, true)

/// Counts the clusters that run at the same time: each arrives once and waits up to 20 ms for `clusters` arrivals.
KERNEL void resident(Int *arrived, Result *result, Int clusters) {
  if (thread() == 0 && rank() == 0) {
    __atomic_fetch_add(arrived, 1, __ATOMIC_RELAXED);
    const Long begin = nanoseconds();
    while (__atomic_load_n(arrived, __ATOMIC_RELAXED) < clusters && nanoseconds() - begin < 20000000)
      ;
    if (__atomic_load_n(arrived, __ATOMIC_RELAXED) >= clusters && nanoseconds() - begin < 20000000)
      __atomic_fetch_add(&result->value, 1, __ATOMIC_RELAXED);
  }
  clusterBarrier();
}

/// Touches the last byte of the dynamic shared memory.
KERNEL void touch(Result *result, Int bytes) {
  if (thread() == 0) {
    auto *last = reinterpret_cast<volatile __attribute__((address_space(3))) char *>(slots) + bytes - 1;
    *last = 42;
    result->value = Long(*last);
  }
}

/// 32 MMAs m16n8k16 in each round: `chains` chains of dependent ones.
template <int chains> static inline void multiply(Result *result, Int rounds) {
  float sums[chains][4] = {};
  Int left[4] = {thread(), thread() + 1, thread() + 2, thread() + 3}, right[2] = {thread(), thread() + 4};
  __nvvm_bar_sync(0);
  const Long begin = cycles();
  for (Int round = 0; round < rounds; ++round)
#pragma unroll
    for (int index = 0; index < 32; ++index) {
      float *sum = sums[index % chains];
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                   "{%0, %1, %2, %3};"
                   : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                   : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
    }
  float total = 0;
  for (int chain = 0; chain < chains; ++chain)
    for (int element = 0; element < 4; ++element)
      total += sums[chain][element];
  // Depends on all sums.
  const Int bits = __builtin_bit_cast(Int, total);
  Long end;
  asm volatile("{\n\t.reg .u32 t;\n\tmov.u32 t, %1;\n\tmov.u64 %0, %%clock64;\n\t}" : "=l"(end) : "r"(bits) : "memory");
  if (thread() == 0)
    *result = {end - begin, 0, 0, bits};
}
KERNEL void multiply_1(Result *result, Int rounds) {
  multiply<1>(result, rounds);
}
KERNEL void multiply_4(Result *result, Int rounds) {
  multiply<4>(result, rounds);
}
KERNEL void multiply_8(Result *result, Int rounds) {
  multiply<8>(result, rounds);
}

/// The same by warpgroup MMAs m64n8k16, with the left operand in registers and the right one in shared memory: 32
/// dependent ones in each round.
KERNEL void multiply_warpgroup(Result *result, Int rounds) {
  float sum[4] = {};
  Int left[4] = {thread(), thread() + 1, thread() + 2, thread() + 3};
  // Two matrices of 8 x 8, without swizzle, 128 bytes apart (PTX ISA, "Matrix descriptor").
  const Long descriptor = Long(addressOf(slots) >> 4 & 0x3fff) | Long(128 >> 4) << 16 | Long(128 >> 4) << 32;
  auto *words = reinterpret_cast<__attribute__((address_space(3))) Int *>(slots);
  if (thread() < 64)
    words[thread()] = 0;
  __nvvm_bar_sync(0);
  const Long begin = cycles();
  for (Int round = 0; round < rounds; ++round) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int index = 0; index < 32; ++index)
      asm volatile(
          "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;"
          : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
          : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(descriptor)
          : "memory");
    asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  const Long end = cycles();
  if (thread() == 0)
    *result = {end - begin, 0, 0, __builtin_bit_cast(Int, sum[0] + sum[1] + sum[2] + sum[3])};
}

/// A time step without work, which begins before the previous one has ended.
KERNEL void step(Result *result) {
  asm volatile("griddepcontrol.wait;\n\tgriddepcontrol.launch_dependents;" ::: "memory");
  if (thread() == 0 && __nvvm_read_ptx_sreg_ctaid_x() == 0)
    ++result->value;
}
