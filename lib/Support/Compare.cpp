//===- Compare.cpp - numeric comparison of tensors ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Support/Compare.h"
#include "ElementText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <limits>

using namespace mlir::rnn;
using llvm::StringRef;
using llvm::Twine;

namespace {
/// The error of one element.
struct Difference {
  double error = 0.0, tolerance = 0.0;
  bool differs = false;
};

struct Specials {
  int64_t nans = 0, infinities = 0;
  void count(double value) {
    nans += std::isnan(value);
    infinities += std::isinf(value);
  }
};
} // namespace

static Difference compareFloats(double got, double expected, const CompareOptions &options) {
  Difference result;
  result.error = std::fabs(got - expected);
  if (got == expected || (std::isnan(got) && std::isnan(expected)))
    return result;
  // The formula accepts any value for an expected infinity, since rtol * inf is inf.
  if (std::isfinite(got) && std::isfinite(expected))
    result.tolerance = options.atol + options.rtol * std::fabs(expected);
  result.differs = !(result.error <= result.tolerance) || !std::isfinite(result.error);
  return result;
}

static Difference compareIntegers(int64_t got, int64_t expected, const CompareOptions &options) {
  // An unsigned difference cannot overflow. Doubles cannot distinguish integers above 2^53.
  uint64_t distance = got > expected ? static_cast<uint64_t>(got) - static_cast<uint64_t>(expected)
                                     : static_cast<uint64_t>(expected) - static_cast<uint64_t>(got);
  Difference result;
  result.error = static_cast<double>(distance);
  result.tolerance = options.atol + options.rtol * std::fabs(static_cast<double>(expected));
  result.differs = distance != 0 && !(result.error <= result.tolerance);
  return result;
}

/// Orders errors. A non-finite error is worse than any finite one.
static double getExcess(const Difference &difference) {
  double excess = difference.error - difference.tolerance;
  return std::isnan(excess) ? std::numeric_limits<double>::infinity() : excess;
}

static void printIndex(llvm::raw_ostream &os, int64_t element, llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; element /= shape[dim])
    index[dim] = element % shape[dim];
  os << "[";
  llvm::interleaveComma(index, os);
  os << "]";
}

llvm::Error mlir::rnn::compareTensors(StringRef what, const HostTensor &got, const HostTensor &expected,
                                      const CompareOptions &options) {
  std::string message;
  llvm::raw_string_ostream os(message);
  os << what << ": ";

  // With an infinite or NaN tolerance, the comparison always succeeds or always fails.
  if (!std::isfinite(options.atol) || !std::isfinite(options.rtol) || options.atol < 0 || options.rtol < 0) {
    os << "expected tolerances that are finite and not negative, but got atol = " << options.atol
       << ", rtol = " << options.rtol;
    return llvm::createStringError(Twine(message));
  }
  if (got.getKind() != expected.getKind() || got.getShape() != expected.getShape()) {
    os << "expected " << expected.getTypeString() << ", but got " << got.getTypeString();
    return llvm::createStringError(Twine(message));
  }
  if (!getNumBytes(got.getShape(), got.getKind()) ||
      (got.getNumElements() != 0 && (!got.getData() || !expected.getData()))) {
    os << "expected two tensors with elements, but got " << got.getTypeString() << " without memory";
    return llvm::createStringError(Twine(message));
  }

  bool isFloat = isFloatKind(got.getKind());
  int64_t count = got.getNumElements(), numDiffering = 0, worst = 0;
  Difference worstDifference;
  Specials gotSpecials, expectedSpecials;
  for (int64_t index = 0; index < count; ++index) {
    Difference difference;
    if (isFloat) {
      double gotValue = got.getAsDouble(index), expectedValue = expected.getAsDouble(index);
      gotSpecials.count(gotValue);
      expectedSpecials.count(expectedValue);
      difference = compareFloats(gotValue, expectedValue, options);
    } else {
      difference = compareIntegers(got.getAsInteger(index), expected.getAsInteger(index), options);
    }
    if (!difference.differs)
      continue;
    if (numDiffering++ == 0 || getExcess(difference) > getExcess(worstDifference)) {
      worst = index;
      worstDifference = difference;
    }
  }
  if (numDiffering == 0)
    return llvm::Error::success();

  auto printNumber = [&](double value) { os << llvm::format("%.6g", value); };
  os << numDiffering << " of " << count << " elements (" << got.getTypeString() << ") differ by more than ";
  printNumber(options.atol);
  os << " + ";
  printNumber(options.rtol);
  os << " * |expected|; the worst is at ";
  printIndex(os, worst, got.getShape());
  os << ": got ";
  detail::printElement(os, got, worst);
  os << ", expected ";
  detail::printElement(os, expected, worst);
  os << ", absolute error ";
  printNumber(worstDifference.error);
  os << ", relative error ";
  printNumber(worstDifference.error / std::fabs(expected.getAsDouble(worst)));
  if (isFloat)
    os << "; got has " << gotSpecials.nans << " NaN and " << gotSpecials.infinities << " infinities, expected has "
       << expectedSpecials.nans << " and " << expectedSpecials.infinities;
  return llvm::createStringError(Twine(message));
}
