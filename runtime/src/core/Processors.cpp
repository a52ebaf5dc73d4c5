// Processors.cpp - CPU affinity and quotas of control groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Processors.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>
#ifdef __linux__
#include <sched.h>
#endif

using namespace rnnrt;

/// The quota of one group in CPUs; 0: no quota, or no such group.
static int readGroup(const std::string &folder, bool isUnified) {
  // v2: `max 100000` or `150000 100000`. v1: two files, with -1 for no quota.
  std::string quota, period;
  if (isUnified) {
    std::ifstream(folder + "/cpu.max") >> quota >> period;
  } else {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  long long time = 0, of = 0;
  if (!(std::istringstream(quota) >> time) || !(std::istringstream(period) >> of) || time <= 0 || of <= 0)
    return 0;
  return static_cast<int>(std::min<long long>((time - 1) / of + 1, 1 << 20));
}

int rnnrt::readProcessorQuota(const std::string &root) {
  int least = 0;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    // v2: `0::/path`. v1: `number:controllers:/path`.
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",", path = line.substr(second + 1);
    bool isUnified = controllers == ",,";
    if (!isUnified && controllers.find(",cpu,") == std::string::npos)
      continue;
    std::string mount = root + (isUnified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu");
    // The quota of a group limits its descendants too. In a container, the group may be mounted as the root in spite of
    // its path.
    for (;;) {
      while (!path.empty() && path.back() == '/')
        path.pop_back();
      if (int count = readGroup(mount + path, isUnified))
        least = least ? std::min(least, count) : count;
      if (path.empty())
        break;
      path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
  }
  return least;
}

int rnnrt::countProcessors() {
  int count = std::max<int>(std::thread::hardware_concurrency(), 1);
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    count = std::max(CPU_COUNT(&set), 1);
  if (int quota = readProcessorQuota(""))
    count = std::min(count, quota);
#endif
  return count;
}
