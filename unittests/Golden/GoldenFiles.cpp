// GoldenFiles.cpp - the reader of cases.txt and of npy records, and the measure of difference.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GoldenFiles.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

using namespace golden;

[[noreturn]] static void fail(const std::string &message) {
  throw std::runtime_error(message);
}

static double halfToDouble(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double magnitude = exponent == 0    ? std::ldexp(fraction, -24)
                     : exponent != 31 ? std::ldexp(fraction + 1024, exponent - 25)
                     : fraction       ? std::numeric_limits<double>::quiet_NaN()
                                      : std::numeric_limits<double>::infinity();
  return bits >> 15 ? -magnitude : magnitude;
}

template <typename T> static T load(const void *data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + index * sizeof(T), sizeof(T));
  return value;
}

int64_t Tensor::elements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

double Tensor::at(const void *data, int64_t index) const {
  if (type == "<f8")
    return load<double>(data, index);
  if (type == "<f4")
    return load<float>(data, index);
  if (type == "<f2")
    return halfToDouble(load<uint16_t>(data, index));
  return load<int32_t>(data, index);
}

const Tensor &Case::tensor(const std::string &name) const {
  auto it = tensors.find(name);
  if (it == tensors.end())
    fail("no tensor `" + name + "` in: " + line);
  return it->second;
}

static std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(part);
  return parts;
}

Case golden::parseLine(const std::string &line) {
  Case result;
  result.line = line;
  std::vector<std::string> words = split(line, ' ');
  if (words.size() < 3)
    fail("expected an op, sizes and key=value pairs, but got: " + line);
  result.op = words[0];
  for (const std::string &part : split(words[1], '_'))
    result.sizes[part.substr(0, 1)] = std::stoll(part.substr(1));
  for (size_t k = 2; k < words.size(); ++k) {
    size_t equals = words[k].find('=');
    if (equals == std::string::npos)
      fail("expected key=value, but got `" + words[k] + "` in: " + line);
    result.words[words[k].substr(0, equals)] = words[k].substr(equals + 1);
  }
  for (const char *key : {"name", "dtype", "tolerance", "tensors"})
    if (!result.words.count(key))
      fail("no `" + std::string(key) + "` in: " + line);
  return result;
}

/// The text of a header's dictionary between `key` and the next character of `stop`.
static std::string headerField(const std::string &header, const std::string &key, const char *stop) {
  size_t begin = header.find(key);
  size_t end = begin == std::string::npos ? begin : header.find_first_of(stop, begin + key.size());
  if (end == std::string::npos)
    fail("no " + key + " in the npy header: " + header);
  return header.substr(begin + key.size(), end - begin - key.size());
}

std::vector<Tensor> golden::parseRecords(const std::string &file, size_t count) {
  std::vector<Tensor> tensors;
  size_t position = 0;
  auto take = [&](size_t bytes) {
    if (bytes > file.size() - position)
      fail("the file ends inside npy record " + std::to_string(tensors.size()));
    position += bytes;
    return file.substr(position - bytes, bytes);
  };
  while (tensors.size() < count) {
    std::string start = take(10);
    if (start.compare(0, 8, std::string("\x93NUMPY\x01\x00", 8)) != 0)
      fail("npy record " + std::to_string(tensors.size()) + " does not start as format 1.0 does");
    std::string header = take(static_cast<uint8_t>(start[8]) + 256 * static_cast<uint8_t>(start[9]));
    Tensor tensor;
    tensor.type = headerField(header, "'descr': '", "'");
    for (const std::string &extent : split(headerField(header, "'shape': (", ")"), ','))
      if (extent.find_first_not_of(' ') != std::string::npos)
        tensor.shape.push_back(std::stoll(extent));
    bool known = tensor.type == "<f2" || tensor.type == "<f4" || tensor.type == "<f8" || tensor.type == "<i4" ||
                 tensor.type == "|i1";
    if (!known || headerField(header, "'fortran_order': ", ",") != "False")
      fail("npy record " + std::to_string(tensors.size()) + " has an unknown type or order: " + header);
    std::string data = take(tensor.elements() * tensor.elementBytes());
    tensor.bytes.assign(data.begin(), data.end());
    tensors.push_back(std::move(tensor));
  }
  if (position != file.size())
    fail("the file has more than " + std::to_string(count) + " npy records");
  return tensors;
}

std::vector<std::string> golden::readLines(const std::string &folder) {
  std::ifstream stream(folder + "/cases.txt");
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    if (!line.empty())
      lines.push_back(line);
  return lines;
}

Case golden::readCase(const std::string &folder, const std::string &line) {
  Case result = parseLine(line);
  std::string path = folder + "/cases/" + result.name() + ".npys";
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    fail("cannot open " + path);
  std::stringstream content;
  content << stream.rdbuf();
  std::vector<std::string> names = split(result.words["tensors"], ',');
  std::vector<Tensor> tensors = parseRecords(content.str(), names.size());
  for (size_t k = 0; k < names.size(); ++k)
    result.tensors[names[k]] = std::move(tensors[k]);
  return result;
}

double golden::relativeError(const Tensor &reference, const void *data) {
  double scale = 0, difference = 0;
  for (int64_t k = 0, e = reference.elements(); k < e; ++k) {
    double expected = reference.at(reference.bytes.data(), k), actual = reference.at(data, k);
    if (!std::isfinite(expected) || !std::isfinite(actual))
      return std::numeric_limits<double>::infinity();
    scale = std::max(scale, std::fabs(expected));
    difference = std::max(difference, std::fabs(actual - expected));
  }
  if (difference == 0)
    return 0;
  return scale == 0 ? std::numeric_limits<double>::infinity() : difference / scale;
}
