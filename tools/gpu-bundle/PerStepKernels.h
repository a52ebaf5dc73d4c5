// PerStepKernels.h - the elementwise kernels of one time step of TensorFlow's BlockLSTMGrad, compiled for GPU and host.
// The arithmetic is in f32; memory has the element type. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_TOOLS_GPU_BUNDLE_PERSTEPKERNELS_H
#define RNN_TOOLS_GPU_BUNDLE_PERSTEPKERNELS_H

namespace per_step {

using Index = int;

/// Operands of step t; each pointer is offset to that step. The gate order is icfo. "First" and "last" are in the order
/// of execution, which is backward in time.
struct Step {
  Index batch, input, hidden;
  int first; ///< t = T - 1: no carried gradients
  int last;  ///< t = -1: only copies the GEMM results of step 0
  const void *x, *h_prev, *cs_prev;
  const void *i, *f, *o, *ci, *co;
  const void *h_grad, *cs_grad;
  void *xh;            ///< [B, I+H], operand of the GEMM for the weight gradient
  void *dgates;        ///< [B, 4H], operand of both GEMMs
  const void *xh_grad; ///< [B, I+H], GEMM result of step t + 1
  void *dx_next;       ///< [B, I], x gradient of step t + 1
  void *dcs, *dh;      ///< [B, H]; dcs is carried from step to step, dh is written at t = -1
};

/// Element types in memory.
struct Half {
  _Float16 bits;
  float get() const { return float(bits); }
  void set(float value) { bits = _Float16(value); }
};
struct BFloat {
  unsigned short bits;
  float get() const { return __builtin_bit_cast(float, unsigned(bits) << 16); }
  void set(float value) { // rounds to nearest, ties to even; sets a bit so that a NaN stays a NaN
    unsigned word = __builtin_bit_cast(unsigned, value);
    bits = value != value ? (unsigned short)(word >> 16 | 0x40)
                          : (unsigned short)((word + 0x7fff + (word >> 16 & 1)) >> 16);
  }
};
struct Single {
  float bits;
  float get() const { return bits; }
  void set(float value) { bits = value; }
};

template <typename T> inline float get(const void *memory, Index place) {
  return static_cast<const T *>(memory)[place].get();
}
template <typename T> inline void set(void *memory, Index place, float value) {
  static_cast<T *>(memory)[place].set(value);
}

/// One element of [B, I+H]: its element of xh; in the columns of x, the x gradient of the step processed before; in the
/// columns of h, all gates of the unit. TensorFlow uses eight kernels (lstm_ops.h, BlockLSTMBprop; lstm_ops_gpu.cu.cc,
/// lstm_gates_bprop).
template <typename T> inline void gates(const Step &s, Index element) {
  const Index width = s.input + s.hidden, row = element / width, column = element % width;
  if (column < s.input) {
    const Index place = row * s.input + column;
    if (!s.last)
      set<T>(s.xh, element, get<T>(s.x, place));
    if (!s.first)
      set<T>(s.dx_next, place, get<T>(s.xh_grad, element));
    return;
  }
  const Index unit = column - s.input, place = row * s.hidden + unit;
  const float carried = s.first ? 0.0f : get<T>(s.xh_grad, element);
  if (s.last) {
    set<T>(s.dh, place, carried);
    return;
  }
  set<T>(s.xh, element, get<T>(s.h_prev, place));
  const float i = get<T>(s.i, place), f = get<T>(s.f, place), o = get<T>(s.o, place);
  const float ci = get<T>(s.ci, place), co = get<T>(s.co, place);
  const float dh = get<T>(s.h_grad, place) + carried;
  const float later = s.first ? 0.0f : get<T>(s.dcs, place);
  const float dcs = (1 - co * co) * dh * o + get<T>(s.cs_grad, place) + later;
  const Index gate = row * 4 * s.hidden + unit;
  set<T>(s.dgates, gate, i * (1 - i) * dcs * ci);
  set<T>(s.dgates, gate + s.hidden, (1 - ci * ci) * dcs * i);
  set<T>(s.dgates, gate + 2 * s.hidden, f * (1 - f) * dcs * get<T>(s.cs_prev, place));
  set<T>(s.dgates, gate + 3 * s.hidden, o * (1 - o) * dh * co);
  set<T>(s.dcs, place, dcs * f);
}

/// The sum of every eighth row of a column of [B, 4H], beginning with row `first`.
template <typename T> inline float bias(const void *dgates, Index batch, Index columns, Index column, Index first) {
  float sum = 0;
#pragma unroll 8
  for (Index row = first; row < batch; row += 8)
    sum += get<T>(dgates, row * columns + column);
  return sum;
}

} // namespace per_step

#endif // RNN_TOOLS_GPU_BUNDLE_PERSTEPKERNELS_H
