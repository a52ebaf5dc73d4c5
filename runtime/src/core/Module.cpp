// Module.cpp - the public functions of module.h, and rnnrt_function_load.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Module.h"
#include "core/Device.h"
#include "core/Require.h"
#include "rnn_runtime/function.h"

using namespace rnnrt;

struct rnnrt_module {
  rnnrt_module(rnnrt_device *device, std::unique_ptr<Module> code) : device(device), code(std::move(code)) {}

  Ref<rnnrt_device> device;
  std::unique_ptr<Module> code; ///< destroyed before the device
};

extern "C" {

rnnrt_status_t rnnrt_module_load(rnnrt_device_t *device, const rnnrt_image_t *images, int64_t count,
                                 rnnrt_module_t **out_module) {
  return guarded([&] {
           RNNRT_REQUIRE(out_module, "out_module");
           *out_module = nullptr;
           RNNRT_REQUIRE(device, "device");
           if (count < 1)
             return invalidArgument("expects `count` to be at least 1, but got %lld", (long long)count);
           RNNRT_REQUIRE(images, "images");
           std::unique_ptr<Module> code;
           RNNRT_TRY(device->backend->loadModule(images, count, code));
           *out_module = new rnnrt_module(device, std::move(code));
           return Status();
         })
      .take();
}

int64_t rnnrt_module_image(const rnnrt_module_t *module) {
  return module ? module->code->image() : -1;
}

rnnrt_status_t rnnrt_module_kernel(rnnrt_module_t *module, const char *name, rnnrt_kernel_t **out_kernel) {
  return guarded([&] {
           RNNRT_REQUIRE(out_kernel, "out_kernel");
           *out_kernel = nullptr;
           RNNRT_REQUIRE(module, "module");
           RNNRT_REQUIRE(name, "name");
           return module->code->kernel(name, *out_kernel);
         })
      .take();
}

void rnnrt_module_release(rnnrt_module_t *module) {
  delete module;
}

rnnrt_status_t rnnrt_function_load(const rnnrt_function_t *function, rnnrt_device_t *device) {
  return guarded([&] {
           RNNRT_REQUIRE(function, "function");
           RNNRT_REQUIRE(device, "device");
           return device->backend->loadCode(function);
         })
      .take();
}

void rnnrt_launch_init(rnnrt_launch_t *launch) {
  if (launch)
    *launch = {{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, 0, 0, 0};
}

rnnrt_status_t rnnrt_kernel_launch(rnnrt_kernel_t *kernel, rnnrt_stream_t *stream, const rnnrt_launch_t *launch,
                                   void *const *arguments) {
  return guarded([&] {
           RNNRT_REQUIRE(kernel, "kernel");
           RNNRT_REQUIRE(launch, "launch");
           return kernel->launch(stream, *launch, arguments);
         })
      .take();
}

rnnrt_status_t rnnrt_kernel_max_clusters(rnnrt_kernel_t *kernel, const rnnrt_launch_t *launch, int64_t *out_clusters) {
  return guarded([&] {
           RNNRT_REQUIRE(out_clusters, "out_clusters");
           *out_clusters = 0;
           RNNRT_REQUIRE(kernel, "kernel");
           RNNRT_REQUIRE(launch, "launch");
           return kernel->maxClusters(*launch, *out_clusters);
         })
      .take();
}

rnnrt_status_t rnnrt_kernel_properties(const rnnrt_kernel_t *kernel, rnnrt_kernel_properties_t *out_properties) {
  return guarded([&] {
           RNNRT_REQUIRE(out_properties, "out_properties");
           *out_properties = {};
           RNNRT_REQUIRE(kernel, "kernel");
           *out_properties = kernel->properties();
           return Status();
         })
      .take();
}

} // extern "C"
