//===- Generator.h - random valid modules -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_RNN_FUZZ_GENERATOR_H
#define RNN_TOOLS_RNN_FUZZ_GENERATOR_H

#include "rnn/Support/HostTensor.h"
#include "llvm/ADT/SmallVector.h"
#include <string>
#include <vector>

namespace mlir::rnn::fuzz {

/// How a result is compared with the reference.
enum class Comparison {
  /// Same bits: sizes.
  Exact,
  /// Within the tolerance of the module.
  Rounded,
  /// Within the tolerance, with a sum over all rows (T*B) more: gradients of weights.
  Summed,
  /// Not compared: opaque bytes.
  Opaque
};

struct ModuleResult {
  std::string name;
  Comparison comparison;
};

/// An argument of @main, with the values to run it with.
struct ModuleArgument {
  /// The element type of the module; for others the values are `integers`.
  bool isFloat = true;
  std::string elementType;
  llvm::SmallVector<int64_t, 3> shape;
  /// Floats are uniform in [low, high).
  double low = -1, high = 1;
  std::vector<int64_t> integers;
};

/// A module with a function @main that every lowering of every target executes.
struct GeneratedModule {
  std::string text, description, elementType;
  std::vector<ModuleArgument> arguments;
  std::vector<ModuleResult> results;
  /// Steps that follow each other in the longest chain, the longest sum within a step, and the rows (T*B) of a call.
  int64_t chain = 1, depth = 1, rows = 1;
  /// The factor by which dropout scales values.
  double gain = 1;
  /// The gradient of rnn_relu changes discontinuously where the argument is 0, so it is compared for f64 only.
  bool hasDiscontinuousGradient = false;
  /// `rnn-decompose` refuses memrefs and block ops with an empty dimension.
  bool hasDecomposition = true;

  /// The arguments in the element type `kind`: rounded to the element type of the module first.
  llvm::Expected<std::vector<HostTensor>> makeArguments(uint64_t seed, ElementKind kind) const;
  /// The absolute tolerance of a result whose largest reference element is `magnitude`. testing.md explains it.
  double getTolerance(Comparison comparison, double magnitude) const;
};

/// Returns the module of `seed`. The same seed gives the same module, in the element type `elementType` (f16, bf16, f32
/// or f64).
GeneratedModule generateModule(uint64_t seed, llvm::StringRef elementType);

} // namespace mlir::rnn::fuzz

#endif // RNN_TOOLS_RNN_FUZZ_GENERATOR_H
