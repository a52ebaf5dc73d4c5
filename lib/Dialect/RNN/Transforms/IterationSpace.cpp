//===- IterationSpace.cpp - the batch as a loop over a layer -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IterationSpace.h"

using namespace mlir;
using namespace mlir::rnn;

namespace {
class IterationSpaceBuilder {
public:
  explicit IterationSpaceBuilder(LayerOpInterface op) : op(op), rules(getShapeRules(op)) { loops.names.push_back("B"); }

  IterationSpace build() {
    const OpSignature &signature = op.getSignature();
    for (auto [index, entry] : llvm::enumerate(signature.operands))
      for (Value value : op.getOperandsOf(index))
        add(entry, value.getType(),
            findRule(rules.getOperandRules(),
                     [name = entry.name](const ShapeRules::Rule &rule) { return rule.value && rule.name == name; }));
    for (auto [index, entry] : llvm::enumerate(signature.results))
      for (Value value : op.getResultsOf(index))
        add(entry, value.getType(),
            findRule(rules.getResultRules(), [position = static_cast<int>(index)](const ShapeRules::Rule &rule) {
              return rule.resultIndex == position;
            }));
    for (ArrayRef<unsigned> dims : dimsOfValues) {
      SmallVector<AffineExpr> exprs;
      for (unsigned loop : dims)
        exprs.push_back(getAffineDimExpr(loop, op->getContext()));
      loops.maps.push_back(AffineMap::get(loops.names.size(), 0, exprs, op->getContext()));
    }
    return std::move(loops);
  }

private:
  template <typename Predicate>
  static ArrayRef<AffineExpr> findRule(ArrayRef<ShapeRules::Rule> rules, Predicate matches) {
    const ShapeRules::Rule *rule = llvm::find_if(rules, matches);
    return rule == rules.end() ? ArrayRef<AffineExpr>() : ArrayRef<AffineExpr>(rule->dims);
  }

  /// Adds an operand or result. A scalar has no dimensions.
  void add(const NamedValue &entry, Type type, ArrayRef<AffineExpr> exprs) {
    SmallVector<unsigned> dims;
    auto tensor = dyn_cast<RankedTensorType>(type);
    for (int64_t dim = 0, rank = tensor ? tensor.getRank() : 0; dim < rank; ++dim) {
      AffineExpr expr = dim < static_cast<int64_t>(exprs.size()) ? exprs[dim] : AffineExpr();
      // The reserve space of some rows is that of an op with these rows.
      if (entry.kind == ValueKind::Reserve)
        dims.push_back(IterationSpace::batch);
      else if (expr)
        dims.push_back(loopOf(rules.toString(expr)));
      else
        dims.push_back(addLoop("dim " + std::to_string(dim) + " of `" + entry.name.str() + "`"));
    }
    loops.values.push_back(entry.name);
    dimsOfValues.push_back(std::move(dims));
  }

  unsigned loopOf(std::string name) {
    auto *position = llvm::find(loops.names, name);
    return position != loops.names.end() ? position - loops.names.begin() : addLoop(std::move(name));
  }

  unsigned addLoop(std::string name) {
    loops.names.push_back(std::move(name));
    return loops.names.size() - 1;
  }

  LayerOpInterface op;
  ShapeRules rules;
  IterationSpace loops;
  SmallVector<SmallVector<unsigned>> dimsOfValues;
};
} // namespace

IterationSpace rnn::getIterationSpace(LayerOpInterface op) {
  return IterationSpaceBuilder(op).build();
}
