//===- NpyHeader.cpp - the header of an npy file ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NpyHeader.h"
#include "ElementText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace mlir::rnn;
using namespace mlir::rnn::detail;
using llvm::StringRef;
using llvm::Twine;

// A signless type accepts signed and unsigned dtypes. The writer and the advice in errors use the first entry of a
// kind.
static constexpr NpyDType dtypes[] = {{"b1", ElementKind::I1, "bool_"},
                                      {"i1", ElementKind::I8, "int8"},
                                      {"i2", ElementKind::I16, "int16"},
                                      {"i4", ElementKind::I32, "int32"},
                                      {"i8", ElementKind::I64, "int64"},
                                      {"f2", ElementKind::F16, "float16"},
                                      {"f4", ElementKind::F32, "float32"},
                                      {"f8", ElementKind::F64, "float64"},
                                      {"u1", ElementKind::I8, "uint8"},
                                      {"u2", ElementKind::I16, "uint16"},
                                      {"u4", ElementKind::I32, "uint32"},
                                      {"u8", ElementKind::I64, "uint64"},
                                      // NumPy saves arrays of ml_dtypes.bfloat16 as opaque bytes. Other opaque elements
                                      // of two bytes are read as bf16 too.
                                      {"V2", ElementKind::BF16, "uint16"}};

llvm::Error mlir::rnn::detail::makeNpyError(StringRef name, const Twine &message) {
  return llvm::createStringError(Twine(quote(name)) + ": " + message);
}

const NpyDType &mlir::rnn::detail::getNpyDType(ElementKind kind) {
  if (kind == ElementKind::BF16)
    return *llvm::find_if(dtypes, [](const NpyDType &dtype) { return dtype.code == "u2"; });
  if (kind == ElementKind::Index)
    kind = ElementKind::I64;
  return *llvm::find_if(dtypes, [&](const NpyDType &dtype) { return dtype.kind == kind; });
}

namespace {
struct Header {
  std::optional<std::string> descr;
  std::optional<bool> fortranOrder;
  std::optional<llvm::SmallVector<int64_t>> shape;
};

/// Parses the dictionary: Python strings, booleans and tuples of integers, in the forms that NumPy writes.
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
  /// Returns an error of the header with the expected text, the position and the advice.
  llvm::Error fail(const Twine &expected) {
    return makeNpyError(name, "expected the header " + expected + " at byte " + Twine(whole.size() - rest.size()) +
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
      return makeNpyError(name, "expected elements that are numbers, but got a structured dtype " +
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
        return makeNpyError(name,
                            "expected dim " + Twine(shape.size()) + " of the shape to be from 0 to 2^63 - 1, but got " +
                                quote((negative ? "-" : "") + digits.str()) + "; write the file again with numpy.save");
      if (shape.size() == npyMaxRank)
        return makeNpyError(name, "expected at most " + Twine(npyMaxRank) +
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

/// Splits `bytes` into header text and elements.
static llvm::Expected<std::pair<StringRef, StringRef>> splitFile(StringRef bytes, StringRef name) {
  if (!bytes.starts_with(npyMagic)) {
    StringRef advice = bytes.starts_with("PK") ? "; an npz file is a zip archive of npy files: unpack it with unzip"
                                               : "; write the file with numpy.save";
    return makeNpyError(name, Twine(bytes.empty() ? "expected an npy file, but got no bytes at all"
                                                  : "expected an npy file, which starts with \\93NUMPY, but got ") +
                                  (bytes.empty() ? "" : quote(bytes.take_front(npyMagic.size()))) + advice);
  }
  if (bytes.size() < npyMagic.size() + 2)
    return makeNpyError(name,
                        "expected a format version after the magic string, but got the end of the file; copy or save "
                        "the file again");
  unsigned major = static_cast<uint8_t>(bytes[6]), minor = static_cast<uint8_t>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0)
    return makeNpyError(name, "expected format version 1.0, 2.0 or 3.0, but got " + Twine(major) + "." + Twine(minor) +
                                  "; write the file with numpy.save");
  size_t fieldSize = major == 1 ? 2 : 4, start = npyMagic.size() + 2 + fieldSize;
  if (bytes.size() < start)
    return makeNpyError(name, "expected " + Twine(fieldSize) + " bytes with the length of the header, but got " +
                                  Twine(bytes.size() - npyMagic.size() - 2) + "; copy or save the file again");
  const char *field = bytes.data() + npyMagic.size() + 2;
  uint64_t length = major == 1 ? llvm::support::endian::read16le(field) : llvm::support::endian::read32le(field);
  if (length > bytes.size() - start)
    return makeNpyError(name, "expected a header of " + Twine(length) + " bytes, but got " +
                                  Twine(bytes.size() - start) +
                                  " until the end of the file; copy or save the file again");
  return std::make_pair(bytes.substr(start, length), bytes.drop_front(start + length));
}

/// The element type of a dtype. If `requested` is given, the dtype must match it.
static llvm::Expected<ElementKind> resolveKind(StringRef descr, StringRef name, std::optional<ElementKind> requested) {
  const NpyDType *dtype = nullptr;
  if (!descr.empty())
    dtype = llvm::find_if(dtypes, [&](const NpyDType &known) { return known.code == descr.drop_front(); });
  if (!dtype || dtype == std::end(dtypes)) {
    return makeNpyError(
        name, "expected one of the dtypes b1, i1, i2, i4, i8, u1, u2, u4, u8, f2, f4, f8 and V2 (bf16), little "
              "endian, but got " +
                  quote(descr) + "; convert it before it is saved, for example with array.astype(numpy.float32)");
  }
  // Single bytes have no byte order, nor do opaque ones.
  char order = descr.front();
  bool anyOrder = (getElementSize(dtype->kind) == 1 || dtype->code == "V2") && StringRef("|<>").contains(order);
  if (order == '>' && !anyOrder)
    return makeNpyError(name, "expected little endian elements, but got the big endian dtype " + quote(descr) +
                                  "; convert it before it is saved, with array.astype('<" + dtype->code + "')");
  if (order != '<' && order != '=' && !anyOrder)
    return makeNpyError(name, "expected a dtype that starts with its byte order, < for little endian, but got " +
                                  quote(descr) + "; write the file again with numpy.save");

  bool isBits = dtype->code == "u2";
  if (isBits && !requested)
    return makeNpyError(name, "the dtype `<u2` holds i16 or the bits of f16 or bf16, which is ambiguous; specify "
                              "the type or save with another dtype");
  if (!requested || *requested == dtype->kind)
    return dtype->kind;
  if (isBits && (*requested == ElementKind::F16 || *requested == ElementKind::BF16))
    return *requested;
  if (*requested == ElementKind::Index && dtype->kind == ElementKind::I64)
    return *requested;
  std::string advice = *requested == ElementKind::BF16 ? "save bf16 as its bits, with array.view(numpy.uint16)"
                                                       : "convert it before it is saved, with array.astype(numpy." +
                                                             getNpyDType(*requested).numpyName.str() + ")";
  return makeNpyError(name, "expected elements of type " + stringifyElementKind(*requested) + ", but got the dtype " +
                                quote(descr) + "; " + advice);
}

llvm::Expected<NpyContents> mlir::rnn::detail::splitNpy(StringRef bytes, StringRef name,
                                                        std::optional<ElementKind> requested) {
  auto parts = splitFile(bytes, name);
  if (!parts)
    return parts.takeError();
  auto header = HeaderParser(parts->first, name).parse();
  if (!header)
    return header.takeError();
  auto kind = resolveKind(*header->descr, name, requested);
  if (!kind)
    return kind.takeError();
  return NpyContents{*kind, *header->fortranOrder, *header->shape, parts->second};
}
