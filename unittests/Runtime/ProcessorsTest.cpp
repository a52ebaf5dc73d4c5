// ProcessorsTest.cpp - reading the CPU quotas of control groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Processors.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace rnnrt;

namespace {

class ProcessorsTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "processors-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  void write(const std::string &path, const std::string &text) {
    std::filesystem::path file = root + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  std::string root;
};

TEST_F(ProcessorsTest, noQuota) {
  EXPECT_EQ(readProcessorQuota(root), 0);
  write("/proc/self/cgroup", "0::/\n");
  EXPECT_EQ(readProcessorQuota(root), 0);
  write("/sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(readProcessorQuota(root), 0);
}

TEST_F(ProcessorsTest, roundsUp) {
  write("/proc/self/cgroup", "0::/\n");
  write("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(readProcessorQuota(root), 2);
  write("/sys/fs/cgroup/cpu.max", "250000 100000\n");
  EXPECT_EQ(readProcessorQuota(root), 3);
  write("/sys/fs/cgroup/cpu.max", "5000 100000\n");
  EXPECT_EQ(readProcessorQuota(root), 1);
}

TEST_F(ProcessorsTest, smallestQuotaOfEnclosingGroups) {
  write("/proc/self/cgroup", "0::/user/job/step\n");
  write("/sys/fs/cgroup/user/job/step/cpu.max", "max 100000\n");
  write("/sys/fs/cgroup/user/job/cpu.max", "300000 100000\n");
  write("/sys/fs/cgroup/user/cpu.max", "800000 100000\n");
  EXPECT_EQ(readProcessorQuota(root), 3);
}

// The path is relative to the host's root group, but a container sees only its own group.
TEST_F(ProcessorsTest, aContainerSeesItsGroupAsTheRoot) {
  write("/proc/self/cgroup", "0::/docker/0123\n");
  write("/sys/fs/cgroup/cpu.max", "400000 100000\n");
  EXPECT_EQ(readProcessorQuota(root), 4);
}

TEST_F(ProcessorsTest, readsCgroupV1) {
  write("/proc/self/cgroup", "5:cpuset:/\n4:cpu,cpuacct:/job\n3:memory:/job\n0::/\n");
  write("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(readProcessorQuota(root), 0);
  write("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "600000\n");
  EXPECT_EQ(readProcessorQuota(root), 6);
}

TEST_F(ProcessorsTest, ignoresInvalidFiles) {
  write("/proc/self/cgroup", "nonsense\n:\n0::\n7\n0::/a\n");
  write("/sys/fs/cgroup/a/cpu.max", "many 100000\n");
  write("/sys/fs/cgroup/cpu.max", "100000 0\n");
  EXPECT_EQ(readProcessorQuota(root), 0);
}

TEST_F(ProcessorsTest, atLeastOneProcessor) {
  EXPECT_GE(countProcessors(), 1);
}

} // namespace
