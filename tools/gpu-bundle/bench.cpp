// bench.cpp - measures the plans of a device: forward pass, data gradients and weight gradients, with every algorithm,
// and the host time per call. Prints a Markdown table.
//
//   rnn-bundle-bench --device=cuda [--seconds=0.2] [--shape=T,B,I,H[,L]]...
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tensors.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>

using namespace bundle;
using Clock = std::chrono::steady_clock;

namespace {

using Shape = std::array<int64_t, 5>; // T B I H L

/// The measured shapes.
const Shape defaultShapes[] = {{128, 32, 256, 256, 1}, {128, 64, 512, 512, 1},    {256, 64, 1024, 1024, 1},
                               {512, 16, 512, 512, 1}, {100, 256, 1024, 1024, 1}, {1024, 1, 512, 512, 1},
                               {512, 16, 512, 512, 2}, {512, 16, 512, 512, 4},    {128, 32, 256, 256, 4}};

/// A stack of LSTM layers with device memory for all tensors of a training step.
class Layer {
public:
  Layer(rnnrt_device_t *device, int32_t dtype, const Shape &shape) : device(device) {
    auto [steps, batch, input, hidden, layers] = shape;
    check(rnnrt_stream_create(device, &stream));
    check(rnnrt_call_create(device, stream, nullptr, &call));
    enum { Lstm = 2 };
    plan = rnnrt_abi_rnn_plan(call, dtype, Lstm, 0, 0, 1, 0, 0.0, 0, 0, steps, batch, input, hidden, hidden, layers);
    if (failed())
      return;
    params = rnnrt_abi_rnn_params_size(call, plan);
    reserveBytes = rnnrt_abi_rnn_reserve_size(call, plan);
    if (failed())
      return;
    int64_t element = rnnrt_dtype_size(dtype);
    x = fill(steps * batch * input, dtype);
    dx = allocate(steps * batch * input * element);
    for (void **state : {&h0, &c0, &hn, &cn, &dhn, &dcn, &dh0, &dc0})
      *state = fill(layers * batch * hidden, dtype);
    w = fill(params, dtype);
    dw = allocate(params * element);
    y = allocate(steps * batch * hidden * element);
    dy = fill(steps * batch * hidden, dtype);
    reserve = allocate(reserveBytes);
    synchronize();
  }
  ~Layer() {
    check(rnnrt_stream_synchronize(stream));
    for (void *block : blocks)
      check(rnnrt_memory_free(device, block));
    rnnrt_call_release(call);
    rnnrt_stream_release(stream);
  }

  void forward() { rnnrt_abi_rnn_forward(call, plan, nullptr, x, h0, c0, w, params, y, hn, cn, reserve, reserveBytes); }
  void backwardData() {
    rnnrt_abi_rnn_backward_data(call, plan, nullptr, x, h0, c0, w, params, y, dy, dhn, dcn, dx, dh0, dc0, reserve,
                                reserveBytes);
  }
  void backwardWeights() {
    rnnrt_abi_rnn_backward_weights(call, plan, nullptr, x, h0, y, dw, params, reserve, reserveBytes);
  }
  void synchronize() { check(rnnrt_stream_synchronize(stream)); }
  bool failed() const { return rnnrt_call_status(call) != nullptr; }
  const char *message() const { return rnnrt_status_message(rnnrt_call_status(call)); }
  const char *algorithm() const { return rnnrt_plan_algorithm(plan); }

private:
  void *allocate(int64_t bytes) {
    void *block = nullptr;
    check(rnnrt_memory_alloc(device, bytes, &block));
    blocks.push_back(block);
    return block;
  }
  /// Small numbers: the recurrence does not saturate, and no value is denormal.
  void *fill(int64_t elements, int32_t dtype) {
    Tensor tensor;
    Random random("bench");
    tensor.values.resize(elements);
    for (double &value : tensor.values)
      value = 0.1 * (random.uniform() - 0.5);
    std::vector<char> bytes = tensor.convert(dtype);
    void *block = allocate(bytes.size());
    check(rnnrt_memory_copy(device, stream, block, bytes.data(), bytes.size()));
    check(rnnrt_stream_synchronize(stream));
    return block;
  }

  rnnrt_device_t *device;
  rnnrt_stream_t *stream = nullptr;
  rnnrt_call_t *call = nullptr;
  rnnrt_plan_t *plan = nullptr;
  int64_t params = 0, reserveBytes = 0;
  void *x, *dx, *h0, *c0, *hn, *cn, *dhn, *dcn, *dh0, *dc0, *w, *dw, *y, *dy, *reserve;
  std::vector<void *> blocks;
};

double microsecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// Medians over batches of calls, each batch followed by one wait: device time per call, and the host's time to enqueue
/// a call.
struct Times {
  double device, host;
};
Times measure(Layer &layer, double seconds, const std::function<void()> &prepare, const std::function<void()> &work) {
  prepare();
  work(); // warm-up
  layer.synchronize();
  std::vector<double> device, host;
  Clock::time_point begin = Clock::now();
  while (device.size() < 5 || (microsecondsSince(begin) < seconds * 1e6 && device.size() < 1000)) {
    prepare();
    layer.synchronize();
    Clock::time_point start = Clock::now();
    work();
    host.push_back(microsecondsSince(start));
    layer.synchronize();
    device.push_back(microsecondsSince(start));
  }
  return {median(device), median(host)};
}

void benchmark(rnnrt_device_t *device, const Shape &shape, int32_t dtype, double seconds) {
  std::printf("| %lld,%lld,%lld,%lld | %lld | %s | ", (long long)shape[0], (long long)shape[1], (long long)shape[2],
              (long long)shape[3], (long long)shape[4], rnnrt_dtype_name(dtype));
  Layer layer(device, dtype, shape);
  if (!layer.failed()) {
    auto nothing = [] {};
    Times forward = measure(layer, seconds, nothing, [&] { layer.forward(); });
    // A backward pass overwrites the reserve space, so each has its own forward pass, outside the measured time.
    Times data = measure(layer, seconds, [&] { layer.forward(); }, [&] { layer.backwardData(); });
    Times both = measure(
        layer, seconds, [&] { layer.forward(); },
        [&] {
          layer.backwardData();
          layer.backwardWeights();
        });
    if (!layer.failed()) {
      double gflop = 4e-9 * double(shape[0]) * double(shape[1]) * 4 * double(shape[3]) *
                     double(shape[2] + shape[3] + (shape[4] - 1) * 2 * shape[3]);
      std::printf("%s | %.1f | %.1f | %.1f | %.3f | %.1f | %.1f |\n", layer.algorithm(), forward.device, data.device,
                  both.device, gflop / both.device * 1e3, forward.host, both.host);
      std::fflush(stdout);
      return;
    }
  }
  std::printf("%s | | | | | | |\n", layer.message());
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  const char *name = "cuda";
  double seconds = 0.2;
  std::vector<Shape> shapes;
  for (int index = 1; index < argc; ++index) {
    const char *flag = argv[index];
    Shape shape;
    long long t, b, i, h, l = 1;
    if (!std::strncmp(flag, "--device=", 9))
      name = flag + 9;
    else if (!std::strncmp(flag, "--seconds=", 10))
      seconds = std::atof(flag + 10);
    else if (std::sscanf(flag, "--shape=%lld,%lld,%lld,%lld,%lld", &t, &b, &i, &h, &l) >= 4)
      shapes.push_back(shape = {t, b, i, h, l});
    else
      fail("unknown argument `%s`; expected --device=, --seconds= or --shape=T,B,I,H[,L]", flag);
  }
  if (shapes.empty())
    shapes.assign(std::begin(defaultShapes), std::end(defaultShapes));
  rnnrt_device_t *device;
  rnnrt_status_t status = rnnrt_device_create(name, nullptr, &device);
  if (status) {
    std::printf("SKIP everything: %s\n", rnnrt_status_message(status));
    rnnrt_status_release(status);
    return 77;
  }
  std::printf(
      "LSTM layers; microseconds, medians; the backward columns follow a forward outside the measured time.\n\n"
      "| T,B,I,H | L | type | algorithm | forward | backward data | backward | TFLOP/s, backward | host, forward | "
      "host, backward |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Shape &shape : shapes)
    for (int32_t dtype : {RNNRT_DTYPE_F16, RNNRT_DTYPE_BF16, RNNRT_DTYPE_F32})
      benchmark(device, shape, dtype, seconds);
  rnnrt_device_release(device);
  return 0;
}
