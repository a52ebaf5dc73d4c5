// RoundTrip.cpp - an error, or a tensor that is written and read back unchanged.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RoundTrip.h"
#include "rnn/Support/Compare.h"
#include "rnn/Support/Npy.h"
#include "rnn/Support/TensorText.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace mlir::rnn;
using llvm::StringRef;

/// Empty for a valid error, else the defect of its message.
static std::string checkError(llvm::Error error) {
  std::string message = llvm::toString(std::move(error));
  if (message.empty())
    return "an error without a message";
  for (char c : message)
    if (!llvm::isPrint(c))
      return "an error with unprintable bytes: " + message;
  return "";
}

round_trip::Outcome round_trip::checkNpy(StringRef bytes, std::optional<ElementKind> requested, StringRef scratch) {
  auto first = parseNpy(bytes, "input.npy", requested);
  if (!first)
    return {false, checkError(first.takeError())};
  if (requested && first->getKind() != *requested)
    return {true, "a type that differs from the requested one: " + first->getTypeString()};
  if (llvm::Error error = writeNpy(scratch, *first))
    return {true, "not written: " + llvm::toString(std::move(error))};
  auto second = readNpy(scratch, first->getKind());
  if (!second)
    return {true, "not read back: " + llvm::toString(second.takeError())};
  if (second->getKind() != first->getKind() || second->getShape() != first->getShape())
    return {true, "read back as another type: " + first->getTypeString() + " as " + second->getTypeString()};
  if (first->getNumBytes() && std::memcmp(first->getData(), second->getData(), first->getNumBytes()) != 0)
    return {true, "read back with other elements: " + first->getTypeString()};
  return {true, ""};
}

round_trip::Outcome round_trip::checkText(StringRef text) {
  auto first = parseTensorText(text);
  if (!first)
    return {false, checkError(first.takeError())};
  std::string printed = printTensorText(*first);
  auto second = parseTensorText(printed);
  if (!second)
    return {true, "not read back: " + printed + ": " + llvm::toString(second.takeError())};
  if (llvm::Error error = compareTensors("read back", *second, *first, {}))
    return {true, printed + ": " + llvm::toString(std::move(error))};
  std::string again = printTensorText(*second);
  return {true, again == printed ? "" : "printed as " + printed + ", then as " + again};
}

bool round_trip::isCheap(StringRef text) {
  uint64_t product = 1;
  for (StringRef rest = text.split('=').first; !rest.empty();) {
    rest = rest.drop_until(llvm::isDigit);
    StringRef digits = rest.take_while(llvm::isDigit);
    rest = rest.drop_front(digits.size());
    uint64_t size = 1;
    if (!digits.empty() && digits.getAsInteger(10, size))
      continue; // an error before any memory is allocated
    if (size > 100000)
      return false;
    product *= size ? size : 1;
    if (product > 100000)
      return false;
  }
  return true;
}
