// ClusterEntries.cpp - the entries of simt.def for clusters and mbarriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "emulator/Cluster.h"
#include "rnn_runtime/emulator.h"

using namespace rnnrt::simt;

/// Decodes the order bits of `flags` (simt.def).
static Order readOrder(int32_t flags) {
  Order order;
  order.relaxed = flags & 1;
  order.cluster = flags & 2;
  return order;
}

extern "C" {

//===-- Who and where --------------------------------------------------------------------------------------------===//

int32_t rnnrt_abi_simt_cluster_id(int32_t dim) {
  return int32_t(running->block->cluster->id[dim]);
}
int32_t rnnrt_abi_simt_grid_clusters(int32_t dim) {
  const Launch &launch = emulator().getLaunch();
  return int32_t(launch.grid[dim] / launch.cluster[dim]);
}
int32_t rnnrt_abi_simt_cluster_block_id(int32_t dim) {
  return int32_t(running->block->id[dim] % emulator().getLaunch().cluster[dim]);
}
int32_t rnnrt_abi_simt_cluster_dim(int32_t dim) {
  return int32_t(emulator().getLaunch().cluster[dim]);
}
int32_t rnnrt_abi_simt_cluster_rank(void) {
  return int32_t(running->block->rank);
}
int32_t rnnrt_abi_simt_cluster_size(void) {
  return int32_t(running->block->cluster->blocks.size());
}

//===-- The barrier of the cluster, and remote memory ------------------------------------------------------------===//

void rnnrt_abi_simt_cluster_arrive(int32_t flags, const char *site) {
  arriveAtCluster(*running, flags & 1, flags & 2, site);
}

void rnnrt_abi_simt_cluster_wait(int32_t flags, const char *site) {
  waitAtCluster(*running, flags & 2, site);
}

void *rnnrt_abi_simt_map_shared(const void *pointer, int32_t rank, const char *site) {
  return mapShared(*running, pointer, uint32_t(rank), site);
}

//===-- mbarrier -------------------------------------------------------------------------------------------------===//

void rnnrt_abi_simt_mbarrier_init(void *barrier, int32_t count, int32_t predicate, const char *site) {
  if (predicate)
    initTransactions(*running, barrier, uint32_t(count), site);
}

void rnnrt_abi_simt_mbarrier_inval(void *barrier, const char *site) {
  invalidateTransactions(*running, barrier, site);
}

int64_t rnnrt_abi_simt_mbarrier_arrive(void *barrier, int32_t count, int32_t bytes, int32_t flags, int32_t predicate,
                                       const char *site) {
  if (!predicate)
    return 0;
  return int64_t(arriveAtTransactions(*running, barrier, uint32_t(count), uint32_t(bytes), flags & 4, !(flags & 8),
                                      readOrder(flags), site));
}

void rnnrt_abi_simt_mbarrier_transact(void *barrier, int32_t bytes, int32_t flags, const char *site) {
  int64_t change = uint32_t(bytes);
  changeTransactions(*running, barrier, flags & 4 ? -change : change, readOrder(flags), site);
}

int32_t rnnrt_abi_simt_mbarrier_wait(void *barrier, int64_t phase, int32_t patience, int32_t flags, const char *site) {
  bool isParity = flags & 4;
  return waitForTransactions(*running, barrier, isParity ? uint32_t(phase) : uint64_t(phase), isParity,
                             Patience(patience), readOrder(flags), site);
}

void rnnrt_abi_simt_store_async(void *target, const void *values, int32_t bytes, void *barrier, const char *site) {
  storeAsync(*running, target, values, uint32_t(bytes), barrier, site);
}

//===-- Signals between launches ---------------------------------------------------------------------------------===//

void rnnrt_abi_simt_add_signal(int32_t *counter) {
  ++*counter;
}

int32_t rnnrt_abi_simt_read_signal(const int32_t *flag) {
  emulator().runOnHost(*running, advanceWavefront);
  return *flag;
}

} // extern "C"
