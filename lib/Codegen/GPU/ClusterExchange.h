//===- ClusterExchange.h - mbarriers and messages between blocks of a cluster -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CODEGEN_GPU_CLUSTEREXCHANGE_H
#define RNN_LIB_CODEGEN_GPU_CLUSTEREXCHANGE_H

#include "MicroKernel.h"
#include "rnn/Codegen/GPU/Kernel.h"

namespace mlir::rnn {

/// mapa: the address in block `rank` (i32) of the cluster that corresponds to `pointer` in this block.
Value mapToBlock(const Emitter &e, Value pointer, Value rank);

/// Initializes mbarriers for one arrival per phase. Called by one thread; the other blocks may use them after a barrier
/// of the cluster.
void initBarriers(const Emitter &e, ValueRange barriers);

/// Announces, from one thread, the bytes (i32) that arrive in this phase of `barrier`; the phase ends when they have
/// arrived.
void expectBytes(const Emitter &e, Value barrier, Value bytes);

/// Waits for the end of the phase with this parity (i32) and acquires the values in shared memory.
void waitForPhase(const Emitter &e, Value barrier, Value parity);

/// Adds the partial sums of a GEMM whose depth is divided among the blocks of a cluster. Each block owns some of the
/// sums of every thread: the other blocks send it their partial sums, and it adds them in the order of the blocks.
class ClusterReduction {
public:
  /// `sums`: of a thread.
  ClusterReduction(int64_t blocks, int64_t threads, int64_t sums, Type type)
      : blocks(blocks), threads(threads), owned(sums / blocks), type(type) {
    assert(sums % blocks == 0 && "blocks own equal parts");
  }

  int64_t getBytes() const { return getSlotBytes() + 16; }
  /// Adds the buffers. The other blocks may send after `connect`.
  void start(const Emitter &e, Kernel &kernel, Value thread);
  /// Waits until all blocks have executed `start`.
  void connect(const Emitter &e) const;
  /// The sums that this block owns: those with the numbers [rank * n, (rank + 1) * n), n = sums / blocks.
  SmallVector<Value> reduce(const Emitter &e, Value thread, ValueRange sums) const;

private:
  /// Sums that are sent together, at most 16 bytes.
  SmallVector<int64_t> getChunks() const;
  int64_t getSlotBytes() const { return blocks * threads * owned * getTypeBytes(); }
  int64_t getTypeBytes() const { return type.getIntOrFloatBitWidth() / 8; }
  /// The address of a chunk that begins with sum `first`, in the slots of `sender`.
  Value getSlot(const Emitter &e, Value thread, Value sender, int64_t first, int64_t count) const;

  int64_t blocks, threads, owned;
  Type type;
  Value slots, barrier; ///< pointers to shared memory
};

} // namespace mlir::rnn

#endif // RNN_LIB_CODEGEN_GPU_CLUSTEREXCHANGE_H
