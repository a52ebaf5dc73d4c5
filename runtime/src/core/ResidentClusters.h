// ResidentClusters.h - the grid of a launch whose flags have items (RNNRT_LAUNCH_ITEMS_SHIFT). Compiled into the
// runtime and into the emulator. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_RESIDENTCLUSTERS_H
#define RNNRT_CORE_RESIDENTCLUSTERS_H

#include <algorithm>
#include <cstdint>

namespace rnnrt {

/// Reduces dimension x of `grid`, which has one cluster per item, so that all clusters are among the `resident` ones
/// that a device holds together; but to no fewer than one cluster for `most` items. `layers`: of the wavefront of the
/// launch, else 1. As many launches as the device holds with that few clusters each get an equal part of it.
inline void shareClusters(int64_t (&grid)[3], int64_t clusterX, int64_t blocksPerCluster, int64_t resident,
                          int64_t most, int64_t layers) {
  if (most < 1 || clusterX < 1 || blocksPerCluster < 1 || grid[0] < clusterX)
    return;
  const int64_t items = grid[0] / clusterX, all = items * clusterX * grid[1] * grid[2] / blocksPerCluster;
  const int64_t least = ((items - 1) / most + 1) * (all / items);
  resident /= std::max<int64_t>(std::min(resident / least, layers), 1);
  const int64_t perCluster = std::clamp<int64_t>((all - 1) / std::max<int64_t>(resident, 1) + 1, 1, most);
  grid[0] = ((items - 1) / perCluster + 1) * clusterX;
}

} // namespace rnnrt

#endif // RNNRT_CORE_RESIDENTCLUSTERS_H
