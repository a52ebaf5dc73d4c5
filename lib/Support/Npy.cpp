//===- Npy.cpp - reading and writing NumPy's npy files ------------------------===//
//
// The format is described in numpy/lib/format.py: a magic string, a version, the length of a header, the header (a
// Python dictionary padded to 64 bytes), the elements.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Support/Npy.h"
#include "NpyHeader.h"
#include "rnn/Support/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir::rnn;
using llvm::StringRef;
using llvm::Twine;
using namespace mlir::rnn::detail;

// Elements are copied between file and memory without conversion.
static_assert(llvm::endianness::native == llvm::endianness::little, "npy files are read and written on little endian");

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

llvm::Expected<HostTensor> mlir::rnn::parseNpy(StringRef bytes, StringRef name, std::optional<ElementKind> requested) {
  auto contents = splitNpy(bytes, name, requested);
  if (!contents)
    return contents.takeError();
  const auto &[kind, fortranOrder, shape, elements] = *contents;

  // Check the header before memory is allocated.
  std::optional<int64_t> numBytes = getNumBytes(shape, kind);
  std::string type = HostTensor(kind, shape, nullptr).getTypeString();
  if (!numBytes)
    return makeNpyError(name, "the header says " + type +
                                  ", which has more bytes than 63 bits can count; write the file "
                                  "again with numpy.save");
  if (elements.size() != static_cast<uint64_t>(*numBytes))
    return makeNpyError(name, "expected " + Twine(*numBytes) + " bytes of elements for " + type + ", but got " +
                                  Twine(elements.size()) +
                                  (elements.size() < static_cast<uint64_t>(*numBytes)
                                       ? "; the file is cut off: copy or save it again"
                                       : "; keep one array per file"));
  if (kind == ElementKind::I1)
    for (auto [index, value] : llvm::enumerate(elements.bytes()))
      if (value > 1)
        return makeNpyError(name, "expected elements of the dtype bool to be the bytes 0 and 1, but got " +
                                      Twine(unsigned(value)) + " in element " + Twine(index) +
                                      " in the order of the file; convert the array with "
                                      "array != 0");

  auto tensor = HostTensor::allocate(kind, shape);
  if (!tensor)
    return makeNpyError(name, llvm::toString(tensor.takeError()));
  if (fortranOrder && tensor->getRank() > 1)
    transpose(*tensor, elements.data());
  else if (!elements.empty())
    std::memcpy(tensor->getData(), elements.data(), elements.size());
  return tensor;
}

llvm::Expected<HostTensor> mlir::rnn::readNpy(StringRef path, std::optional<ElementKind> requested) {
  llvm::sys::fs::file_status status;
  std::error_code code = llvm::sys::fs::status(path, status);
  if (code)
    return makeNpyError(path, "expected an npy file, but it cannot be opened: " + code.message() + "; check the path");
  if (llvm::sys::fs::is_directory(status))
    return makeNpyError(path, "expected an npy file, but got a directory; name a file in it");
  // A device may be endless.
  if (!llvm::sys::fs::is_regular_file(status) && status.type() != llvm::sys::fs::file_type::fifo_file)
    return makeNpyError(path, "expected an npy file, but got a device or a socket; copy the data to a file");
  // Read as volatile, which does not map the file: access to a mapped file that is truncated kills the process.
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true);
  if (!buffer)
    return makeNpyError(path, "expected an npy file, but it cannot be read: " + buffer.getError().message() +
                                  "; check its permissions");
  return parseNpy((*buffer)->getBuffer(), path, requested);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Returns the bytes before the elements, identical to NumPy's.
static std::string makePreamble(const HostTensor &tensor) {
  const NpyDType &dtype = getNpyDType(tensor.getKind());
  std::string dict;
  llvm::raw_string_ostream os(dict);
  os << "{'descr': '" << (getElementSize(tensor.getKind()) == 1 ? "|" : "<") << dtype.code
     << "', 'fortran_order': False, 'shape': (";
  llvm::interleaveComma(tensor.getShape(), os);
  os << (tensor.getRank() == 1 ? ",), }" : "), }");
  // NumPy reserves 21 digits for the first size, so that rows can be appended in place.
  if (tensor.getRank() > 0)
    os.indent(21 - std::to_string(tensor.getShape().front()).size());
  // Magic, version and length have 10 bytes. A line feed ends the padding.
  os.indent((64 - (dict.size() + 11) % 64) % 64) << "\n";
  std::string preamble = npyMagic.str();
  preamble += {'\1', '\0', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return preamble + dict;
}

static llvm::Error makeWriteError(StringRef path, const Twine &reason) {
  return makeNpyError(path, "the npy file cannot be written: " + reason +
                                "; check that its folder exists, may be written "
                                "and has space");
}

llvm::Error mlir::rnn::writeNpy(StringRef path, const HostTensor &tensor) {
  if (tensor.getRank() > static_cast<int64_t>(npyMaxRank))
    return makeNpyError(path, "expected at most " + Twine(npyMaxRank) + " dims to write, but got " +
                                  Twine(tensor.getRank()) + "; reshape the tensor");
  if (!getNumBytes(tensor.getShape(), tensor.getKind()) || (!tensor.getData() && tensor.getNumElements() != 0))
    return makeNpyError(path, "expected a tensor with elements to write, but got " + tensor.getTypeString() +
                                  " without memory; allocate it first");

  llvm::Error error = replaceFile(path, [&](llvm::raw_ostream &os) {
    os << makePreamble(tensor);
    if (tensor.getKind() == ElementKind::I1)
      for (int64_t index = 0, count = tensor.getNumElements(); index < count; ++index)
        os << static_cast<char>(tensor.getAsInteger(index)); // NumPy's bool is 0 or 1; memory may hold other values
    else
      os.write(tensor.getDataAs<char>(), tensor.getNumBytes());
  });
  return error ? makeWriteError(path, llvm::toString(std::move(error))) : llvm::Error::success();
}
