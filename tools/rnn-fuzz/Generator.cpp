//===- Generator.cpp - random valid modules -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "Layers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir::rnn;
using namespace mlir::rnn::fuzz;

namespace {

class Generator {
public:
  Generator(uint64_t seed, llvm::StringRef elementType) : random(seed) { module.elementType = elementType.str(); }

  GeneratedModule run() {
    for (int64_t units = random.oneIn(4) ? 2 : 1; units > 0; --units)
      addUnit();
    std::vector<std::string> parameters;
    for (const Value &argument : arguments)
      parameters.push_back(argument.name + ": " + argument.getType());
    std::string types = Writer::types(returned);
    module.text = "// " + module.description + "\n" + functions + "func.func @main(" + llvm::join(parameters, ", ") +
                  ") -> (" + types + ") {\n" + main.lines + "  return " + Writer::names(returned) + " : " + types +
                  "\n}\n";
    return std::move(module);
  }

private:
  enum class Place { Plain, Call, Loop, Branch };

  Value addArgument(const LayerOperand &operand) {
    ModuleArgument argument;
    argument.isFloat = operand.scalar.empty() && operand.type.element == module.elementType;
    argument.elementType = operand.scalar.empty() ? operand.type.element : operand.scalar;
    argument.shape = operand.type.shape;
    argument.low = operand.low, argument.high = operand.high;
    argument.integers = operand.integers;
    module.arguments.push_back(argument);
    Value value{"%a" + std::to_string(arguments.size()), operand.type, operand.scalar};
    // The argument may have more or fewer dynamic dimensions than the operand; the sizes agree.
    bool isCast = operand.scalar.empty() && !operand.type.shape.empty() && random.percent(10);
    if (isCast)
      for (auto &&dynamic : value.type.isDynamic)
        dynamic = !dynamic;
    arguments.push_back(value);
    if (!isCast)
      return value;
    Value cast{main.name(), operand.type};
    main.line(cast.name + " = tensor.cast " + value.name + " : " + value.getType() + " to " + cast.getType());
    return cast;
  }

  Value addFlag(llvm::StringRef type, int64_t value) { return addArgument({"flag", {}, type.str(), 0, 0, {value}}); }

  /// A function with the ops of the layer.
  std::pair<std::string, Values> addFunction(const Layer &layer) {
    Writer writer;
    Values parameters;
    std::vector<std::string> texts;
    for (auto [index, operand] : llvm::enumerate(layer.getOperands())) {
      parameters.push_back({"%a" + std::to_string(index), operand.type, operand.scalar});
      texts.push_back(parameters.back().name + ": " + parameters.back().getType());
    }
    Values results;
    for (LayerResult &result : layer.write(writer, parameters, false))
      results.push_back(result.value);
    std::string name = "@layer" + std::to_string(functionCount++), types = Writer::types(results);
    functions += "func.func private " + name + "(" + llvm::join(texts, ", ") + ") -> (" + types + ") {\n" +
                 writer.lines + "  return " + Writer::names(results) + " : " + types + "\n}\n\n";
    return {name, results};
  }

  std::vector<LayerResult> call(const std::string &callee, const Layer &layer, const Values &operands,
                                const Values &results) {
    Writer unused;
    std::vector<LayerResult> named = layer.write(unused, operands, false);
    Values values = results;
    for (Value &value : values)
      value.name = main.name();
    std::string types = Writer::types(values);
    main.line(Writer::names(values) + " = call " + callee + "(" + Writer::names(operands) + ") : (" +
              Writer::types(operands) + ") -> (" + types + ")");
    for (auto [result, value] : llvm::zip(named, values))
      result.value = value;
    return named;
  }

  static Value *find(const Layer &layer, Values &operands, llvm::StringRef name) {
    for (auto [operand, value] : llvm::zip(layer.getOperands(), operands))
      if (operand.name == name)
        return &value;
    return nullptr;
  }

  std::vector<LayerResult> writeCall(const Layer &layer, Values operands, int64_t &calls) {
    auto [name, results] = addFunction(layer);
    std::vector<LayerResult> all = call(name, layer, operands, results);
    if (random.oneIn(2))
      return all;
    // A second call continues from the results of the first.
    for (auto [from, to] : layer.getCarried())
      for (const LayerResult &result : all)
        if (result.name == to)
          *find(layer, operands, from) = result.value;
    calls = 2;
    for (LayerResult &result : call(name, layer, operands, results))
      all.push_back(result);
    return all;
  }

  std::vector<LayerResult> writeLoop(const Layer &layer, Values operands, int64_t &calls) {
    calls = random.between(0, 3);
    Value bound = random.oneIn(2) ? Value{main.constant(calls), {}, "index"} : addFlag("index", calls);
    std::string zero = main.constant(0), one = main.constant(1);
    auto carried = layer.getCarried();
    Values initial, inner, results;
    std::vector<std::string> texts;
    for (auto [index, pair] : llvm::enumerate(carried)) {
      Value *operand = find(layer, operands, pair.first);
      initial.push_back(*operand);
      inner.push_back({main.name(), operand->type});
      results.push_back({main.name(), operand->type});
      texts.push_back(inner.back().name + " = " + operand->name);
      *operand = inner.back();
    }
    std::string types = Writer::types(results);
    const bool isWhile = random.oneIn(2);
    Value index{main.name(), {}, "index"};
    if (isWhile) {
      openWhile(initial, inner, results, index, zero, bound.name);
    } else {
      main.open(Writer::names(results) + " = scf.for " + index.name + " = " + zero + " to " + bound.name + " step " +
                one + " iter_args(" + llvm::join(texts, ", ") + ") -> (" + types + ") {");
    }
    std::vector<LayerResult> body = layer.write(main, operands, false);
    Values yielded;
    std::vector<LayerResult> named;
    for (auto [pair, result] : llvm::zip(carried, results))
      for (const LayerResult &value : body)
        if (value.name == pair.second) {
          yielded.push_back(value.value);
          named.push_back({result, value.name, value.comparison});
        }
    if (isWhile) {
      Value next{main.name(), {}, "index"};
      main.line(next.name + " = arith.addi " + index.name + ", " + one + " : index");
      yielded.insert(yielded.begin(), next);
    }
    main.line("scf.yield " + Writer::names(yielded) + " : " + Writer::types(yielded));
    main.close();
    return named;
  }

  /// Opens `scf.while`, which counts from `zero` to `bound` and carries values, up to the arguments of its second
  /// region.
  void openWhile(const Values &initial, const Values &inner, const Values &results, const Value &index,
                 const std::string &zero, const std::string &bound) {
    Values tested = {{main.name(), {}, "index"}}, all = {{main.name(), {}, "index"}};
    std::vector<std::string> texts = {tested.front().name + " = " + zero}, parameters = {index.name + ": index"};
    for (auto [from, to] : llvm::zip(initial, inner)) {
      tested.push_back({main.name(), from.type});
      texts.push_back(tested.back().name + " = " + from.name);
      parameters.push_back(to.name + ": " + to.getType());
    }
    all.insert(all.end(), results.begin(), results.end());
    const std::string types = Writer::types(all), condition = main.name();
    main.open(Writer::names(all) + " = scf.while (" + llvm::join(texts, ", ") + ") : (" + types + ") -> (" + types +
              ") {");
    main.line(condition + " = arith.cmpi slt, " + tested.front().name + ", " + bound + " : index");
    main.line("scf.condition(" + condition + ") " + Writer::names(tested) + " : " + types);
    main.next("} do {");
    main.line("^bb0(" + llvm::join(parameters, ", ") + "):");
  }

  std::vector<LayerResult> writeBranch(const Layer &layer, const Values &operands) {
    Value condition = addFlag("i1", random.between(0, 1));
    Writer unused;
    std::vector<LayerResult> named = layer.write(unused, operands, false);
    Values results;
    for (LayerResult &result : named) {
      result.value.name = main.name();
      results.push_back(result.value);
    }
    main.open(Writer::names(results) + " = scf.if " + condition.name + " -> (" + Writer::types(results) + ") {");
    for (bool variant : {false, true}) {
      Values yielded;
      for (LayerResult &result : layer.write(main, operands, variant))
        yielded.push_back(result.value);
      main.line("scf.yield " + Writer::names(yielded) + " : " + Writer::types(yielded));
      if (!variant)
        main.next("} else {");
    }
    main.close();
    return named;
  }

  /// Elementwise arithmetic on a tensor, which does not amplify errors by more than 2.
  Value addAround(const Value &value) {
    Value result{main.name(), value.type};
    switch (random.between(0, 2)) {
    case 0:
      main.line(result.name + " = math.tanh " + value.name + " : " + value.getType());
      break;
    case 1:
      main.line(result.name + " = arith.addf " + value.name + ", " + value.name + " : " + value.getType());
      break;
    default:
      main.line(result.name + " = arith.negf " + value.name + " : " + value.getType());
    }
    return result;
  }

  void addUnit() {
    unsigned draw = random.next() % 100;
    std::unique_ptr<Layer> layer = draw < 48   ? makeStack(random, module.elementType)
                                   : draw < 92 ? makeBlock(random, module.elementType)
                                               : makeSizes(random, module.elementType);
    Place place = random.pick<Place>({Place::Plain, Place::Plain, Place::Call, Place::Loop, Place::Branch});
    if (place == Place::Loop && layer->getCarried().empty())
      place = Place::Call;
    Values operands;
    for (const LayerOperand &operand : layer->getOperands())
      operands.push_back(addArgument(operand));
    bool isAround = random.oneIn(3);
    if (isAround && operands.front().scalar.empty())
      operands.front() = addAround(operands.front());
    int64_t calls = 1;
    std::vector<LayerResult> results = place == Place::Call     ? writeCall(*layer, operands, calls)
                                       : place == Place::Loop   ? writeLoop(*layer, operands, calls)
                                       : place == Place::Branch ? writeBranch(*layer, operands)
                                                                : layer->write(main, operands, false);
    layer->addErrors(module, calls);
    module.description += (module.description.empty() ? "" : "; ") + layer->describe();
    module.description += place == Place::Call     ? ", called"
                          : place == Place::Loop   ? ", in a loop of " + std::to_string(calls)
                          : place == Place::Branch ? ", in branches"
                                                   : "";
    // Results without uses are not computed: return all, or some.
    bool returnsAll = random.oneIn(2);
    size_t sure = random.next() % results.size();
    for (auto [index, result] : llvm::enumerate(results)) {
      if (!returnsAll && index != sure && random.oneIn(2))
        continue;
      Value value = result.value;
      if (isAround && value.scalar.empty() && random.oneIn(3))
        value = addAround(value);
      returned.push_back(value);
      module.results.push_back({result.name, result.comparison});
    }
    if (isAround)
      module.gain *= 2;
  }

  Random random;
  GeneratedModule module;
  Writer main;
  std::string functions;
  unsigned functionCount = 0;
  Values arguments, returned;
};

} // namespace

GeneratedModule mlir::rnn::fuzz::generateModule(uint64_t seed, llvm::StringRef elementType) {
  return Generator(seed, elementType).run();
}

llvm::Expected<std::vector<HostTensor>> GeneratedModule::makeArguments(uint64_t seed, ElementKind kind) const {
  Random random(seed);
  std::vector<HostTensor> tensors;
  for (const ModuleArgument &argument : arguments) {
    auto own = symbolizeElementKind(argument.elementType);
    auto rounded = HostTensor::allocate(*own, argument.shape);
    if (!rounded)
      return rounded.takeError();
    for (int64_t index = 0, count = rounded->getNumElements(); index < count; ++index)
      if (argument.isFloat)
        rounded->setFromDouble(index, argument.low + (random.uniform() + 1) / 2 * (argument.high - argument.low));
      else
        rounded->setFromInteger(index, argument.integers[index]);
    if (!argument.isFloat || kind == *own) {
      tensors.push_back(*rounded);
      continue;
    }
    auto wide = HostTensor::allocate(kind, argument.shape);
    if (!wide)
      return wide.takeError();
    for (int64_t index = 0, count = wide->getNumElements(); index < count; ++index)
      wide->setFromDouble(index, rounded->getAsDouble(index));
    tensors.push_back(*wide);
  }
  return tensors;
}

double GeneratedModule::getTolerance(Comparison comparison, double magnitude) const {
  // Unit roundoff of the element type and of the compute type.
  const double storage = elementType == "f16"    ? 0x1p-11
                         : elementType == "bf16" ? 0x1p-8
                         : elementType == "f32"  ? 0x1p-24
                                                 : 0x1p-53;
  const double compute = elementType == "f64" ? 0x1p-53 : 0x1p-24;
  // Rounding errors are independent, so that sums of n of them grow with sqrt(n); 4 standard deviations. A state that
  // is rounded to the element type is multiplied by a row of weights, whose 2-norm is 1/2. Sums of `depth` products and
  // 16 elementary operations are in the compute type.
  const double step = 0.5 * storage + (std::sqrt(static_cast<double>(depth)) + 16) * compute;
  // The saved values and the result are rounded once more.
  double error = gain * (4 * std::sqrt(static_cast<double>(chain)) * step + 4 * storage);
  if (comparison == Comparison::Summed)
    error *= std::sqrt(static_cast<double>(std::max<int64_t>(rows, 1)));
  return error * std::max(1.0, magnitude);
}
