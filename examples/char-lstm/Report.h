//===- Report.h - progress and loss curve of a training run -*- C++ -*-===//
//
// A progress bar, and the loss curve as an SVG picture.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CHAR_LSTM_REPORT_H
#define CHAR_LSTM_REPORT_H

#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The progress of a training run.
struct Status {
  double done = 0; ///< 0 to 1
  int64_t step = 0;
  double bits = 0; ///< smoothed loss in bits per character
  double charactersPerSecond = 0, secondsLeft = 0;
};

/// One line that is overwritten on a terminal; elsewhere, as in a log, one line per tenth of the run.
class ProgressBar {
public:
  ProgressBar();
  void update(const Status &status);
  /// Ends the line.
  void finish(const Status &status);

private:
  void print(const Status &status);

  bool terminal;
  double shown = -1; ///< the time or the part that was printed last
};

/// An exponential moving average of the steps, corrected for its start.
class SmoothedLoss {
public:
  double add(double value) {
    sum = 0.98 * sum + 0.02 * value;
    weight = 0.98 * weight + 0.02;
    return get();
  }
  double get() const { return sum / weight; }

private:
  double sum = 0, weight = 0;
};

/// The contents of the picture. Losses are in bits per character.
struct LossCurve {
  std::string title;
  int64_t charactersPerStep = 1;
  std::vector<double> losses;    ///< of every step
  double unigramEntropy = 0;     ///< a dashed line
  std::optional<double> heldOut; ///< a dot at the end
};

/// Writes an SVG file. The curve must have a loss, and all must be finite.
llvm::Error writeLossCurve(llvm::StringRef path, const LossCurve &curve);

#endif // CHAR_LSTM_REPORT_H
