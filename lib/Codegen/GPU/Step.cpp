//===- Step.cpp - one time step of a recurrence -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/GPU/Step.h"

using namespace mlir;
using namespace mlir::rnn;

Step rnn::makeStep(const Emitter &e, Value direction, int64_t numDirections, Value number, Value last, Value isFirst,
                   Value isLast) {
  Value one = e.index(1);
  Step step{number, direction, number, e.sub(number, one), e.add(number, one), isFirst, isLast};
  if (numDirections == 2) {
    Value isForward = e.isEqual(direction, e.index(0)), mirrored = e.sub(last, number);
    step.t = e.select(isForward, number, mirrored);
    step.earlier = e.select(isForward, step.earlier, e.add(mirrored, one));
    step.later = e.select(isForward, step.later, e.sub(mirrored, one));
  }
  return step;
}
