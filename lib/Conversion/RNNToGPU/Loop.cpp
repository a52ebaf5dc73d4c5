//===- Loop.cpp - the loop over time -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

using namespace mlir;
using namespace mlir::rnn;

void rnn::forEachStep(const Emitter &host, Value steps, bool backwards, function_ref<void(Value t)> step) {
  Value last = host.sub(steps, host.index(1));
  host.loop(host.index(0), steps, 1, {}, [&](Value number, ValueRange) {
    step(backwards ? host.sub(last, number) : number);
    return SmallVector<Value>();
  });
}
