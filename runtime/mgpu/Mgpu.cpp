// Mgpu.cpp - librnn_mgpu: the launch entries of librnn_runtime under the names of upstream's GPU runtime.
//
// For programs whose code was not compiled by this project, but by upstream's gpu-to-llvm and its translation of
// gpu.launch_func (mlir-runner --shared-libs, or an execution engine). They link this library instead of upstream's
// libmlir_cuda_runtime, which defines the same names. Code that this project compiles calls librnn_runtime directly.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/abi.h"

extern "C" {

// The declarations check the definitions below against mgpu.def.
#define RNNRT_MGPU_ENTRY(result, upstream, name, parameters) RNNRT_API result upstream parameters;
#include "rnn_runtime/mgpu.def"
#undef RNNRT_MGPU_ENTRY

void *mgpuModuleLoad(void *data, int64_t bytes) {
  return rnnrt_abi_gpu_module_load(data, bytes);
}
void *mgpuModuleLoadJIT(void *data, int32_t optimization) {
  return rnnrt_abi_gpu_module_load_jit(data, optimization);
}
void mgpuModuleUnload(void *module) {
  rnnrt_abi_gpu_module_unload(module);
}
void *mgpuModuleGetFunction(void *module, const char *name) {
  return rnnrt_abi_gpu_module_get_function(module, name);
}
void mgpuLaunchKernel(void *function, int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x, int64_t block_y,
                      int64_t block_z, int32_t dynamic_shared, void *stream, void **parameters, void **extra,
                      int64_t count) {
  rnnrt_abi_gpu_launch_kernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared, stream,
                              parameters, extra, count);
}
void mgpuLaunchClusterKernel(void *function, int64_t cluster_x, int64_t cluster_y, int64_t cluster_z, int64_t grid_x,
                             int64_t grid_y, int64_t grid_z, int64_t block_x, int64_t block_y, int64_t block_z,
                             int32_t dynamic_shared, void *stream, void **parameters, void **extra) {
  rnnrt_abi_gpu_launch_cluster_kernel(function, cluster_x, cluster_y, cluster_z, grid_x, grid_y, grid_z, block_x,
                                      block_y, block_z, dynamic_shared, stream, parameters, extra);
}
void *mgpuStreamCreate() {
  return rnnrt_abi_gpu_stream_create();
}
void mgpuStreamDestroy(void *stream) {
  rnnrt_abi_gpu_stream_destroy(stream);
}
void mgpuStreamSynchronize(void *stream) {
  rnnrt_abi_gpu_stream_synchronize(stream);
}
void mgpuStreamWaitEvent(void *stream, void *event) {
  rnnrt_abi_gpu_stream_wait_event(stream, event);
}
void *mgpuEventCreate() {
  return rnnrt_abi_gpu_event_create();
}
void mgpuEventDestroy(void *event) {
  rnnrt_abi_gpu_event_destroy(event);
}
void mgpuEventSynchronize(void *event) {
  rnnrt_abi_gpu_event_synchronize(event);
}
void mgpuEventRecord(void *event, void *stream) {
  rnnrt_abi_gpu_event_record(event, stream);
}
void *mgpuMemAlloc(int64_t bytes, void *stream, int32_t host_shared) {
  return rnnrt_abi_gpu_mem_alloc(bytes, stream, host_shared);
}
void mgpuMemFree(void *pointer, void *stream) {
  rnnrt_abi_gpu_mem_free(pointer, stream);
}
void mgpuMemcpy(void *target, void *source, int64_t bytes, void *stream) {
  rnnrt_abi_gpu_memcpy(target, source, bytes, stream);
}
void mgpuMemset32(void *target, int32_t value, int64_t count, void *stream) {
  rnnrt_abi_gpu_memset32(target, value, count, stream);
}
void mgpuMemset16(void *target, int32_t value, int64_t count, void *stream) {
  rnnrt_abi_gpu_memset16(target, value, count, stream);
}
void mgpuMemHostRegisterMemRef(int64_t rank, void *descriptor, int64_t element_bytes) {
  rnnrt_abi_gpu_mem_host_register_memref(rank, descriptor, element_bytes);
}
void mgpuMemHostUnregisterMemRef(int64_t rank, void *descriptor, int64_t element_bytes) {
  rnnrt_abi_gpu_mem_host_unregister_memref(rank, descriptor, element_bytes);
}
void mgpuSetDefaultDevice(int32_t device) {
  rnnrt_abi_gpu_set_default_device(device);
}
void *mgpuTensorMapEncodeTiledMemref(int64_t rank, void *descriptor, int32_t type, int32_t interleave, int32_t swizzle,
                                     int32_t promotion, int32_t fill, int64_t *box) {
  return rnnrt_abi_gpu_tensor_map_encode_tiled_memref(rank, descriptor, type, interleave, swizzle, promotion, fill,
                                                      box);
}

} // extern "C"
