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
#include "llvm/ADT/STLFunctionalExtras.h"
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

/// The measured times of one option of target host, by value, on one machine. `--tuning-records` then gives the option
/// this value if the command line does not, instead of that of the processor table.
struct OptionRecord {
  std::string option;                         ///< vector-bits, bf16-gemm or bf16-gemm-one-row
  std::string target, chip, device, function; ///< as in TuningRecord
  std::string choice;
  llvm::SmallVector<std::pair<std::string, double>> times; ///< by value of the option

  /// Sets `choice` to the fastest; `initial` wins if no other takes less than 95 % of its time.
  void choose(llvm::StringRef initial);
  /// The choice if it is available, else the fastest available value, or empty if there is none.
  llvm::StringRef getChoice(llvm::function_ref<bool(llvm::StringRef)> isAvailable) const;
};

/// Selects a record.
struct TuningQuery {
  llvm::StringRef op; ///< or the option
  llvm::StringRef target, chip;
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
  const OptionRecord *findOption(const TuningQuery &query) const;
  /// Replaces a record of the same op or option, target, chip and device.
  void add(TuningRecord record);
  void add(OptionRecord record);
  /// JSON with one record per line, sorted.
  std::string print() const;
  llvm::ArrayRef<TuningRecord> getAll() const { return records; }
  llvm::ArrayRef<OptionRecord> getOptions() const { return options; }

private:
  llvm::SmallVector<TuningRecord> records;
  llvm::SmallVector<OptionRecord> options;
};

} // namespace mlir::rnn

#endif // RNN_TUNING_TUNINGRECORDS_H
