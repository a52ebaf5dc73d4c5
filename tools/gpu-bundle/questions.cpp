// questions.cpp - measures undocumented behaviour of a device, and prints the answers for
// docs/internals/hardware-notes.md: the offsets of the matrices in the opaque parameters, the effect of dropout on a
// value, the contents of y past the end of a short sequence, whether two runs return the same bits, and how many
// thread-block clusters run concurrently.
//
//   rnn-bundle-questions --device=cuda [--experiments=experiments.ptx] [--patience=SECONDS] [--only-experiments]
//
// --experiments= measures the parts of a time step by the kernels of ExperimentKernels.cpp, first. With --patience=N,
// an experiment that takes more than N seconds ends the program with HANG and status 3. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception

#include "Experiments.h"
#include "Tensors.h"
#include "Watch.h"

#include <fstream>
#include <map>
#include <sstream>

using namespace bundle;

namespace {

enum Mode { RnnRelu = 0, RnnTanh = 1, Lstm = 2, Gru = 3 };
const char *modeNames[] = {"rnn_relu", "rnn_tanh", "lstm", "gru"};
const int64_t gates[] = {1, 1, 4, 3};

struct Sizes {
  Mode mode;
  int64_t steps, batch, size, layers, directions; // I = H = size
  double dropout;
};

/// A network in f32 with its buffers on a device.
class Network {
public:
  Network(rnnrt_device_t *device, const Sizes &sizes) : device(device), sizes(sizes) {
    check(rnnrt_stream_create(device, &stream));
    check(rnnrt_call_create(device, stream, nullptr, &call));
    plan = rnnrt_abi_rnn_plan(call, RNNRT_DTYPE_F32, sizes.mode, 0, int32_t(sizes.directions - 1), 1, 0, sizes.dropout,
                              1, 2, sizes.steps, sizes.batch, sizes.size, sizes.size, sizes.size, sizes.layers);
    params = rnnrt_abi_rnn_params_size(call, plan);
    reserve = rnnrt_abi_rnn_reserve_size(call, plan);
    finish();
  }
  ~Network() {
    for (void *block : blocks)
      check(rnnrt_memory_free(device, block));
    rnnrt_call_release(call);
    rnnrt_stream_release(stream);
  }

  void *upload(const void *data, size_t bytes) {
    void *block = nullptr;
    check(rnnrt_memory_alloc(device, int64_t(bytes), &block));
    blocks.push_back(block);
    if (data)
      check(rnnrt_memory_copy(device, stream, block, data, int64_t(bytes)));
    return block;
  }
  void *upload(const std::vector<float> &values) { return upload(values.data(), values.size() * sizeof(float)); }

  std::vector<float> download(const void *block, int64_t count) {
    std::vector<float> values(count);
    check(rnnrt_memory_copy(device, stream, values.data(), block, count * int64_t(sizeof(float))));
    finish();
    return values;
  }

  void finish() {
    check(rnnrt_stream_synchronize(stream));
    check(rnnrt_call_status(call));
  }

  /// Packs the matrices and biases of `weight(index, element)` and `bias(index, element)`.
  template <typename Weight, typename Bias> void *pack(Weight weight, Bias bias) {
    int64_t count = sizes.layers * sizes.directions * 2 * gates[sizes.mode];
    std::vector<const void *> tensors;
    std::vector<int64_t> elements;
    for (int64_t index = 0; index < 2 * count; ++index) {
      bool isBias = index >= count;
      // Above the first layer, input matrices of two directions have twice the columns.
      int64_t inLayer = index % (2 * gates[sizes.mode]), layer = index / (2 * gates[sizes.mode] * sizes.directions);
      bool wide = !isBias && layer > 0 && inLayer < gates[sizes.mode];
      std::vector<float> values(isBias ? sizes.size : sizes.size * sizes.size * (wide ? sizes.directions : 1));
      for (size_t element = 0; element < values.size(); ++element)
        values[element] = isBias ? bias(index - count, int64_t(element)) : weight(index, int64_t(element));
      tensors.push_back(upload(values));
      elements.push_back(int64_t(values.size()));
    }
    void *packed = upload(nullptr, params * sizeof(float));
    rnnrt_abi_rnn_pack_params(call, plan, count, count, tensors.data(), elements.data(), packed, params);
    finish();
    return packed;
  }

  std::vector<float> forward(void *packed, const std::vector<float> &x, const int32_t *lengths = nullptr) {
    int64_t states = sizes.layers * sizes.directions * sizes.batch * sizes.size;
    std::vector<float> zeros(states);
    void *h0 = upload(zeros), *c0 = sizes.mode == Lstm ? upload(zeros) : nullptr;
    int64_t outputs = sizes.steps * sizes.batch * sizes.directions * sizes.size;
    void *y = upload(nullptr, outputs * sizeof(float)), *hn = upload(zeros), *cn = c0 ? upload(zeros) : nullptr;
    void *lengthsCopy = lengths ? upload(lengths, sizes.batch * sizeof(int32_t)) : nullptr;
    rnnrt_abi_rnn_forward(call, plan, static_cast<int32_t *>(lengthsCopy), upload(x), h0, c0, packed, params, y, hn, cn,
                          upload(nullptr, reserve), reserve);
    return download(y, outputs);
  }

  rnnrt_device_t *device;
  Sizes sizes;
  rnnrt_stream_t *stream = nullptr;
  rnnrt_call_t *call = nullptr;
  rnnrt_plan_t *plan = nullptr;
  int64_t params = 0, reserve = 0;
  std::vector<void *> blocks;
};

/// Is the opaque buffer all matrices and then all biases, dense, in canonical order?
void askLayout(rnnrt_device_t *device) {
  for (Mode mode : {RnnTanh, Lstm, Gru})
    for (int64_t directions : {1, 2}) {
      Network network(device, {mode, 2, 1, 3, 2, directions, 0});
      int64_t count = 4 * directions * gates[mode];
      void *packed =
          network.pack([](int64_t index, int64_t element) { return float(1 + 100 * index + element); },
                       [&](int64_t index, int64_t element) { return float(1 + 100 * (count + index) + element); });
      std::vector<float> values = network.download(packed, network.params);
      // Increasing numbers are the dense canonical layout; a step down or a zero is another order or a gap.
      int64_t falls = 0, zeros = 0;
      for (size_t index = 0; index < values.size(); ++index) {
        zeros += values[index] == 0;
        falls += index > 0 && values[index] < values[index - 1];
      }
      std::printf(
          "layout of the opaque parameters, %s, L=2, D=%lld: %lld elements, %lld out of order, %lld unused: %s\n",
          modeNames[mode], (long long)directions, (long long)network.params, (long long)falls, (long long)zeros,
          falls || zeros ? "NOT the dense canonical layout" : "the dense canonical layout");
    }
}

/// Two layers whose output is their input: which values does dropout between them turn a 1 into?
void askDropout(rnnrt_device_t *device) {
  const int64_t size = 16;
  Network network(device, {RnnRelu, 32, 8, size, 2, 1, 0.25});
  // Input matrices are identities (weights 0 and 2), recurrent ones are zero.
  void *packed =
      network.pack([&](int64_t index, int64_t element) { return float(index % 2 == 0 && element % (size + 1) == 0); },
                   [](int64_t, int64_t) { return 0.0f; });
  std::vector<float> x(32 * 8 * size, 1.0f);
  for (int run = 0; run < 2; ++run) {
    std::map<float, int64_t> counts;
    std::vector<float> y = network.forward(packed, x);
    for (float value : y)
      ++counts[value];
    std::printf("dropout 0.25 of ones, run %d:", run);
    for (auto [value, count] : counts)
      std::printf(" %g in %.3f", value, double(count) / double(y.size()));
    std::printf("\n");
  }
}

/// The contents of y past the end of a sequence if x is NaN there.
void askPadding(rnnrt_device_t *device) {
  for (int64_t directions : {1, 2}) {
    Network network(device, {Lstm, 4, 2, 4, 1, directions, 0});
    void *packed = network.pack([](int64_t index, int64_t element) { return 0.01f * float((index + element) % 7); },
                                [](int64_t, int64_t) { return 0.1f; });
    std::vector<float> x(4 * 2 * 4, 0.5f);
    const int32_t lengths[] = {2, 4};
    for (int64_t step = 2; step < 4; ++step)
      for (int64_t element = 0; element < 4; ++element)
        x[step * 8 + element] = NAN;
    std::vector<float> y = network.forward(packed, x, lengths);
    int64_t nan = 0, nonzero = 0, row = 4 * directions;
    for (int64_t step = 0; step < 4; ++step)
      for (int64_t element = 0; element < 2 * row; ++element) {
        float value = y[step * 2 * row + element];
        nan += std::isnan(value);
        nonzero += step >= 2 && element < row && value != 0;
      }
    std::printf(
        "NaN in x behind the end of a sequence, D=%lld: %lld NaN in y, %lld elements of y behind the end not zero\n",
        (long long)directions, (long long)nan, (long long)nonzero);
  }
}

/// Do two runs return the same bits?
void askRepeatability(rnnrt_device_t *device) {
  for (Mode mode : {RnnTanh, Lstm, Gru}) {
    Network network(device, {mode, 64, 16, 64, 2, 2, 0});
    Random random("repeat");
    auto number = [&](int64_t, int64_t) { return float(random.uniform() - 0.5) * 0.25f; };
    void *packed = network.pack(number, number);
    std::vector<float> x(64 * 16 * 64);
    for (float &value : x)
      value = number(0, 0);
    std::vector<float> first = network.forward(packed, x), second = network.forward(packed, x);
    bool same = !std::memcmp(first.data(), second.data(), first.size() * sizeof(float));
    std::printf("forward twice, %s: %s bits\n", modeNames[mode], same ? "the same" : "DIFFERENT");
  }
}

/// How many clusters run concurrently, by cluster size and shared memory per block: this decides whether a persistent
/// kernel can keep a layer's weights on chip, and how many slices of the batch run concurrently.
void askClusters(rnnrt_device_t *device) {
  const char *code = ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry nothing()\n{\n  ret;\n}\n";
  const rnnrt_image_t image = {code, int64_t(std::strlen(code)), nullptr};
  rnnrt_module_t *module = nullptr;
  if (rnnrt_status_t status = rnnrt_module_load(device, &image, 1, &module)) {
    std::printf("clusters: %s\n", rnnrt_status_message(status));
    return rnnrt_status_release(status);
  }
  rnnrt_kernel_t *kernel = nullptr;
  check(rnnrt_module_kernel(module, "nothing", &kernel));
  for (int64_t blocks : {2, 4, 8, 16}) {
    std::printf("clusters of %lld blocks of 256 threads at the same time:", (long long)blocks);
    for (int64_t kilobytes : {8, 40, 128, 180, 222}) {
      rnnrt_launch_t launch;
      rnnrt_launch_init(&launch);
      launch.grid[0] = launch.cluster[0] = blocks;
      launch.cluster[1] = launch.cluster[2] = 1;
      launch.block[0] = 256;
      launch.dynamic_shared = kilobytes << 10;
      int64_t clusters = 0;
      rnnrt_status_t status = rnnrt_kernel_max_clusters(kernel, &launch, &clusters);
      if (status)
        std::printf(" refused with %lld KB (%s);", (long long)kilobytes, rnnrt_status_message(status));
      else
        std::printf(" %lld with %lld KB each;", (long long)clusters, (long long)kilobytes);
      rnnrt_status_release(status);
    }
    std::printf("\n");
  }
  std::fflush(stdout);
  rnnrt_module_release(module);
}

} // namespace

int main(int argc, char **argv) {
  const char *name = "cuda", *experiments = nullptr;
  bool onlyExperiments = false;
  for (int index = 1; index < argc; ++index) {
    const char *flag = argv[index];
    if (!std::strncmp(flag, "--device=", 9))
      name = flag + 9;
    else if (!std::strncmp(flag, "--experiments=", 14))
      experiments = flag + 14;
    else if (!std::strncmp(flag, "--patience=", 11))
      Watch::setPatience(unsigned(std::atoi(flag + 11)));
    else if (!std::strcmp(flag, "--only-experiments"))
      onlyExperiments = true;
    else
      fail("unknown argument `%s`; expected --device=, --experiments=, --only-experiments or --patience=", flag);
  }
  // Print each answer at once: the next question may fail.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  rnnrt_device_t *device;
  rnnrt_status_t status = rnnrt_device_create(name, nullptr, &device);
  if (status) {
    std::printf("SKIP everything: %s\n", rnnrt_status_message(status));
    rnnrt_status_release(status);
    return 77;
  }
  askClusters(device);
  if (experiments && std::strncmp(name, "cuda", 4)) {
    std::printf("experiments: skipped, device `%s` does not run PTX\n", name);
  } else if (experiments) {
    std::ifstream file(experiments);
    std::stringstream all;
    all << file.rdbuf();
    if (all.str().empty())
      fail("cannot read the kernels of --experiments=%s", experiments);
    runExperiments(device, all.str().c_str());
  }
  if (onlyExperiments) {
    rnnrt_device_release(device);
    return 0;
  }
  askLayout(device);
  askDropout(device);
  askPadding(device);
  askRepeatability(device);
  rnnrt_device_release(device);
  return 0;
}
