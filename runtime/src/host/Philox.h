// Philox.h - the counter-based random number generator of the dropout masks (Salmon et al., Parallel Random Numbers: As
// Easy as 1, 2, 3; SC 2011). Every lowering of this project uses it and computes the same masks, in any order of
// evaluation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_HOST_PHILOX_H
#define RNNRT_HOST_PHILOX_H

#include <array>
#include <cstdint>

namespace rnnrt {

/// Philox4x32-10: four words from a 128-bit counter and a 64-bit key.
inline std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, uint64_t key) {
  uint32_t key0 = uint32_t(key), key1 = uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t product0 = uint64_t(0xd2511f53) * counter[0], product1 = uint64_t(0xcd9e8d57) * counter[2];
    counter = {uint32_t(product1 >> 32) ^ counter[1] ^ key0, uint32_t(product1),
               uint32_t(product0 >> 32) ^ counter[3] ^ key1, uint32_t(product0)};
    key0 += 0x9e3779b9;
    key1 += 0xbb67ae85;
  }
  return counter;
}

/// The mask for the output of `layer` (all directions, [T,B,D*P]) in one draw. Element e uses word e % 4 of the Philox
/// block with counter {low and high half of e / 4, layer, draw modulo 2^32}. It is kept if the word is at least p *
/// 2^32: p = 0 keeps all elements, p = 1 none.
class DropoutMask {
public:
  DropoutMask(uint64_t seed, double p, uint64_t draw, int64_t layer)
      : seed(seed), threshold(uint64_t(p * 4294967296.0)), layer(uint32_t(layer)), draw(uint32_t(draw)) {}

  /// target[k] = kept(first + k) ? source[k] * scale : 0 for `count` elements; in-place operation is allowed.
  template <typename A> void apply(A *target, const A *source, int64_t first, int64_t count, A scale) const {
    for (int64_t k = 0; k < count;) {
      uint64_t element = uint64_t(first + k);
      std::array<uint32_t, 4> words = philox4x32({uint32_t(element >> 2), uint32_t(element >> 34), layer, draw}, seed);
      for (int64_t word = int64_t(element & 3); word < 4 && k < count; ++word, ++k)
        target[k] = words[word] >= threshold ? source[k] * scale : A(0);
    }
  }

private:
  uint64_t seed, threshold;
  uint32_t layer, draw;
};

} // namespace rnnrt

#endif // RNNRT_HOST_PHILOX_H
