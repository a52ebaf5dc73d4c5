//===- Measurements.h - times of compiled functions, as files -*- C++ -*-===//
//
// For tuning on machines without the compiler. `rnn-compile --emit-candidates=FILE` lists the op that each function of
// a library runs, and its candidate; a program that calls the functions appends measured times to these lines; `rnn-run
// --autotune=FILE --measurements=FILE` converts them to tuning records. Files have one JSON object per line, so the
// measuring program needs no JSON library.
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
  Candidate candidate = Candidate::Plan; ///< how the function executes the op
  llvm::SmallVector<Candidate> all;      ///< all candidates of the op
};

/// One line each, which begins with the function: `{"version":1,"function":"NAME",`.
std::string printCandidates(llvm::ArrayRef<CompiledCandidate> candidates);

/// The outcome of measuring one candidate: exactly one of the last three members is set.
struct Measurement {
  CompiledCandidate what;
  std::string device;                 ///< name of the device
  std::optional<double> microseconds; ///< per call
  std::string refused;                ///< why the device cannot run the candidate
  std::string problem;                ///< why the measurement failed
};

class Measurements {
public:
  static constexpr int64_t version = 1;

  /// Errors name the file and the line. An empty file is an error.
  static llvm::Expected<Measurements> read(llvm::StringRef path);
  static llvm::Expected<Measurements> parse(llvm::StringRef text, llvm::StringRef path);

  llvm::ArrayRef<Measurement> getAll() const { return list; }

  /// Adds a tuning record for each op and device, if all candidates that the device does not refuse were measured and
  /// there are at least two. The last line of a candidate counts. Logs each choice, or why there is none. Returns the
  /// number of records added.
  llvm::Expected<size_t> decide(TuningRecords &records, llvm::raw_ostream &log) const;

private:
  std::vector<Measurement> list;
};

} // namespace mlir::rnn

#endif // RNN_TUNING_MEASUREMENTS_H
