//===- RNNDialect.cpp - registration of the rnn dialect ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "StrictProperties.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "rnn/Dialect/RNN/IR/RNN.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::rnn;

#include "rnn/Dialect/RNN/IR/RNNDialect.cpp.inc"
#include "rnn/Dialect/RNN/IR/RNNEnums.cpp.inc"
#include "rnn/Dialect/RNN/IR/RNNInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "rnn/Dialect/RNN/IR/RNNAttrs.cpp.inc"

LogicalResult LoweringAttr::verify(function_ref<InFlightDiagnostic()> emitError, Lowering value,
                                   std::optional<FusedKernel> kernel, std::optional<int64_t> cluster) {
  if (kernel && value != Lowering::Fused)
    return emitError() << "`kernel` requires lowering `fused`, but got `" << stringifyLowering(value) << "`";
  if (cluster && kernel != FusedKernel::Persistent)
    return emitError() << "`cluster` requires `kernel = persistent`";
  if (cluster && !llvm::is_contained({2, 4, 8, 16}, *cluster))
    return emitError() << "`cluster` must be 2, 4, 8 or 16, but got " << *cluster;
  return success();
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, TargetKind kind, StringAttr chip,
                                 bool tf32, LargeGemms largeGemms, int64_t wavefrontChunk) {
  if (chip && kind == TargetKind::Simt)
    return emitError() << "target `simt` has no `chip`, but got \"" << chip.getValue() << "\"";
  if (chip && kind == TargetKind::Cuda && !parseComputeCapability(chip.getValue()))
    return emitError() << "unknown chip `" << chip.getValue() << "`; expected sm_80 or later, e.g. sm_90a";
  if (kind == TargetKind::Host && tf32)
    return emitError() << "`tf32` requires target `cuda` or `simt`";
  if (kind == TargetKind::Host && largeGemms != LargeGemms::Kernel)
    return emitError() << "`large_gemms` requires target `cuda` or `simt`";
  if (kind == TargetKind::Host && wavefrontChunk != -1)
    return emitError() << "`wavefront_chunk` requires target `cuda` or `simt`";
  if (wavefrontChunk < -1)
    return emitError() << "`wavefront_chunk` must be a number of time steps, 0 or -1, but got " << wavefrontChunk;
  return success();
}

TargetAttr TargetAttr::lookup(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = dyn_cast_or_null<TargetAttr>(op->getDiscardableAttr(attributeName)))
      return target;
  return {};
}

TargetInfo TargetAttr::getInfo() const {
  return TargetInfo(getKind(), getChip() ? getChip().getValue() : "", getTf32());
}

LogicalResult RNNDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == dropoutDrawAttrName) {
    auto number = dyn_cast<IntegerAttr>(attribute.getValue());
    if (isa<CudnnForwardOp>(op) &&
        (number ? number.getType().isSignlessInteger(64) : isa<FlatSymbolRefAttr>(attribute.getValue())))
      return success();
    return op->emitError("`") << dropoutDrawAttrName
                              << "` must be an i64 or the name of a function on `rnn.cudnn_forward`, but got "
                              << attribute.getValue();
  }
  if (attribute.getName() != TargetAttr::attributeName)
    return success();
  if (!isa<ModuleOp>(op) || !isa<TargetAttr>(attribute.getValue()))
    return op->emitError("`") << TargetAttr::attributeName << "` must be a `#rnn.target` on a module";
  return success();
}

void RNNDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  rnn::detail::addTransposeFolds(patterns);
}

void RNNDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "rnn/Dialect/RNN/IR/RNNAttrs.cpp.inc"
      >();
  rnn::detail::addStrictOperations<
#define GET_OP_LIST
#include "rnn/Dialect/RNN/IR/RNNOps.cpp.inc"
      >(this);
}
