// Processors.cpp - affinity and the quotas of control groups.
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

/// The quota of one group as processors; 0: none, or no such group.
static int readGroup(const std::string &folder, bool isUnified) {
  // `max 100000` or `150000 100000`; of the first version two files, and -1 for none.
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
    // `0::/path`, or `number:controllers:/path` of the first version.
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",", path = line.substr(second + 1);
    bool isUnified = controllers == ",,";
    if (!isUnified && controllers.find(",cpu,") == std::string::npos)
      continue;
    std::string mount = root + (isUnified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu");
    // What holds for a group holds for those in it. A container may see its own group as the root, whatever the path
    // says.
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
