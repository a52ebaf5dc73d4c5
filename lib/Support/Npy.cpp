//===- Npy.cpp - reading and writing NumPy's npy files ------------------------===//
//
// The format is described in numpy/lib/format.py: a magic string, a version, the length of a header, the header (a
// Python dictionary padded to 64 bytes), the elements.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Support/Npy.h"
#include "ElementText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir::rnn;
using llvm::StringRef;
using llvm::Twine;
using mlir::rnn::detail::quote;

// Elements are copied between file and memory as they are.
static_assert(llvm::endianness::native == llvm::endianness::little, "npy files are read and written on little endian");

static constexpr StringRef magic("\x93NUMPY", 6);
// NumPy's own limit before 2.0.
static constexpr size_t maxRank = 32;

namespace {
struct DType {
  llvm::StringLiteral code; // without the byte order
  ElementKind kind;
  llvm::StringLiteral numpyName;
};

struct Header {
  std::optional<std::string> descr;
  std::optional<bool> fortranOrder;
  std::optional<llvm::SmallVector<int64_t>> shape;
};
} // namespace

// Types without a sign take both. The first entry of a kind is what the writer uses and what errors advise.
static constexpr DType dtypes[] = {
    {"b1", ElementKind::I1, "bool_"},    {"i1", ElementKind::I8, "int8"},     {"i2", ElementKind::I16, "int16"},
    {"i4", ElementKind::I32, "int32"},   {"i8", ElementKind::I64, "int64"},   {"f2", ElementKind::F16, "float16"},
    {"f4", ElementKind::F32, "float32"}, {"f8", ElementKind::F64, "float64"}, {"u1", ElementKind::I8, "uint8"},
    {"u2", ElementKind::I16, "uint16"},  {"u4", ElementKind::I32, "uint32"},  {"u8", ElementKind::I64, "uint64"}};

static llvm::Error makeError(StringRef name, const Twine &message) {
  return llvm::createStringError(Twine(quote(name)) + ": " + message);
}

/// The dtype that stores `kind`. bf16 goes as its bits, for NumPy does not know it.
static const DType &getDType(ElementKind kind) {
  if (kind == ElementKind::BF16)
    return *llvm::find_if(dtypes, [](const DType &dtype) { return dtype.code == "u2"; });
  if (kind == ElementKind::Index)
    kind = ElementKind::I64;
  return *llvm::find_if(dtypes, [&](const DType &dtype) { return dtype.kind == kind; });
}

//===----------------------------------------------------------------------===//
// Header
//===----------------------------------------------------------------------===//

namespace {
/// Reads the dictionary: Python's spelling of strings, booleans and tuples of integers, in the forms that NumPy writes.
class HeaderParser {
public:
  HeaderParser(StringRef text, StringRef name) : whole(text), rest(text), name(name) {}

  llvm::Expected<Header> parse() {
    if (llvm::Error error = parseDict())
      return error;
    StringRef missing = !header.descr ? "descr" : !header.fortranOrder ? "fortran_order" : !header.shape ? "shape" : "";
    if (!missing.empty())
      return fail("to have the key '" + missing + "'");
    return std::move(header);
  }

private:
  /// Every error of the header: what was expected, where, and the advice that always helps.
  llvm::Error fail(const Twine &expected) {
    return makeError(name, "expected the header " + expected + " at byte " + Twine(whole.size() - rest.size()) +
                               " of " + quote(whole.rtrim(" \n")) + "; write the file again with numpy.save");
  }

  bool consume(char c) {
    rest = rest.ltrim(" \t\n\r");
    return rest.consume_front(StringRef(&c, 1));
  }

  llvm::Error parseDict() {
    if (!consume('{'))
      return fail("to be a dictionary that starts with {");
    while (!consume('}')) {
      std::string key;
      if (llvm::Error error = parseString(key, "a key in quotes or }"))
        return error;
      if (!consume(':'))
        return fail("to have : after a key");
      if (llvm::Error error = parseValue(key))
        return error;
      if (consume(','))
        continue;
      if (!consume('}'))
        return fail("to have , or } after a value");
      break;
    }
    rest = rest.ltrim(" \t\n\r");
    return rest.empty() ? llvm::Error::success() : fail("to end after }");
  }

  llvm::Error parseValue(StringRef key) {
    if (key == "descr" && !header.descr)
      return parseDescr(header.descr.emplace());
    if (key == "fortran_order" && !header.fortranOrder)
      return parseBool(header.fortranOrder.emplace());
    if (key == "shape" && !header.shape)
      return parseShape(header.shape.emplace());
    return fail("to have each of descr, fortran_order and shape once and no other key, but got " + quote(key));
  }

  llvm::Error parseString(std::string &value, const Twine &what) {
    rest = rest.ltrim(" \t\n\r");
    char mark = rest.empty() ? 0 : rest.front();
    size_t end = mark == '\'' || mark == '"' ? rest.find(mark, 1) : StringRef::npos;
    if (end == StringRef::npos)
      return fail("to have " + what);
    value = rest.slice(1, end).str();
    rest = rest.drop_front(end + 1);
    return llvm::Error::success();
  }

  llvm::Error parseDescr(std::string &value) {
    rest = rest.ltrim(" \t\n\r");
    if (rest.starts_with("[") || rest.starts_with("("))
      return makeError(name, "expected elements that are numbers, but got a structured dtype " +
                                 quote(rest.take_until([](char c) { return c == ']'; })) +
                                 "; save each field to a file of its own, with numpy.save(file, array['field'])");
    return parseString(value, "a dtype in quotes, such as '<f4',");
  }

  llvm::Error parseBool(bool &value) {
    rest = rest.ltrim(" \t\n\r");
    value = rest.consume_front("True");
    if (value || rest.consume_front("False"))
      return llvm::Error::success();
    return fail("to have True or False");
  }

  llvm::Error parseShape(llvm::SmallVector<int64_t> &shape) {
    if (!consume('('))
      return fail("to have a shape that starts with (");
    while (!consume(')')) {
      rest = rest.ltrim(" \t\n\r");
      bool negative = rest.consume_front("-");
      StringRef digits = rest.take_while(llvm::isDigit);
      if (digits.empty())
        return fail("to have a size or )");
      int64_t size = 0;
      if (negative || digits.getAsInteger(10, size))
        return makeError(name,
                         "expected dim " + Twine(shape.size()) + " of the shape to be from 0 to 2^63 - 1, but got " +
                             quote((negative ? "-" : "") + digits.str()) + "; write the file again with numpy.save");
      if (shape.size() == maxRank)
        return makeError(name, "expected at most " + Twine(maxRank) +
                                   " dims, but got more; reshape the array before it is saved");
      shape.push_back(size);
      rest = rest.drop_front(digits.size());
      rest.consume_front("L"); // Python 2 marks long integers
      if (consume(','))
        continue;
      if (!consume(')') || shape.size() == 1) // (3) is a number in Python, not a shape
        return fail("to have , after a size");
      break;
    }
    return llvm::Error::success();
  }

  StringRef whole, rest, name;
  Header header;
};
} // namespace

/// Splits `bytes` into the text of the header and the elements.
static llvm::Expected<std::pair<StringRef, StringRef>> splitFile(StringRef bytes, StringRef name) {
  if (!bytes.starts_with(magic)) {
    StringRef advice = bytes.starts_with("PK") ? "; an npz file is a zip archive of npy files: unpack it with unzip"
                                               : "; write the file with numpy.save";
    return makeError(name, Twine(bytes.empty() ? "expected an npy file, but got no bytes at all"
                                               : "expected an npy file, which starts with \\93NUMPY, but got ") +
                               (bytes.empty() ? "" : quote(bytes.take_front(magic.size()))) + advice);
  }
  if (bytes.size() < magic.size() + 2)
    return makeError(name,
                     "expected a format version after the magic string, but got the end of the file; copy or save "
                     "the file again");
  unsigned major = static_cast<uint8_t>(bytes[6]), minor = static_cast<uint8_t>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0)
    return makeError(name, "expected format version 1.0, 2.0 or 3.0, but got " + Twine(major) + "." + Twine(minor) +
                               "; write the file with numpy.save");
  size_t fieldSize = major == 1 ? 2 : 4, start = magic.size() + 2 + fieldSize;
  if (bytes.size() < start)
    return makeError(name, "expected " + Twine(fieldSize) + " bytes with the length of the header, but got " +
                               Twine(bytes.size() - magic.size() - 2) + "; copy or save the file again");
  const char *field = bytes.data() + magic.size() + 2;
  uint64_t length = major == 1 ? llvm::support::endian::read16le(field) : llvm::support::endian::read32le(field);
  if (length > bytes.size() - start)
    return makeError(name, "expected a header of " + Twine(length) + " bytes, but got " + Twine(bytes.size() - start) +
                               " until the end of the file; copy or save the file again");
  return std::make_pair(bytes.substr(start, length), bytes.drop_front(start + length));
}

/// The element type of a dtype, which is `wanted` where one is given.
static llvm::Expected<ElementKind> resolveKind(StringRef descr, StringRef name, std::optional<ElementKind> wanted) {
  const DType *dtype = nullptr;
  if (!descr.empty())
    dtype = llvm::find_if(dtypes, [&](const DType &known) { return known.code == descr.drop_front(); });
  if (!dtype || dtype == std::end(dtypes)) {
    // Arrays of ml_dtypes.bfloat16 are saved as two bytes without a meaning.
    StringRef advice = descr.ends_with("V2") ? "; save bf16 as its bits, with array.view(numpy.uint16)"
                                             : "; convert it before it is saved, for example with "
                                               "array.astype(numpy.float32)";
    return makeError(name,
                     "expected one of the dtypes b1, i1, i2, i4, i8, u1, u2, u4, u8, f2, f4 and f8, little endian, "
                     "but got " +
                         quote(descr) + advice);
  }
  // The order of a single byte has no meaning, whatever the mark.
  char order = descr.front();
  bool anyOrder = getElementSize(dtype->kind) == 1 && StringRef("|<>").contains(order);
  if (order == '>' && !anyOrder)
    return makeError(name, "expected little endian elements, but got the big endian dtype " + quote(descr) +
                               "; convert it before it is saved, with array.astype('<" + dtype->code + "')");
  if (order != '<' && order != '=' && !anyOrder)
    return makeError(name, "expected a dtype that starts with its byte order, < for little endian, but got " +
                               quote(descr) + "; write the file again with numpy.save");

  bool isBits = dtype->code == "u2";
  if (isBits && !wanted)
    return makeError(name,
                     "the dtype `<u2` holds i16 or the bits of f16 or bf16, and nothing says which is wanted; name "
                     "the type or save with another dtype");
  if (!wanted || *wanted == dtype->kind)
    return dtype->kind;
  if (isBits && (*wanted == ElementKind::F16 || *wanted == ElementKind::BF16))
    return *wanted;
  if (*wanted == ElementKind::Index && dtype->kind == ElementKind::I64)
    return *wanted;
  std::string advice = *wanted == ElementKind::BF16 ? "save bf16 as its bits, with array.view(numpy.uint16)"
                                                    : "convert it before it is saved, with array.astype(numpy." +
                                                          getDType(*wanted).numpyName.str() + ")";
  return makeError(name, "expected elements of type " + stringifyElementKind(*wanted) + ", but got the dtype " +
                             quote(descr) + "; " + advice);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Copies column-major elements into row-major memory.
static void transpose(const HostTensor &tensor, const char *source) {
  llvm::ArrayRef<int64_t> shape = tensor.getShape();
  int64_t elementSize = getElementSize(tensor.getKind());
  llvm::SmallVector<int64_t> strides(shape.size()), index(shape.size(), 0);
  int64_t stride = elementSize;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    strides[dim] = stride;
    stride *= size;
  }
  char *target = tensor.getDataAs<char>();
  int64_t offset = 0;
  for (int64_t count = tensor.getNumElements(); count > 0; --count, target += elementSize) {
    std::memcpy(target, source + offset, elementSize);
    for (size_t dim = shape.size(); dim-- > 0;) {
      offset += strides[dim];
      if (++index[dim] < shape[dim])
        break;
      offset -= strides[dim] * shape[dim];
      index[dim] = 0;
    }
  }
}

llvm::Expected<HostTensor> mlir::rnn::parseNpy(StringRef bytes, StringRef name, std::optional<ElementKind> wanted) {
  auto parts = splitFile(bytes, name);
  if (!parts)
    return parts.takeError();
  auto [text, elements] = *parts;
  auto header = HeaderParser(text, name).parse();
  if (!header)
    return header.takeError();
  auto kind = resolveKind(*header->descr, name, wanted);
  if (!kind)
    return kind.takeError();

  // Before memory is asked for, so that a header that lies costs nothing.
  std::optional<int64_t> numBytes = getNumBytes(*header->shape, *kind);
  std::string type = HostTensor(*kind, *header->shape, nullptr).getTypeString();
  if (!numBytes)
    return makeError(name, "the header says " + type +
                               ", which has more bytes than 63 bits can count; write the file "
                               "again with numpy.save");
  if (elements.size() != static_cast<uint64_t>(*numBytes))
    return makeError(name, "expected " + Twine(*numBytes) + " bytes of elements for " + type + ", but got " +
                               Twine(elements.size()) +
                               (elements.size() < static_cast<uint64_t>(*numBytes)
                                    ? "; the file is cut off: copy or save it again"
                                    : "; keep one array per file"));
  if (*kind == ElementKind::I1)
    for (auto [index, value] : llvm::enumerate(elements.bytes()))
      if (value > 1)
        return makeError(name, "expected elements of the dtype bool to be the bytes 0 and 1, but got " +
                                   Twine(unsigned(value)) + " in element " + Twine(index) +
                                   " in the order of the file; convert the array with "
                                   "array != 0");

  auto tensor = HostTensor::allocate(*kind, *header->shape);
  if (!tensor)
    return makeError(name, llvm::toString(tensor.takeError()));
  if (*header->fortranOrder && tensor->getRank() > 1)
    transpose(*tensor, elements.data());
  else if (!elements.empty())
    std::memcpy(tensor->getData(), elements.data(), elements.size());
  return tensor;
}

llvm::Expected<HostTensor> mlir::rnn::readNpy(StringRef path, std::optional<ElementKind> wanted) {
  llvm::sys::fs::file_status status;
  std::error_code code = llvm::sys::fs::status(path, status);
  if (code)
    return makeError(path, "expected an npy file, but it cannot be opened: " + code.message() + "; check the path");
  if (llvm::sys::fs::is_directory(status))
    return makeError(path, "expected an npy file, but got a directory; name a file in it");
  // Devices may have no end.
  if (!llvm::sys::fs::is_regular_file(status) && status.type() != llvm::sys::fs::file_type::fifo_file)
    return makeError(path, "expected an npy file, but got a device or a socket; copy the data to a file");
  // Read as volatile, that is, not mapped: a mapped file that somebody shortens kills the process.
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true);
  if (!buffer)
    return makeError(path, "expected an npy file, but it cannot be read: " + buffer.getError().message() +
                               "; check its permissions");
  return parseNpy((*buffer)->getBuffer(), path, wanted);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Everything before the elements, byte for byte as NumPy writes it.
static std::string makePreamble(const HostTensor &tensor) {
  const DType &dtype = getDType(tensor.getKind());
  std::string dict;
  llvm::raw_string_ostream os(dict);
  os << "{'descr': '" << (getElementSize(tensor.getKind()) == 1 ? "|" : "<") << dtype.code
     << "', 'fortran_order': False, 'shape': (";
  llvm::interleaveComma(tensor.getShape(), os);
  os << (tensor.getRank() == 1 ? ",), }" : "), }");
  // NumPy leaves room for the first size to grow to 21 digits, so that rows can be appended in place.
  if (tensor.getRank() > 0)
    os.indent(21 - std::to_string(tensor.getShape().front()).size());
  // Magic, version and length are 10 bytes; a line feed ends the padding.
  os.indent((64 - (dict.size() + 11) % 64) % 64) << "\n";
  std::string preamble = magic.str();
  preamble += {'\1', '\0', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return preamble + dict;
}

/// Writes and closes. A stream that still holds an error when it goes would end the process.
static std::error_code writeTo(llvm::raw_fd_ostream &os, const HostTensor &tensor) {
  os << makePreamble(tensor);
  if (tensor.getKind() == ElementKind::I1)
    for (int64_t index = 0, count = tensor.getNumElements(); index < count; ++index)
      os << static_cast<char>(tensor.getAsInteger(index)); // NumPy's bool is 0 or 1, memory may hold others
  else
    os.write(tensor.getDataAs<char>(), tensor.getNumBytes());
  os.flush();
  std::error_code code = os.error();
  os.clear_error();
  return code;
}

static llvm::Error makeWriteError(StringRef path, const Twine &reason) {
  return makeError(path, "the npy file cannot be written: " + reason +
                             "; check that its folder exists, may be written "
                             "and has space");
}

llvm::Error mlir::rnn::writeNpy(StringRef path, const HostTensor &tensor) {
  if (tensor.getRank() > static_cast<int64_t>(maxRank))
    return makeError(path, "expected at most " + Twine(maxRank) + " dims to write, but got " + Twine(tensor.getRank()) +
                               "; reshape the tensor");
  if (!getNumBytes(tensor.getShape(), tensor.getKind()) || (!tensor.getData() && tensor.getNumElements() != 0))
    return makeError(path, "expected a tensor with elements to write, but got " + tensor.getTypeString() +
                               " without memory; allocate it first");

  llvm::sys::fs::file_status status;
  bool exists = !llvm::sys::fs::status(path, status) && llvm::sys::fs::exists(status);
  if (exists && llvm::sys::fs::is_directory(status))
    return makeWriteError(path, "it is a directory");
  if (exists && !llvm::sys::fs::is_regular_file(status)) {
    // A pipe or a device cannot be replaced, so it is the one case in which half a file may come out.
    std::error_code code;
    llvm::raw_fd_ostream os(path, code, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::FA_Write,
                            llvm::sys::fs::OF_None);
    if (!code)
      code = writeTo(os, tensor);
    if (!code) {
      os.close();
      code = os.error();
      os.clear_error();
    }
    return code ? makeWriteError(path, code.message()) : llvm::Error::success();
  }

  // Beside the file that a link points to, so that the rename stays on one disk and the link stays.
  llvm::SmallString<128> target(path);
  if (exists)
    if (std::error_code code = llvm::sys::fs::real_path(path, target))
      return makeWriteError(path, code.message());
  auto temporary = llvm::sys::fs::TempFile::create(target + ".%%%%%%%%");
  if (!temporary)
    return makeWriteError(path, llvm::toString(temporary.takeError()));
  std::error_code code;
  {
    llvm::raw_fd_ostream os(temporary->FD, /*shouldClose=*/false);
    code = writeTo(os, tensor);
  }
  if (code) {
    llvm::consumeError(temporary->discard());
    return makeWriteError(path, code.message());
  }
  if (llvm::Error error = temporary->keep(target))
    return makeWriteError(path, llvm::toString(std::move(error)));
  return llvm::Error::success();
}
