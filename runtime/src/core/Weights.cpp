// Weights.cpp - packed copies of weights, and the public functions of weights.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Weights.h"
#include "core/CompiledMemory.h"
#include "core/Device.h"
#include "core/Require.h"
#include "core/RnnChecks.h"
#include "rnn_runtime/weights.h"

#include <cstring>

using namespace rnnrt;

struct rnnrt_weights {
  Ref<rnnrt_device> device;
  std::shared_ptr<PackedWeights> packed;
};

/// FNV-1a over words of 64 bits, and over the bytes of the rest.
static uint64_t computeChecksum(const char *data, int64_t bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  auto add = [&](uint64_t word) { hash = (hash ^ word) * 0x100000001b3; };
  int64_t index = 0;
  for (; index + 8 <= bytes; index += 8) {
    uint64_t word;
    std::memcpy(&word, data + index, sizeof(word));
    add(word);
  }
  for (; index < bytes; ++index)
    add(static_cast<unsigned char>(data[index]));
  return hash;
}

/// The bytes of a copy with its header. Negative for a size that overflowed, which allocations report.
static int64_t sizeOfCopy(int64_t bytes) {
  if (bytes > INT64_MAX - int64_t(sizeof(PackedCopy)))
    return -1;
  return bytes < 0 ? bytes : bytes + int64_t(sizeof(PackedCopy));
}

static PackedCopy *initialize(void *memory, PackedWeights *owner) {
  auto *copy = static_cast<PackedCopy *>(memory);
  return new (copy) PackedCopy{{copy + 1, /*is_packed=*/0}, owner, /*isInModule=*/false};
}

PackedCopy *rnnrt::createPackedScratch(int64_t bytes) {
  PackedCopy *copy = initialize(compiledAllocate(RNNRT_MEMORY_ALIGNMENT, sizeOfCopy(bytes)), /*owner=*/nullptr);
  copy->record.is_packed = RNNRT_PACKED_SCRATCH;
  return copy;
}

void rnnrt::endPacked(PackedCopy *copy, bool isPacked) {
  if (copy->isInModule)
    endInModule(copy, isPacked);
  else if (!copy->owner)
    compiledRelease(copy);
  else if (!copy->record.is_packed)
    copy->owner->end(copy, isPacked);
}

/// A value of `is_packed` in memory of a module: a call packs the weights now.
static constexpr int64_t isBeingPacked = 2;

PackedCopy *rnnrt::beginInModule(void *memory) {
  auto *copy = static_cast<PackedCopy *>(memory);
  int64_t state = 0;
  if (__atomic_compare_exchange_n(&copy->record.is_packed, &state, isBeingPacked, /*weak=*/false, __ATOMIC_ACQUIRE,
                                  __ATOMIC_ACQUIRE)) {
    copy->record.data = copy + 1;
    copy->isInModule = true;
    return copy;
  }
  return state == 1 ? copy : nullptr;
}

void rnnrt::endInModule(PackedCopy *copy, bool isPacked) {
  if (__atomic_load_n(&copy->record.is_packed, __ATOMIC_RELAXED) == isBeingPacked)
    __atomic_store_n(&copy->record.is_packed, int64_t(isPacked), __ATOMIC_RELEASE);
}

PackedWeights::PackedWeights(const void *data, int64_t bytes)
    : data(static_cast<const char *>(data)), bytes(bytes),
      checksum(isCheckingEnabled() ? computeChecksum(this->data, bytes) : 0) {}

PackedWeights::~PackedWeights() {
  for (auto &[key, entry] : entries)
    compiledRelease(entry.copy);
}

bool PackedWeights::contains(const void *pointer, int64_t size) const {
  // As integers: the pointers may belong to different objects.
  uintptr_t first = reinterpret_cast<uintptr_t>(data), start = reinterpret_cast<uintptr_t>(pointer);
  return size > 0 && size <= bytes && start >= first && start - first <= uintptr_t(bytes - size);
}

Status PackedWeights::check() const {
  if (checksum && computeChecksum(data, bytes) != checksum)
    return failedPrecondition(
        "the %lld bytes of weights at %p have changed since rnnrt_weights_create; create a handle "
        "for the new weights",
        (long long)bytes, static_cast<const void *>(data));
  return Status();
}

PackedCopy *PackedWeights::begin(const void *pointer, Key key, int64_t size) {
  key[offsetInKey] = static_cast<const char *>(pointer) - data;
  std::lock_guard<std::mutex> lock(mutex);
  auto [it, isNew] = entries.try_emplace(key, Entry{nullptr, true});
  Entry &entry = it->second;
  if (isNew) {
    void *memory = nullptr;
    if (!tryCompiledAllocate(RNNRT_MEMORY_ALIGNMENT, sizeOfCopy(size), memory).ok()) {
      entries.erase(it);
      throw std::bad_alloc();
    }
    entry.copy = initialize(memory, this);
    packedBytes += size;
    return entry.copy;
  }
  if (entry.isBusy)
    return nullptr;
  entry.isBusy = !entry.copy->record.is_packed;
  return entry.copy;
}

void PackedWeights::end(PackedCopy *copy, bool isPacked) {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &[key, entry] : entries)
    if (entry.copy == copy && entry.isBusy) {
      copy->record.is_packed = isPacked;
      entry.isBusy = false;
    }
}

int64_t PackedWeights::getPackedBytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  return packedBytes;
}

extern "C" {

rnnrt_status_t rnnrt_weights_create(rnnrt_device_t *device, const void *data, int64_t bytes,
                                    rnnrt_weights_t **out_weights) {
  return guarded([&] {
           RNNRT_REQUIRE(out_weights, "out_weights");
           *out_weights = nullptr;
           RNNRT_REQUIRE(device, "device");
           if (bytes < 0)
             return invalidArgument("expects `bytes` to be at least 0, but got %lld", (long long)bytes);
           if (bytes > 0)
             RNNRT_REQUIRE(data, "data");
           if (device->name != "host")
             return unavailable("packed weights are available on device `host`, but got `%s`", device->name.c_str());
           auto packed = std::make_shared<PackedWeights>(data, bytes);
           *out_weights = new rnnrt_weights{Ref<rnnrt_device>(device), std::move(packed)};
           return Status();
         })
      .take();
}

int64_t rnnrt_weights_packed_bytes(const rnnrt_weights_t *weights) {
  return weights ? weights->packed->getPackedBytes() : 0;
}

rnnrt_status_t rnnrt_call_use_weights(rnnrt_call_t *call, rnnrt_weights_t *weights) {
  return guarded([&] {
           RNNRT_REQUIRE(call, "call");
           RNNRT_REQUIRE(weights, "weights");
           if (call->device.get() != weights->device.get())
             return invalidArgument("expects `weights` to belong to the device of `call`");
           call->weights.push_back(weights->packed);
           return Status();
         })
      .take();
}

void rnnrt_weights_release(rnnrt_weights_t *weights) {
  delete weights;
}

} // extern "C"
