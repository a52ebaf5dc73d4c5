//===- Team.h - a thread's view of a parallel region -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_CPU_TEAM_H
#define RNN_CODEGEN_CPU_TEAM_H

#include "rnn/Codegen/CPU/HostBuilder.h"

namespace mlir::rnn::cpu {

/// The threads that execute a parallel region, as seen by one of them.
struct Team {
  Value handle; ///< null: the code is sequential
  Value part, parts;

  /// The first of `count` items of this part. The next part begins at the end of this one.
  Value begin(HostBuilder &b, Value count) const { return b.div(b.mul(count, part), parts); }
  Value end(HostBuilder &b, Value count) const { return b.div(b.mul(count, b.add(part, 1)), parts); }
  /// A barrier: afterwards, the writes of all threads of the team are visible.
  void wait(HostBuilder &b) const;
};

} // namespace mlir::rnn::cpu

#endif // RNN_CODEGEN_CPU_TEAM_H
