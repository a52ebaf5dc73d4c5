//===- KernelLibrary.cpp - creates kernels at their first call ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/CPU/KernelLibrary.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

void rnn::markHandTiled(Operation *function) {
  auto attributes = function->getAttrOfType<ArrayAttr>("passthrough");
  SetVector<Attribute> all;
  if (attributes)
    all.insert_range(attributes);
  for (StringRef mark : {StringRef(handTiledAttribute), StringRef("noinline")})
    all.insert(StringAttr::get(function->getContext(), mark));
  function->setAttr("passthrough", ArrayAttr::get(function->getContext(), all.getArrayRef()));
}

/// Attribute of kernels: the name, the element type, the types of buffers, and the tiles.
static constexpr StringLiteral kernelAttribute = "rnn.host_kernel";

KernelLibrary::KernelLibrary(ModuleOp module) : symbols(module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (auto key = function->getAttrOfType<StringAttr>(kernelAttribute))
      functions[key] = function;
}

func::FuncOp KernelLibrary::get(HostBuilder &b, StringRef name, TypeRange inputs,
                                function_ref<void(HostBuilder &, ValueRange)> body) {
  std::string symbol;
  llvm::raw_string_ostream stream(symbol);
  stream << "rnn_host_" << name << "_" << b.tiles.element;
  // Buffers that have another type than usual: a matrix of the accumulation type, scratch of operands.
  for (Type input : inputs)
    if (auto type = dyn_cast<MemRefType>(input);
        type && type.getElementType() != (type.getRank() >= 2 ? b.tiles.element : b.tiles.sum))
      stream << "_" << type.getElementType();
  // Rows of batch-major data.
  if (llvm::any_of(inputs, [](Type input) {
        auto type = dyn_cast<MemRefType>(input);
        return type && type.getRank() == 3;
      }))
    stream << "_steps";
  // The loops of the caller are tiled, too.
  Operation *caller = b.getInsertionBlock()->getParentOp();
  while (!isa<FunctionOpInterface>(caller))
    caller = caller->getParentOp();
  markHandTiled(caller);
  // Layers of one module may multiply bf16 matrices in several ways, which round results differently.
  std::string key = symbol + "/" + stringifyBF16Gemm(b.tiles.bf16Gemm).str() + "/" + std::to_string(b.tiles.lanes) +
                    "x" + std::to_string(b.tiles.vectors);
  func::FuncOp &function = functions[key];
  if (function)
    return function;
  OpBuilder detached(b.getContext());
  function = func::FuncOp::create(detached, b.getLoc(), symbol, detached.getFunctionType(inputs, {}));
  function.setPrivate();
  function->setAttr(kernelAttribute, detached.getStringAttr(key));
  // Internal linkage lets LLVM remove unused parts of the buffers' descriptors.
  function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  markHandTiled(function);
  Block *block = function.addEntryBlock();
  HostBuilder inner(b.getLoc(), block, b.tiles);
  body(inner, block->getArguments());
  func::ReturnOp::create(inner);
  // Renames the function if the module has the name already.
  symbols.insert(function);
  return function;
}

Value KernelLibrary::createStaticMemory(HostBuilder &b, StringRef name, int64_t bytes) {
  OpBuilder detached(b.getContext());
  auto type = LLVM::LLVMArrayType::get(detached.getI8Type(), bytes);
  auto global = LLVM::GlobalOp::create(detached, b.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::Internal, name,
                                       Attribute(), /*alignment=*/64);
  // Without an initializer the content is undefined.
  detached.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(detached, b.getLoc(), Value(LLVM::ZeroOp::create(detached, b.getLoc(), type)));
  symbols.insert(global);
  return LLVM::AddressOfOp::create(b, global);
}
