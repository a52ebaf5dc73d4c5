// DynamicLibrary.cpp - the search for a library, and the message if none is found.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/DynamicLibrary.h"

#include <cstdlib>
#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>

using namespace rnnrt;

namespace {

bool isDirectory(const std::string &path) {
  struct stat info;
  return !stat(path.c_str(), &info) && S_ISDIR(info.st_mode);
}

bool exists(const std::string &path) {
  struct stat info;
  return !stat(path.c_str(), &info);
}

/// Directories below `path` whose names begin with "python3", the newest version first.
std::vector<std::string> pythonDirectories(const std::string &path) {
  std::vector<std::string> found;
  if (DIR *directory = opendir(path.c_str())) {
    while (const dirent *entry = readdir(directory))
      if (std::string name = entry->d_name; name.rfind("python3", 0) == 0)
        found.push_back(path + "/" + name);
    closedir(directory);
  }
  // 3.12 before 3.9: a longer name is a later version.
  std::sort(found.begin(), found.end(), [](const std::string &a, const std::string &b) {
    return a.size() != b.size() ? a.size() > b.size() : a > b;
  });
  return found;
}

/// The folders into which pip installs packages, those of the active environment first.
std::vector<std::string> packageDirectories() {
  std::vector<std::string> prefixes;
  for (const char *variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char *value = std::getenv(variable); value && *value)
      prefixes.push_back(value);
  if (const char *home = std::getenv("HOME"); home && *home)
    prefixes.push_back(std::string(home) + "/.local");
  prefixes.insert(prefixes.end(), {"/usr/local", "/usr"});
  std::vector<std::string> found;
  for (const std::string &prefix : prefixes)
    for (const std::string &python : pythonDirectories(prefix + "/lib"))
      for (const char *leaf : {"/site-packages", "/dist-packages"})
        if (isDirectory(python + leaf))
          found.push_back(python + leaf);
  return found;
}

/// The names tried, and why each failed.
class Attempts {
public:
  void *open(const std::string &path) {
    // RTLD_NOW: a symbol that is missing in a dependency fails here with a message, not later by ending the process.
    if (void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
      return handle;
    const char *reason = dlerror();
    std::string text = reason ? reason : "unknown";
    // The message of the loader often begins with the path, which `add` writes.
    if (text.rfind(path + ": ", 0) == 0)
      text.erase(0, path.size() + 2);
    add(path, text);
    return nullptr;
  }
  void add(const std::string &path, const std::string &reason) {
    lines += (lines.empty() ? "`" : "; `") + path + "`: " + reason;
  }

  std::string lines;
};

/// The file of a handle; `otherwise` if the loader does not return it.
std::string fileOf(void *handle, const std::string &otherwise) {
  link_map *map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) || !map || !map->l_name || !*map->l_name)
    return otherwise;
  return map->l_name;
}

} // namespace

Status DynamicLibrary::open(const LibraryQuery &query, std::unique_ptr<DynamicLibrary> &library) {
  Attempts attempts;
  auto found = [&](void *handle, const std::string &path) {
    if (handle)
      library.reset(new DynamicLibrary(handle, fileOf(handle, path)));
    return handle != nullptr;
  };

  if (const char *value = std::getenv(query.variable); value && *value) {
    const std::string path = value;
    if (!isDirectory(path)) {
      // A name without a slash would start a search of the dynamic loader.
      if (path.find('/') == std::string::npos && !exists(path))
        attempts.add(path, "no such file or directory");
      else if (const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
               found(attempts.open(file), file))
        return Status();
    } else {
      for (const std::string &name : query.names)
        if (const std::string file = path + "/" + name; found(attempts.open(file), file))
          return Status();
    }
    const std::string message = std::string(query.what) + " is needed, but what " + query.variable +
                                " names cannot be loaded: " + attempts.lines + "; correct or unset " + query.variable;
    return Status(rnnrt_status_create(RNNRT_STATUS_UNAVAILABLE, message.c_str()));
  }

  for (const std::string &name : query.names)
    if (found(attempts.open(name), name))
      return Status();
  std::vector<std::string> directories;
  for (const std::string &packages : query.wheelDirectories.empty() ? directories : packageDirectories())
    for (const std::string &wheel : query.wheelDirectories)
      directories.push_back(packages + "/" + wheel);
  directories.insert(directories.end(), query.directories.begin(), query.directories.end());
  for (const std::string &directory : directories)
    for (const std::string &name : query.names) {
      const std::string file = directory + "/" + name;
      if (!exists(file))
        attempts.add(file, "no such file or directory");
      else if (found(attempts.open(file), file))
        return Status();
    }
  const std::string message = std::string(query.what) + " is needed, but was not found: " + attempts.lines + "; set " +
                              query.variable + " to the file or its directory";
  return Status(rnnrt_status_create(RNNRT_STATUS_UNAVAILABLE, message.c_str()));
}

DynamicLibrary::~DynamicLibrary() {
  dlclose(handle);
}

void *DynamicLibrary::symbol(const char *name) const {
  return dlsym(handle, name);
}
