//===- LaunchAttr.cpp - launches of kernels as calls of the runtime ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "rnn/Dialect/RNNGPU/IR/RNNGPU.h"
#include "rnn_runtime/abi.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::rnngpu;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// `<cooperative = ["name"], programmatic = ["name", ...], resident_clusters = {name = 8 : i32}>`; an empty list is
/// omitted, and so is `<>`.
Attribute LaunchAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> cooperative, programmatic;
  DictionaryAttr residentClusters;
  auto parseList = [&]() -> ParseResult {
    StringRef key;
    llvm::SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key))
      return failure();
    if (key == "resident_clusters") {
      if (parser.parseEqual() || parser.parseAttribute(residentClusters))
        return failure();
      for (NamedAttribute kernel : residentClusters)
        if (!isa<IntegerAttr>(kernel.getValue()))
          return parser.emitError(loc, "expected an integer for each kernel of `resident_clusters`");
      return success();
    }
    if (key != "cooperative" && key != "programmatic")
      return parser.emitError(loc, "expected `cooperative`, `programmatic` or `resident_clusters`");
    SmallVector<StringAttr> &names = key == "cooperative" ? cooperative : programmatic;
    return failure(parser.parseEqual() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      return parser.parseAttribute(names.emplace_back());
    }));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalLessGreater, parseList))
    return {};
  return get(parser.getContext(), cooperative, programmatic, residentClusters);
}

void LaunchAttr::print(AsmPrinter &printer) const {
  const bool hasClusters = getResidentClusters() && !getResidentClusters().empty();
  if (getCooperative().empty() && getProgrammatic().empty() && !hasClusters)
    return;
  StringRef separator = "<";
  auto printList = [&](StringRef key, ArrayRef<StringAttr> names) {
    if (names.empty())
      return;
    printer << separator << key << " = [";
    llvm::interleaveComma(names, printer);
    printer << "]";
    separator = ", ";
  };
  printList("cooperative", getCooperative());
  printList("programmatic", getProgrammatic());
  if (hasClusters)
    printer << separator << "resident_clusters = " << getResidentClusters();
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------===//

/// The upstream handler, which embeds the binary and translates launches to calls of mgpuLaunchKernel.
static gpu::OffloadingLLVMTranslationAttrInterface getUpstreamHandler(MLIRContext *context) {
  return cast<gpu::OffloadingLLVMTranslationAttrInterface>(Attribute(gpu::SelectObjectAttr::get(context, nullptr)));
}

LogicalResult LaunchAttr::embedBinary(Operation *binary, llvm::IRBuilderBase &builder,
                                      LLVM::ModuleTranslation &translation) const {
  return getUpstreamHandler(getContext()).embedBinary(binary, builder, translation);
}

/// Replaces the last call of mgpuLaunchKernel or mgpuLaunchClusterKernel before the insertion point by one of
/// rnnrt_abi_gpu_launch.
LogicalResult LaunchAttr::launchKernel(Operation *launch, Operation *binary, llvm::IRBuilderBase &builder,
                                       LLVM::ModuleTranslation &translation) const {
  if (failed(getUpstreamHandler(getContext()).launchKernel(launch, binary, builder, translation)))
    return failure();
  llvm::CallInst *call = nullptr;
  bool hasClusters = false;
  for (auto it = builder.GetInsertPoint(), begin = builder.GetInsertBlock()->begin(); it != begin && !call;) {
    auto *candidate = dyn_cast<llvm::CallInst>(&*--it);
    llvm::Function *callee = candidate ? candidate->getCalledFunction() : nullptr;
    if (!callee)
      continue;
    hasClusters = callee->getName() == "mgpuLaunchClusterKernel";
    if (hasClusters || callee->getName() == "mgpuLaunchKernel")
      call = candidate;
  }
  if (!call)
    return launch->emitOpError("was not translated to a launch of upstream's GPU runtime");

  llvm::IRBuilder<> calls(call);
  StringAttr kernel = cast<gpu::LaunchFuncOp>(launch).getKernelName();
  int32_t flags = (llvm::is_contained(getCooperative(), kernel) ? RNNRT_LAUNCH_COOPERATIVE : 0) |
                  (llvm::is_contained(getProgrammatic(), kernel) ? RNNRT_LAUNCH_PROGRAMMATIC : 0);
  if (DictionaryAttr all = getResidentClusters())
    if (auto items = all.getAs<IntegerAttr>(kernel))
      flags |= int32_t(items.getInt()) << RNNRT_LAUNCH_ITEMS_SHIFT;
  // (function, cluster x y z if there are clusters, grid x y z, block x y z, dynamic shared memory, stream, parameters,
  // ...)
  SmallVector<llvm::Value *> operands(call->args());
  const unsigned firstSize = hasClusters ? 4 : 1;
  SmallVector<llvm::Value *> arguments{operands[0]};
  for (unsigned dim = 0; dim < 3; ++dim)
    arguments.push_back(hasClusters ? operands[1 + dim] : calls.getInt64(0));
  arguments.append(operands.begin() + firstSize, operands.begin() + firstSize + 7);
  arguments.push_back(operands[firstSize + 8]);
  arguments.push_back(calls.getInt32(flags));
  SmallVector<llvm::Type *> types;
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  auto type = llvm::FunctionType::get(calls.getVoidTy(), types, /*isVarArg=*/false);
  calls.CreateCall(call->getModule()->getOrInsertFunction("rnnrt_abi_gpu_launch", type), arguments);
  call->eraseFromParent();
  return success();
}
