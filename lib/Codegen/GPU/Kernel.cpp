//===- Kernel.cpp - one gpu.launch under construction -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/GPU/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "rnn/Dialect/RNNGPU/IR/RNNGPU.h"

using namespace mlir;
using namespace mlir::rnn;

Kernel::Kernel(const Emitter &host, StringRef name, Value blocks, int64_t threads, const Options &options)
    : builder(host.builder), chained(options.chained) {
  Value one = host.index(1), blockSize = host.index(threads), dynamicBytes, cluster;
  if (options.dynamicBytes)
    dynamicBytes =
        arith::ConstantOp::create(builder, host.loc, builder.getI32IntegerAttr(int32_t(options.dynamicBytes)));
  if (options.cluster > 1)
    cluster = host.index(options.cluster);
  launch = gpu::LaunchOp::create(builder, host.loc, blocks, one, one, blockSize, one, one, dynamicBytes, nullptr, {},
                                 {}, {}, cluster, cluster ? one : Value(), cluster ? one : Value());
  // The builder of gpu.launch omits the arguments for the ids and sizes of clusters.
  Block &body = launch.getBody().front();
  while (body.getNumArguments() < launch.getNumConfigRegionAttributes())
    body.addArgument(builder.getIndexType(), host.loc);
  launch.setFunctionAttr(FlatSymbolRefAttr::get(builder.getContext(), name));
  if (chained)
    launch->setDiscardableAttr(rnngpu::RNNGPUDialect::getProgrammaticAttrName(), builder.getUnitAttr());
  builder.setInsertionPointToStart(&body);
  if (options.dynamicBytes) {
    auto type = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type(), MemRefLayoutAttrInterface(), getSpace());
    dynamic = gpu::DynamicSharedMemoryOp::create(builder, host.loc, type);
  }
}

Attribute Kernel::getSpace() const {
  return gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Workgroup);
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
  auto type = MemRefType::get(shape, element, MemRefLayoutAttrInterface(), getSpace());
  if (!dynamic)
    return launch.addWorkgroupAttribution(type, launch.getLoc());
  Value first = arith::ConstantIndexOp::create(builder, launch.getLoc(), dynamicEnd);
  dynamicEnd += llvm::alignTo(type.getNumElements() * element.getIntOrFloatBitWidth() / 8, 16);
  return memref::ViewOp::create(builder, launch.getLoc(), type, dynamic, first, ValueRange());
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
