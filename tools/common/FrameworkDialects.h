//===- FrameworkDialects.h - the frameworks' ops in generic form -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_COMMON_FRAMEWORKDIALECTS_H
#define RNN_TOOLS_COMMON_FRAMEWORKDIALECTS_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/DialectRegistry.h"

namespace mlir::rnn {

/// Accepts any op, type and attribute of one framework in generic form, so that tools read its modules without
/// -allow-unregistered-dialect. It defines none. Tools register it; compilers that embed the passes have the
/// framework's own dialect. `Name` has the namespace.
template <typename Name> class FrameworkDialect : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FrameworkDialect)

  explicit FrameworkDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<FrameworkDialect<Name>>()) {
    allowUnknownOperations();
    allowUnknownTypes();
    Name::loadDependents(context);
  }
  static constexpr llvm::StringLiteral getDialectNamespace() { return Name::value; }

  Type parseType(DialectAsmParser &parser) const override {
    return OpaqueType::get(StringAttr::get(getContext(), getDialectNamespace()), parser.getFullSymbolSpec());
  }
  Attribute parseAttribute(DialectAsmParser &parser, Type type) const override {
    return OpaqueAttr::get(StringAttr::get(getContext(), getDialectNamespace()), parser.getFullSymbolSpec(),
                           type ? type : NoneType::get(getContext()));
  }
};

struct NoDependents {
  static void loadDependents(MLIRContext *) {}
};
struct TFNamespace : public NoDependents {
  static constexpr llvm::StringLiteral value = "tf";
};
struct StableHLONamespace : public NoDependents {
  static constexpr llvm::StringLiteral value = "stablehlo";
};
struct MHLONamespace : public NoDependents {
  static constexpr llvm::StringLiteral value = "mhlo";
};
struct TorchConversionNamespace : public NoDependents {
  static constexpr llvm::StringLiteral value = "torch_c";
};
struct TorchNamespace {
  static constexpr llvm::StringLiteral value = "torch";
  /// The imports create its conversions.
  static void loadDependents(MLIRContext *context) {
    context->getOrLoadDialect<FrameworkDialect<TorchConversionNamespace>>();
  }
};
struct ONNXNamespace : public NoDependents {
  static constexpr llvm::StringLiteral value = "onnx";
};

inline void registerFrameworkDialects(DialectRegistry &registry) {
  registry.insert<FrameworkDialect<TFNamespace>, FrameworkDialect<StableHLONamespace>, FrameworkDialect<MHLONamespace>,
                  FrameworkDialect<TorchNamespace>, FrameworkDialect<TorchConversionNamespace>,
                  FrameworkDialect<ONNXNamespace>>();
}

} // namespace mlir::rnn

#endif // RNN_TOOLS_COMMON_FRAMEWORKDIALECTS_H
