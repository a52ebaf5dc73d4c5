//===- Dialects.cpp - C API: registration and attributes ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn-c/Dialects.h"
#include "Diagnostics.h"
#include "rnn/Emit/JIT.h"
#include "rnn/InitAllDialects.h"
#include "rnn/InitAllPasses.h"
#include <mutex>

using namespace mlir;
using namespace mlir::rnn::capi;

void rnnRegisterDialects(MlirDialectRegistry registry) {
  rnn::registerAllDialects(*unwrap(registry));
}

void rnnContextRegister(MlirContext context) {
  if (mlirContextIsNull(context))
    return;
  DialectRegistry registry;
  rnn::registerJITDialects(registry);
  unwrap(context)->appendDialectRegistry(registry);
  unwrap(context)->getOrLoadDialect<rnn::RNNDialect>();
}

MlirContext rnnContextCreate(void) {
  return guard(RnnDiagnostics{}, MlirContext{}, [] {
    MlirContext context = wrap(new MLIRContext);
    rnnContextRegister(context);
    return context;
  });
}

void rnnRegisterPasses(void) {
  static std::once_flag once;
  std::call_once(once, rnn::registerAllPasses);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

template <typename Attr, typename Enum>
static MlirAttribute getAttr(MlirContext context, MlirStringRef name, std::optional<Enum> (*symbolize)(StringRef)) {
  if (mlirContextIsNull(context) || (!name.data && name.length != 0))
    return MlirAttribute{};
  std::optional<Enum> value = symbolize(unwrap(name));
  return wrap(value ? Attribute(Attr::get(unwrap(context), *value)) : Attribute());
}

MlirAttribute rnnCellModeAttrGet(MlirContext context, MlirStringRef name) {
  return getAttr<rnn::CellModeAttr>(context, name, rnn::symbolizeCellMode);
}
MlirAttribute rnnDirectionAttrGet(MlirContext context, MlirStringRef name) {
  return getAttr<rnn::DirectionAttr>(context, name, rnn::symbolizeDirection);
}
MlirAttribute rnnInputModeAttrGet(MlirContext context, MlirStringRef name) {
  return getAttr<rnn::InputModeAttr>(context, name, rnn::symbolizeInputMode);
}
MlirAttribute rnnGateLayoutAttrGet(MlirContext context, MlirStringRef name) {
  return getAttr<rnn::GateLayoutAttr>(context, name, rnn::symbolizeGateLayout);
}
MlirAttribute rnnLoweringAttrGet(MlirContext context, MlirStringRef name) {
  return getAttr<rnn::LoweringAttr>(context, name, rnn::symbolizeLowering);
}

MlirStringRef rnnAttributeGetName(MlirAttribute attribute) {
  Attribute attr = unwrap(attribute);
  StringRef name;
  if (auto mode = dyn_cast_or_null<rnn::CellModeAttr>(attr))
    name = stringifyCellMode(mode.getValue());
  else if (auto direction = dyn_cast_or_null<rnn::DirectionAttr>(attr))
    name = stringifyDirection(direction.getValue());
  else if (auto input = dyn_cast_or_null<rnn::InputModeAttr>(attr))
    name = stringifyInputMode(input.getValue());
  else if (auto layout = dyn_cast_or_null<rnn::GateLayoutAttr>(attr))
    name = stringifyGateLayout(layout.getValue());
  else if (auto lowering = dyn_cast_or_null<rnn::LoweringAttr>(attr))
    name = stringifyLowering(lowering.getValue());
  return wrap(name);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Sorts the operands by the entries of the signature. Fails for an unknown name.
static LogicalResult sortOperands(Location loc, StringRef opName, const rnn::OpSignature &signature,
                                  ArrayRef<RnnNamedValue> operands, SmallVectorImpl<SmallVector<Value>> &sorted) {
  sorted.resize(signature.operands.size());
  for (const RnnNamedValue &operand : operands) {
    if (!operand.name.data && operand.name.length != 0)
      return emitError(loc) << "the name of an operand is null";
    StringRef name = unwrap(operand.name);
    auto entry = llvm::find_if(signature.operands, [&](const rnn::NamedValue &spec) { return spec.name == name; });
    if (entry == signature.operands.end()) {
      InFlightDiagnostic diagnostic = emitError(loc)
                                      << "'" << opName << "' op has no operand `" << name << "`; it has ";
      llvm::interleaveComma(signature.operands, diagnostic,
                            [&](const rnn::NamedValue &spec) { diagnostic << "`" << spec.name << "`"; });
      return diagnostic;
    }
    if (mlirValueIsNull(operand.value))
      return emitError(loc) << "the operand `" << name << "` is a null value";
    if (unwrap(operand.value).getContext() != loc.getContext())
      return emitError(loc) << "the operand `" << name << "` belongs to another context than the location";
    sorted[entry - signature.operands.begin()].push_back(unwrap(operand.value));
  }
  return success();
}

template <typename OpTy>
static Operation *create(Location loc, ArrayRef<RnnNamedValue> operands, ArrayRef<NamedAttribute> attributes) {
  SmallVector<SmallVector<Value>> sorted;
  if (failed(sortOperands(loc, OpTy::getOperationName(), OpTy::getSignature(), operands, sorted)))
    return nullptr;
  SmallVector<ValueRange> ranges(sorted.begin(), sorted.end());
  return rnn::tryCreateLayerOp<OpTy>(loc, ranges, attributes);
}

using CreateFn = Operation *(*)(Location, ArrayRef<RnnNamedValue>, ArrayRef<NamedAttribute>);

template <typename... OpTys> static CreateFn findBuilder(StringRef name) {
  CreateFn found = nullptr;
  ((OpTys::getOperationName() == name ? void(found = create<OpTys>) : void()), ...);
  return found;
}

MlirOperation rnnLayerOpCreate(MlirLocation location, MlirStringRef name, intptr_t numOperands,
                               const RnnNamedValue *operands, intptr_t numAttributes,
                               const MlirNamedAttribute *attributes, RnnDiagnostics diagnostics) {
  return guard(diagnostics, MlirOperation{}, [&] {
    if (mlirLocationIsNull(location)) {
      addError(diagnostics, "the location is null");
      return MlirOperation{};
    }
    Location loc = unwrap(location);
    Collector collector(loc.getContext(), diagnostics);
    if (numOperands < 0 || numAttributes < 0 || (numOperands > 0 && !operands) || (numAttributes > 0 && !attributes)) {
      emitError(loc) << "a list with " << int64_t(numOperands) << " operands or " << int64_t(numAttributes)
                     << " attributes is null or has a negative count";
      return MlirOperation{};
    }
    CreateFn builder = findBuilder<rnn::CudnnForwardOp, rnn::CudnnBackpropOp, rnn::CudnnCanonicalToParamsOp,
                                   rnn::BlockLSTMOp, rnn::BlockLSTMGradOp>(unwrap(name));
    if (!builder) {
      emitError(loc) << "there is no layer op `" << unwrap(name)
                     << "`; expected rnn.cudnn_forward, rnn.cudnn_backprop, rnn.cudnn_canonical_to_params, "
                        "rnn.block_lstm or rnn.block_lstm_grad";
      return MlirOperation{};
    }
    SmallVector<NamedAttribute> list;
    for (intptr_t index = 0; index < numAttributes; ++index) {
      StringAttr attributeName = unwrap(attributes[index].name);
      if (mlirAttributeIsNull(attributes[index].attribute)) {
        emitError(loc) << "the attribute `" << attributeName.getValue() << "` is null";
        return MlirOperation{};
      }
      if (unwrap(attributes[index].attribute).getContext() != loc.getContext()) {
        emitError(loc) << "the attribute `" << attributeName.getValue()
                       << "` belongs to another context than the location";
        return MlirOperation{};
      }
      list.emplace_back(attributeName, unwrap(attributes[index].attribute));
    }
    return wrap(builder(loc, ArrayRef(operands, numOperands), list));
  });
}
