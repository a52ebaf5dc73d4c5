//===- StrictProperties.h - refuse unknown properties -*- C++ -*-===//
//
// The generated parser of properties ignores entries that it does not know, so a misspelled attribute in the generic
// form `"rnn.op"() <{...}>` would have no effect.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_DIALECT_RNN_IR_STRICTPROPERTIES_H
#define RNN_LIB_DIALECT_RNN_IR_STRICTPROPERTIES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OperationSupport.h"

namespace mlir::rnn::detail {

/// The model of a registered op, which forwards to the generated one.
template <typename OpTy> class StrictModel : public OperationName::Impl {
  using Emit = function_ref<InFlightDiagnostic()>;
  using Model = RegisteredOperationName::Model<OpTy>;

public:
  explicit StrictModel(Dialect *dialect) : StrictModel(dialect, std::make_unique<Model>(dialect)) {}

  LogicalResult setPropertiesFromAttr(OperationName name, OpaqueProperties properties, Attribute attribute,
                                      Emit emitError) override {
    if (auto dictionary = dyn_cast_or_null<DictionaryAttr>(attribute))
      for (NamedAttribute entry : dictionary)
        if (!isKnown(entry.getName()))
          return emitError() << "has no property `" << entry.getName().getValue()
                             << "`; remove it, or write an attribute of another dialect after the properties";
    return model->setPropertiesFromAttr(name, properties, attribute, emitError);
  }

  LogicalResult foldHook(Operation *op, ArrayRef<Attribute> operands, SmallVectorImpl<OpFoldResult> &results) override {
    return model->foldHook(op, operands, results);
  }
  void getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) override {
    model->getCanonicalizationPatterns(patterns, context);
  }
  bool hasTrait(TypeID trait) override { return model->hasTrait(trait); }
  OperationName::ParseAssemblyFn getParseAssemblyFn() override { return model->getParseAssemblyFn(); }
  void populateDefaultAttrs(const OperationName &name, NamedAttrList &attributes) override {
    model->populateDefaultAttrs(name, attributes);
  }
  void printAssembly(Operation *op, OpAsmPrinter &printer, StringRef dialect) override {
    model->printAssembly(op, printer, dialect);
  }
  LogicalResult verifyInvariants(Operation *op) override { return model->verifyInvariants(op); }
  LogicalResult verifyRegionInvariants(Operation *op) override { return model->verifyRegionInvariants(op); }
  std::optional<Attribute> getInherentAttr(Operation *op, StringRef name) override {
    return model->getInherentAttr(op, name);
  }
  void setInherentAttr(Operation *op, StringAttr name, Attribute value) override {
    model->setInherentAttr(op, name, value);
  }
  void populateInherentAttrs(Operation *op, NamedAttrList &attributes) override {
    model->populateInherentAttrs(op, attributes);
  }
  LogicalResult verifyInherentAttrs(OperationName name, NamedAttrList &attributes, Emit emitError) override {
    return model->verifyInherentAttrs(name, attributes, emitError);
  }
  int getOpPropertyByteSize() override { return model->getOpPropertyByteSize(); }
  void initProperties(OperationName name, OpaqueProperties storage, OpaqueProperties initial) override {
    model->initProperties(name, storage, initial);
  }
  void deleteProperties(OpaqueProperties properties) override { model->deleteProperties(properties); }
  void populateDefaultProperties(OperationName name, OpaqueProperties properties) override {
    model->populateDefaultProperties(name, properties);
  }
  Attribute getPropertiesAsAttr(Operation *op) override { return model->getPropertiesAsAttr(op); }
  void copyProperties(OpaqueProperties target, OpaqueProperties source) override {
    model->copyProperties(target, source);
  }
  bool compareProperties(OpaqueProperties left, OpaqueProperties right) override {
    return model->compareProperties(left, right);
  }
  llvm::hash_code hashProperties(OpaqueProperties properties) override { return model->hashProperties(properties); }

private:
  StrictModel(Dialect *dialect, std::unique_ptr<Model> generated)
      : Impl(OpTy::getOperationName(), dialect, TypeID::get<OpTy>(), std::move(generated->getInterfaceMap())),
        model(std::move(generated)) {}

  static bool isKnown(StringRef name) {
    // Earlier versions of MLIR wrote the segment sizes in the second form.
    return llvm::is_contained(OpTy::getAttributeNames(), name) || name == "operandSegmentSizes" ||
           name == "resultSegmentSizes" || name == "operand_segment_sizes" || name == "result_segment_sizes";
  }

  const std::unique_ptr<Model> model;
};

/// Like Dialect::addOperations.
template <typename... Ops> void addStrictOperations(Dialect *dialect) {
  (RegisteredOperationName::insert(std::make_unique<StrictModel<Ops>>(dialect), Ops::getAttributeNames()), ...);
}

} // namespace mlir::rnn::detail

#endif // RNN_LIB_DIALECT_RNN_IR_STRICTPROPERTIES_H
