//===- TuningRecords.h - a file of measured choices -*- C++ -*-===//
//
// `rnn-run --autotune=FILE` writes it, `--tuning-records=FILE` reads it. The same file gives the same code.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TUNING_TUNINGRECORDS_H
#define RNN_TUNING_TUNINGRECORDS_H

#include "rnn/Target/CostModel.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace mlir::rnn {

/// What was measured for one op on one machine.
struct TuningRecord {
  std::string op;     ///< its name, attributes, sizes and element type (`getTuningKey`)
  std::string target; ///< host or cuda
  std::string chip;   ///< cuda: as --chip, or empty; host: the processor that code was made for, by LLVM's name
  std::string device; ///< what it ran on
  std::string function; ///< the function whose calls were timed
  Candidate choice = Candidate::Plan;
  /// Whether the functions that were timed run this op and no other, so that times of other such ops can be compared with it.
  bool alone = false;
  /// Microseconds of a call of the function with the op run in this way, all else equal.
  llvm::SmallVector<std::pair<Candidate, double>> times;

  /// Sets `choice` to the fastest; a plan wins ties (`isWorthMoreThanPlan`).
  void choose();
};

/// What to look for.
struct TuningQuery {
  llvm::StringRef op, target, chip;
  llvm::StringRef device; ///< empty: any
};

class TuningRecords {
public:
  static constexpr int64_t version = 2;

  /// An error names the file, and the line where something is wrong.
  static llvm::Expected<TuningRecords> read(llvm::StringRef path);
  static llvm::Expected<TuningRecords> parse(llvm::StringRef text, llvm::StringRef path);

  /// The first record that fits, or null.
  const TuningRecord *find(const TuningQuery &query) const;
  /// Takes the place of one of the same op, target, chip and device.
  void add(TuningRecord record);
  /// JSON with one tuning record a line, in an order that does not depend on that of `add`.
  std::string print() const;
  llvm::ArrayRef<TuningRecord> getAll() const { return records; }

private:
  llvm::SmallVector<TuningRecord> records;
};

} // namespace mlir::rnn

#endif // RNN_TUNING_TUNINGRECORDS_H
