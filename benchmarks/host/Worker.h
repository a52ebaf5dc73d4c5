//===- Worker.h - one implementation of a layer, timed on demand -*- C++ -*-===//
//
// A worker is a process that holds one layer of one implementation. host.py starts one per implementation, writes one
// request per line to its standard input, and reads one line of answer. Rivals that cannot share a process are thus
// measured interleaved, and memory is measured per rival. All workers compute on the same numbers (`fill`) and save
// gradients in the same gate order: i f g o, or r z n. With --type=bf16 all inputs are bf16 values.
//
//   forward, backward   seconds of one run: the mean over at least 20 ms, after a warm-up of the same length
//   inference           the same of a forward pass that keeps nothing for the gradient, with weights that do not change
//   memory              largest resident set so far, in kB
//   save FOLDER         the gradients, one file of f32 each
//
// worker.py is the same for Python.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_BENCHMARKS_HOST_WORKER_H
#define RNN_BENCHMARKS_HOST_WORKER_H

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace worker {

[[noreturn]] inline void fail(const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  std::exit(1);
}

/// The layer and its sizes, from the command line: --cell=lstm|gru --shape=T,B,I,H --threads=N --type=f32|bf16, and the
/// worker's own flags.
struct Problem {
  bool isLstm = true;
  bool isBF16 = false;
  int64_t T = 0, B = 0, I = 0, H = 0;
  int threads = 1;

  int64_t gates() const { return isLstm ? 4 : 3; }
  /// Returns true if `flag` is one of these flags. A wrong value ends the program.
  bool read(const std::string &flag) {
    if (flag == "--cell=lstm" || flag == "--cell=gru") {
      isLstm = flag == "--cell=lstm";
      return true;
    }
    if (flag == "--type=f32" || flag == "--type=bf16") {
      isBF16 = flag == "--type=bf16";
      return true;
    }
    if (flag.rfind("--shape=", 0) == 0) {
      long long t, b, i, h;
      char rest;
      if (std::sscanf(flag.c_str(), "--shape=%lld,%lld,%lld,%lld%c", &t, &b, &i, &h, &rest) != 4 || t < 1 || b < 1 ||
          i < 1 || h < 1)
        fail("expects --shape=T,B,I,H with positive numbers, but got `" + flag + "`");
      T = t, B = b, I = i, H = h;
      return true;
    }
    if (flag.rfind("--threads=", 0) == 0) {
      threads = std::atoi(flag.c_str() + 10);
      if (threads < 1)
        fail("expects a positive number of threads, but got `" + flag + "`");
      return true;
    }
    return false;
  }
};

/// Rounds to nearest, ties to even. The value must be finite.
inline uint16_t toBF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
inline float fromBF16(uint16_t value) {
  uint32_t bits = static_cast<uint32_t>(value) << 16;
  float result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}

/// Number `index` of the tensor `name`, in [-1, 1) times a scale that keeps the gates out of saturation. In a bf16
/// problem the values are rounded to bf16, and DHN is zero: some workers add it to the last step of DY, and the sum of
/// two bf16 values is in general not one.
class Numbers {
public:
  enum Tensor { X = 1, H0, C0, WX, WH, Bias, DY, DHN, DCN };
  Numbers(Tensor tensor, const Problem &p)
      : seed(tensor * 0x85EBCA77u), scale(tensor == X                      ? 1.0f
                                          : tensor == H0 || tensor == C0   ? 0.5f
                                          : tensor >= WX && tensor <= Bias ? 1.0f / std::sqrt(float(p.H))
                                          : tensor == DHN && p.isBF16      ? 0.0f
                                                                           : 0.1f),
        isBF16(p.isBF16) {}
  float operator[](int64_t index) const {
    uint32_t bits = static_cast<uint32_t>(index) * 0x9E3779B1u + seed;
    bits = (bits ^ bits >> 15) * 0x2C1B3C6Du;
    bits = (bits ^ bits >> 12) * 0x297A2D39u;
    bits ^= bits >> 15;
    float value = (static_cast<float>(bits >> 8) / 8388608.0f - 1.0f) * scale;
    return isBF16 ? fromBF16(toBF16(value)) : value;
  }

private:
  uint32_t seed;
  float scale;
  bool isBF16;
};

/// The gradients in the common order: dwx [I, gates, H], dwh [H, gates, H], and the biases [4, H], where a GRU has its
/// two of gate n last.
struct Gradients {
  std::vector<float> dx, dh0, dc0, dwx, dwh, db;
};

class Layer {
public:
  virtual ~Layer() = default;
  virtual void forward() = 0;
  /// Requires a forward pass before it.
  virtual void backward() = 0;
  virtual void inference() { fail("this layer has no inference pass"); }
  virtual Gradients gradients() = 0;
};

/// In seconds. After another worker ran, processors need some milliseconds to leave their sleep states, and the
/// scheduler to spread the threads. Runs ten times as long do not need a warm-up.
constexpr double warmUp = 0.02;

inline double secondsOf(const std::function<void()> &run) {
  double last = 0;
  // Seconds of one run, the mean of as many as take `warmUp`.
  auto measure = [&] {
    int repeats = 0;
    double time = 0;
    for (; time < warmUp; ++repeats) {
      auto start = std::chrono::steady_clock::now();
      run();
      last = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      time += last;
    }
    return time / repeats;
  };
  measure();
  return last > 10 * warmUp ? last : measure();
}

/// In kB. getrusage's value includes the process that started this one.
inline long maximalMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0)
      return std::atol(line.c_str() + 6);
  return 0;
}

inline void write(const std::string &path, const std::vector<float> &values) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (!file || std::fwrite(values.data(), sizeof(float), values.size(), file) != values.size() || std::fclose(file))
    fail("cannot write " + path);
}

inline void save(const std::string &folder, const Gradients &g, const Problem &p) {
  write(folder + "/dx", g.dx);
  write(folder + "/dh0", g.dh0);
  if (p.isLstm)
    write(folder + "/dc0", g.dc0);
  write(folder + "/dwx", g.dwx);
  write(folder + "/dwh", g.dwh);
  write(folder + "/db", g.db);
}

/// Answers until the input ends.
inline void serve(const std::string &version, long loaded, Layer &layer, const Problem &problem) {
  std::printf("ready %ld %s\n", loaded, version.c_str());
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "forward")
      std::printf("%.9f\n", secondsOf([&] { layer.forward(); }));
    else if (line == "backward")
      std::printf("%.9f\n", secondsOf([&] { layer.backward(); }));
    else if (line == "inference")
      std::printf("%.9f\n", secondsOf([&] { layer.inference(); }));
    else if (line == "memory")
      std::printf("%ld\n", maximalMemory());
    else if (line.rfind("save ", 0) == 0)
      save(line.substr(5), layer.gradients(), problem), std::puts("saved");
    else
      fail("unknown request `" + line + "`");
    std::fflush(stdout);
  }
}

} // namespace worker

#endif // RNN_BENCHMARKS_HOST_WORKER_H
