// TensorTextTest.cpp - tensors as text: forms, types, errors, and round trips of all 16-bit values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn/Support/TensorText.h"
#include "TestSupport.h"

#include <cstring>
#include <random>

using namespace mlir::rnn;
using namespace support_test;

namespace {

/// Returns `text` in printed form, with type and elements.
std::string normalize(llvm::StringRef text, const RequestedType *requested = nullptr) {
  auto tensor = parseTensorText(text, requested);
  return tensor ? printTensorText(*tensor) : "error: " + llvm::toString(tensor.takeError());
}

TEST(TensorTextTest, Forms) {
  const char *const matrix = "2x3xf32=[[1, 2, 3], [4, 5, 6]]";
  for (const char *text :
       {"2x3xf32=[[1,2,3],[4,5,6]]", "2x3xf32=[1,2,3,4,5,6]", "2x3xf32=1,2,3,4,5,6", "2x3xf32=1 2 3 4 5 6",
        "2x3xf32=[1 2 3][4 5 6]", " 2x3xf32 = [ [1, 2 ,3]\n[4\t5 6] ] ", "2x3xf32=[1.0,2e0,+3],[.4e1,5.,60e-1]"})
    EXPECT_EQ(normalize(text), matrix) << text;
  EXPECT_EQ(normalize("2x3xf32=0.5"), "2x3xf32=[[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]");
  EXPECT_EQ(normalize("f32=1.5"), "f32=1.5");
  EXPECT_EQ(normalize("f32=[1.5]"), "f32=1.5");
  EXPECT_EQ(normalize("1x1x2xi8=[[1 2]]"), "1x1x2xi8=[[[1, 2]]]");
  EXPECT_EQ(normalize("index=-3"), "index=-3");
}

TEST(TensorTextTest, OmittedTypes) {
  EXPECT_EQ(normalize("7"), "i64=7");
  EXPECT_EQ(normalize("7.0"), "f32=7");
  EXPECT_EQ(normalize("inf"), "f32=inf");
  EXPECT_EQ(normalize("[1,2]"), "2xi64=[1, 2]");
  EXPECT_EQ(normalize("1,2"), "2xi64=[1, 2]");
  EXPECT_EQ(normalize("[[1],[0.5]]"), "2x1xf32=[[1], [0.5]]");
  EXPECT_EQ(normalize("[]"), "0xi64=[]");
}

TEST(TensorTextTest, TypesOfTheFunction) {
  RequestedType fixed{ElementKind::F16, {2, 2}}, open{ElementKind::F32, {-1, 2}}, scalar{ElementKind::Index, {}};
  EXPECT_EQ(normalize("3", &fixed), "2x2xf16=[[3, 3], [3, 3]]");
  EXPECT_EQ(normalize("1,2,3,4", &fixed), "2x2xf16=[[1, 2], [3, 4]]");
  EXPECT_EQ(normalize("[[1,2],[3,4],[5,6]]", &open), "3x2xf32=[[1, 2], [3, 4], [5, 6]]");
  EXPECT_EQ(normalize("[1,2]", &open), "1x2xf32=[[1, 2]]");
  EXPECT_EQ(normalize("4", &scalar), "index=4");
  // An explicit type takes precedence. The caller checks it against the function.
  EXPECT_EQ(normalize("3xi8=1", &fixed), "3xi8=[1, 1, 1]");
  EXPECT_EQ(normalize("1", &open), "error: one number does not define the dynamic sizes of ?x2xf32; write the type "
                                   "before it, as in `2x3xf32=1`");
  EXPECT_EQ(normalize("[[1,2,3]]", &open), "error: expected the lists of `[[1,2,3]]` to be ?x2xf32, but got 1x3xf32");
  RequestedType huge{ElementKind::F32, {std::numeric_limits<int64_t>::max(), 2}};
  EXPECT_EQ(normalize("1", &huge), "error: the type 9223372036854775807x2xf32 has more bytes than 63 bits can count");
}

TEST(TensorTextTest, EmptyTensors) {
  EXPECT_EQ(normalize("0xf32=[]"), "0xf32=[]");
  EXPECT_EQ(normalize("0xf32="), "0xf32=[]");
  EXPECT_EQ(normalize("0xf32=3"), "0xf32=[]");
  EXPECT_EQ(normalize("2x0xf32=[[],[]]"), "2x0xf32=[]");
  EXPECT_EQ(normalize("1000000000x0xf32=[]"), "1000000000x0xf32=[]");
}

TEST(TensorTextTest, Integers) {
  EXPECT_EQ(normalize("3xi8=127,-1,-128"), "3xi8=[127, -1, -128]");
  EXPECT_EQ(normalize("i64=9223372036854775807"), "i64=9223372036854775807");
  EXPECT_EQ(normalize("i64=-9223372036854775808"), "i64=-9223372036854775808");
  EXPECT_EQ(normalize("4xi1=true,false,1,0"), "4xi1=[1, 0, 1, 0]");
  EXPECT_EQ(normalize("i32=010"), "i32=10"); // not octal
}

struct BadText {
  const char *text, *message;
};

TEST(TensorTextTest, Errors) {
  const BadText cases[] = {
      {"", "expected a value such as 7, f32=1.5 or 2x3xf32=[[1,2,3],[4,5,6]], but got nothing"},
      {" ", "expected a value such as 7, f32=1.5 or 2x3xf32=[[1,2,3],[4,5,6]], but got nothing"},
      {"2x3xf32", "expected a value, but got only the type `2x3xf32`; write `2x3xf32=0` for zeros"},
      {"foo=1",
       "expected a type such as 2x3xf32 or i64, with the element type i1, i8, i16, i32, i64, f16, bf16, f32, f64 "
       "or index, but got `foo`"},
      {"?x3xf32=1",
       "expected a type such as 2x3xf32 or i64, with the element type i1, i8, i16, i32, i64, f16, bf16, f32, "
       "f64 or index, but got `?x3xf32`"},
      {"2y3xf32=1", "expected x after each size, but got `y3xf32` in the type `2y3xf32`"},
      {"9223372036854775808xf32=1",
       "expected sizes up to 2^63 - 1, but got `9223372036854775808` in the type `9223372036854775808xf32`"},
      {"4294967296x4294967296xf32=1", "the type 4294967296x4294967296xf32 has more bytes than 63 bits can count"},
      {"1152921504606846976xi8=1", "no memory for a tensor 1152921504606846976xi8 of 1152921504606846976 bytes"},
      {"f32=", "expected 1 numbers for f32, or one for all elements, but got 0 in ``"},
      {"2x3xf32=1,2", "expected 6 numbers for 2x3xf32, or one for all elements, but got 2 in `1,2`"},
      {"2x3xf32=[[1,2],[3,4],[5,6]]", "expected the lists of `[[1,2],[3,4],[5,6]]` to be 2x3xf32, but got 3x2xf32"},
      {"[[1,2],[3]]", "expected lists of one depth of `[[1,2],[3]]` to have the same length, but got 2 and 1"},
      {"[[1],2]", "expected a list of numbers or a list of lists, but got both in `[[1],2]`"},
      {"[1,[2]]", "expected a list of numbers or a list of lists, but got both in `[1,[2]]`"},
      {"[[1],[[2]]]", "expected a list of numbers or a list of lists, but got both in `[[1],[[2]]]`"},
      {"1,,2", "expected a number or [ before each comma of `1,,2`, but got a comma at byte 2"},
      {",1", "expected a number or [ before each comma of `,1`, but got a comma at byte 0"},
      {"[1,]", "expected a number or [ after each comma of `[1,]`, but got ] at byte 3"},
      {"1,", "expected a number after each comma of `1,`, but got the end"},
      {"1]", "expected [ before each ] of `1]`, but got ] at byte 1"},
      {"[[1]", "expected ] for each [ of `[[1]`, but got the end"},
      {"2xi32=1,1.5",
       "element 1: expected an integer for i32, but got `1.5`; round it, or name a type such as f32 before "
       "`=`"},
      {"i32=x", "expected an integer for i32, but got `x`"},
      {"i8=128", "expected an integer for i8 from -128 to 127, but got `128`; use a wider type"},
      {"i8=-129", "expected an integer for i8 from -128 to 127, but got `-129`; use a wider type"},
      {"i1=2", "expected an integer for i1 from 0 to 1, but got `2`; use a wider type"},
      {"i32=2147483648",
       "expected an integer for i32 from -2147483648 to 2147483647, but got `2147483648`; use a wider type"},
      {"i64=9223372036854775808",
       "expected an integer for i64 from -9223372036854775808 to 9223372036854775807, but got "
       "`9223372036854775808`; use a wider type"},
      {"i64=18446744073709551616",
       "expected an integer for i64 from -9223372036854775808 to 9223372036854775807, but got "
       "`18446744073709551616`; use a wider type"},
      {"f16=65520", "expected a number in the range of f16, but got `65520`; write inf, or use a wider type"},
      {"f32=1e39", "expected a number in the range of f32, but got `1e39`; write inf, or use a wider type"},
      {"0xf32=x", "expected a number for f32, such as 1, -0.5, 1e-3, inf or nan, but got `x`"},
      {"f32=1e", "expected a number for f32, such as 1, -0.5, 1e-3, inf or nan, but got `1e`"},
      {"f32=0x10", "expected a number for f32, such as 1, -0.5, 1e-3, inf or nan, but got `0x10`"},
      {"f32=1\x01", "expected a number for f32, such as 1, -0.5, 1e-3, inf or nan, but got `1\\01`"},
      {"f32=1=2", "expected a number for f32, such as 1, -0.5, 1e-3, inf or nan, but got `1=2`"},
  };
  for (const BadText &bad : cases)
    EXPECT_EQ(errorOf(parseTensorText(bad.text)), bad.message) << bad.text;
}

TEST(TensorTextTest, DepthAndLengthAreLimitedNotFatal) {
  std::string brackets(1000000, '['), dims;
  EXPECT_NE(errorOf(parseTensorText(brackets)).find("expected at most 32 nested lists"), std::string::npos);
  for (int dim = 0; dim < 33; ++dim)
    dims += "1x";
  EXPECT_NE(errorOf(parseTensorText(dims + "f32=0")).find("expected at most 32 dims"), std::string::npos);
  std::string deep = std::string(32, '[') + "1" + std::string(32, ']');
  EXPECT_EQ(valueOf(parseTensorText(deep)).getRank(), 32);
  EXPECT_NE(errorOf(parseTensorText(deep + deep)).find("expected at most 32 dims"), std::string::npos);
  // The message of a long input stays short.
  EXPECT_LT(errorOf(parseTensorText(std::string(1000000, 'x'))).size(), 500u);
}

TEST(TensorTextTest, NumbersAreRoundedOnce) {
  // Just above the midpoint of two f16 values. Rounded through f32 or double it is the midpoint, which rounds to even.
  EXPECT_EQ(normalize("f16=2049.00000000000000000000000001"), "f16=2050");
  EXPECT_EQ(normalize("f16=2049"), "f16=2048");
  EXPECT_EQ(normalize("f32=16777217.000000000000001"), "f32=16777218");
  EXPECT_EQ(normalize("f32=1e-60"), "f32=0");
  EXPECT_EQ(normalize("3xf64=-0,-inf,-nan"), "3xf64=[-0, -inf, nan]");
  EXPECT_EQ(normalize("2xf32=0.1,1e-45"), "2xf32=[0.1, 1e-45]");
  EXPECT_EQ(normalize("f64=5e-324"), "f64=5e-324");
}

/// Whether the elements of `tensor` are printed and read back bit for bit; NaN counts as itself.
void expectReadBack(const HostTensor &tensor) {
  HostTensor read = valueOf(parseTensorText(printTensorText(tensor)));
  ASSERT_EQ(read.getTypeString(), tensor.getTypeString());
  int64_t size = getElementSize(tensor.getKind());
  for (int64_t index = 0; index < tensor.getNumElements(); ++index) {
    if (std::isnan(tensor.getAsDouble(index)))
      EXPECT_TRUE(std::isnan(read.getAsDouble(index)));
    else
      ASSERT_EQ(std::memcmp(tensor.getDataAs<char>() + index * size, read.getDataAs<char>() + index * size, size), 0)
          << tensor.getAsDouble(index) << " as " << read.getAsDouble(index);
  }
}

TEST(TensorTextTest, AllValuesOf16BitsReadBack) {
  for (ElementKind kind : {ElementKind::F16, ElementKind::BF16, ElementKind::I16}) {
    SCOPED_TRACE(stringifyElementKind(kind).str());
    HostTensor tensor = valueOf(HostTensor::allocate(kind, {256, 256}));
    for (int value = 0; value < 65536; ++value)
      tensor.getDataAs<uint16_t>()[value] = value;
    expectReadBack(tensor);
  }
}

TEST(TensorTextTest, RandomBitsReadBack) {
  std::mt19937_64 random(7);
  for (ElementKind kind :
       {ElementKind::F32, ElementKind::F64, ElementKind::I8, ElementKind::I32, ElementKind::I64, ElementKind::Index}) {
    SCOPED_TRACE(stringifyElementKind(kind).str());
    HostTensor tensor = valueOf(HostTensor::allocate(kind, {8, 5, 50}));
    for (int64_t byte = 0; byte < tensor.getNumBytes(); ++byte)
      tensor.getDataAs<uint8_t>()[byte] = random();
    expectReadBack(tensor);
  }
}

TEST(TensorTextTest, TensorWithoutMemory) {
  EXPECT_EQ(printTensorText(HostTensor(ElementKind::F32, {2}, nullptr)), "2xf32=<no memory>");
}

} // namespace
