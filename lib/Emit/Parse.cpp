//===- Parse.cpp - read a module with the names of its arguments -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Emit/Parse.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "rnn/Conversion/RuntimeToLLVM/ExportedFunctions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::rnn;

/// "x" of a range that covers "%x"; empty for numbers and for groups like "%r:2".
static StringRef getName(SMRange range) {
  if (!range.isValid())
    return "";
  StringRef text(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
  if (!text.consume_front("%") || text.empty() || llvm::isDigit(text.front()) || text.contains(':'))
    return "";
  return text;
}

static StringRef findName(Value value, const AsmParserState &state) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    const AsmParserState::BlockDefinition *block = state.getBlockDef(argument.getOwner());
    return block && argument.getArgNumber() < block->arguments.size()
               ? getName(block->arguments[argument.getArgNumber()].loc)
               : "";
  }
  auto result = cast<OpResult>(value);
  const AsmParserState::OperationDefinition *op = state.getOpDef(result.getOwner());
  if (!op)
    return "";
  for (auto [index, group] : llvm::enumerate(op->resultGroups)) {
    // The name of a group with several results names none of them.
    unsigned end = index + 1 < op->resultGroups.size() ? op->resultGroups[index + 1].startIndex
                                                       : result.getOwner()->getNumResults();
    if (group.startIndex == result.getResultNumber() && end == group.startIndex + 1)
      return getName(group.definition.loc);
  }
  return "";
}

static void nameFromText(ModuleOp module, const AsmParserState &state) {
  Builder builder(module.getContext());
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || !function.isPublic())
      continue;
    for (BlockArgument argument : function.getArguments()) {
      StringRef name = findName(argument, state);
      unsigned index = argument.getArgNumber();
      if (!name.empty() && !function.getArgAttr(index, kArgumentNameAttr))
        function.setArgAttr(index, kArgumentNameAttr, builder.getStringAttr(name));
    }
    auto terminator = dyn_cast<func::ReturnOp>(function.getBody().back().getTerminator());
    if (!terminator)
      continue;
    for (auto [index, value] : llvm::enumerate(terminator.getOperands())) {
      // An argument that is returned keeps its name for itself.
      StringRef name = isa<BlockArgument>(value) ? "" : findName(value, state);
      if (!name.empty() && !function.getResultAttr(index, kArgumentNameAttr))
        function.setResultAttr(index, kArgumentNameAttr, builder.getStringAttr(name));
    }
  }
}

/// The program that wrote bytecode, as "MLIR22.1.8", or "StableHLO_v1.15.0" for its portable artifacts; empty if the
/// header is malformed.
static StringRef getProducer(StringRef bytecode) {
  // The magic number, the version, which is one byte up to 127, and a string that ends with 0.
  if (bytecode.size() < 6 || !(bytecode[4] & 1))
    return "";
  auto [producer, rest] = bytecode.drop_front(5).split('\0');
  return rest.empty() ? "" : producer;
}

static OwningOpRef<ModuleOp> parseBytecode(const std::shared_ptr<llvm::SourceMgr> &sources, MLIRContext &context,
                                           StringRef name) {
  Location start = FileLineColLoc::get(&context, name, 0, 0);
  StringRef producer = getProducer(sources->getMemoryBuffer(sources->getMainFileID())->getBuffer());
  if (producer.starts_with("StableHLO")) {
    emitError(start) << "`" << name << "` is a portable artifact of " << producer
                     << ", bytecode of the dialect vhlo, which only StableHLO reads; convert it: rnn-import-stablehlo "
                     << name << " -o FILE.mlir";
    return nullptr;
  }
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  // Upstream's reader rejects some malformed bytecode without an error.
  if (!module)
    emitError(start) << "`" << name << "` is not a valid module in bytecode";
  return module;
}

OwningOpRef<ModuleOp> rnn::parseModule(const std::shared_ptr<llvm::SourceMgr> &sources, MLIRContext &context,
                                       StringRef name, bool namesArguments) {
  if (isBytecode(*sources->getMemoryBuffer(sources->getMainFileID())))
    return parseBytecode(sources, context, name);
  ParserConfig config(&context);
  if (!namesArguments)
    return parseSourceFile<ModuleOp>(sources, config);
  Block block;
  AsmParserState state;
  if (failed(parseAsmSourceFile(*sources, &block, config, &state)))
    return nullptr;
  // The state refers to the parsed ops, so a module is created around them only if the text has none.
  auto written = llvm::hasSingleElement(block) ? dyn_cast<ModuleOp>(block.front()) : ModuleOp();
  OwningOpRef<ModuleOp> module;
  if (written) {
    written->remove();
    module = written;
  } else {
    module = ModuleOp::create(FileLineColLoc::get(&context, name, 1, 1));
    module->getBody()->getOperations().splice(module->getBody()->end(), block.getOperations());
    if (failed(verify(module->getOperation())))
      return nullptr;
  }
  nameFromText(*module, state);
  return module;
}
