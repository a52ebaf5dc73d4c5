// FuzzTest.cpp - mutated files and texts, the same in every run: no input may crash, and what is accepted must be
// written and read back unchanged. The libFuzzer programs under fuzz/ search further.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NpySamples.h"
#include "TestSupport.h"
#include "fuzz/RoundTrip.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <random>
#include <vector>

using namespace mlir::rnn;
using namespace support_test;

namespace {

/// Changes a few bytes, ranges or words of an input.
class Mutator {
public:
  Mutator(llvm::ArrayRef<llvm::StringRef> words, uint64_t seed) : words(words), random(seed) {}

  uint64_t draw(uint64_t bound) { return random() % bound; }

  std::string operator()(llvm::StringRef seed) {
    std::string input = seed.str();
    for (uint64_t step = 0, steps = 1 + draw(4); step < steps; ++step)
      mutate(input);
    return input;
  }

private:
  void mutate(std::string &input) {
    size_t at = draw(input.size() + 1), length = draw(8), left = input.size() - at;
    switch (draw(7)) {
    case 0:
      if (left)
        input[at] = static_cast<char>(draw(256));
      return;
    case 1:
      if (left)
        input[at] ^= static_cast<char>(1 << draw(8));
      return;
    case 2:
      input.erase(at, length);
      return;
    case 3:
      input.insert(at, input.substr(draw(input.size() + 1), length));
      return;
    case 4:
      input.insert(at, words[draw(words.size())].str());
      return;
    case 5:
      input.replace(at, length, words[draw(words.size())].str());
      return;
    default: // a cut is rare, for little is left of most inputs
      if (draw(8) == 0)
        input.resize(at);
    }
  }

  llvm::ArrayRef<llvm::StringRef> words;
  std::mt19937_64 random;
};

TEST(FuzzTest, Npy) {
  const llvm::StringRef words[] = {"(",
                                   ")",
                                   ",",
                                   "'",
                                   "{",
                                   "}",
                                   "[",
                                   "0",
                                   "1",
                                   "2",
                                   "3",
                                   "-1",
                                   "True",
                                   "False",
                                   "'<f4'",
                                   "'<f8'",
                                   "<i4",
                                   "|b1",
                                   "<u2",
                                   ">f4",
                                   "=i2",
                                   "9223372036854775807",
                                   "4294967296",
                                   "'descr': ",
                                   "'shape': ",
                                   "(6,)",
                                   "(3, 2)",
                                   "(1, 6, 1)",
                                   "L",
                                   "\n",
                                   samples::bytes("\0"),
                                   "\xff\xff"};
  std::vector<llvm::StringRef> seeds(std::begin(samples::readable), std::end(samples::readable));
  llvm::append_range(seeds, samples::refused);
  llvm::SmallString<128> scratch;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("npy-fuzz-test", "npy", scratch));
  Mutator mutate(words, /*seed=*/20260);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string input = mutate(seeds[mutate.draw(seeds.size())]);
    std::optional<ElementKind> requested;
    if (mutate.draw(4) == 0)
      requested = allKinds[mutate.draw(std::size(allKinds))];
    round_trip::Outcome outcome = round_trip::checkNpy(input, requested, scratch);
    accepted += outcome.accepted;
    ASSERT_EQ(outcome.problem, "") << "round " << round << ": " << testing::PrintToString(input);
  }
  llvm::sys::fs::remove(scratch);
  // Otherwise most mutations are rejected in the header, or none is.
  EXPECT_GT(accepted, 500);
  EXPECT_LT(accepted, 15000);
}

TEST(FuzzTest, TensorText) {
  const llvm::StringRef words[] = {"[",
                                   "]",
                                   ",",
                                   " ",
                                   "=",
                                   "x",
                                   "0",
                                   "1",
                                   "-",
                                   "+",
                                   ".",
                                   "e",
                                   "e400",
                                   "e-400",
                                   "inf",
                                   "nan",
                                   "true",
                                   "f16",
                                   "bf16",
                                   "f32",
                                   "f64",
                                   "i1",
                                   "i8",
                                   "i64",
                                   "index",
                                   "0x",
                                   "2x",
                                   "[[1,2],[3,4]]",
                                   "[]",
                                   "1e-3",
                                   "18446744073709551615",
                                   "-9223372036854775808"};
  const llvm::StringRef seeds[] = {"2x3xf32=[[1,2,3],[4,5,6]]",
                                   "2x3xf32=0.5",
                                   "f32=1.5",
                                   "7",
                                   "2x2xbf16=1 2 3.14 4",
                                   "3xi8=[127,-1,-128]",
                                   "[[1],[2]]",
                                   "2x0xf32=[[],[]]",
                                   "4xi1=true,false,1,0",
                                   "2x1x2xf64=[[[1e300,nan]],[[-inf,-0]]]",
                                   "index=3",
                                   "3xf16=65504,1e-8,0.1"};
  Mutator mutate(words, /*seed=*/20261);
  int accepted = 0, skipped = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string input = mutate(seeds[mutate.draw(std::size(seeds))]);
    if (!round_trip::isCheap(input)) {
      ++skipped;
      continue;
    }
    round_trip::Outcome outcome = round_trip::checkText(input);
    accepted += outcome.accepted;
    ASSERT_EQ(outcome.problem, "") << "round " << round << ": " << testing::PrintToString(input);
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_LT(accepted, 15000);
  EXPECT_LT(skipped, 2000);
}

} // namespace
