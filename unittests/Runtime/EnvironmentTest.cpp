// EnvironmentTest.cpp - values of environment variables that are not valid.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Environment.h"

#include <gtest/gtest.h>
#include <string>

using namespace rnnrt;

namespace {

class Environment : public testing::Test {
protected:
  ~Environment() override { unsetenv(variable); }

  int64_t integer(const char *text, int64_t least, int64_t most) {
    setenv(variable, text, 1);
    testing::internal::CaptureStderr();
    const int64_t value = readInteger(variable, 7, least, most);
    report = testing::internal::GetCapturedStderr();
    return value;
  }
  bool flag(const char *text, bool usual) {
    setenv(variable, text, 1);
    testing::internal::CaptureStderr();
    const bool value = readFlag(variable, usual);
    report = testing::internal::GetCapturedStderr();
    return value;
  }

  const char *const variable = "RNNRT_VARIABLE_OF_A_TEST";
  std::string report;
};

TEST_F(Environment, Integers) {
  EXPECT_EQ(readInteger(variable, 7, 0, 10), 7);
  for (const char *text : {"0", "3", "10", "-1", "0010"}) {
    EXPECT_EQ(integer(text, -1, 10), std::atoi(text)) << text;
    EXPECT_EQ(report, "") << text;
  }
  EXPECT_EQ(integer("9223372036854775807", 1, INT64_MAX), INT64_MAX);
  EXPECT_EQ(report, "");
  EXPECT_EQ(integer("", 0, 10), 7);
  EXPECT_EQ(report, "");
  for (const char *text : {" ", " 3", "3 ", "+3", "-", "--1", "3x", "x", "0x3", "3.0", "1e1", "-2", "11",
                           "9223372036854775808", "-9223372036854775809", "99999999999999999999999", "\xff"}) {
    EXPECT_EQ(integer(text, -1, 10), 7) << text;
    EXPECT_EQ(report, "rnnrt,warning,RNNRT_VARIABLE_OF_A_TEST expects an integer from -1 to 10, but got `" +
                          std::string(text) + "`\n");
  }
  EXPECT_EQ(integer("9223372036854775808", 1, INT64_MAX), 7);
  EXPECT_EQ(report,
            "rnnrt,warning,RNNRT_VARIABLE_OF_A_TEST expects an integer of at least 1, but got `9223372036854775808`\n");
}

TEST_F(Environment, Flags) {
  for (bool usual : {false, true}) {
    EXPECT_EQ(readFlag(variable, usual), usual);
    EXPECT_EQ(flag("", usual), usual);
    EXPECT_FALSE(flag("0", usual));
    EXPECT_TRUE(flag("1", usual));
    EXPECT_EQ(report, "");
    for (const char *text : {"yes", "true", "2", "01", " 1", "-1"}) {
      EXPECT_EQ(flag(text, usual), usual) << text;
      EXPECT_EQ(report, "rnnrt,warning,RNNRT_VARIABLE_OF_A_TEST expects 0 or 1, but got `" + std::string(text) + "`\n");
    }
    unsetenv(variable);
  }
}

} // namespace
