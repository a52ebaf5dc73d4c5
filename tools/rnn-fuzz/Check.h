//===- Check.h - what must hold for a random module -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_RNN_FUZZ_CHECK_H
#define RNN_TOOLS_RNN_FUZZ_CHECK_H

#include "Generator.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::rnn::fuzz {

/// A property that does not hold.
struct Problem {
  /// The property, without the details: a reduced module must have a problem of the same kind.
  std::string kind;
  std::string details;
  /// The last step that began, such as `parse` or `host loops: run`.
  std::string step = {};

  explicit operator bool() const { return !kind.empty(); }
};

/// A deliberate failure, to test the report.
struct Inject {
  enum Kind { None, Signal, Difference } kind = None;
  /// Only modules with an op of this name fail.
  std::string op = {};
};

class Checker {
public:
  /// With `decompose`, the pass `rnn-decompose` is a lowering too, for modules that have a decomposition.
  /// With `sanitize`, AddressSanitizer checks compiled code.
  Checker(const DialectRegistry &registry, Inject inject, bool decompose, bool sanitize)
      : registry(registry), inject(std::move(inject)), decompose(decompose), sanitize(sanitize) {}

  /// Checks a module of the generator, whose text may have been reduced: it is printed and parsed, also as bytecode;
  /// every pipeline accepts it; all lowerings agree with the plans in f64. Runs in a child process.
  Problem checkValid(const GeneratedModule &module, llvm::StringRef text, uint64_t seed) const;

  /// Checks an arbitrary text: it is rejected with a message, or runs. `origin` has the arguments. Runs in a child
  /// process.
  Problem checkMutant(const GeneratedModule &origin, llvm::StringRef text, uint64_t seed) const;

  /// Checks a mutant of any module: it is rejected with a message, or the pipeline of a target either compiles it or
  /// reports an error. It does not run. Runs in a child process.
  Problem checkSource(llvm::StringRef text, uint64_t seed) const;

private:
  const DialectRegistry &registry;
  Inject inject;
  bool decompose, sanitize;
};

} // namespace mlir::rnn::fuzz

#endif // RNN_TOOLS_RNN_FUZZ_CHECK_H
