// FaultInjection.cpp - the replaced functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FaultInjection.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <new>
#include <pthread.h>

using namespace rnntest;

static std::atomic<int64_t> counts[2], limits[2] = {{-1}, {-1}};

static bool fails(Fault::Kind kind) {
  return limits[kind].load() >= 0 && counts[kind].fetch_add(1) == limits[kind].load();
}

static Fault::Kind active = Fault::Allocation;

Fault::Fault(Kind kind, int64_t n) {
  active = kind;
  counts[kind].store(0);
  limits[kind].store(n);
}
Fault::~Fault() {
  limits[active].store(-1);
}
bool Fault::hasHappened() const {
  return counts[active].load() > limits[active].load();
}

static void *allocate(size_t bytes, size_t alignment) {
  if (fails(Fault::Allocation))
    return nullptr;
  // Not aligned_alloc, which is replaced.
  void *pointer = nullptr;
  return posix_memalign(&pointer, alignment < sizeof(void *) ? sizeof(void *) : alignment, bytes ? bytes : 1) == 0
             ? pointer
             : nullptr;
}

static void *allocateOrThrow(size_t bytes, size_t alignment) {
  if (void *pointer = allocate(bytes, alignment))
    return pointer;
  throw std::bad_alloc();
}

constexpr size_t usual = alignof(std::max_align_t);

void *operator new(size_t bytes) {
  return allocateOrThrow(bytes, usual);
}
void *operator new[](size_t bytes) {
  return allocateOrThrow(bytes, usual);
}
void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
  return allocate(bytes, usual);
}
void *operator new[](size_t bytes, const std::nothrow_t &) noexcept {
  return allocate(bytes, usual);
}
void *operator new(size_t bytes, std::align_val_t alignment) {
  return allocateOrThrow(bytes, size_t(alignment));
}
void operator delete(void *pointer) noexcept {
  std::free(pointer);
}
void operator delete[](void *pointer) noexcept {
  std::free(pointer);
}
void operator delete(void *pointer, size_t) noexcept {
  std::free(pointer);
}
void operator delete[](void *pointer, size_t) noexcept {
  std::free(pointer);
}
void operator delete(void *pointer, std::align_val_t) noexcept {
  std::free(pointer);
}
void operator delete(void *pointer, size_t, std::align_val_t) noexcept {
  std::free(pointer);
}

extern "C" {

__attribute__((visibility("default"))) void *aligned_alloc(size_t alignment, size_t bytes) {
  return allocate(bytes, alignment);
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                                          void *(*start)(void *), void *argument) {
  if (fails(Fault::Thread))
    return EAGAIN;
  static auto *real = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return real(thread, attributes, start, argument);
}

} // extern "C"
