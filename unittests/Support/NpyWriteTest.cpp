// NpyWriteTest.cpp - writing npy files: NumPy's own bytes, round trips of every type, and write errors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NpySamples.h"
#include "TestSupport.h"
#include "rnn/Support/Npy.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <csignal>
#include <cstring>
#include <random>
#include <sys/resource.h>

using namespace mlir::rnn;
using namespace support_test;
namespace fs = llvm::sys::fs;

namespace {

/// A temporary folder of one test.
class NpyWriteTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(fs::createUniqueDirectory("npy-write-test", folder)); }
  void TearDown() override { fs::remove_directories(folder); }

  std::string path(llvm::StringRef name) { return (folder + "/" + name).str(); }

  static std::string contents(const std::string &path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "no file";
  }

  size_t countFiles() {
    size_t count = 0;
    std::error_code code;
    for (fs::directory_iterator it(folder, code), end; it != end && !code; it.increment(code))
      ++count;
    return count;
  }

  llvm::SmallString<128> folder;
};

TEST_F(NpyWriteTest, BytesEqualNumPys) {
  // All except those that NumPy stores differently: Fortran order, unsigned, newer formats.
  for (llvm::StringRef sample : {samples::f4Matrix, samples::f8Scalar, samples::f2Vector, samples::boolVector,
                                 samples::i1Vector, samples::i2Vector, samples::i8Empty}) {
    std::string file = path("out.npy");
    EXPECT_EQ(messageOf(writeNpy(file, valueOf(parseNpy(sample, "sample")))), "");
    EXPECT_EQ(contents(file), sample.str());
  }
  std::string file = path("bf16.npy");
  EXPECT_EQ(messageOf(writeNpy(file, valueOf(parseNpy(samples::u2Vector, "sample", ElementKind::BF16)))), "");
  EXPECT_EQ(contents(file), samples::u2Vector.str());
}

TEST_F(NpyWriteTest, EveryTypeReadsBack) {
  std::mt19937_64 random(3);
  const llvm::SmallVector<int64_t> shapes[] = {{}, {1}, {7}, {2, 3}, {3, 1, 5}, {0}, {4, 0, 2}, {1, 2, 1, 2, 1, 2, 1}};
  for (ElementKind kind : allKinds) {
    for (const auto &shape : shapes) {
      HostTensor tensor = valueOf(HostTensor::allocate(kind, shape));
      SCOPED_TRACE(tensor.getTypeString());
      for (int64_t byte = 0; byte < tensor.getNumBytes(); ++byte)
        tensor.getDataAs<uint8_t>()[byte] = kind == ElementKind::I1 ? random() % 2 : random();
      std::string file = path("out.npy");
      ASSERT_EQ(messageOf(writeNpy(file, tensor)), "");
      HostTensor read = valueOf(readNpy(file, kind));
      ASSERT_EQ(read.getTypeString(), tensor.getTypeString());
      EXPECT_EQ(std::memcmp(read.getData(), tensor.getData(), tensor.getNumBytes()), 0);
      EXPECT_EQ((contents(file).size() - tensor.getNumBytes()) % 64, 0u);
    }
  }
}

TEST_F(NpyWriteTest, HeaderOfTheLargestRank) {
  llvm::SmallVector<int64_t> shape(32, 1);
  EXPECT_EQ(messageOf(writeNpy(path("32.npy"), makeTensor(ElementKind::F32, shape, {2.5}))), "");
  EXPECT_EQ(valueOf(readNpy(path("32.npy"))).getAsDouble(0), 2.5);
  shape.push_back(1);
  EXPECT_EQ(messageOf(writeNpy(path("33.npy"), makeTensor(ElementKind::F32, shape, {2.5}))),
            "`" + path("33.npy") + "`: expected at most 32 dims to write, but got 33; reshape the tensor");
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(NpyWriteTest, MemoryOfI1IsMadeZeroOrOne) {
  HostTensor tensor = valueOf(HostTensor::allocate(ElementKind::I1, {2}));
  tensor.getDataAs<uint8_t>()[1] = 0xff;
  ASSERT_EQ(messageOf(writeNpy(path("b.npy"), tensor)), "");
  EXPECT_EQ(valueOf(readNpy(path("b.npy"))).getDataAs<uint8_t>()[1], 1);
}

TEST_F(NpyWriteTest, AnOlderFileIsReplacedAndNothingElseIsLeft) {
  std::string file = path("out.npy");
  ASSERT_EQ(messageOf(writeNpy(file, makeTensor(ElementKind::F64, {100}, std::vector<double>(100, 1)))), "");
  ASSERT_EQ(messageOf(writeNpy(file, makeTensor(ElementKind::F32, {1}, {2}))), "");
  EXPECT_EQ(valueOf(readNpy(file)).getTypeString(), "1xf32");
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(NpyWriteTest, ALinkStaysALink) {
  std::string file = path("out.npy"), link = path("link.npy");
  ASSERT_EQ(messageOf(writeNpy(file, makeTensor(ElementKind::F32, {1}, {1}))), "");
  ASSERT_FALSE(fs::create_link(file, link));
  ASSERT_EQ(messageOf(writeNpy(link, makeTensor(ElementKind::F32, {1}, {2}))), "");
  EXPECT_TRUE(fs::is_symlink_file(link));
  EXPECT_EQ(valueOf(readNpy(file)).getAsDouble(0), 2.0);
}

TEST_F(NpyWriteTest, PathsThatCannotBeWritten) {
  HostTensor tensor = makeTensor(ElementKind::F32, {1}, {1});
  std::string message = messageOf(writeNpy(path("no/such/out.npy"), tensor));
  EXPECT_NE(message.find("the npy file cannot be written: No such file or directory; check that its folder exists"),
            std::string::npos)
      << message;
  EXPECT_NE(messageOf(writeNpy(folder, tensor)).find("it is a directory"), std::string::npos);
  EXPECT_NE(messageOf(writeNpy("", tensor)), "");
  EXPECT_NE(messageOf(writeNpy(path("x.npy"), HostTensor(ElementKind::F32, {2}, nullptr))).find("without memory"),
            std::string::npos);
  if (fs::exists("/dev/full"))
    EXPECT_NE(messageOf(writeNpy("/dev/full", tensor)).find("No space left on device"), std::string::npos);
  if (fs::exists("/dev/null"))
    EXPECT_EQ(messageOf(writeNpy("/dev/null", tensor)), "");
  EXPECT_EQ(countFiles(), 0u);
}

TEST_F(NpyWriteTest, AFullDiskLeavesTheOlderFile) {
  std::string file = path("out.npy");
  ASSERT_EQ(messageOf(writeNpy(file, makeTensor(ElementKind::F32, {1}, {1}))), "");
  // A file size limit fails like a full disk, if its signal is ignored.
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string message = messageOf(writeNpy(file, makeTensor(ElementKind::F64, {10000}, std::vector<double>(10000, 1))));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(message.find("cannot be written: File too large"), std::string::npos) << message;
  EXPECT_EQ(valueOf(readNpy(file)).getTypeString(), "1xf32");
  EXPECT_EQ(countFiles(), 1u);
}

} // namespace
