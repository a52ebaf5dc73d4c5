//===- Text.h - the training text as character indices -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CHAR_LSTM_TEXT_H
#define CHAR_LSTM_TEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

/// A text and its alphabet: the bytes that occur in it. A UTF-8 character of several bytes is several symbols.
struct Text {
  std::string name;
  std::vector<uint8_t> tokens; ///< each an index into `alphabet`
  std::string alphabet;

  /// Reads a file. Errors name the file.
  static llvm::Expected<Text> read(llvm::StringRef path);

  /// The King James Bible from the Debian package bible-kjv: its verses, one per line, without their numbers. The
  /// error message names the package.
  static llvm::Expected<Text> readBible();

  /// The unigram entropy: bits per character of a model that only has the frequency of each character.
  double getUnigramEntropy() const;

  /// The index of `character`, or 0 if it does not occur.
  uint8_t getToken(char character) const;
};

/// Parallel streams over a text: stream b reads the b-th part of it from front to end, repeatedly.
class Streams {
public:
  /// Refers to `tokens`, of which there must be at least `batch * 2`.
  Streams(llvm::ArrayRef<uint8_t> tokens, int64_t batch)
      : tokens(tokens), batch(batch), length(tokens.size() / batch) {}

  /// The next `steps + 1` characters of each stream as [steps + 1, batch]; the last is the first of the next call.
  void next(int64_t steps, int32_t *out);

private:
  llvm::ArrayRef<uint8_t> tokens;
  int64_t batch, length, position = 0;
};

#endif // CHAR_LSTM_TEXT_H
