//===- TuningRecords.h - files of tuning records -*- C++ -*-===//
//
// `rnn-run --autotune=FILE` writes records, `--tuning-records=FILE` reads them. Compilation is deterministic: the same
// file gives the same code.
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

/// The measured times of one op on one machine.
struct TuningRecord {
  std::string op;       ///< name, attributes, sizes and element type (`getTuningKey`)
  std::string target;   ///< host or cuda
  std::string chip;     ///< cuda: as --chip, or empty; host: the processor compiled for, by LLVM's name
  std::string device;   ///< name of the device that ran the code
  std::string function; ///< the function whose calls were timed
  Candidate choice = Candidate::Plan;
  /// True if the timed functions run this op and no other. Only then are times of different ops comparable.
  bool alone = false;
  /// Microseconds per call of the function, by how this op is executed; all else is equal.
  llvm::SmallVector<std::pair<Candidate, double>> times;

  /// Sets `choice` to the fastest; a plan wins ties (`isWorthMoreThanPlan`).
  void choose();
};

/// Selects a record.
struct TuningQuery {
  llvm::StringRef op, target, chip;
  llvm::StringRef device; ///< empty: any
};

class TuningRecords {
public:
  static constexpr int64_t version = 2;

  /// Errors name the file and the line.
  static llvm::Expected<TuningRecords> read(llvm::StringRef path);
  static llvm::Expected<TuningRecords> parse(llvm::StringRef text, llvm::StringRef path);

  /// The first record that matches, or null.
  const TuningRecord *find(const TuningQuery &query) const;
  /// Replaces a record of the same op, target, chip and device.
  void add(TuningRecord record);
  /// JSON with one record per line, sorted.
  std::string print() const;
  llvm::ArrayRef<TuningRecord> getAll() const { return records; }

private:
  llvm::SmallVector<TuningRecord> records;
};

} // namespace mlir::rnn

#endif // RNN_TUNING_TUNINGRECORDS_H
