//===- EmitEntries.cpp - create a C entry point for every public function ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryArgument.h"
#include "Internal.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "rnn/Conversion/Passes.h"
#include "rnn/Conversion/RuntimeToLLVM/ExportedFunctions.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"
#include "rnn_runtime/abi.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNEMITENTRIESPASS
#include "rnn/Conversion/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

/// The body of an entry with more results calls a function to store each of them. LLVM's scheduler takes a time that
/// grows with the square of the number of stores between two calls.
static constexpr size_t mostInlineStores = 16;

/// Empty without a name.
static std::string toText(Attribute name) {
  auto text = dyn_cast_or_null<StringAttr>(name);
  return text ? text.str() : "";
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

namespace {

/// Builds the entry point of one function and its description.
class EntryBuilder {
public:
  EntryBuilder(ModuleOp module, func::FuncOp function, StringRef symbol, ArrayRef<EntryArgument> inputs,
               ArrayRef<EntryArgument> results)
      : module(module), function(function), symbol(symbol), inputs(inputs), results(results),
        builder(function.getLoc(), OpBuilder::atBlockEnd(module.getBody())), converter(module.getContext()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())), i32(builder.getI32Type()), i64(builder.getI64Type()) {
  }

  /// The global of type rnnrt_function_t.
  LLVM::GlobalOp build(bool deviceMemory) {
    LLVM::LLVMFuncOp entry = buildEntry(buildBody(), deviceMemory);
    LLVM::GlobalOp description = buildDescription(entry, deviceMemory);
    buildTvmFfiEntry();
    return description;
  }

private:
  //===--------------------------------------------------------------------===//
  // The entry
  //===--------------------------------------------------------------------===//

  /// The function that rnnrt_abi_execute runs: it reads the arguments from their slots and writes the results to
  /// theirs.
  LLVM::LLVMFuncOp buildBody() {
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(module.getContext()), {pointer, pointer, pointer});
    auto body = LLVM::LLVMFuncOp::create(builder, (symbol + ".body").str(), type, LLVM::Linkage::Internal);
    OpBuilder::InsertionGuard guard(builder);
    Block *block = body.addEntryBlock(builder);
    builder.setInsertionPointToStart(block);
    auto getSlot = [&](Value list, size_t index) -> Value {
      Value at =
          LLVM::GEPOp::create(builder, pointer, pointer, list, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
      return LLVM::LoadOp::create(builder, pointer, at);
    };
    SmallVector<Value> operands{block->getArgument(0)};
    for (auto [index, input] : llvm::enumerate(inputs))
      operands.push_back(load(input, getSlot(block->getArgument(1), index)));
    auto inner = func::CallOp::create(builder, function, operands);
    for (auto [index, result, value] : llvm::enumerate(results, inner.getResults()))
      store(result, value, getSlot(block->getArgument(2), index));
    LLVM::ReturnOp::create(builder, ValueRange());
    return body;
  }

  LLVM::LLVMFuncOp buildEntry(LLVM::LLVMFuncOp body, bool deviceMemory) {
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(module.getContext()),
                                            {pointer, pointer, i64, pointer, i64});
    auto entry = LLVM::LLVMFuncOp::create(builder, symbol, type);
    SmallVector<NamedAttribute> record{builder.getNamedAttr("function", function.getSymNameAttr()),
                                       builder.getNamedAttr("inputs", describe(inputs)),
                                       builder.getNamedAttr("results", describe(results))};
    if (deviceMemory)
      record.push_back(builder.getNamedAttr("device_memory", builder.getUnitAttr()));
    entry->setAttr("rnnrt.entry", builder.getDictionaryAttr(record));

    OpBuilder::InsertionGuard guard(builder);
    Block *begin = entry.addEntryBlock(builder);
    Block *run = builder.createBlock(&entry.getBody()), *finish = builder.createBlock(&entry.getBody()),
          *end = builder.createBlock(&entry.getBody());
    builder.setInsertionPointToStart(begin);
    Value call = begin->getArgument(0), outputs = begin->getArgument(3);
    SmallVector<Value> inputPlaces, resultPlaces;
    for (const EntryArgument &input : inputs)
      inputPlaces.push_back(allocate(getPlaceType(input)));
    for (const EntryArgument &result : results)
      resultPlaces.push_back(allocate(getPlaceType(result)));
    Value inputList = storeList(inputPlaces), resultList = storeList(resultPlaces);
    Value description = LLVM::AddressOfOp::create(builder, pointer, getDescriptionName());
    Value ok = callRuntime("rnnrt_abi_enter", {call, description, begin->getArgument(1), begin->getArgument(2), outputs,
                                               begin->getArgument(4), inputList})
                   .getResult();
    auto branchIf = [&](Value condition, Block *next) {
      Value zero = LLVM::ConstantOp::create(builder, i32, builder.getI32IntegerAttr(0));
      LLVM::CondBrOp::create(builder, LLVM::ICmpOp::create(builder, LLVM::ICmpPredicate::ne, condition, zero), next,
                             end);
    };
    branchIf(ok, run);

    builder.setInsertionPointToStart(run);
    Value address = LLVM::AddressOfOp::create(builder, body);
    branchIf(callRuntime("rnnrt_abi_execute", {call, description, address, inputList, resultList}).getResult(), finish);

    builder.setInsertionPointToStart(finish);
    callRuntime("rnnrt_abi_leave", {call, description, outputs, resultList});
    LLVM::BrOp::create(builder, ValueRange(), end);
    builder.setInsertionPointToStart(end);
    LLVM::ReturnOp::create(builder, ValueRange());
    return entry;
  }

  /// `int32_t __tvm_ffi_NAME(void *self, const TVMFFIAny *arguments, int32_t count, TVMFFIAny *result)`. Weak, like
  /// `rnn_exports`: object files of one program may export functions of equal names.
  void buildTvmFfiEntry() {
    std::string name = ("__tvm_ffi_" + function.getSymName()).str();
    if (makeCIdentifier(function.getSymName()) != function.getSymName() || module.lookupSymbol(name))
      return;
    auto type = LLVM::LLVMFunctionType::get(i32, {pointer, pointer, i32, pointer});
    auto entry = LLVM::LLVMFuncOp::create(builder, name, type, LLVM::Linkage::Weak);
    OpBuilder::InsertionGuard guard(builder);
    Block *block = entry.addEntryBlock(builder);
    builder.setInsertionPointToStart(block);
    Value description = LLVM::AddressOfOp::create(builder, pointer, getDescriptionName());
    LLVM::CallOp called = callRuntime(
        "rnnrt_abi_tvm_ffi_call", {description, block->getArgument(1), block->getArgument(2), block->getArgument(3)});
    LLVM::ReturnOp::create(builder, called.getResult());
  }

  ArrayAttr describe(ArrayRef<EntryArgument> arguments) {
    SmallVector<Attribute> attributes;
    for (const EntryArgument &argument : arguments) {
      SmallVector<NamedAttribute> record{builder.getNamedAttr("name", builder.getStringAttr(argument.name)),
                                         builder.getNamedAttr("type", TypeAttr::get(argument.exported))};
      if (!argument.sizes.empty())
        record.push_back(builder.getNamedAttr("sizes", builder.getDenseI64ArrayAttr(argument.sizes)));
      if (argument.flags)
        record.push_back(builder.getNamedAttr("flags", builder.getI32IntegerAttr(argument.flags)));
      attributes.push_back(builder.getDictionaryAttr(record));
    }
    return builder.getArrayAttr(attributes);
  }

  /// The type of a value in memory: i1 is a byte, as in tensors.
  Type getMemoryType(const EntryArgument &argument) {
    return argument.type.isInteger(1) ? builder.getI8Type() : converter.convertType(argument.type);
  }

  /// The type of a slot. For an unranked tensor, the runtime writes the ranked descriptor after the unranked one.
  Type getPlaceType(const EntryArgument &argument) {
    if (argument.kind != RNNRT_ARGUMENT_UNRANKED)
      return getMemoryType(argument);
    return LLVM::LLVMArrayType::get(i64, 2 + 3 + 2 * RNNRT_MAX_RANK);
  }

  Value allocate(Type type) {
    Value one = LLVM::ConstantOp::create(builder, i64, builder.getI64IntegerAttr(1));
    return LLVM::AllocaOp::create(builder, pointer, type, one, /*alignment=*/8);
  }

  /// Stores pointers in an array.
  Value storeList(ArrayRef<Value> places) {
    if (places.empty())
      return LLVM::ZeroOp::create(builder, pointer);
    Value list = allocate(LLVM::LLVMArrayType::get(pointer, places.size()));
    for (auto [index, place] : llvm::enumerate(places)) {
      Value at =
          LLVM::GEPOp::create(builder, pointer, pointer, list, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
      LLVM::StoreOp::create(builder, place, at);
    }
    return list;
  }

  /// Casts between the type in the function and its LLVM type. func-to-llvm removes the casts.
  Value cast(Value value, Type type) {
    return value.getType() == type ? value
                                   : UnrealizedConversionCastOp::create(builder, TypeRange(type), value).getResult(0);
  }

  Value load(const EntryArgument &argument, Value place) {
    Value value = LLVM::LoadOp::create(builder, getMemoryType(argument), place);
    if (argument.type.isInteger(1)) {
      Value zero = LLVM::ConstantOp::create(builder, value.getType(), builder.getI8IntegerAttr(0));
      value = LLVM::ICmpOp::create(builder, LLVM::ICmpPredicate::ne, value, zero);
    }
    return cast(value, argument.type);
  }

  void store(const EntryArgument &argument, Value value, Value place) {
    value = cast(value, converter.convertType(argument.type));
    if (argument.type.isInteger(1))
      value = LLVM::ZExtOp::create(builder, builder.getI8Type(), value);
    if (argument.kind == RNNRT_ARGUMENT_UNRANKED)
      return storeUnranked(value, place);
    if (results.size() <= mostInlineStores) {
      LLVM::StoreOp::create(builder, value, place);
      return;
    }
    LLVM::LLVMFuncOp &function = storeFunctions[value.getType()];
    if (!function)
      function = buildStore(value.getType());
    LLVM::CallOp::create(builder, function, ValueRange{place, value});
  }

  /// A function that stores a result of this type.
  LLVM::LLVMFuncOp buildStore(Type value) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(module.getContext()), {pointer, value});
    std::string name = (symbol + ".store" + Twine(storeFunctions.size())).str();
    auto function = LLVM::LLVMFuncOp::create(builder, name, type, LLVM::Linkage::Internal);
    function.setNoInline(true);
    Block *block = function.addEntryBlock(builder);
    builder.setInsertionPointToStart(block);
    LLVM::StoreOp::create(builder, block->getArgument(1), block->getArgument(0));
    LLVM::ReturnOp::create(builder, ValueRange());
    return function;
  }

  /// The ranked descriptor of an unranked result is on the stack of this function: copies it to the slot, too.
  void storeUnranked(Value value, Value place) {
    auto constant = [&](int64_t number) -> Value { return integer(i64, number); };
    Value rank = LLVM::ExtractValueOp::create(builder, value, ArrayRef<int64_t>{0});
    Value descriptor = LLVM::ExtractValueOp::create(builder, value, ArrayRef<int64_t>{1});
    Value copy = LLVM::GEPOp::create(builder, pointer, i64, place, ArrayRef<LLVM::GEPArg>{2});
    Value kept = LLVM::UMinOp::create(builder, rank, constant(RNNRT_MAX_RANK));
    Value words = LLVM::AddOp::create(builder, LLVM::MulOp::create(builder, kept, constant(2)),
                                      constant(3)); // as in getPlaceType
    LLVM::StoreOp::create(builder, rank, place);
    LLVM::StoreOp::create(builder, copy, LLVM::GEPOp::create(builder, pointer, i64, place, ArrayRef<LLVM::GEPArg>{1}));
    LLVM::MemcpyOp::create(builder, copy, descriptor, LLVM::MulOp::create(builder, words, constant(8)),
                           /*isVolatile=*/false);
  }

  LLVM::CallOp callRuntime(StringRef name, ArrayRef<Value> arguments) {
    return callEntry(builder, module, builder.getLoc(), name, arguments);
  }

  //===--------------------------------------------------------------------===//
  // The description: the structs of rnn_runtime/function.h
  //===--------------------------------------------------------------------===//

  std::string getDescriptionName() { return (symbol + ".description").str(); }

  Type getStruct(ArrayRef<Type> members) { return LLVM::LLVMStructType::getLiteral(module.getContext(), members); }

  LLVM::GlobalOp buildDescription(LLVM::LLVMFuncOp entry, bool deviceMemory) {
    LLVM::GlobalOp inputArray = buildArguments(inputs, ".inputs"), outputArray = buildArguments(results, ".outputs");
    LLVM::GlobalOp name = buildString(function.getSymName(), ".name");
    Type type = getStruct({i32, i32, pointer, pointer, pointer, i64, i64, pointer});
    return buildGlobal(type, getDescriptionName(), [&] {
      return fill(type,
                  {integer(i32, RNNRT_ABI_VERSION), integer(i32, deviceMemory ? RNNRT_FUNCTION_DEVICE_MEMORY : 0),
                   address(name), address(inputArray), address(outputArray), integer(i64, inputs.size()),
                   integer(i64, results.size()), LLVM::AddressOfOp::create(builder, pointer, entry.getSymName())});
    });
  }

  /// Null for an empty list.
  LLVM::GlobalOp buildArguments(ArrayRef<EntryArgument> arguments, StringRef suffix) {
    if (arguments.empty())
      return nullptr;
    Type member = getStruct({pointer, pointer, i32, i32, i32, i32, pointer});
    auto type = LLVM::LLVMArrayType::get(member, arguments.size());
    SmallVector<LLVM::GlobalOp> names, shapes, sizes;
    for (auto [index, argument] : llvm::enumerate(arguments)) {
      std::string number = suffix.str() + "." + std::to_string(index);
      names.push_back(buildString(argument.name, number + ".name"));
      shapes.push_back(buildNumbers(argument.shape, number + ".shape"));
      sizes.push_back(buildNumbers(argument.rows, number + ".sizes"));
    }
    return buildGlobal(type, (symbol + suffix).str(), [&] {
      Value array = LLVM::UndefOp::create(builder, type);
      for (auto [index, argument] : llvm::enumerate(arguments)) {
        Value filled = fill(member, {address(names[index]), address(shapes[index]), integer(i32, argument.dtype),
                                     integer(i32, argument.rank), integer(i32, argument.kind),
                                     integer(i32, argument.flags), address(sizes[index])});
        array = LLVM::InsertValueOp::create(builder, array, filled, ArrayRef<int64_t>{static_cast<int64_t>(index)});
      }
      return array;
    });
  }

  /// An array with -1 for dynamic sizes; null for an empty one.
  LLVM::GlobalOp buildNumbers(ArrayRef<int64_t> numbers, const Twine &suffix) {
    if (numbers.empty())
      return nullptr;
    SmallVector<int64_t> values(numbers);
    std::replace(values.begin(), values.end(), ShapedType::kDynamic, int64_t(-1));
    auto value = DenseElementsAttr::get(RankedTensorType::get({static_cast<int64_t>(values.size())}, i64),
                                        ArrayRef<int64_t>(values));
    return LLVM::GlobalOp::create(builder, LLVM::LLVMArrayType::get(i64, values.size()), /*isConstant=*/true,
                                  LLVM::Linkage::Internal, (symbol + suffix).str(), value);
  }

  LLVM::GlobalOp buildString(StringRef text, const Twine &suffix) {
    std::string terminated = text.str() + '\0';
    return LLVM::GlobalOp::create(builder, LLVM::LLVMArrayType::get(builder.getI8Type(), terminated.size()),
                                  /*isConstant=*/true, LLVM::Linkage::Internal, (symbol + suffix).str(),
                                  builder.getStringAttr(terminated));
  }

  LLVM::GlobalOp buildGlobal(Type type, StringRef name, llvm::function_ref<Value()> build) {
    auto global =
        LLVM::GlobalOp::create(builder, type, /*isConstant=*/true, LLVM::Linkage::Internal, name, Attribute());
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&global.getInitializerRegion());
    LLVM::ReturnOp::create(builder, build());
    return global;
  }

  Value fill(Type type, ArrayRef<Value> members) {
    Value filled = LLVM::UndefOp::create(builder, type);
    for (auto [index, member] : llvm::enumerate(members))
      filled = LLVM::InsertValueOp::create(builder, filled, member, ArrayRef<int64_t>{static_cast<int64_t>(index)});
    return filled;
  }

  Value integer(Type type, int64_t value) {
    return LLVM::ConstantOp::create(builder, type, builder.getIntegerAttr(type, value));
  }

  Value address(LLVM::GlobalOp global) {
    return global ? LLVM::AddressOfOp::create(builder, global).getResult()
                  : LLVM::ZeroOp::create(builder, pointer).getResult();
  }

  ModuleOp module;
  func::FuncOp function;
  StringRef symbol;
  ArrayRef<EntryArgument> inputs, results;
  llvm::SmallDenseMap<Type, LLVM::LLVMFuncOp, 4> storeFunctions; ///< of each type of a result
  ImplicitLocOpBuilder builder;
  LLVMTypeConverter converter;
  Type pointer, i32, i64;
};

} // namespace

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct EmitEntries : public rnn::impl::RNNEmitEntriesPassBase<EmitEntries> {
  using RNNEmitEntriesPassBase::RNNEmitEntriesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (makeCIdentifier(prefix) != prefix && !prefix.empty()) {
      module.emitError(describeInvalidPrefix(prefix));
      return signalPassFailure();
    }
    bool failed = false;
    SymbolTableCollection tables;
    const SymbolUserMap users(tables, module);
    SmallVector<LLVM::GlobalOp> descriptions;
    llvm::StringMap<func::FuncOp> exported;
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (function.isExternal()) {
        // External functions are called with pointers to descriptors, so that they can be written in C.
        function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(), UnitAttr::get(&getContext()));
        continue;
      }
      if (!function.isPublic())
        continue;
      SmallVector<EntryArgument> inputs, results;
      std::optional<InFlightDiagnostic> reason = collect(function, users, inputs, results);
      if (reason) {
        // Without `all`, only functions of the module call such a function.
        if (all)
          reason->report();
        else
          reason->abandon();
        failed |= all;
        continue;
      }
      std::string symbol = "rnn_entry_" + (prefix.empty() ? "" : prefix + "_") + makeCIdentifier(function.getSymName());
      auto [place, isNew] = exported.try_emplace(symbol, function);
      if (!isNew || module.lookupSymbol(symbol)) {
        auto diagnostic = function.emitError("`")
                          << function.getSymName() << "` cannot be exported: the name of its entry, `" << symbol
                          << "`, is taken; rename one of the two";
        if (!isNew)
          diagnostic.attachNote(place->second.getLoc()) << "by this function";
        failed = true;
        continue;
      }
      descriptions.push_back(EntryBuilder(module, function, symbol, inputs, results).build(deviceMemory));
      // Only the entry point is called from outside. LLVM can then inline the function, and a C program can use its
      // name, such as `main`.
      function.setPrivate();
      function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(&getContext(), LLVM::Linkage::Internal));
    }
    if (failed)
      return signalPassFailure();
    buildExports(module, descriptions);
  }

private:
  /// Collects arguments and results. Returns an unreported diagnostic if the function cannot be exported.
  std::optional<InFlightDiagnostic> collect(func::FuncOp function, const SymbolUserMap &users,
                                            SmallVectorImpl<EntryArgument> &inputs,
                                            SmallVectorImpl<EntryArgument> &results) {
    // Remove the name attributes: the translation to LLVM IR rejects them.
    Builder builder(&getContext());
    auto refuse = [&](StringRef what, size_t index, Type type, StringRef reason) {
      return function.emitError("`") << function.getSymName() << "` cannot be exported: " << what << " " << index
                                     << " of type " << type << " " << reason
                                     << "; make the function private if it is not called from outside";
    };
    if (function.getNumArguments() == 0 || !isa<LLVM::LLVMPointerType>(function.getArgumentTypes().front()))
      return function.emitError("`") << function.getSymName()
                                     << "` cannot be exported: its first argument is not the runtime call; run "
                                        "rnn-thread-runtime-call and convert-rnn-runtime-to-llvm before this pass";
    for (BlockArgument value : function.getArguments().drop_front()) {
      unsigned index = value.getArgNumber();
      EntryArgument &argument = inputs.emplace_back();
      argument.type = value.getType();
      argument.name = toText(findArgumentName(function, value));
      function.removeArgAttr(index, builder.getStringAttr(kArgumentNameAttr));
      if (auto access =
              dyn_cast_or_null<StringAttr>(function.removeArgAttr(index, builder.getStringAttr(kArgumentAccessAttr))))
        argument.flags = RNNRT_ARGUMENT_WRITTEN | (access.getValue() == "write" ? RNNRT_ARGUMENT_NOT_READ : 0);
      if (std::optional<std::string> reason = classifyArgument(argument, value))
        return refuse("argument", index - 1, argument.type, *reason);
    }
    for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
      EntryArgument &argument = results.emplace_back();
      argument.type = type;
      argument.name = toText(function.removeResultAttr(index, builder.getStringAttr(kArgumentNameAttr)));
      if (std::optional<std::string> reason = classifyArgument(argument, Value()))
        return refuse("result", index, type, *reason);
    }
    SizeGroups groups(function);
    // With several blocks there may be several returns.
    auto end = dyn_cast<func::ReturnOp>(function.getBody().front().getTerminator());
    auto forEach = [&](auto &&visit) {
      for (auto [value, argument] : llvm::zip_equal(function.getArguments().drop_front(), inputs))
        visit(value, argument);
      if (end)
        for (auto [value, argument] : llvm::zip_equal(end.getOperands(), results))
          visit(value, argument);
    };
    forEach([&](Value value, EntryArgument &argument) { groups.add(value, argument.exported); });
    forEach(
        [&](Value value, EntryArgument &argument) { argument.sizes = groups.getNumbers(value, argument.exported); });
    if (!end)
      return std::nullopt;
    ResultSizes resultSizes;
    for (auto [value, argument] : llvm::zip_equal(function.getArguments().drop_front(), inputs))
      resultSizes.addArgument(value, argument.rank);
    for (auto [value, argument] : llvm::zip_equal(end.getOperands(), results))
      argument.rows = resultSizes.get(value);
    // After the analyses, which follow memref.alloc.
    if (!deviceMemory && users.useEmpty(function))
      allocateResults(function, end);
    return std::nullopt;
  }

  /// The data symbol `rnn_exports`. It is weak, so that several object files can be linked into one program, which then
  /// refers to functions by name.
  static void buildExports(ModuleOp module, ArrayRef<LLVM::GlobalOp> descriptions) {
    if (descriptions.empty() || module.lookupSymbol("rnn_exports"))
      return;
    ImplicitLocOpBuilder builder(module.getLoc(), OpBuilder::atBlockEnd(module.getBody()));
    Type pointer = LLVM::LLVMPointerType::get(module.getContext()), i32 = builder.getI32Type();
    auto build = [&](Type type, LLVM::Linkage linkage, StringRef name, auto &&fill) {
      auto global = LLVM::GlobalOp::create(builder, type, /*isConstant=*/true, linkage, name, Attribute());
      OpBuilder::InsertionGuard guard(builder);
      builder.createBlock(&global.getInitializerRegion());
      Value value = LLVM::UndefOp::create(builder, type);
      auto add = [&](int64_t index, Value member) {
        value = LLVM::InsertValueOp::create(builder, value, member, ArrayRef<int64_t>{index});
      };
      fill(add);
      LLVM::ReturnOp::create(builder, value);
      return global;
    };
    LLVM::GlobalOp list = build(LLVM::LLVMArrayType::get(pointer, descriptions.size()), LLVM::Linkage::Internal,
                                "rnn_exports.functions", [&](auto add) {
                                  for (auto [index, description] : llvm::enumerate(descriptions))
                                    add(index, LLVM::AddressOfOp::create(builder, description));
                                });
    build(LLVM::LLVMStructType::getLiteral(module.getContext(), {i32, i32, pointer}), LLVM::Linkage::Weak,
          "rnn_exports", [&](auto add) {
            add(0, LLVM::ConstantOp::create(builder, i32, builder.getI32IntegerAttr(RNNRT_ABI_VERSION)));
            add(1, LLVM::ConstantOp::create(builder, i32, builder.getI32IntegerAttr(descriptions.size())));
            add(2, LLVM::AddressOfOp::create(builder, list));
          });
  }
};
} // namespace
