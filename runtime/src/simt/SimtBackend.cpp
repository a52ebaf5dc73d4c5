// SimtBackend.cpp - a host device with the schedule of its emulated threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simt/SimtBackend.h"
#include "host/Gemm.h"
#include "host/HostBackend.h"
#include "simt/EmulatorLibrary.h"
#include "simt/SimtWavefront.h"

#include <cstdlib>

using namespace rnnrt;

namespace {

class SimtBackend final : public HostBackend {
public:
  SimtBackend(const rnnrt_allocator_t &allocator, std::string schedule)
      : HostBackend(simtKind, allocator), schedule(std::move(schedule)) {}

  /// In place of a GPU's library.
  Status runGemm(rnnrt_stream_t *, const Gemm &gemm, bool &done) override {
    hostGemm(gemm);
    done = true;
    return Status();
  }

  Status createWavefront(rnnrt_stream_t *, Wavefront::Sizes sizes, std::unique_ptr<Wavefront> &wavefront) override {
    wavefront = std::make_unique<SimtWavefront>(sizes, schedule);
    return Status();
  }

  const std::string schedule;

protected:
  std::string title() const override { return kind.name; }
};

} // namespace

const char *rnnrt::emulatedSchedule(const Backend &backend) {
  return &backend.kind == &simtKind ? static_cast<const SimtBackend &>(backend).schedule.c_str() : nullptr;
}

/// `schedule` null: RNNRT_SIMT_SCHEDULE, else fifo.
static Status create(const char *schedule, const rnnrt_device_options_t &options, std::unique_ptr<Backend> &backend) {
  std::shared_ptr<const EmulatorLibrary> emulator;
  RNNRT_TRY(EmulatorLibrary::load(emulator));
  if (!schedule) {
    schedule = std::getenv("RNNRT_SIMT_SCHEDULE");
    if (!schedule || !*schedule)
      schedule = "fifo";
  }
  RNNRT_TRY(Status(emulator->get().check_schedule(schedule)));
  backend = std::make_unique<SimtBackend>(options.allocator, schedule);
  return Status();
}

static Status getEntries(const rnnrt_abi_symbol_t *&symbols, size_t &count) {
  std::shared_ptr<const EmulatorLibrary> emulator;
  RNNRT_TRY(EmulatorLibrary::load(emulator));
  symbols = emulator->get().entries;
  count = emulator->get().num_entries;
  return Status();
}

// Emulated kernels work in host memory, so both kinds of functions run.
const BackendKind rnnrt::simtKind = {"simt", /*takesHostTensors=*/true, /*takesDeviceTensors=*/true, create,
                                     getEntries};
