// CudnnContext.cpp - one context per device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cudnn/CudnnContext.h"

#include <map>

using namespace rnnrt;
using namespace rnnrt::cudnn;

Status CudnnContext::get(const std::shared_ptr<cuda::CudaDevice> &device, std::shared_ptr<CudnnContext> &context) {
  using Key = std::weak_ptr<cuda::CudaDevice>;
  static std::mutex mutex;
  static auto &contexts = *new std::map<Key, std::weak_ptr<CudnnContext>, std::owner_less<Key>>();
  std::lock_guard<std::mutex> lock(mutex);
  for (auto it = contexts.begin(); it != contexts.end();)
    it = it->second.expired() ? contexts.erase(it) : std::next(it);
  if (auto it = contexts.find(device); it != contexts.end())
    context = it->second.lock();
  if (context)
    return Status();
  std::shared_ptr<const CudnnLibrary> library;
  RNNRT_TRY(CudnnLibrary::load(library));
  context = std::make_shared<CudnnContext>(device, std::move(library));
  contexts[device] = context;
  return Status();
}

CudnnContext::~CudnnContext() {
  // Afterwards the device uses no cuDNN object.
  cuda::ContextScope scope(*device);
  if (scope.status.ok())
    (void)device->driver().cuCtxSynchronize();
  retired.clear(); // before the dropout descriptors that they reference
}

void CudnnContext::retire(std::shared_ptr<void> object) {
  std::lock_guard<std::mutex> lock(mutex);
  retired.push_back(std::move(object));
}
