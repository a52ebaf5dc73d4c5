//===- Kernel.cpp - one gpu.launch under construction -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/GPU/Kernel.h"
#include "rnn/Dialect/RNNGPU/IR/RNNGPU.h"

using namespace mlir;
using namespace mlir::rnn;

Kernel::Kernel(const Emitter &host, StringRef name, Value blocks, int64_t threads, bool chained)
    : builder(host.builder), chained(chained) {
  Value one = host.index(1), blockSize = host.index(threads);
  launch = gpu::LaunchOp::create(builder, host.loc, blocks, one, one, blockSize, one, one);
  launch.setFunctionAttr(FlatSymbolRefAttr::get(builder.getContext(), name));
  if (chained)
    launch->setDiscardableAttr(rnngpu::RNNGPUDialect::getProgrammaticAttrName(), builder.getUnitAttr());
  builder.setInsertionPointToStart(&launch.getBody().front());
}

void Kernel::wait(const Emitter &e) {
  if (!chained)
    return;
  rnngpu::GridWaitOp::create(builder, e.loc);
  // Allows the next launch to start. Placed after the wait: values that the next launch reads before its own wait have
  // then been written by the launch before this one, or earlier.
  rnngpu::LaunchDependentsOp::create(builder, e.loc);
}

void Kernel::finish() {
  gpu::TerminatorOp::create(builder, launch.getLoc());
  builder.setInsertionPointAfter(launch);
}

Value Kernel::addWorkgroupBuffer(ArrayRef<int64_t> shape, Type element) {
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space);
  return launch.addWorkgroupAttribution(type, launch.getLoc());
}

void rnn::launchElementwise(const Emitter &host, StringRef name, Value rows, Value columns,
                            function_ref<void(const Emitter &, Value, Value)> body) {
  constexpr int64_t threads = 256;
  Value count = host.mul(rows, columns);
  Kernel kernel(host, name, host.parts(count, threads), threads);
  Emitter e = host.named(name);
  Value place = e.add(e.mul(kernel.getBlock(), e.index(threads)), kernel.getThread());
  e.ifThen(e.isLess(place, count), [&] { body(e, e.div(place, columns), e.remainder(place, columns)); });
  kernel.finish();
}
