//===- Checks.cpp - access checks, yields and poison -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::rnn::simt;

namespace {

/// One memory access.
struct Access {
  Value pointer;
  Type type;
  bool write = false, atomic = false, acquire = false, release = false, update = false;
};

} // namespace

static bool isAcquire(LLVM::AtomicOrdering ordering) {
  return ordering == LLVM::AtomicOrdering::acquire || ordering == LLVM::AtomicOrdering::acq_rel ||
         ordering == LLVM::AtomicOrdering::seq_cst;
}

static bool isRelease(LLVM::AtomicOrdering ordering) {
  return ordering == LLVM::AtomicOrdering::release || ordering == LLVM::AtomicOrdering::acq_rel ||
         ordering == LLVM::AtomicOrdering::seq_cst;
}

static std::optional<Access> getAccess(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Access>>(op)
      .Case([](LLVM::LoadOp load) {
        Access access{load.getAddr(), load.getRes().getType()};
        access.atomic = load.getOrdering() != LLVM::AtomicOrdering::not_atomic || load.getVolatile_();
        access.acquire = isAcquire(load.getOrdering());
        return access;
      })
      .Case([](LLVM::StoreOp store) {
        Access access{store.getAddr(), store.getValue().getType()};
        access.write = true;
        access.atomic = store.getOrdering() != LLVM::AtomicOrdering::not_atomic || store.getVolatile_();
        access.release = isRelease(store.getOrdering());
        return access;
      })
      .Case([](LLVM::AtomicRMWOp atomic) {
        // LLVM 22 lowers every atomicrmw to a relaxed PTX instruction and drops the ordering, so none is relied on.
        Access access{atomic.getPtr(), atomic.getVal().getType()};
        access.write = access.atomic = access.update = true;
        return access;
      })
      .Case([](LLVM::AtomicCmpXchgOp atomic) {
        Access access{atomic.getPtr(), atomic.getVal().getType()};
        access.write = access.atomic = access.update = true;
        access.acquire = isAcquire(atomic.getSuccessOrdering());
        access.release = isRelease(atomic.getSuccessOrdering());
        return access;
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// Private memory needs no check: its address does not leave the thread in a correct program.
static bool isPrivate(Value pointer) {
  while (auto *op = pointer.getDefiningOp()) {
    if (isa<LLVM::AllocaOp>(op))
      return true;
    if (!isa<LLVM::GEPOp, LLVM::BitcastOp, LLVM::AddrSpaceCastOp>(op))
      return false;
    pointer = op->getOperand(0);
  }
  return false;
}

void rnn::simt::addAccessChecks(LLVM::LLVMFuncOp function, EntryBuilder &entries) {
  DataLayout layout(entries.getModule());
  function.walk([&](Operation *op) {
    std::optional<Access> access = getAccess(op);
    if (!access || isPrivate(access->pointer))
      return;
    OpBuilder builder(op);
    Location loc = op->getLoc();
    unsigned space = cast<LLVM::LLVMPointerType>(access->pointer.getType()).getAddressSpace();
    bool shared = space == 3, cluster = space == 7;
    // The bits of rnnrt_abi_simt_access.
    int64_t kind = access->write | access->atomic << 1 | access->acquire << 2 | access->release << 3 | shared << 4 |
                   access->update << 5 | cluster << 6;
    entries.call(builder, loc, "rnnrt_abi_simt_access",
                 {entries.flatten(builder, loc, access->pointer),
                  entries.constant64(builder, loc, layout.getTypeSize(access->type)),
                  entries.constant32(builder, loc, kind), entries.site(builder, op)});
  });
}

void rnn::simt::addYields(LLVM::LLVMFuncOp function, EntryBuilder &entries) {
  function.walk([&](Operation *op) {
    std::optional<Access> access = getAccess(op);
    if (!access || !access->atomic || op->getNumResults() == 0 || op->use_empty())
      return;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    entries.call(builder, op->getLoc(), "rnnrt_abi_simt_yield", {entries.site(builder, op)});
  });
}

//===----------------------------------------------------------------------===//
// Poison
//===----------------------------------------------------------------------===//

/// The value that replaces an undefined one: NaN for floats, all ones for integers. Null for types that need none.
static Value makePoison(OpBuilder &builder, Location loc, Type type, EntryBuilder &entries) {
  auto constant = [&](Attribute value) { return LLVM::ConstantOp::create(builder, loc, type, cast<TypedAttr>(value)); };
  if (auto floating = dyn_cast<FloatType>(type))
    return constant(builder.getFloatAttr(type, APFloat::getNaN(floating.getFloatSemantics())));
  if (auto vector = dyn_cast<VectorType>(type)) {
    auto floating = dyn_cast<FloatType>(vector.getElementType());
    if (!floating || vector.isScalable())
      return {};
    return constant(DenseElementsAttr::get(vector, APFloat::getNaN(floating.getFloatSemantics())));
  }
  auto fill = [&](ArrayRef<Type> elements) -> Value {
    Value aggregate = LLVM::UndefOp::create(builder, loc, type);
    for (auto [index, element] : llvm::enumerate(elements))
      if (Value poison = makePoison(builder, loc, element, entries))
        aggregate = LLVM::InsertValueOp::create(builder, loc, aggregate, poison,
                                                ArrayRef<int64_t>{static_cast<int64_t>(index)});
    return aggregate;
  };
  if (auto structure = dyn_cast<LLVM::LLVMStructType>(type))
    return fill(structure.getBody());
  return {};
}

void rnn::simt::poisonUndefined(LLVM::LLVMFuncOp function, EntryBuilder &entries) {
  SmallVector<Operation *> undefined;
  SmallVector<LLVM::AllocaOp> allocas;
  function.walk([&](Operation *op) {
    if (isa<LLVM::UndefOp, LLVM::PoisonOp>(op))
      undefined.push_back(op);
    else if (auto alloca = dyn_cast<LLVM::AllocaOp>(op))
      allocas.push_back(alloca);
  });
  for (Operation *op : undefined) {
    OpBuilder builder(op);
    Value poison = makePoison(builder, op->getLoc(), op->getResult(0).getType(), entries);
    if (!poison)
      continue;
    op->getResult(0).replaceAllUsesWith(poison);
    op->erase();
  }
  DataLayout layout(entries.getModule());
  for (LLVM::AllocaOp alloca : allocas) {
    OpBuilder builder(entries.getContext());
    builder.setInsertionPointAfter(alloca);
    Location loc = alloca.getLoc();
    Value ones = LLVM::ConstantOp::create(builder, loc, entries.i8, builder.getI8IntegerAttr(-1));
    Value size = alloca.getArraySize();
    if (size.getType() != entries.i64)
      size = LLVM::ZExtOp::create(builder, loc, entries.i64, size);
    Value bytes = LLVM::MulOp::create(builder, loc, size,
                                      entries.constant64(builder, loc, layout.getTypeSize(alloca.getElemType())));
    LLVM::MemsetOp::create(builder, loc, alloca, ones, bytes, /*isVolatile=*/false);
  }
}
