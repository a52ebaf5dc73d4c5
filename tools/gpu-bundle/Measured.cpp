// Measured.cpp - writes measurements for tuning records.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Measured.h"

#include <cerrno>
#include <fstream>

using namespace bundle;

Measured::Measured(const char *candidatesPath, const char *path, const rnnrt_device_t *device) : path(path) {
  rnnrt_device_properties_t properties;
  check(rnnrt_device_properties(device, &properties));
  this->device = properties.name;
  std::ifstream file(candidatesPath);
  if (!file)
    fail("cannot read the candidates `%s`: %s", candidatesPath, std::strerror(errno));
  const std::string begin = "{\"version\":1,\"function\":\"";
  for (std::string line; std::getline(file, line);) {
    const size_t end = line.rfind(begin, 0) == 0 ? line.find('"', begin.size()) : std::string::npos;
    if (end == std::string::npos || line.back() != '}')
      fail("`%s` has a line that rnn-compile --emit-candidates did not write: %.60s", candidatesPath, line.c_str());
    const std::string function = line.substr(begin.size(), end - begin.size());
    line.pop_back();
    lines.emplace(function, std::move(line));
  }
  // Report an unwritable path before the measurements.
  std::FILE *out = std::fopen(path, "a");
  if (!out)
    fail("cannot write the measurements `%s`: %s", path, std::strerror(errno));
  std::fclose(out);
}

std::string Measured::candidateOf(const std::string &function) const {
  auto it = lines.find(function);
  if (it == lines.end())
    return "";
  const std::string key = "\"candidate\":\"";
  const size_t begin = it->second.rfind(key);
  return begin == std::string::npos
             ? ""
             : it->second.substr(begin + key.size(), it->second.find('"', begin + key.size()) - begin - key.size());
}

std::string Measured::quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    // Messages of libraries may contain any character.
    const bool plain = c >= ' ' && c <= '~';
    result += plain ? c : ' ';
  }
  return result + '"';
}

void Measured::add(const std::string &function, const char *what, const std::string &value) {
  auto it = lines.find(function);
  if (it != lines.end())
    pending += it->second + ",\"device\":" + quoted(device) + ",\"" + what + "\":" + value + "}\n";
}

void Measured::flush() {
  std::FILE *out = std::fopen(path, "a");
  if (!out)
    fail("cannot write the measurements `%s`: %s", path, std::strerror(errno));
  const bool written = std::fwrite(pending.data(), 1, pending.size(), out) == pending.size();
  if (std::fclose(out) || !written)
    fail("cannot write the measurements `%s`: %s", path, std::strerror(errno));
  pending.clear();
}
