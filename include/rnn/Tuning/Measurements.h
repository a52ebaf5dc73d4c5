//===- Measurements.h - compiled functions and what was measured of them -*- C++ -*-===//
//
// For machines without a compiler. `rnn-compile --emit-candidates=FILE` lists which function of a library runs which op
// in which way; a program that calls them adds what it measured; `rnn-run --autotune=FILE --measurements=FILE` makes
// records of that. Both files have one JSON object a line, so that one who measures writes as it goes and needs to
// know nothing of JSON.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TUNING_MEASUREMENTS_H
#define RNN_TUNING_MEASUREMENTS_H

#include "rnn/Tuning/TuningRecords.h"
#include <vector>

namespace mlir::rnn {

/// A function that runs one op.
struct CompiledCandidate {
  std::string function;
  std::string op, target, chip;          ///< as in TuningRecord
  Candidate candidate = Candidate::Plan; ///< how the function runs the op
  llvm::SmallVector<Candidate> all;      ///< the ways that there are for the op
};

/// A line for each, which begins with the function: `{"version":1,"function":"NAME",`.
std::string printCandidates(llvm::ArrayRef<CompiledCandidate> candidates);

/// A candidate and what came of it: one of the last three.
struct Measurement {
  CompiledCandidate what;
  std::string device;                 ///< what it ran on
  std::optional<double> microseconds; ///< of a call
  std::string refused;                ///< why this device does not run it in this way, if so
  std::string problem;                ///< why nothing is known, if so
};

class Measurements {
public:
  static constexpr int64_t version = 1;

  /// An error names the file and the line. A file without any is an error.
  static llvm::Expected<Measurements> read(llvm::StringRef path);
  static llvm::Expected<Measurements> parse(llvm::StringRef text, llvm::StringRef path);

  llvm::ArrayRef<Measurement> getAll() const { return list; }

  /// Adds a tuning record for each op and device of which every candidate was measured, but for those that the device
  /// refuses, if that leaves two; says on `log` what was decided, what was refused, and why others have no tuning record.
  /// The last of two lines about the same candidate counts. Returns how many records there were.
  llvm::Expected<size_t> decide(TuningRecords &records, llvm::raw_ostream &log) const;

private:
  std::vector<Measurement> list;
};

} // namespace mlir::rnn

#endif // RNN_TUNING_MEASUREMENTS_H
