// FakeDriverMemory.cpp - memory of the fake driver: pools, copies, fills, and registered host memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FakeDriverState.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace rnnrt::cuda;

static void *pointerOf(CUdeviceptr pointer) {
  return reinterpret_cast<void *>(uintptr_t(pointer));
}

FAKE_API CUresult rnnrt::cuda::cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
  FAKE_ENTER("cuMemPoolCreate");
  FAKE_EXPECT(properties->allocType == CU_MEM_ALLOCATION_TYPE_PINNED && properties->handleTypes == 0 &&
              properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE && properties->location.id >= 0 &&
              properties->location.id < fake::state().devices);
  *pool = fake::made(new CUmemPoolHandle_st(), "pool");
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuMemPoolDestroy(CUmemoryPool pool) {
  FAKE_ENTER_DESTROY();
  FAKE_EXPECT_LIVE(pool, "pool", "cuMemPoolDestroy");
  if (pool->blocks)
    fake::misuse("cuMemPoolDestroy of a pool with %lld allocations", (long long)pool->blocks);
  return fake::destroyed(pool, "pool", "cuMemPoolDestroy");
}

FAKE_API CUresult rnnrt::cuda::cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  FAKE_ENTER("cuMemPoolSetAttribute");
  FAKE_EXPECT_LIVE(pool, "pool", "cuMemPoolSetAttribute");
  FAKE_EXPECT(attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD && value);
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t bytes, CUmemoryPool pool,
                                                       CUstream stream) {
  FAKE_ENTER("cuMemAllocFromPoolAsync");
  FAKE_EXPECT_LIVE(pool, "pool", "cuMemAllocFromPoolAsync");
  FAKE_EXPECT_STREAM(stream, "cuMemAllocFromPoolAsync");
  FAKE_EXPECT(bytes);
  fake::State &s = fake::state();
  if (bytes > size_t(s.memory - s.used))
    return CUDA_ERROR_OUT_OF_MEMORY;
  auto *memory = static_cast<char *>(std::aligned_alloc(512, (bytes + 511) / 512 * 512));
  if (!memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  // Uninitialized memory is NaN.
  std::memset(memory, 0xff, bytes);
  s.used += int64_t(bytes);
  ++pool->blocks;
  s.blocks[memory] = {bytes, pool, stream->number, fake::step(stream), {}};
  *pointer = CUdeviceptr(reinterpret_cast<uintptr_t>(memory));
  fake::log("cuMemAllocFromPoolAsync stream=%d bytes=%zu", stream->number, bytes);
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  FAKE_ENTER("cuMemFreeAsync");
  FAKE_EXPECT_STREAM(stream, "cuMemFreeAsync");
  fake::State &s = fake::state();
  auto it = s.blocks.find(static_cast<char *>(pointerOf(pointer)));
  if (it == s.blocks.end()) {
    fake::misuse("cuMemFreeAsync of %p, which is no allocation", pointerOf(pointer));
    return CUDA_ERROR_INVALID_VALUE;
  }
  fake::step(stream);
  fake::Block &block = it->second;
  if (!fake::isAfter(stream->clock, block.stream, block.time))
    fake::misuse("cuMemFreeAsync on stream %d may come before the allocation on stream %d", stream->number,
                 block.stream);
  for (const auto &[user, time] : block.lastUse)
    if (!fake::isAfter(stream->clock, user, time))
      fake::misuse("cuMemFreeAsync on stream %d of memory that stream %d may still use", stream->number, user);
  fake::log("cuMemFreeAsync stream=%d bytes=%zu", stream->number, block.bytes);
  s.used -= int64_t(block.bytes);
  --block.pool->blocks;
  // Poison freed memory, so that a use after free is detected.
  std::memset(it->first, 0xff, block.bytes);
  std::free(it->first);
  s.blocks.erase(it);
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream stream) {
  FAKE_ENTER("cuMemcpyAsync");
  FAKE_EXPECT_CONTEXT("cuMemcpyAsync");
  FAKE_EXPECT_STREAM(stream, "cuMemcpyAsync");
  FAKE_EXPECT(target && source);
  fake::step(stream);
  fake::use(stream, pointerOf(target), bytes, "cuMemcpyAsync");
  fake::use(stream, pointerOf(source), bytes, "cuMemcpyAsync");
  fake::enqueue(stream, [=] { std::memmove(pointerOf(target), pointerOf(source), bytes); });
  // Copies of pageable host memory are complete when the function returns.
  if (fake::blockOf(pointerOf(target)) == fake::state().blocks.end() && !stream->capture)
    fake::join(fake::state().host, stream->clock);
  fake::log("cuMemcpyAsync stream=%d bytes=%zu", stream->number, bytes);
  return CUDA_SUCCESS;
}

template <typename T>
static CUresult fill(const char *name, CUdeviceptr target, T value, size_t count, CUstream stream) {
  FAKE_ENTER(name);
  FAKE_EXPECT_CONTEXT(name);
  FAKE_EXPECT_STREAM(stream, name);
  FAKE_EXPECT(target && target % sizeof(T) == 0);
  fake::step(stream);
  fake::use(stream, pointerOf(target), count * sizeof(T), name);
  fake::enqueue(stream, [=] { std::fill_n(static_cast<T *>(pointerOf(target)), count, value); });
  fake::log("%s stream=%d value=%u count=%zu", name, stream->number, unsigned(value), count);
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t count, CUstream stream) {
  return fill("cuMemsetD8Async", target, value, count, stream);
}
FAKE_API CUresult rnnrt::cuda::cuMemsetD16Async(CUdeviceptr target, unsigned short value, size_t count,
                                                CUstream stream) {
  return fill("cuMemsetD16Async", target, value, count, stream);
}
FAKE_API CUresult rnnrt::cuda::cuMemsetD32Async(CUdeviceptr target, unsigned int value, size_t count, CUstream stream) {
  return fill("cuMemsetD32Async", target, value, count, stream);
}

FAKE_API CUresult rnnrt::cuda::cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned int flags) {
  FAKE_ENTER("cuMemHostRegister");
  FAKE_EXPECT_CONTEXT("cuMemHostRegister");
  FAKE_EXPECT(pointer && bytes);
  fake::state().regions[static_cast<char *>(pointer)] = bytes;
  fake::log("cuMemHostRegister bytes=%zu", bytes);
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuMemHostUnregister(void *pointer) {
  FAKE_ENTER_DESTROY();
  if (!fake::state().regions.erase(static_cast<char *>(pointer))) {
    fake::misuse("cuMemHostUnregister of memory that is not registered");
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr pointer) {
  FAKE_ENTER("cuPointerGetAttribute");
  FAKE_EXPECT(attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
  auto *type = static_cast<uint32_t *>(value);
  const auto *address = static_cast<const char *>(pointerOf(pointer));
  if (fake::blockOf(address) != fake::state().blocks.end()) {
    *type = CU_MEMORYTYPE_DEVICE;
    return CUDA_SUCCESS;
  }
  for (const auto &[start, bytes] : fake::state().regions)
    if (address >= start && address < start + bytes) {
      *type = CU_MEMORYTYPE_HOST;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}
