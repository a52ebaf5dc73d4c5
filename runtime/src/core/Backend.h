// Backend.h - the interface of a device, and the table of the kinds of devices. The files of core name no kind.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_BACKEND_H
#define RNNRT_CORE_BACKEND_H

#include "core/Gemm.h"
#include "core/Module.h"
#include "core/Plan.h"
#include "core/Wavefront.h"
#include "rnn_runtime/abi.h"
#include "rnn_runtime/device.h"

#include <memory>

namespace rnnrt {

class Backend;

/// A kind of device. A backend defines one, with static storage.
struct BackendKind {
  /// Devices are named "NAME" or "NAME:DETAIL".
  const char *name;
  /// Which compiled functions run on it: those with tensors in host memory, and those with tensors in device memory.
  bool takesHostTensors, takesDeviceTensors;
  /// `detail` is the text after the colon, null without one.
  Status (*create)(const char *detail, const rnnrt_device_options_t &options, std::unique_ptr<Backend> &backend);
  /// The entries that code compiled for this kind calls beyond those of abi.def. Null: there are none.
  Status (*entries)(const rnnrt_abi_symbol_t *&symbols, size_t &count);
};

/// All kinds of this build, in the order in which messages list them. Defined by src/backends/Table.cpp.
struct BackendTable {
  const BackendKind *const *kinds;
  size_t count;
};
extern const BackendTable backendTable;

/// The kind and the detail of the device `name`; INVALID_ARGUMENT if the table has no such kind.
Status findBackend(const char *name, const BackendKind *&kind, const char *&detail);

/// Launches that a backend enqueues together. Owned by a call.
class Chain {
public:
  virtual ~Chain() = default;
};

/// One device of one kind. All functions are thread-safe.
class Backend {
public:
  explicit Backend(const BackendKind &kind) : kind(kind) {}
  virtual ~Backend() = default;

  /// Identifies the class of this object: each kind has one.
  const BackendKind &kind;

  /// Properties of the device. `name` is its kind if the device has no better name.
  virtual rnnrt_device_properties_t properties() const = 0;

  /// Memory that every stream may use immediately. `release` waits for all work that may use it.
  virtual Status allocate(int64_t bytes, void *&pointer) = 0;
  virtual Status release(void *pointer) = 0;
  /// The same in the order of `stream` (null: the device's own order). Each `release` accepts memory of both kinds.
  virtual Status allocate(rnnrt_stream_t *stream, int64_t bytes, void *&pointer) { return allocate(bytes, pointer); }
  virtual Status release(rnnrt_stream_t *stream, void *pointer) { return release(pointer); }
  /// Host memory may be reused when it returns.
  virtual Status copy(rnnrt_stream_t *stream, void *target, const void *source, int64_t bytes) = 0;
  virtual rnnrt_memory_stats_t memoryStats() const = 0;

  /// `native` is the backend's own stream object, if it needs one.
  virtual Status createStream(void *&native) = 0;
  /// Checks `native`, a stream of another library, and replaces it by the object that the backend uses.
  virtual Status adoptStream(void *&native) {
    return unimplemented("device `%s` has no native streams; borrow streams on a device `cuda`", kind.name);
  }
  /// Whether values of the device are available to the host only after waiting.
  virtual bool isAsynchronous() const { return false; }
  /// Null is the device's own order.
  virtual Status synchronize(void *native) = 0;
  virtual void releaseStream(void *native) = 0;

  /// Events. Only creation and release may precede the first recording.
  virtual Status createEvent(void *&native) = 0;
  virtual Status recordEvent(void *native, rnnrt_stream_t *stream) = 0;
  virtual Status waitEvent(void *native, rnnrt_stream_t *stream) = 0;
  virtual Status synchronizeEvent(void *native) = 0;
  virtual Status elapsed(void *start, void *end, double &milliseconds) = 0;
  virtual void releaseEvent(void *native) = 0;

  /// Selects one of the images and loads it.
  virtual Status loadModule(const rnnrt_image_t *images, int64_t count, std::unique_ptr<Module> &module) = 0;

  /// Loads the code for this device in the shared library or program that contains `address`.
  virtual Status loadCode(const void *address) { return Status(); }

  /// Plans may outlive the device handle (a call holds them), so they own the objects of the backend that they use.
  virtual Status createPlan(const RnnProblem &problem, std::shared_ptr<Plan> &plan) = 0;
  virtual Status createPlan(const BlockProblem &problem, std::shared_ptr<Plan> &plan) = 0;

  /// Creates a wavefront of at least two stages, whose tasks follow the work of `stream`. Null: tasks run in the order
  /// of the call.
  virtual Status createWavefront(rnnrt_stream_t *stream, Wavefront::Sizes sizes,
                                 std::unique_ptr<Wavefront> &wavefront) {
    wavefront = nullptr;
    return Status();
  }

  /// Enqueues `gemm`, which must have passed Gemm::check(), on `stream`. If the device has no GEMM library, sets `done`
  /// to false and writes nothing.
  virtual Status runGemm(rnnrt_stream_t *stream, const Gemm &gemm, bool &done) {
    done = false;
    return Status();
  }

  /// rnnrt_abi_begin_chain: the backend may set `call.inChain` and collect the launches in `call.chain`.
  virtual Status beginChain(rnnrt_call_t &call) { return Status(); }
  /// rnnrt_abi_end_chain: enqueues the collected launches.
  virtual Status endChain(rnnrt_call_t &call) { return Status(); }
};

} // namespace rnnrt

#endif // RNNRT_CORE_BACKEND_H
