// CudnnSequences.cpp - creates and caches batches of lengths.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cudnn/CudnnSequences.h"

#include <algorithm>

using namespace rnnrt;
using namespace rnnrt::cudnn;

/// Cache capacity. Batches of a data set rarely repeat, but the three calls of one training step use the same lengths.
static constexpr size_t maxRecent = 32;

Status Sequences::make(const std::shared_ptr<const CudnnLibrary> &library, const RnnProblem &p,
                       std::vector<int32_t> newLengths, bool packed) {
  lengths = std::move(newLengths);
  full = std::all_of(lengths.begin(), lengths.end(), [&](int32_t length) { return length == p.steps; });
  if (packed && !full)
    return unimplemented("packed sequences of different lengths are not supported; unset RNNRT_CUDNN_PACKED");
  std::vector<int32_t> passedLengths = lengths;
  for (int64_t b = 0; b < p.batch; ++b) {
    if (lengths[size_t(b)])
      continue;
    passedLengths[size_t(b)] = 1;
    if (!empty.empty() && empty.back().first + empty.back().count == b)
      ++empty.back().count;
    else
      empty.push_back({b, 1});
  }
  RNNRT_TRY(makeData(library, p, p.input, passedLengths, x, packed));
  return makeData(library, p, p.directions() * p.projection, passedLengths, y, packed);
}

uint64_t Sequences::hash() const {
  return full ? 0 : hashBytes(lengths.data(), lengths.size() * sizeof(int32_t));
}

std::shared_ptr<const Sequences> SequenceCache::find(const std::vector<int32_t> &lengths) {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto it = recent.begin(); it != recent.end(); ++it)
    if ((*it)->lengths == lengths) {
      recent.splice(recent.begin(), recent, it);
      return recent.front();
    }
  return nullptr;
}

void SequenceCache::insert(std::shared_ptr<const Sequences> sequences) {
  std::lock_guard<std::mutex> lock(mutex);
  recent.push_front(std::move(sequences));
  if (recent.size() > maxRecent)
    recent.pop_back();
}

void SequenceCache::use(cuda::CUstream stream, std::shared_ptr<const Sequences> sequences) {
  std::lock_guard<std::mutex> lock(mutex);
  running[stream].push_back(std::move(sequences));
}

std::vector<std::shared_ptr<const Sequences>> SequenceCache::takeRunning(cuda::CUstream stream) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = running.find(stream);
  if (it == running.end())
    return {};
  std::vector<std::shared_ptr<const Sequences>> taken = std::move(it->second);
  running.erase(it);
  return taken;
}
