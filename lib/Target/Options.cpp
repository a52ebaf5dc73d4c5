//===- Options.cpp - enumerations of the pipeline's options -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Target/Options.h"
#include "llvm/ADT/StringSwitch.h"

#include "rnn/Target/Options.cpp.inc"
