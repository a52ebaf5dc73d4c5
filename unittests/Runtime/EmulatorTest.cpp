// EmulatorTest.cpp - the search for librnn_emulator, and the failure if it is missing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/api.h"

#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

/// "CODE: message", or "OK". Releases the status.
std::string take(rnnrt_status_t status) {
  std::string text = rnnrt_status_code_name(rnnrt_status_code(status));
  if (status)
    text += std::string(": ") + rnnrt_status_message(status);
  rnnrt_status_release(status);
  return text;
}

std::string create(const char *name) {
  rnnrt_device_t *device = nullptr;
  std::string text = take(rnnrt_device_create(name, nullptr, &device));
  EXPECT_EQ(device != nullptr, text == "OK");
  rnnrt_device_release(device);
  return text;
}

bool isLoaded() {
  void *handle = dlopen(RNN_EMULATOR, RTLD_NOW | RTLD_NOLOAD);
  if (handle)
    dlclose(handle);
  return handle != nullptr;
}

class EmulatorTest : public ::testing::Test {
protected:
  ~EmulatorTest() override { unsetenv("RNNRT_EMULATOR_PATH"); }
};

} // namespace

// The first test: later ones load the emulator for good.
TEST_F(EmulatorTest, IsLoadedForTargetSimtAlone) {
  EXPECT_EQ(create("host"), "OK");
  const rnnrt_abi_symbol_t *symbols = nullptr;
  size_t count = 1;
  EXPECT_EQ(take(rnnrt_abi_target_symbols("host", &symbols, &count)), "OK");
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(take(rnnrt_abi_target_symbols("cuda:1", &symbols, &count)), "OK");
  EXPECT_EQ(count, 0u);
  EXPECT_FALSE(isLoaded());
}

TEST_F(EmulatorTest, MissingIsUnavailable) {
  setenv("RNNRT_EMULATOR_PATH", "/nowhere/librnn_emulator.so", 1);
  const std::string expected = "UNAVAILABLE: the emulator of GPU kernels (target simt) is needed, but what "
                               "RNNRT_EMULATOR_PATH names cannot be loaded: `/nowhere/librnn_emulator.so`: ";
  EXPECT_EQ(create("simt").substr(0, expected.size()), expected);
  const rnnrt_abi_symbol_t *symbols = nullptr;
  size_t count = 1;
  EXPECT_EQ(take(rnnrt_abi_target_symbols("simt", &symbols, &count)).substr(0, expected.size()), expected);
  EXPECT_EQ(count, 0u);
  EXPECT_FALSE(isLoaded());
}

TEST_F(EmulatorTest, OtherLibrariesAreUnavailable) {
  // The runtime itself is a library without the function.
  Dl_info info;
  ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, "rnnrt_device_create"), &info), 0);
  setenv("RNNRT_EMULATOR_PATH", info.dli_fname, 1);
  EXPECT_EQ(create("simt"),
            std::string("UNAVAILABLE: the emulator of GPU kernels (target simt) is needed, but `") + info.dli_fname +
                "` has no function rnnrt_emulator_get; set RNNRT_EMULATOR_PATH to a librnn_emulator.so");
  setenv("RNNRT_EMULATOR_PATH", RNN_OTHER_EMULATOR, 1);
  const std::string expected = "UNAVAILABLE: the emulator `" RNN_OTHER_EMULATOR "` has version ";
  EXPECT_EQ(create("simt").substr(0, expected.size()), expected);
  EXPECT_FALSE(isLoaded());
}

TEST_F(EmulatorTest, FoundBesideTheRuntimeOrByPath) {
  EXPECT_EQ(create("simt:random:7"), "OK");
  EXPECT_TRUE(isLoaded());
  setenv("RNNRT_EMULATOR_PATH", RNN_EMULATOR, 1);
  EXPECT_EQ(create("simt"), "OK");
  EXPECT_EQ(create("simt:sideways").substr(0, 17), "INVALID_ARGUMENT:");
}

TEST_F(EmulatorTest, TargetSymbolsAreItsEntries) {
  const std::vector<std::string> expected = {
#define RNNRT_ENTRY(result, name, parameters) #name,
#include "rnn_runtime/simt.def"
#undef RNNRT_ENTRY
  };
  const rnnrt_abi_symbol_t *symbols = nullptr;
  size_t count = 0;
  ASSERT_EQ(take(rnnrt_abi_target_symbols("simt", &symbols, &count)), "OK");
  ASSERT_EQ(count, expected.size());
  void *library = dlopen(RNN_EMULATOR, RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  for (size_t index = 0; index < count; ++index) {
    EXPECT_EQ(symbols[index].name, expected[index]);
    EXPECT_EQ(symbols[index].address, dlsym(library, symbols[index].name)) << symbols[index].name;
  }
  dlclose(library);
}

TEST_F(EmulatorTest, UnknownTargets) {
  const rnnrt_abi_symbol_t *symbols = nullptr;
  size_t count = 0;
  EXPECT_EQ(take(rnnrt_abi_target_symbols("tpu", &symbols, &count)),
            "INVALID_ARGUMENT: there is no device `tpu`, expected `host`, `simt` or `cuda`");
  EXPECT_EQ(take(rnnrt_abi_target_symbols(nullptr, &symbols, &count)),
            "INVALID_ARGUMENT: expects `target`, but got a null pointer");
}
