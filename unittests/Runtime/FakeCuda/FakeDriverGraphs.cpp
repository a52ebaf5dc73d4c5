// FakeDriverGraphs.cpp - captures and graphs of the fake driver. A graph has the operations of one stream, in order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FakeDriverState.h"

#include <algorithm>

using namespace rnnrt::cuda;

void fake::enqueue(CUstream stream, std::function<void()> work, std::string shape) {
  if (stream->capture)
    stream->capture->nodes.push_back({std::move(work), std::move(shape)});
  else
    work();
}

FAKE_API CUresult rnnrt::cuda::cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  FAKE_ENTER("cuStreamIsCapturing");
  FAKE_EXPECT_STREAM(stream, "cuStreamIsCapturing");
  *status = stream->capture ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  FAKE_ENTER("cuStreamBeginCapture");
  FAKE_EXPECT_STREAM(stream, "cuStreamBeginCapture");
  if (stream->capture)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  stream->capture = fake::made(new CUgraph_st(), "graph");
  ++fake::state().capturing;
  fake::log("cuStreamBeginCapture stream=%d", stream->number);
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  std::lock_guard<std::recursive_mutex> lock(fake::state().mutex);
  FAKE_EXPECT_STREAM(stream, "cuStreamEndCapture");
  FAKE_EXPECT(stream->capture);
  *graph = stream->capture;
  stream->capture = nullptr;
  --fake::state().capturing;
  // A failure ends the capture too, without a graph.
  CUresult chosen;
  if (fake::chosenToFail("cuStreamEndCapture", chosen)) {
    fake::destroyed(*graph, "graph", "cuStreamEndCapture");
    *graph = nullptr;
    return chosen;
  }
  fake::log("cuStreamEndCapture stream=%d nodes=%zu", stream->number, (*graph)->nodes.size());
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags) {
  FAKE_ENTER("cuGraphInstantiate");
  FAKE_EXPECT_LIVE(graph, "graph", "cuGraphInstantiate");
  fake::log("cuGraphInstantiate nodes=%zu", graph->nodes.size());
  *exec = fake::made(new CUgraphExec_st{graph->nodes, {}}, "graph");
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  FAKE_ENTER("cuGraphLaunch");
  FAKE_EXPECT_LIVE(exec, "graph", "cuGraphLaunch");
  FAKE_EXPECT_STREAM(stream, "cuGraphLaunch");
  FAKE_EXPECT_CONTEXT("cuGraphLaunch");
  // A launch follows all earlier launches of the same graph.
  fake::join(stream->clock, exec->clock);
  fake::step(stream);
  exec->clock = stream->clock;
  fake::log("cuGraphLaunch stream=%d", stream->number);
  for (const Node &node : exec->nodes)
    node.work();
  return CUDA_SUCCESS;
}

/// The nodes are those of one stream in order. Only their arguments may differ.
FAKE_API CUresult rnnrt::cuda::cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph,
                                                    CUgraphExecUpdateResultInfo *info) {
  FAKE_ENTER("cuGraphExecUpdate");
  FAKE_EXPECT_LIVE(exec, "graph", "cuGraphExecUpdate");
  FAKE_EXPECT_LIVE(graph, "graph", "cuGraphExecUpdate");
  FAKE_EXPECT(info);
  *info = {CU_GRAPH_EXEC_UPDATE_SUCCESS, nullptr, nullptr};
  const bool isSame = std::equal(exec->nodes.begin(), exec->nodes.end(), graph->nodes.begin(), graph->nodes.end(),
                                 [](const Node &a, const Node &b) { return a.shape == b.shape; });
  fake::log("cuGraphExecUpdate nodes=%zu%s", graph->nodes.size(), isSame ? "" : " changed");
  if (!isSame) {
    info->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  }
  exec->nodes = graph->nodes;
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuGraphExecDestroy(CUgraphExec exec) {
  FAKE_ENTER_DESTROY();
  return fake::destroyed(exec, "graph", "cuGraphExecDestroy");
}

FAKE_API CUresult rnnrt::cuda::cuGraphDestroy(CUgraph graph) {
  FAKE_ENTER_DESTROY();
  return fake::destroyed(graph, "graph", "cuGraphDestroy");
}
