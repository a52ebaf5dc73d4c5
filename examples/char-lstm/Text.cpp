//===- Text.cpp - the training text as character indices ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Text.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <array>
#include <cmath>

static Text makeText(llvm::StringRef name, llvm::StringRef content) {
  Text text;
  text.name = name.str();
  std::array<int, 256> place;
  place.fill(-1);
  for (unsigned char byte : content)
    place[byte] = 0;
  for (int byte = 0; byte < 256; ++byte)
    if (place[byte] == 0) {
      place[byte] = text.alphabet.size();
      text.alphabet.push_back(static_cast<char>(byte));
    }
  text.tokens.reserve(content.size());
  for (unsigned char byte : content)
    text.tokens.push_back(place[byte]);
  return text;
}

llvm::Expected<Text> Text::read(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (std::error_code code = buffer.getError())
    return llvm::createStringError("cannot read the text `" + path.str() + "`: " + code.message());
  return makeText(path, (*buffer)->getBuffer());
}

llvm::Expected<Text> Text::readBible() {
  auto program = llvm::sys::findProgramByName("bible");
  if (!program)
    return llvm::createStringError("there is no text to learn: install the Debian package bible-kjv (apt-get install "
                                   "bible-kjv), or name a text with --text=FILE");
  llvm::SmallString<128> path;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("char-lstm", "txt", path))
    return llvm::createStringError("cannot make a temporary file: " + code.message());
  llvm::scope_exit remove([&] { llvm::sys::fs::remove(path); });

  // -f: one verse per line, after its reference ("Ge1:1 In the beginning ...").
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(path), llvm::StringRef("")};
  std::string message;
  if (llvm::sys::ExecuteAndWait(*program, {*program, "-f", "gen1:1-rev22:21"}, std::nullopt, redirects,
                                /*SecondsToWait=*/60, /*MemoryLimit=*/0, &message) != 0)
    return llvm::createStringError("`" + *program + " -f gen1:1-rev22:21` failed " + message +
                                   "; name a text with --text=FILE instead");
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (std::error_code code = buffer.getError())
    return llvm::createStringError("cannot read what `" + *program + "` wrote: " + code.message());
  std::string verses;
  llvm::SmallVector<llvm::StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines)
    verses += (line.split(' ').second + "\n").str();
  if (verses.size() < 1000000)
    return llvm::createStringError("`" + *program +
                                   "` is not the program of the Debian package bible-kjv; name a "
                                   "text with --text=FILE instead");
  return makeText("King James Bible", verses);
}

double Text::getUnigramEntropy() const {
  std::vector<int64_t> counts(alphabet.size(), 0);
  for (uint8_t token : tokens)
    ++counts[token];
  double bits = 0;
  for (int64_t count : counts)
    bits -= count * std::log2(static_cast<double>(count) / tokens.size());
  return bits / tokens.size();
}

uint8_t Text::getToken(char character) const {
  size_t place = alphabet.find(character);
  return place == std::string::npos ? 0 : place;
}

void Streams::next(int64_t steps, int32_t *out) {
  for (int64_t t = 0; t <= steps; ++t)
    for (int64_t b = 0; b < batch; ++b)
      out[t * batch + b] = tokens[b * length + (position + t) % length];
  position = (position + steps) % length;
}
