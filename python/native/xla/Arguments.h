// Arguments.h - the arguments of a call: operands and results of XLA as tensors of the runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_PYTHON_XLA_ARGUMENTS_H
#define RNN_PYTHON_XLA_ARGUMENTS_H

#include "Modules.h"

#include <cstddef>
#include <vector>

#pragma GCC visibility push(hidden)
namespace rnn_xla {

/// The runtime's type of elements of XLA, or -1 for types that no layer has.
int32_t getDtype(ffi::DataType type);

/// Requests huge pages for a large result. XLA allocates results in every execution, so that large ones are new memory
/// of the system. Huge pages cause fewer page faults there.
void useHugePages(ffi::AnyBuffer buffer);

/// Ends a call and returns its failure.
ffi::Error finish(rnnrt_call_t *call);

/// Operands and results of a call together.
inline constexpr size_t maxOperands = 32;

/// One integer for each level of members, the outermost first.
using Levels = ffi::Span<const int64_t>;

/// The calls of members, such as models with parameters of their own, of nested levels. Bit k of `shared[l]` is set for
/// an operand k that the members of level l share. Other operands and the results have a leading dimension of size
/// `counts[l]`. `parallel`: each member has one thread.
struct Batch {
  Levels counts, shared; ///< of equal length; if empty, there is one call, and no tensor has dimensions of members
  int64_t parallel = 0;

  bool isShared(size_t level, size_t operand) const { return shared.begin()[level] >> operand & 1; }
};

/// Tensors of parameters in buffers of their own: `count` operands from `first` on, in the order of the flat array,
/// with `perLayer` of them for each layer and direction. A gradient has one more result for each, after `first` others.
struct Separate {
  int64_t first = 0, count = 0, perLayer = 0; ///< no tensors: the parameters are one flat array
  int64_t isGradient = 0;

  bool fits(size_t numOperands, size_t numResults) const {
    if (!count)
      return !isGradient;
    const auto operands = static_cast<int64_t>(numOperands), results = static_cast<int64_t>(numResults);
    return first >= 0 && count > 0 && (perLayer == 4 || perLayer == 5) && count % perLayer == 0 &&
           first + count <= operands && (!isGradient || (isGradient == 1 && results == first + count));
  }
};

/// Separate tensors as one buffer, from the first byte of any of them to the last one, and the table of their offsets
/// in it that compiled functions take.
struct SeparateBuffer {
  rnnrt_tensor_t buffer, table;
  std::vector<int64_t> offsets; ///< of the table
};

/// A function with its arguments: the operands of a call, then its results, which are memrefs of the caller. With
/// members, those of member 0.
class BoundFunction {
public:
  /// Returns an error if the module of `key` was not resolved for the compute capability, or the arguments are not
  /// those of a layer. With separate tensors of parameters, `batch` has no levels.
  ffi::Error bind(Target target, int32_t capability, int64_t key, int64_t reserve, const Batch &batch,
                  const Separate &separate, ffi::RemainingArgs &operands, ffi::RemainingRets &results);

  /// Calls the function, once for every member.
  ffi::Error run(rnnrt_call_t *call, const Batch &batch) const;

  /// The same for host memory. If a gradient refuses its reserve space, repeats the forward pass, which writes the
  /// right one, and then the gradient. XLA divides a reserve space among devices like an array, but each call writes
  /// one as a whole, so it does not fit if the program of the gradient divides the batch in another way.
  ffi::Error runOnHost(rnnrt_call_t *call, Target target, int64_t key, const Batch &batch) const;

private:
  template <typename IsShared> void add(ffi::AnyBuffer buffer, int64_t reserve, size_t numLevels, IsShared isShared);

  const rnnrt_function_t *function = nullptr;
  rnnrt_tensor_t tensors[maxOperands];
  std::vector<int64_t> strides; ///< [operands, levels]: bytes from member to member; 0 for what the members share
  size_t count = 0;
  size_t reserveIndex = 0; ///< of a gradient's reserve space; 0: none
  SeparateBuffer params, gradients;
};

} // namespace rnn_xla
#pragma GCC visibility pop

#endif // RNN_PYTHON_XLA_ARGUMENTS_H
