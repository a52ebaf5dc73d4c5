// RoundTrip.h - the property of both readers for any input: an error, or a tensor that is written and read back
// unchanged. Shared by the tests and the fuzzers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_SUPPORT_FUZZ_ROUNDTRIP_H
#define RNN_UNITTESTS_SUPPORT_FUZZ_ROUNDTRIP_H

#include "rnn/Support/HostTensor.h"

namespace round_trip {

struct Outcome {
  bool accepted = false;
  std::string problem; // empty: the property holds
};

/// Reads `bytes` as an npy file; an accepted tensor goes through the file `scratch`.
Outcome checkNpy(llvm::StringRef bytes, std::optional<mlir::rnn::ElementKind> requested, llvm::StringRef scratch);

/// Reads `text` as a value on the command line.
Outcome checkText(llvm::StringRef text);

/// Returns true if the sizes in `text` are small. `9999999999xf32=0` is valid, but allocates that much memory.
bool isCheap(llvm::StringRef text);

} // namespace round_trip

#endif // RNN_UNITTESTS_SUPPORT_FUZZ_ROUNDTRIP_H
