//===- Options.h - enumerations of the pipeline's options -*- C++ -*-===//
//
// Generated from Options.td. Each is also a type of command-line and pass options: `llvm::cl::parser` accepts the names
// of its values, and an error lists them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TARGET_OPTIONS_H
#define RNN_TARGET_OPTIONS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include <optional>
#include <string>

#include "rnn/Target/Options.h.inc"

namespace mlir::rnn {

/// Parses the values 0 to `maxValue` of a generated enumeration by their names.
template <typename Enum, unsigned maxValue> class EnumOptionParser : public llvm::cl::basic_parser<Enum> {
public:
  using llvm::cl::basic_parser<Enum>::basic_parser;

  /// True on error, as llvm::cl expects.
  bool parse(llvm::cl::Option &option, llvm::StringRef argument, llvm::StringRef text, Enum &value) {
    std::optional<Enum> found = symbolizeEnum<Enum>(text);
    if (!found)
      return option.error("unknown value `" + text + "`; expected " + getNames(", ", " or "), argument);
    value = *found;
    return false;
  }

  /// Shown by `--help` as `--flag=<a|b|c>`.
  llvm::StringRef getValueName() const override {
    static const std::string names = getNames("|", "|");
    return names;
  }

  void printOptionDiff(const llvm::cl::Option &option, Enum value, const llvm::cl::OptionValue<Enum> &,
                       size_t width) const {
    this->printOptionName(option, width);
    llvm::outs() << "= " << stringifyEnum(value) << "\n";
  }

private:
  static std::string getNames(llvm::StringRef separator, llvm::StringRef last) {
    std::string names;
    for (unsigned value = 0; value <= maxValue; ++value)
      names += (value == 0          ? ""
                : value == maxValue ? last
                                    : separator)
                   .str() +
               stringifyEnum(static_cast<Enum>(value)).str();
    return names;
  }
};

} // namespace mlir::rnn

#define RNN_ENUM_OPTION(ENUM)                                                                                          \
  template <>                                                                                                          \
  class llvm::cl::parser<mlir::rnn::ENUM>                                                                              \
      : public mlir::rnn::EnumOptionParser<mlir::rnn::ENUM, mlir::rnn::getMaxEnumValFor##ENUM()> {                     \
  public:                                                                                                              \
    using EnumOptionParser::EnumOptionParser;                                                                          \
  };
RNN_ENUM_OPTION(TargetKind)
RNN_ENUM_OPTION(Stage)
RNN_ENUM_OPTION(LoweringPreference)
RNN_ENUM_OPTION(KernelPreference)
RNN_ENUM_OPTION(LargeGemms)
RNN_ENUM_OPTION(BF16Gemm)
#undef RNN_ENUM_OPTION

#endif // RNN_TARGET_OPTIONS_H
