// CudaApiTest.cpp - the search for libraries and the selection of images, which need no driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/DynamicLibrary.h"
#include "cuda/CudaImages.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace rnnrt;
using namespace rnnrt::cuda;

namespace {

std::string text(const Status &status) {
  if (status.ok())
    return "";
  return std::string(rnnrt_status_code_name(rnnrt_status_code(status.get()))) + ": " +
         rnnrt_status_message(status.get());
}

//===-- DynamicLibrary -------------------------------------------------------------------------------------------===//

/// A temporary directory, and environment variables that are restored after the test.
class DynamicLibraryTest : public testing::Test {
protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "rnn-library-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory = name;
    for (const char *variable : {"VIRTUAL_ENV", "CONDA_PREFIX", "HOME", "RNN_TEST_LIBRARY"}) {
      const char *value = std::getenv(variable);
      saved.emplace_back(variable, value ? value : "");
      unsetenv(variable);
    }
  }
  void TearDown() override {
    std::filesystem::remove_all(directory);
    for (const auto &[variable, value] : saved)
      value.empty() ? unsetenv(variable.c_str()) : setenv(variable.c_str(), value.c_str(), 1);
  }

  /// A real library under another name.
  std::string addFile(const std::string &path) {
    const std::filesystem::path target = std::filesystem::path(directory) / path;
    std::filesystem::create_directories(target.parent_path());
    std::filesystem::copy_file(RNN_FAKE_CUDA_DIRECTORY "/libcuda.so.1", target);
    return target;
  }
  std::string write(const std::string &path, const std::string &content) {
    const std::filesystem::path target = std::filesystem::path(directory) / path;
    std::filesystem::create_directories(target.parent_path());
    std::ofstream(target) << content;
    return target;
  }
  /// Returns the path of the library found, or the failure message.
  std::string find(const LibraryQuery &query) {
    std::unique_ptr<DynamicLibrary> library;
    Status status = DynamicLibrary::open(query, library);
    EXPECT_EQ(status.ok(), library != nullptr);
    if (!library)
      return text(status);
    EXPECT_NE(library->symbol("cuInit"), nullptr);
    EXPECT_EQ(library->symbol("cuNoSuchFunction"), nullptr);
    return library->path();
  }

  std::string directory;
  std::vector<std::pair<std::string, std::string>> saved;
  const LibraryQuery query{"the test library", "RNN_TEST_LIBRARY", {"librnn_test_nowhere.so.7"}, {"nvidia/x/lib"}, {}};
};

TEST_F(DynamicLibraryTest, TheVariableNamesAFileOrItsDirectory) {
  const std::string file = addFile("some/librnn_test_nowhere.so.7"), other = addFile("other.so");
  setenv("RNN_TEST_LIBRARY", (directory + "/some").c_str(), 1);
  EXPECT_EQ(find(query), file);
  setenv("RNN_TEST_LIBRARY", file.c_str(), 1);
  EXPECT_EQ(find(query), file);
  setenv("RNN_TEST_LIBRARY", other.c_str(), 1);
  EXPECT_EQ(find(query), other);
}

TEST_F(DynamicLibraryTest, TheVariableDisablesTheSearch) {
  LibraryQuery elsewhere = query;
  addFile("there/librnn_test_nowhere.so.7");
  elsewhere.directories = {directory + "/there"};
  setenv("RNN_TEST_LIBRARY", (directory + "/missing").c_str(), 1);
  const std::string message = find(elsewhere);
  EXPECT_EQ(
      message.rfind("UNAVAILABLE: the test library is needed, but what RNN_TEST_LIBRARY names cannot be loaded: `" +
                        directory + "/missing`: cannot open shared object file",
                    0),
      0u)
      << message;
  EXPECT_EQ(message.find("/there"), std::string::npos) << message;
  // A file name without a directory is not searched for.
  setenv("RNN_TEST_LIBRARY", "libc.so.6", 1);
  EXPECT_NE(find(query).find("`libc.so.6`: no such file or directory"), std::string::npos);
  // An empty variable counts as unset.
  setenv("RNN_TEST_LIBRARY", "", 1);
  EXPECT_EQ(find(elsewhere), directory + "/there/librnn_test_nowhere.so.7");
}

TEST_F(DynamicLibraryTest, WheelsOfTheActiveEnvironmentFirst) {
  const std::string old = addFile("venv/lib/python3.9/site-packages/nvidia/x/lib/librnn_test_nowhere.so.7");
  const std::string home = addFile("home/.local/lib/python3.11/site-packages/nvidia/x/lib/librnn_test_nowhere.so.7");
  setenv("HOME", (directory + "/home").c_str(), 1);
  EXPECT_EQ(find(query), home);
  setenv("VIRTUAL_ENV", (directory + "/venv").c_str(), 1);
  EXPECT_EQ(find(query), old);
  const std::string latest = addFile("venv/lib/python3.12/site-packages/nvidia/x/lib/librnn_test_nowhere.so.7");
  EXPECT_EQ(find(query), latest);
}

TEST_F(DynamicLibraryTest, BrokenFilesAreSkipped) {
  LibraryQuery places = query;
  write("broken/librnn_test_nowhere.so.7", "this is no library");
  const std::string good = addFile("good/librnn_test_nowhere.so.7");
  places.directories = {directory + "/broken", directory + "/good"};
  EXPECT_EQ(find(places), good);
}

TEST_F(DynamicLibraryTest, FailuresListAllPaths) {
  LibraryQuery places = query;
  write("broken/librnn_test_nowhere.so.7", "this is no library");
  places.directories = {directory + "/broken", directory + "/none"};
  const std::string message = find(places);
  for (const std::string &word :
       {std::string(
            "UNAVAILABLE: the test library is needed, but was not found: `librnn_test_nowhere.so.7`: cannot open "
            "shared object file"),
        "`" + directory + "/broken/librnn_test_nowhere.so.7`: ",
        "`" + directory + "/none/librnn_test_nowhere.so.7`: no such file or directory",
        std::string("; set RNN_TEST_LIBRARY to the file or its directory")})
    EXPECT_NE(message.find(word), std::string::npos) << message << "\nlacks " << word;
}

//===-- Images ---------------------------------------------------------------------------------------------------===//

ImageTarget target(const char *chip, const char *data = "\177ELF") {
  ImageTarget result;
  const rnnrt_image_t image{data, 0, chip};
  EXPECT_EQ(text(readImageTarget(image, 0, result)), "") << chip;
  return result;
}
constexpr const char *ptx = ".version 8.6\n.target sm_80, debug\n";

TEST(CudaImagesTest, ReadsTargets) {
  EXPECT_EQ(target("sm_90a").describe(), "machine code for sm_90a");
  EXPECT_EQ(target("sm_100f").describe(), "machine code for sm_100f");
  EXPECT_EQ(target(nullptr).describe(), "machine code for an unknown chip");
  EXPECT_EQ(target(nullptr, "\x50\xed\x55\xba").describe(), "machine code for an unknown chip");
  EXPECT_EQ(target(nullptr, ptx).describe(), "PTX for sm_80");
  EXPECT_EQ(target("compute_75", ptx).describe(), "PTX for sm_75");
  EXPECT_EQ(target(nullptr, ".version 8.6 .target\tsm_90a").describe(), "PTX for sm_90a");
}

TEST(CudaImagesTest, RejectsInvalidCode) {
  ImageTarget result;
  auto failure = [&](const void *data, int64_t bytes, const char *chip) {
    const rnnrt_image_t image{data, bytes, chip};
    return text(readImageTarget(image, 3, result));
  };
  EXPECT_EQ(failure(nullptr, 4, nullptr), "INVALID_ARGUMENT: expects `data` of image 3, but got a null pointer");
  EXPECT_EQ(failure(ptx, -1, nullptr), "INVALID_ARGUMENT: expects `bytes` of image 3 to be at least 0, but got -1");
  EXPECT_EQ(failure("hello", 0, nullptr).rfind("INVALID_ARGUMENT: image 3 is neither machine code of a GPU nor PTX", 0),
            0u);
  EXPECT_EQ(failure("\177E", 2, nullptr).rfind("INVALID_ARGUMENT: image 3 is neither", 0), 0u);
  EXPECT_EQ(failure(".version 8.6 .target x", 0, nullptr),
            "INVALID_ARGUMENT: the PTX of image 3 has a .target that is not a chip");
  EXPECT_EQ(failure(".version 8.6 .target", 0, nullptr),
            "INVALID_ARGUMENT: the PTX of image 3 has a .target that is not a chip");
  for (const char *chip : {"", "sm_", "sm_9", "sm_90b", "sm_90a1", "sm_12345", "gfx90a", "90"})
    EXPECT_EQ(failure("\177ELF", 0, chip),
              std::string("INVALID_ARGUMENT: expects `chip` of image 3 to be a chip such as `sm_90a`, but got `") +
                  chip + "`");
  // Text that is not zero-terminated: only `bytes` bytes are read.
  EXPECT_EQ(failure(ptx, 20, nullptr), "INVALID_ARGUMENT: the PTX of image 3 has a .target that is not a chip");
}

TEST(CudaImagesTest, FitsByGeneration) {
  EXPECT_TRUE(target("sm_90a").fits(90));
  EXPECT_FALSE(target("sm_90a").fits(100));
  EXPECT_TRUE(target("sm_80").fits(86));
  EXPECT_FALSE(target("sm_86").fits(80));
  EXPECT_FALSE(target("sm_80").fits(90));
  EXPECT_TRUE(target("sm_100f").fits(103));
  EXPECT_FALSE(target("sm_100f").fits(120));
  EXPECT_TRUE(target("sm_80", ptx).fits(90));
  EXPECT_FALSE(target("sm_90", ptx).fits(80));
  EXPECT_FALSE(target("sm_90a", ptx).fits(100));
  EXPECT_TRUE(target(nullptr).fits(75));
}

TEST(CudaImagesTest, RanksImages) {
  const std::vector<ImageTarget> targets = {target("sm_80", ptx), target("sm_90"), target("sm_90a"),
                                            target("sm_80"),      target(nullptr), target("sm_90", ptx),
                                            target("sm_86"),      target("sm_90")};
  using Order = std::vector<int64_t>;
  EXPECT_EQ(chooseImages(targets, 90), (Order{2, 1, 7, 4, 5, 0}));
  EXPECT_EQ(chooseImages(targets, 86), (Order{6, 3, 4, 0}));
  EXPECT_EQ(chooseImages(targets, 80), (Order{3, 4, 0}));
  EXPECT_EQ(chooseImages(targets, 120), (Order{4, 5, 0}));
  EXPECT_EQ(chooseImages({target("sm_90a")}, 75), Order());
}

} // namespace
