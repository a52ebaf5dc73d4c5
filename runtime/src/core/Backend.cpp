// Backend.cpp - finds the backend of a device name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Backend.h"

#include <cstring>
#include <string>

using namespace rnnrt;

/// "`host`, `simt` or `cuda`".
static std::string listKinds() {
  std::string text;
  for (size_t index = 0; index < backendTable.count; ++index) {
    if (index)
      text += index + 1 == backendTable.count ? " or " : ", ";
    text += std::string("`") + backendTable.kinds[index]->name + "`";
  }
  return text;
}

Status rnnrt::findBackend(const char *name, const BackendKind *&kind, const char *&detail) {
  const char *colon = std::strchr(name, ':');
  const size_t length = colon ? size_t(colon - name) : std::strlen(name);
  for (size_t index = 0; index < backendTable.count; ++index) {
    kind = backendTable.kinds[index];
    if (length == std::strlen(kind->name) && !std::strncmp(name, kind->name, length)) {
      detail = colon ? colon + 1 : nullptr;
      return Status();
    }
  }
  return invalidArgument("there is no device `%.64s`, expected %s", name, listKinds().c_str());
}
