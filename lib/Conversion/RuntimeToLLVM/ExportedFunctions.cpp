//===- ExportedFunctions.cpp - the exported functions of a module ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Conversion/RuntimeToLLVM/ExportedFunctions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "rnn_runtime/types.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::rnn;

static llvm::SmallVector<ExportedArgument> readArguments(DictionaryAttr entry, StringRef key) {
  llvm::SmallVector<ExportedArgument> arguments;
  for (auto argument : entry.getAs<ArrayAttr>(key).getAsRange<DictionaryAttr>()) {
    auto sizes = argument.getAs<DenseI64ArrayAttr>("sizes");
    auto flags = argument.getAs<IntegerAttr>("flags");
    arguments.push_back({argument.getAs<StringAttr>("name").str(), argument.getAs<TypeAttr>("type").getValue(),
                         sizes ? sizes.asArrayRef().vec() : std::vector<int64_t>(),
                         flags ? static_cast<int32_t>(flags.getInt()) : 0});
  }
  return arguments;
}

llvm::SmallVector<ExportedFunction> rnn::getExportedFunctions(ModuleOp module) {
  llvm::SmallVector<ExportedFunction> functions;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (auto entry = function->getAttrOfType<DictionaryAttr>("rnnrt.entry"))
      functions.push_back({entry.getAs<StringAttr>("function").str(), function.getSymName().str(),
                           entry.contains("device_memory"), readArguments(entry, "inputs"),
                           readArguments(entry, "results")});
  return functions;
}

std::optional<int32_t> rnn::getRuntimeDType(Type type) {
  if (isa<IndexType>(type))
    return RNNRT_DTYPE_I64;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return RNNRT_DTYPE_I1;
    case 8:
      return RNNRT_DTYPE_I8;
    case 16:
      return RNNRT_DTYPE_I16;
    case 32:
      return RNNRT_DTYPE_I32;
    case 64:
      return RNNRT_DTYPE_I64;
    default:
      return std::nullopt;
    }
  }
  return isa<Float16Type>(type)    ? std::optional<int32_t>(RNNRT_DTYPE_F16)
         : isa<BFloat16Type>(type) ? std::optional<int32_t>(RNNRT_DTYPE_BF16)
         : isa<Float32Type>(type)  ? std::optional<int32_t>(RNNRT_DTYPE_F32)
         : isa<Float64Type>(type)  ? std::optional<int32_t>(RNNRT_DTYPE_F64)
                                   : std::nullopt;
}

std::string rnn::makeCIdentifier(llvm::StringRef name) {
  std::string identifier;
  for (char character : name)
    identifier.push_back(llvm::isAlnum(character) ? character : '_');
  if (identifier.empty() || llvm::isDigit(identifier.front()))
    identifier.insert(0, "_");
  return identifier;
}

std::string rnn::describeInvalidPrefix(llvm::StringRef prefix) {
  return "`" + prefix.str() + "` is not a valid prefix of C names; use letters, digits and `_`, and no digit first";
}
