//===- ClusterFallback.cpp - launches of clusters with a fallback --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterFallback.h"

using namespace mlir;
using namespace mlir::rnn;

void rnn::launchClustersOr(const Emitter &host, function_ref<void()> clusters, function_ref<void()> fallback) {
  OpBuilder &builder = host.builder;
  Value call = rnnrt::CurrentCallOp::create(builder, host.loc, rnnrt::CallType::get(builder.getContext()));
  rnnrt::TryClustersOp::create(builder, host.loc, call);
  clusters();
  Value ran = rnnrt::ClustersRanOp::create(builder, host.loc, builder.getIndexType(), call);
  host.ifThen(host.isEqual(ran, host.index(0)), fallback);
}
