//===- RuntimeToLLVM.cpp - convert rnnrt ops to calls of the runtime ---------===//
//
// The C++ compiler derives the function types from abi.def, the only definition of the signatures.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/DialectConversion.h"
#include "rnn/Conversion/Passes.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"
#include "rnn_runtime/abi.h"
#include "rnn_runtime/emulator.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_CONVERTRUNTIMETOLLVMPASS
#include "rnn/Conversion/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnnrt;

//===----------------------------------------------------------------------===//
// Function types from abi.def
//===----------------------------------------------------------------------===//

namespace {

template <typename T> struct LLVMTypeOf;
template <> struct LLVMTypeOf<void> {
  static Type get(MLIRContext *context) { return LLVM::LLVMVoidType::get(context); }
};
template <> struct LLVMTypeOf<int32_t> {
  static Type get(MLIRContext *context) { return IntegerType::get(context, 32); }
};
template <> struct LLVMTypeOf<int64_t> {
  static Type get(MLIRContext *context) { return IntegerType::get(context, 64); }
};
template <> struct LLVMTypeOf<double> {
  static Type get(MLIRContext *context) { return Float64Type::get(context); }
};
template <typename T> struct LLVMTypeOf<T *> {
  static Type get(MLIRContext *context) { return LLVM::LLVMPointerType::get(context); }
};

template <typename T> struct FunctionTypeOf;
template <typename Result, typename... Args> struct FunctionTypeOf<Result(Args...)> {
  static LLVM::LLVMFunctionType get(MLIRContext *context) {
    return LLVM::LLVMFunctionType::get(LLVMTypeOf<Result>::get(context), {LLVMTypeOf<Args>::get(context)...});
  }
};

} // namespace

LLVM::LLVMFunctionType rnn::getEntryType(StringRef entry, MLIRContext *context) {
#define RNNRT_ENTRY(result, name, parameters)                                                                          \
  if (entry == #name)                                                                                                  \
    return FunctionTypeOf<decltype(::name)>::get(context);
#include "rnn_runtime/abi.def"
#include "rnn_runtime/simt.def"
#undef RNNRT_ENTRY
  return {};
}

LLVM::CallOp rnn::callEntry(OpBuilder &builder, ModuleOp module, Location loc, StringRef name, ValueRange arguments) {
  LLVM::LLVMFunctionType type = getEntryType(name, module.getContext());
  assert(type && "every entry has a line in abi.def");
  assert(llvm::equal(type.getParams(), arguments.getTypes()) && "an entry has the arguments of its line in abi.def");
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    LLVM::LLVMFuncOp::create(builder, loc, name, type);
  }
  return LLVM::CallOp::create(builder, loc, type, name, arguments);
}

Value rnn::getMessage(OpBuilder &builder, Operation *op, StringRef message) {
  auto module = op->getParentOfType<ModuleOp>();
  std::string text = message.str() + '\0';
  StringAttr value = builder.getStringAttr(text);
  LLVM::GlobalOp global;
  unsigned count = 0;
  for (auto existing : module.getOps<LLVM::GlobalOp>()) {
    count += existing.getSymName().starts_with("rnnrt_message_");
    if (existing.getValueAttr() == value)
      global = existing;
  }
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), text.size());
    global = LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Private,
                                    "rnnrt_message_" + std::to_string(count), value);
  }
  return LLVM::AddressOfOp::create(builder, op->getLoc(), global);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// Builds one call of an entry and checks it against abi.def.
class EntryCall {
public:
  EntryCall(ConversionPatternRewriter &rewriter, Operation *op)
      : rewriter(rewriter), op(op), loc(op->getLoc()), pointer(LLVM::LLVMPointerType::get(op->getContext())) {}

  void add(Value value) { arguments.push_back(toArgument(value)); }
  void addNull() { arguments.push_back(LLVM::ZeroOp::create(rewriter, loc, pointer)); }
  void addConstant(TypedAttr attribute) {
    arguments.push_back(LLVM::ConstantOp::create(rewriter, loc, attribute.getType(), attribute));
  }

  /// Converts a value to an argument: an index to i64, a memref to the pointer to its first element. Other values are
  /// passed unchanged.
  Value toArgument(Value value) {
    if (isa<IndexType>(value.getType()))
      return arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), value);
    if (!isa<MemRefType>(value.getType()))
      return value;
    // A contiguous buffer can be a view with an offset.
    auto metadata = memref::ExtractStridedMetadataOp::create(rewriter, loc, value);
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(rewriter, loc, value);
    Type element = cast<MemRefType>(value.getType()).getElementType();
    Value integer = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), base);
    Value address = LLVM::IntToPtrOp::create(rewriter, loc, pointer, integer);
    Value offset = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), metadata.getOffset());
    return LLVM::GEPOp::create(rewriter, loc, pointer, element, address, ArrayRef<LLVM::GEPArg>{offset});
  }

  /// A pointer to an array on the stack of the function that holds `values`.
  Value toArray(ArrayRef<Value> values, Type element) {
    OpBuilder::InsertionGuard guard(rewriter);
    Value count, array;
    {
      OpBuilder::InsertionGuard inner(rewriter);
      // An alloca inside a loop would grow the stack, so it is in the entry block.
      rewriter.setInsertionPointToStart(&op->getParentOfType<func::FuncOp>().getBody().front());
      count = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(),
                                       rewriter.getI64IntegerAttr(std::max<size_t>(values.size(), 1)));
      array = LLVM::AllocaOp::create(rewriter, loc, pointer, element, count);
    }
    for (auto [index, value] : llvm::enumerate(values)) {
      Value place = LLVM::GEPOp::create(rewriter, loc, pointer, element, array,
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
      LLVM::StoreOp::create(rewriter, loc, value, place);
    }
    return array;
  }

  void addRaw(Value value) { arguments.push_back(value); }

  /// Emits the call. Returns its result, or null.
  Value create(StringRef entry) {
    LLVM::CallOp call = rnn::callEntry(rewriter, op->getParentOfType<ModuleOp>(), loc, entry, arguments);
    return call.getNumResults() == 0 ? Value() : call.getResult();
  }

  /// Emits the call and replaces the op by its result.
  LogicalResult finish(StringRef entry) {
    Value result = create(entry);
    if (op->getNumResults() == 0) {
      rewriter.eraseOp(op);
      return success();
    }
    if (isa<IndexType>(op->getResult(0).getType()))
      result = arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }

  MLIRContext *getContext() { return op->getContext(); }
  Location getLoc() { return loc; }
  Type getPointerType() { return pointer; }

private:
  ConversionPatternRewriter &rewriter;
  Operation *op;
  Location loc;
  Type pointer;
  SmallVector<Value> arguments;
};

/// An op that becomes one call, with the call handle, the scalars and the operands as arguments.
struct EntryPattern : public OpInterfaceConversionPattern<EntryOpInterface> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult matchAndRewrite(EntryOpInterface op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    EntryCall call(rewriter, op);
    unsigned next = 0;
    for (unsigned index = 0, end = op.getNumArguments(); index < end; ++index) {
      if (op.getArgument(index).empty())
        call.addNull();
      else
        call.add(operands[next++]);
      if (index == 0)
        for (TypedAttr scalar : op.getScalarArguments())
          call.addConstant(scalar);
    }
    if (auto check = dyn_cast<ExpectEqualOp>(op.getOperation()))
      call.addRaw(rnn::getMessage(rewriter, check, check.getMessage()));
    if (auto check = dyn_cast<ExpectRangeOp>(op.getOperation()))
      call.addRaw(rnn::getMessage(rewriter, check, check.getMessage()));
    return call.finish(op.getEntryName());
  }
};

/// Packing and unpacking pass an array of pointers and an array of sizes, weights first.
template <typename OpTy> struct ParamsPattern : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    EntryCall call(rewriter, op);
    Location loc = op.getLoc();
    SmallVector<Value> pointers, sizes;
    for (ValueRange list : {adaptor.getWeights(), adaptor.getBiases()}) {
      for (Value buffer : list) {
        pointers.push_back(call.toArgument(buffer));
        Value elements = arith::ConstantIndexOp::create(rewriter, loc, 1);
        for (int64_t dim = 0, rank = cast<MemRefType>(buffer.getType()).getRank(); dim < rank; ++dim)
          elements = arith::MulIOp::create(rewriter, loc, elements, memref::DimOp::create(rewriter, loc, buffer, dim));
        sizes.push_back(call.toArgument(elements));
      }
    }
    call.add(adaptor.getCall());
    call.add(adaptor.getPlan());
    call.addConstant(rewriter.getI64IntegerAttr(adaptor.getWeights().size()));
    call.addConstant(rewriter.getI64IntegerAttr(adaptor.getBiases().size()));
    call.addRaw(call.toArray(pointers, call.getPointerType()));
    call.addRaw(call.toArray(sizes, rewriter.getI64Type()));
    call.add(adaptor.getParams());
    call.add(memref::DimOp::create(rewriter, loc, adaptor.getParams(), 0));
    return call.finish(isa<RnnPackParamsOp>(op.getOperation()) ? "rnnrt_abi_rnn_pack_params"
                                                               : "rnnrt_abi_rnn_unpack_params");
  }
};

struct AllocPattern : public OpConversionPattern<AllocOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AllocOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Value buffer = rnn::buildBuffer(rewriter, op.getLoc(), op.getType(), adaptor.getDynamicSizes(), [&](Value bytes) {
      EntryCall call(rewriter, op);
      call.add(adaptor.getCall());
      call.addRaw(bytes);
      return call.create("rnnrt_abi_alloc");
    });
    rewriter.replaceOp(op, buffer);
    return success();
  }
};

struct ConvertRuntimeToLLVM : public rnn::impl::ConvertRuntimeToLLVMPassBase<ConvertRuntimeToLLVM> {
  void runOnOperation() override {
    MLIRContext &context = getContext();
    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    converter.addConversion([&](CallType) -> Type { return LLVM::LLVMPointerType::get(&context); });
    converter.addConversion([&](PlanType) -> Type { return LLVM::LLVMPointerType::get(&context); });
    RewritePatternSet patterns(&context);
    patterns.add<EntryPattern, AllocPattern, ParamsPattern<RnnPackParamsOp>, ParamsPattern<RnnUnpackParamsOp>>(
        converter, &context);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, converter);
    populateCallOpTypeConversionPattern(patterns, converter);
    ConversionTarget target(context);
    target.addIllegalDialect<RNNRTDialect>();
    target.addDynamicallyLegalOp<func::FuncOp>(
        [&](func::FuncOp function) { return converter.isSignatureLegal(function.getFunctionType()); });
    target.addDynamicallyLegalOp<func::CallOp>([&](func::CallOp call) { return converter.isLegal(call); });
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
