// CudaSupport.cpp - access to the fake driver, and owners of handles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaSupport.h"

#include <dlfcn.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>

using namespace rnntest;

const FakeDriver &FakeDriver::get() {
  static const FakeDriver fake = [] {
    setenv("RNNRT_CUDA_PATH", RNN_FAKE_CUDA_DIRECTORY, 1);
    void *library = dlopen(RNN_FAKE_CUDA_DIRECTORY "/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      throw std::runtime_error(dlerror());
    FakeDriver made;
#define RNN_MEMBER(result, name, parameters) made.name = reinterpret_cast<decltype(made.name)>(dlsym(library, #name));
    FAKE_CUDA_CONTROLS(RNN_MEMBER)
#undef RNN_MEMBER
    return made;
  }();
  return fake;
}

std::vector<std::string> FakeDriver::lines(const std::string &prefix) const {
  std::istringstream stream(fake_cuda_log());
  std::vector<std::string> found;
  for (std::string line; std::getline(stream, line);)
    if (line.rfind(prefix, 0) == 0)
      found.push_back(line);
  return found;
}

CudaCall::CudaCall(bool ownStream, const char *name) {
  creation = take(rnnrt_device_create(name, nullptr, &device));
  if (device && ownStream)
    creation = take(rnnrt_stream_create(device, &stream));
  if (creation.empty())
    creation = take(rnnrt_call_create(device, stream, nullptr, &call));
}

CudaCall::~CudaCall() {
  rnnrt_call_release(call);
  rnnrt_stream_release(stream);
  rnnrt_device_release(device);
}

std::string CudaCall::failure() const {
  return creation.empty() ? take(rnnrt_status_clone(rnnrt_call_status(call))) : creation;
}

void CudaTest::SetUp() {
  fake.fake_cuda_reset();
}

void CudaTest::TearDown() {
  EXPECT_STREQ(fake.fake_cuda_misuse(), "");
  EXPECT_EQ(fake.fake_cuda_live(nullptr), 0);
}
