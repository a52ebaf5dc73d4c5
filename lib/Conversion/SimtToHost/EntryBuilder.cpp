//===- EntryBuilder.cpp - calls of the runtime, and names of places ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../RuntimeToLLVM/Internal.h"
#include "Internal.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::simt;

EntryBuilder::EntryBuilder(ModuleOp module) : module(module) {
  MLIRContext *context = module.getContext();
  i1 = IntegerType::get(context, 1);
  i8 = IntegerType::get(context, 8);
  i32 = IntegerType::get(context, 32);
  i64 = IntegerType::get(context, 64);
  f32 = Float32Type::get(context);
  pointer = LLVM::LLVMPointerType::get(context);
}

Value EntryBuilder::call(OpBuilder &builder, Location loc, StringRef entry, ValueRange arguments, bool pure) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(entry);
  if (!function) {
    LLVM::LLVMFunctionType type = getEntryType(entry, getContext());
    assert(type && "every entry has a line in simt.def");
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    function = LLVM::LLVMFuncOp::create(top, module.getLoc(), entry, type);
    function.setNoUnwind(true);
    if (pure) {
      SmallVector<LLVM::ModRefInfo> none(6, LLVM::ModRefInfo::NoModRef);
      function.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(getContext(), none));
      function.setWillReturn(true);
    }
  }
  assert(llvm::equal(function.getFunctionType().getParams(), arguments.getTypes()) &&
         "arguments are those of the line in simt.def");
  auto call = LLVM::CallOp::create(builder, loc, function, arguments);
  return call.getNumResults() == 0 ? Value() : call.getResult();
}

Value EntryBuilder::constant32(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, i32, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value EntryBuilder::constant64(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(value));
}

Value EntryBuilder::null(OpBuilder &builder, Location loc) {
  return LLVM::ZeroOp::create(builder, loc, pointer);
}

LLVM::GlobalOp EntryBuilder::makeString(StringRef text) {
  std::string terminated = text.str() + '\0';
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  // Not unnamed_addr: LLVM must not merge equal strings, since their addresses identify ops.
  return LLVM::GlobalOp::create(builder, module.getLoc(), LLVM::LLVMArrayType::get(i8, terminated.size()),
                                /*isConstant=*/true, LLVM::Linkage::Internal, uniqueName("rnnrt_simt_site"),
                                builder.getStringAttr(terminated));
}

Value EntryBuilder::string(OpBuilder &builder, Location loc, StringRef text) {
  LLVM::GlobalOp &global = strings[text];
  if (!global)
    global = makeString(text);
  return LLVM::AddressOfOp::create(builder, loc, global);
}

Value EntryBuilder::site(OpBuilder &builder, Operation *op, bool unique) {
  std::string text = describeLocation(op->getLoc());
  if (!unique)
    return string(builder, op->getLoc(), text);
  return LLVM::AddressOfOp::create(builder, op->getLoc(), makeString(text));
}

Value EntryBuilder::slot(Operation *at, Type type) {
  auto function = at->getParentOfType<LLVM::LLVMFuncOp>();
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  return LLVM::AllocaOp::create(builder, at->getLoc(), pointer, type, constant64(builder, at->getLoc(), 1),
                                /*alignment=*/16);
}

Value EntryBuilder::pack(Operation *at, ValueRange values) {
  SmallVector<Type> types(values.getTypes());
  auto type = LLVM::LLVMStructType::getLiteral(getContext(), types);
  Value place = slot(at, type);
  OpBuilder builder(at);
  for (auto [index, value] : llvm::enumerate(values)) {
    Value element = LLVM::GEPOp::create(builder, at->getLoc(), pointer, type, place,
                                        ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(index)});
    LLVM::StoreOp::create(builder, at->getLoc(), value, element);
  }
  return place;
}

Value EntryBuilder::flatten(OpBuilder &builder, Location loc, Value value) {
  if (value.getType() == pointer)
    return value;
  return LLVM::AddrSpaceCastOp::create(builder, loc, pointer, value);
}

std::string EntryBuilder::uniqueName(StringRef requested) {
  std::string name = requested.str();
  while (module.lookupSymbol(name))
    name = (requested + "_" + Twine(count++)).str();
  return name;
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

static void print(Location loc, std::string &text) {
  if (auto file = dyn_cast<FileLineColRange>(loc)) {
    text +=
        (file.getFilename().getValue() + ":" + Twine(file.getStartLine()) + ":" + Twine(file.getStartColumn())).str();
    return;
  }
  if (auto name = dyn_cast<NameLoc>(loc)) {
    text += "`" + name.getName().getValue().str() + "`";
    if (!isa<UnknownLoc>(name.getChildLoc())) {
      text += " at ";
      print(name.getChildLoc(), text);
    }
    return;
  }
  if (auto site = dyn_cast<CallSiteLoc>(loc)) {
    print(site.getCallee(), text);
    text += ", called from ";
    return print(site.getCaller(), text);
  }
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (auto [index, part] : llvm::enumerate(fused.getLocations())) {
      text += index ? " and " : "";
      print(part, text);
    }
    return;
  }
  text += "an unknown place";
}

std::string simt::describeLocation(Location loc) {
  std::string text;
  print(loc, text);
  return text;
}
