// CudaImages.cpp - reads the targets of images and ranks them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/CudaImages.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <tuple>

using namespace rnnrt;
using namespace rnnrt::cuda;

/// Parses "sm_90a" or "compute_80" at the start of `text`; returns false if it is neither.
static bool readChip(const char *text, ImageTarget &target) {
  const size_t prefix = !std::strncmp(text, "sm_", 3) ? 3 : !std::strncmp(text, "compute_", 8) ? 8 : 0;
  const char *at = text + prefix;
  int value = 0, digits = 0;
  for (; digits < 4 && std::isdigit(static_cast<unsigned char>(*at)); ++at, ++digits)
    value = value * 10 + (*at - '0');
  if (!prefix || digits < 2 || digits > 3)
    return false;
  target.computeCapability = value;
  target.suffix = *at == 'a' || *at == 'f' ? *at++ : 0;
  return !std::isalnum(static_cast<unsigned char>(*at)) && *at != '_';
}

std::string ImageTarget::describe() const {
  std::string text = isText ? "PTX for " : "machine code for ";
  if (!computeCapability)
    return text + "an unknown chip";
  text += "sm_" + std::to_string(computeCapability);
  if (suffix)
    text += suffix;
  return text;
}

bool ImageTarget::fits(int device) const {
  if (!computeCapability)
    return true;
  // CUDA C++ programming guide, "Compute capability": machine code runs on devices of the same major version with the
  // same or a later minor version, PTX on every later device. Suffix `a` restricts code to this chip, `f` to its
  // family.
  if (suffix == 'a')
    return device == computeCapability;
  const bool sameGeneration = device / 10 == computeCapability / 10;
  return device >= computeCapability && (sameGeneration || (isText && !suffix));
}

Status cuda::readImageTarget(const rnnrt_image_t &image, int64_t index, ImageTarget &target) {
  const auto imageIndex = static_cast<long long>(index);
  if (!image.data)
    return invalidArgument("expects `data` of image %lld, but got a null pointer", imageIndex);
  if (image.bytes < 0)
    return invalidArgument("expects `bytes` of image %lld to be at least 0, but got %lld", imageIndex,
                           (long long)image.bytes);
  const char *text = static_cast<const char *>(image.data);
  auto startsWith = [&](const char *magic, int64_t length) {
    return (!image.bytes || image.bytes >= length) && !std::memcmp(text, magic, size_t(length));
  };
  target = ImageTarget();
  // Machine code is an ELF file, or a fatbin that contains ELF files.
  if (!startsWith("\177ELF", 4) && !startsWith("\x50\xed\x55\xba", 4)) {
    target.isText = true;
    const size_t length = image.bytes ? strnlen(text, size_t(image.bytes)) : std::strlen(text);
    const std::string source(text, length);
    const size_t directive = source.find(".target");
    if (source.find(".version") == std::string::npos || directive == std::string::npos)
      return invalidArgument(
          "image %lld is neither machine code of a GPU nor PTX: expected an ELF file, a fatbin, or a "
          "text with .version and .target",
          imageIndex);
    const size_t chip = source.find_first_not_of(" \t\r\n", directive + 7);
    if (chip == std::string::npos || !readChip(source.c_str() + chip, target))
      return invalidArgument("the PTX of image %lld has a .target that is not a chip", imageIndex);
  }
  if (image.chip && !readChip(image.chip, target))
    return invalidArgument("expects `chip` of image %lld to be a chip such as `sm_90a`, but got `%.64s`", imageIndex,
                           image.chip);
  return Status();
}

std::vector<int64_t> cuda::chooseImages(const std::vector<ImageTarget> &targets, int device) {
  std::vector<int64_t> fitting;
  for (size_t index = 0; index < targets.size(); ++index)
    if (targets[index].fits(device))
      fitting.push_back(int64_t(index));
  auto rank = [&](int64_t index) {
    const ImageTarget &target = targets[size_t(index)];
    return std::make_tuple(target.isText,
                           target.suffix == 'a'   ? 0
                           : target.suffix == 'f' ? 1
                                                  : 2,
                           -target.computeCapability, index);
  };
  std::sort(fitting.begin(), fitting.end(), [&](int64_t a, int64_t b) { return rank(a) < rank(b); });
  return fitting;
}
