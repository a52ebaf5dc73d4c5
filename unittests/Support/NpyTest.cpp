// NpyTest.cpp - reading npy files: NumPy's own files, and invalid ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn/Support/Npy.h"
#include "NpySamples.h"
#include "TestSupport.h"
#include "rnn/Support/TensorText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace mlir::rnn;
using namespace support_test;

namespace {

std::string read(llvm::StringRef bytes, std::optional<ElementKind> requested = std::nullopt) {
  auto tensor = parseNpy(bytes, "in.npy", requested);
  return tensor ? printTensorText(*tensor) : "error: " + llvm::toString(tensor.takeError());
}

/// Returns a file of format 1.0 with a header and elements.
std::string makeFile(llvm::StringRef header, llvm::StringRef elements = "") {
  std::string bytes("\x93NUMPY\1\0", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header.str() + elements.str();
}

std::string makeHeader(llvm::StringRef descr, llvm::StringRef shape) {
  return "{'descr': '" + descr.str() + "', 'fortran_order': False, 'shape': " + shape.str() + ", }\n";
}

TEST(NpyTest, FilesOfNumPy) {
  EXPECT_EQ(read(samples::f4Matrix), "2x3xf32=[[1, 2, 3], [4, 5, 6.5]]");
  EXPECT_EQ(read(samples::f4Fortran), "2x3xf32=[[1, 2, 3], [4, 5, 6.5]]");
  EXPECT_EQ(read(samples::version2), "2x3xf32=[[1, 2, 3], [4, 5, 6.5]]");
  EXPECT_EQ(read(samples::version3), "2x3xf32=[[1, 2, 3], [4, 5, 6.5]]");
  EXPECT_EQ(read(samples::f8Scalar), "f64=-0.1");
  EXPECT_EQ(read(samples::f2Vector), "3xf16=[1, -2.5, inf]");
  EXPECT_EQ(read(samples::boolVector), "2xi1=[1, 0]");
  EXPECT_EQ(read(samples::i1Vector), "2xi8=[-1, 2]");
  EXPECT_EQ(read(samples::u1Vector), "2xi8=[-1, 2]");
  EXPECT_EQ(read(samples::i2Vector), "1xi16=[-2]");
  EXPECT_EQ(read(samples::i8Empty), "0x3xi64=[]");
  EXPECT_EQ(read(samples::u8Vector), "1xi64=[-1]");
  HostTensor cube = valueOf(parseNpy(samples::i4Cube, "cube"));
  EXPECT_EQ(cube.getTypeString(), "2x3x4xi32");
  for (int64_t index = 0; index < cube.getNumElements(); ++index)
    EXPECT_EQ(cube.getAsInteger(index), index);
}

TEST(NpyTest, RequestedTypes) {
  EXPECT_EQ(read(samples::u2Vector, ElementKind::BF16), "2xbf16=[1, 2]");
  for (const char *descr : {"<V2", "|V2"})
    for (std::optional<ElementKind> kind : {std::optional<ElementKind>(), std::optional(ElementKind::BF16)})
      EXPECT_EQ(read(makeFile(makeHeader(descr, "(2,)"), llvm::StringRef("\x80\x3f\x00\x40", 4)), kind),
                "2xbf16=[1, 2]")
          << descr;
  EXPECT_EQ(
      read(makeFile(makeHeader("<V2", "(2,)"), llvm::StringRef("\x80\x3f\x00\x40", 4)), ElementKind::F16),
      "error: `in.npy`: expected elements of type f16, but got the dtype `<V2`; convert it before it is saved, with "
      "array.astype(numpy.float16)");
  EXPECT_EQ(read(samples::u2Vector, ElementKind::F16), "2xf16=[1.875, 2]");
  EXPECT_EQ(read(samples::u2Vector, ElementKind::I16), "2xi16=[16256, 16384]");
  EXPECT_EQ(read(samples::u8Vector, ElementKind::Index), "1xindex=[-1]");
  EXPECT_EQ(read(samples::f8Scalar, ElementKind::F64), "f64=-0.1");
  EXPECT_EQ(read(samples::u2Vector), "error: `in.npy`: the dtype `<u2` holds i16 or the bits of f16 or bf16, which is "
                                     "ambiguous; specify the type or save with another dtype");
  EXPECT_EQ(
      read(samples::f8Scalar, ElementKind::F32),
      "error: `in.npy`: expected elements of type f32, but got the dtype `<f8`; convert it before it is saved, with "
      "array.astype(numpy.float32)");
  EXPECT_EQ(read(samples::f4Matrix, ElementKind::BF16),
            "error: `in.npy`: expected elements of type bf16, but got the dtype `<f4`; save bf16 as its bits, with "
            "array.view(numpy.uint16)");
  EXPECT_EQ(
      read(samples::i1Vector, ElementKind::I1),
      "error: `in.npy`: expected elements of type i1, but got the dtype `|i1`; convert it before it is saved, with "
      "array.astype(numpy.bool_)");
}

TEST(NpyTest, HeadersThatDifferFromNumPys) {
  std::string two("\0\0\0\0\0\0\0\0", 8);
  // Any order, either quote, no padding, Python 2's long integers, native order.
  EXPECT_EQ(read(makeFile("{\"shape\":(2L,),\"fortran_order\":False,\"descr\":\"=f4\"}", two)), "2xf32=[0, 0]");
  EXPECT_EQ(read(makeFile(" { 'descr' : '<f4' ,\n'fortran_order':True,'shape':( 1 , 2 , ) , } \n", two)),
            "1x2xf32=[[0, 0]]");
  EXPECT_EQ(read(makeFile(makeHeader(">i1", "(8,)"), two)), "8xi8=[0, 0, 0, 0, 0, 0, 0, 0]");
  std::string rank32 = "(";
  for (int dim = 0; dim < 32; ++dim)
    rank32 += "1, ";
  EXPECT_EQ(valueOf(parseNpy(makeFile(makeHeader("<f8", rank32 + ")"), two), "x")).getRank(), 32);
}

struct BadHeader {
  const char *header, *message;
};

TEST(NpyTest, DefectsOfHeaders) {
  const BadHeader cases[] = {
      {"", "expected the header to be a dictionary that starts with { at byte 0 of ``"},
      {"[]", "expected the header to be a dictionary that starts with { at byte 0 of `[]`"},
      {"{", "expected the header to have a key in quotes or } at byte 1"},
      {"{}", "expected the header to have the key 'descr'"},
      {"{descr: 1}", "expected the header to have a key in quotes or } at byte 1"},
      {"{'descr", "expected the header to have a key in quotes or } at byte 1"},
      {"{'descr' '<f4'}", "expected the header to have : after a key at byte 9"},
      {"{'descr': <f4}", "expected the header to have a dtype in quotes, such as '<f4', at byte 10"},
      {"{'descr': '<f4' 'shape': ()}", "expected the header to have , or } after a value at byte 16"},
      {"{'descr': '<f4', 'descr': '<f4'}",
       "each of descr, fortran_order and shape once and no other key, but got `descr`"},
      {"{'order': 'C'}", "each of descr, fortran_order and shape once and no other key, but got `order`"},
      {"{'fortran_order': 0}", "expected the header to have True or False at byte 18"},
      {"{'descr': '<f4', 'shape': ()}", "expected the header to have the key 'fortran_order'"},
      {"{'descr': '<f4', 'fortran_order': False}", "expected the header to have the key 'shape'"},
      {"{'shape': [2]}", "expected the header to have a shape that starts with ( at byte 10"},
      {"{'shape': (2)}", "expected the header to have , after a size at byte 13"},
      {"{'shape': (2 3)}", "expected the header to have , after a size at byte 13"},
      {"{'shape': (a,)}", "expected the header to have a size or ) at byte 11"},
      {"{'shape': (,)}", "expected the header to have a size or ) at byte 11"},
      {"{'shape': (2,", "expected the header to have a size or ) at byte 13"},
      {"{'shape': (2, -3)}", "expected dim 1 of the shape to be from 0 to 2^63 - 1, but got `-3`"},
      {"{'shape': (9223372036854775808,)}",
       "expected dim 0 of the shape to be from 0 to 2^63 - 1, but got `9223372036854775808`"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", "expected the header to end after } at byte 54"},
  };
  for (const BadHeader &bad : cases) {
    std::string message = read(makeFile(bad.header));
    EXPECT_EQ(message.find("error: `in.npy`: expected "), 0u) << message;
    EXPECT_NE(message.find(bad.message), std::string::npos) << bad.header << "\n" << message;
    EXPECT_NE(message.find("; write the file again with numpy.save"), std::string::npos) << message;
  }
}

TEST(NpyTest, DTypesThatAreNotRead) {
  EXPECT_EQ(read(samples::bigEndian), "error: `in.npy`: expected little endian elements, but got the big endian dtype "
                                      "`>f4`; convert it before it is saved, with array.astype('<f4')");
  EXPECT_EQ(
      read(samples::structured),
      "error: `in.npy`: expected elements that are numbers, but got a structured dtype `[('a', '<f4'), ('b', '<i4')`; "
      "save each field to a file of its own, with numpy.save(file, array['field'])");
  for (const char *descr : {"<c8", "<U2", "|O", "|S3", "<M8[s]", "<f16", "|V4", "f", "<", "", "<f4 ", "f4", "x"}) {
    std::string message = read(makeFile(makeHeader(descr, "()")));
    EXPECT_NE(message.find("expected one of the dtypes b1, i1,"), std::string::npos) << descr << "\n" << message;
    EXPECT_NE(message.find(std::string("but got `") + descr + "`; "), std::string::npos) << descr << "\n" << message;
  }
  for (const char *descr : {"|f4", "!i2", "=b1"}) // one byte may say = too, but NumPy never does
    EXPECT_NE(read(makeFile(makeHeader(descr, "()"))).find("error"), std::string::npos) << descr;
  EXPECT_NE(read(samples::complex).find("`<c8`"), std::string::npos);
  EXPECT_NE(read(samples::text).find("`<U2`"), std::string::npos);
}

TEST(NpyTest, MagicVersionAndLength) {
  EXPECT_EQ(read(""), "error: `in.npy`: expected an npy file, but got no bytes at all; write the file with numpy.save");
  EXPECT_EQ(read("hello world"),
            "error: `in.npy`: expected an npy file, which starts with \\93NUMPY, but got `hello `; "
            "write the file with numpy.save");
  EXPECT_NE(read(llvm::StringRef("PK\3\4 and so on")).find("unpack it with unzip"), std::string::npos);
  auto patched = [](size_t position, char value) {
    std::string bytes = samples::f4Matrix.str();
    bytes[position] = value;
    return read(bytes);
  };
  EXPECT_EQ(patched(6, 4), "error: `in.npy`: expected format version 1.0, 2.0 or 3.0, but got 4.0; write the file with "
                           "numpy.save");
  EXPECT_NE(patched(6, 0).find("but got 0.0"), std::string::npos);
  EXPECT_NE(patched(7, 1).find("but got 1.1"), std::string::npos);
  EXPECT_EQ(patched(9, 1),
            "error: `in.npy`: expected a header of 374 bytes, but got 142 until the end of the file; copy or "
            "save the file again");
  // A header length that ends inside the dictionary, and one that includes elements.
  EXPECT_NE(patched(8, 20).find("expected the header"), std::string::npos);
  EXPECT_NE(patched(8, 0x77).find("expected the header to end after }"), std::string::npos);
  std::string huge = samples::version2.str();
  huge.replace(8, 4, "\xff\xff\xff\xff");
  EXPECT_NE(read(huge).find("expected a header of 4294967295 bytes"), std::string::npos);
}

TEST(NpyTest, EveryTruncationIsAnError) {
  for (llvm::StringRef sample : samples::readable) {
    for (size_t size = 0; size < sample.size(); ++size)
      EXPECT_EQ(read(sample.take_front(size)).compare(0, 17, "error: `in.npy`: "), 0) << size;
    EXPECT_NE(read(sample.str() + "x").find("error"), std::string::npos);
  }
  EXPECT_EQ(read(samples::f4Matrix.drop_back()),
            "error: `in.npy`: expected 24 bytes of elements for 2x3xf32, but got 23; "
            "the file is cut off: copy or save it again");
  EXPECT_EQ(read((samples::f4Matrix + "x").str()),
            "error: `in.npy`: expected 24 bytes of elements for 2x3xf32, but got 25; keep one array per file");
}

TEST(NpyTest, ShapesThatDoNotMatchTheSize) {
  EXPECT_EQ(
      read(makeFile(makeHeader("<f4", "(4294967296, 4294967296)"))),
      "error: `in.npy`: the header says 4294967296x4294967296xf32, which has more bytes than 63 bits can count; write "
      "the file again with numpy.save");
  EXPECT_NE(read(makeFile(makeHeader("<f4", "(0, 9223372036854775807)"))).find("63 bits"), std::string::npos);
  EXPECT_NE(read(makeFile(makeHeader("|i1", "(9223372036854775807,)"))).find("9223372036854775807 bytes of elements"),
            std::string::npos);
  std::string rank33 = "(";
  for (int dim = 0; dim < 33; ++dim)
    rank33 += "1, ";
  EXPECT_NE(
      read(makeFile(makeHeader("|i1", rank33 + ")"), "x")).find("expected at most 32 dims, but got more; reshape"),
      std::string::npos);
}

TEST(NpyTest, BooleansAreZeroOrOne) {
  EXPECT_EQ(
      read(makeFile(makeHeader("|b1", "(2,)"), llvm::StringRef("\1\2", 2))),
      "error: `in.npy`: expected elements of the dtype bool to be the bytes 0 and 1, but got 2 in element 1 in the "
      "order of the file; convert the array with array != 0");
}

TEST(NpyTest, FortranOrderWithEmptyAndLongDims) {
  std::string header = makeHeader("|i1", "(2, 0, 3)");
  header.replace(header.find("False"), 5, "True");
  EXPECT_EQ(read(makeFile(header)), "2x0x3xi8=[]");
  header = makeHeader("|i1", "(1, 3, 1, 2)");
  header.replace(header.find("False"), 5, "True");
  EXPECT_EQ(read(makeFile(header, llvm::StringRef("\0\2\4\1\3\5", 6))), "1x3x1x2xi8=[[[[0, 1]], [[2, 3]], [[4, 5]]]]");
}

TEST(NpyTest, PathsThatAreNotFiles) {
  EXPECT_EQ(
      errorOf(readNpy("/no/such/file.npy")),
      "`/no/such/file.npy`: expected an npy file, but it cannot be opened: No such file or directory; check the path");
  EXPECT_EQ(errorOf(readNpy("/")), "`/`: expected an npy file, but got a directory; name a file in it");
  EXPECT_NE(errorOf(readNpy("")).find("cannot be opened"), std::string::npos);
  if (llvm::sys::fs::exists("/dev/zero")) // has no end
    EXPECT_NE(errorOf(readNpy("/dev/zero")).find("but got a device"), std::string::npos);
}

TEST(NpyTest, FilesWithoutPermission) {
  if (geteuid() == 0)
    GTEST_SKIP() << "root reads everything";
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("npy-test", "npy", path));
  ASSERT_EQ(chmod(path.c_str(), 0), 0);
  EXPECT_NE(errorOf(readNpy(path)).find("cannot be read: Permission denied; check its permissions"), std::string::npos);
  llvm::sys::fs::remove(path);
}

} // namespace
