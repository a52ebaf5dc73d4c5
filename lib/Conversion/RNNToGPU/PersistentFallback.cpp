//===- PersistentFallback.cpp - persistent kernels with a fallback -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PersistentFallback.h"

using namespace mlir;
using namespace mlir::rnn;

void rnn::launchPersistentOr(const Emitter &host, function_ref<void()> persistent, function_ref<void()> fallback) {
  OpBuilder &builder = host.builder;
  Value call = rnnrt::CurrentCallOp::create(builder, host.loc, rnnrt::CallType::get(builder.getContext()));
  rnnrt::TryClustersOp::create(builder, host.loc, call);
  persistent();
  Value ran = rnnrt::ClustersRanOp::create(builder, host.loc, builder.getIndexType(), call);
  host.ifThen(host.isEqual(ran, host.index(0)), fallback);
}
