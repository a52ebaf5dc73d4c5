/* host.c - a program with "LLVM" of the version in VERSION, which loads the plugin as mlir-opt does.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

void LLVMGetVersion(unsigned *major, unsigned *minor, unsigned *patch) {
  *major = VERSION;
  *minor = 1;
  *patch = 0;
}

/* mlir::DialectPluginLibraryInfo. */
struct Info {
  uint32_t version;
  const char *name, *plugin_version;
  void (*callback)(void *);
};

int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    return fprintf(stderr, "%s\n", dlerror()), 1;
  struct Info (*get_info)(void) = (struct Info (*)(void))dlsym(library, "mlirGetDialectPluginInfo");
  struct Info (*get_passes)(void) = (struct Info (*)(void))dlsym(library, "mlirGetPassPluginInfo");
  struct Info info = get_info();
  printf("%s %s: interface %u, passes %u\n", info.name, info.plugin_version, info.version, get_passes().version);
  return 0;
}
