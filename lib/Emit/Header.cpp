//===- Header.cpp - the C header of a compiled module -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinTypes.h"
#include "rnn/Emit/Object.h"
#include "rnn_runtime/abi.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::rnn;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Reserved names: keywords of C and C++, types of the headers that are included, macros of GCC, and the names that the
/// generated functions use.
static bool isTaken(llvm::StringRef name) {
  static constexpr llvm::StringLiteral names =
      "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t "
      "char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr "
      "constinit continue decltype default delete do double dynamic_cast else enum explicit export extern "
      "false float for friend goto if inline int int16_t int32_t int64_t int8_t linux long mutable "
      "namespace new noexcept not not_eq nullptr operator or or_eq private protected public register "
      "reinterpret_cast requires restrict return short signed size_t sizeof static static_assert "
      "static_cast struct switch template this thread_local throw true try typedef typeid typename typeof "
      "uint16_t uint32_t uint64_t uint8_t union unix unsigned using virtual void volatile wchar_t while xor "
      "xor_eq call inputs outputs scalars values NULL";
  static const llvm::StringSet<> words = [] {
    llvm::SmallVector<llvm::StringRef> list;
    names.split(list, ' ');
    llvm::StringSet<> set;
    for (llvm::StringRef name : list)
      set.insert(name);
    return set;
  }();
  return words.contains(name) || name.starts_with("rnnrt_") || name.starts_with("_");
}

/// A C name for each argument and result of a function: its own name as an identifier, or `arg0`, `result0`.
static llvm::SmallVector<std::string> nameArguments(const ExportedFunction &function) {
  llvm::SmallVector<std::string> names;
  llvm::StringSet<> used;
  auto add = [&](llvm::ArrayRef<ExportedArgument> arguments, llvm::StringRef what) {
    for (auto [index, argument] : llvm::enumerate(arguments)) {
      std::string name = argument.name.empty() ? what.str() + std::to_string(index) : makeCIdentifier(argument.name);
      if (isTaken(name))
        name = what.str() + "_" + llvm::StringRef(name).ltrim('_').str();
      while (!used.insert(name).second)
        name += "_";
      names.push_back(name);
    }
  };
  add(function.inputs, "arg");
  add(function.results, "result");
  return names;
}

/// The C type of a scalar. C has no portable half-precision type, so the bits are passed.
static llvm::StringRef getCType(Type type) {
  switch (*getRuntimeDType(type)) {
  case RNNRT_DTYPE_F16:
  case RNNRT_DTYPE_BF16:
    return "uint16_t";
  case RNNRT_DTYPE_F32:
    return "float";
  case RNNRT_DTYPE_F64:
    return "double";
  case RNNRT_DTYPE_I1:
    return "uint8_t";
  case RNNRT_DTYPE_I8:
    return "int8_t";
  case RNNRT_DTYPE_I16:
    return "int16_t";
  case RNNRT_DTYPE_I32:
    return "int32_t";
  default:
    return "int64_t";
  }
}

static std::string getDTypeName(Type type) {
  static constexpr llvm::StringLiteral names[] = {"F16", "BF16", "F32", "F64", "I1", "I8", "I16", "I32", "I64"};
  return ("RNNRT_DTYPE_" + names[*getRuntimeDType(type)]).str();
}

/// "f32 [5, ?, ?1]" for a tensor. For a scalar, the part of its type that the C type does not express.
static std::string describe(const ExportedArgument &argument) {
  Type type = argument.type;
  auto tensor = dyn_cast<TensorType>(type);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!tensor) {
    os << type;
    if (type.isInteger(1))
      os << ": 0 or 1";
    else if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 16)
      os << ": its bits";
    return text;
  }
  os << tensor.getElementType();
  if (!tensor.hasRank())
    return text + " of any rank";
  os << " [";
  llvm::interleaveComma(llvm::enumerate(tensor.getShape()), os, [&](auto dim) {
    if (!ShapedType::isDynamic(dim.value()))
      os << dim.value();
    else if (int64_t number = argument.sizes.empty() ? 0 : argument.sizes[dim.index()])
      os << "?" << number;
    else
      os << "?";
  });
  os << "]";
  return text;
}

static llvm::StringRef describeAccess(const ExportedArgument &argument) {
  if (!(argument.flags & RNNRT_ARGUMENT_WRITTEN))
    return "in  ";
  return argument.flags & RNNRT_ARGUMENT_NOT_READ ? "output " : "inout ";
}

/// Escapes `text` for a C comment.
static std::string quote(llvm::StringRef text) {
  std::string quoted;
  for (char character : text)
    quoted.push_back(character == '*' || !llvm::isPrint(character) ? '.' : character);
  return quoted;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
class Writer {
public:
  Writer(llvm::raw_ostream &os, const HeaderOptions &options) : os(os), options(options) {}

  void writeBegin(llvm::StringRef guard) {
    os << "/* Functions of " << quote(options.sourceName) << ", compiled by rnn-compile. Do not edit.\n"
       << R"(
   Link with the compiled module and librnn_runtime. A function runs on the device and the stream of its call. It returns
   rnnrt_call_status(call): NULL for success, else a status that the call owns. After a failure, functions that use the
   call do nothing until rnnrt_call_reset.

   Tensors are dense and row-major. `?` is a dynamic size. All sizes `?1` of a function must be equal, and so must all `?2`
   and so on; sizes of results are equal to them. Every call checks the sizes of its arguments. Arguments are memory of the
   caller, which may change or free them when the work is done. The function only reads arguments marked `in`; it writes to
   those marked `inout`, and to those marked `output` without reading them. Results, marked `out`, own their memory; release
   it with rnnrt_tensor_release. Previous contents of a result are ignored, and after a failure all results are empty. */

)"
       << "#ifndef " << guard << "\n#define " << guard << "\n\n"
       << "#include \"rnn_runtime/api.h\"\n\n"
       << "#if RNNRT_ABI_VERSION != " << RNNRT_ABI_VERSION << "\n"
       << "#error \"this module was compiled for version " << RNNRT_ABI_VERSION
       << " of the interface of librnn_runtime; compile it again for this one\"\n"
       << "#endif\n\n"
       << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  }

  void writeEnd() { os << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n"; }

  void writeFunction(const ExportedFunction &function, llvm::StringRef name) {
    names = nameArguments(function);
    os << "\n/* The uniform entry of `" << quote(function.name) << "`, see rnn_runtime/function.h. */\n"
       << "void " << function.symbol
       << "(rnnrt_call_t *call, const rnnrt_tensor_t *const *inputs, int64_t num_inputs,\n"
       << std::string(function.symbol.size() + 6, ' ') << "rnnrt_tensor_t *const *outputs, int64_t num_outputs);\n\n";
    writeComment(function);
    writePrototype(function, name);
    writeBody(function);
  }

private:
  llvm::StringRef getResultName(const ExportedFunction &function, size_t index) {
    return names[function.inputs.size() + index];
  }

  void writeComment(const ExportedFunction &function) {
    os << "/* `" << quote(function.name) << "`"
       << (function.deviceMemory ? ", with tensors in the memory of the call's device" : "");
    for (auto [index, input] : llvm::enumerate(function.inputs))
      os << "\n   " << describeAccess(input) << names[index] << ": " << describe(input);
    for (auto [index, result] : llvm::enumerate(function.results))
      os << "\n   out " << getResultName(function, index) << ": " << describe(result);
    os << " */\n";
  }

  void writePrototype(const ExportedFunction &function, llvm::StringRef name) {
    std::string begin = ("static inline rnnrt_status_t " + name + "(").str();
    llvm::SmallVector<std::string> parameters{"rnnrt_call_t *call"};
    for (auto [index, input] : llvm::enumerate(function.inputs))
      parameters.push_back(isa<TensorType>(input.type) ? "const rnnrt_tensor_t *" + names[index]
                                                       : (getCType(input.type) + " " + names[index]).str());
    for (auto [index, result] : llvm::enumerate(function.results))
      parameters.push_back(((isa<TensorType>(result.type) ? "rnnrt_tensor_t" : getCType(result.type)) + " *" +
                            getResultName(function, index))
                               .str());
    os << begin;
    writeWrapped(parameters, begin.size(), begin.size());
    os << ") {\n";
  }

  /// Prints a list in lines of at most 120 columns. The first line starts at `column`, the others at `indent`.
  void writeWrapped(llvm::ArrayRef<std::string> items, size_t column, size_t indent) {
    for (auto [index, item] : llvm::enumerate(items)) {
      bool last = index + 1 == items.size();
      // A comma or the end of the list follows the item.
      if (index && column + 1 + item.size() + (last ? 3 : 1) > 120) {
        os << "\n" << std::string(indent, ' ');
        column = indent;
      } else if (index) {
        os << " ";
        ++column;
      }
      os << item << (last ? "" : ",");
      column += item.size() + 1;
    }
  }

  void writeBody(const ExportedFunction &function) {
    // Scalars are passed as tensors of rank 0: arguments in `scalars`, results in `values`.
    llvm::SmallVector<std::string> scalars, inputs, outputs;
    llvm::SmallVector<std::pair<std::string, Type>> values;
    for (auto [index, input] : llvm::enumerate(function.inputs)) {
      if (isa<TensorType>(input.type)) {
        inputs.push_back(names[index]);
        continue;
      }
      inputs.push_back("&scalars[" + std::to_string(scalars.size()) + "]");
      scalars.push_back("rnnrt_tensor_make(&" + names[index] + ", " + getDTypeName(input.type) + ", 0, NULL)");
    }
    for (auto [index, result] : llvm::enumerate(function.results)) {
      std::string name = getResultName(function, index).str();
      if (isa<TensorType>(result.type)) {
        outputs.push_back(name);
        continue;
      }
      outputs.push_back(name + " ? &values[" + std::to_string(values.size()) + "] : NULL");
      values.push_back({name, result.type});
    }
    writeArray("const rnnrt_tensor_t scalars[] = {", scalars);
    writeArray("const rnnrt_tensor_t *const inputs[] = {", inputs);
    if (!values.empty())
      os << "  rnnrt_tensor_t values[" << values.size() << "];\n";
    writeArray("rnnrt_tensor_t *const outputs[] = {", outputs);
    os << "  " << function.symbol << "(call, " << (inputs.empty() ? "NULL" : "inputs") << ", " << inputs.size() << ", "
       << (outputs.empty() ? "NULL" : "outputs") << ", " << outputs.size() << ");\n";
    if (!values.empty()) {
      os << "  if (!rnnrt_call_status(call)) {\n";
      for (auto [index, value] : llvm::enumerate(values))
        os << "    *" << value.first << " = *(" << getCType(value.second) << " *)values[" << index << "].data;\n"
           << "    rnnrt_tensor_release(&values[" << index << "]);\n";
      os << "  }\n";
    }
    os << "  return rnnrt_call_status(call);\n}\n";
  }

  void writeArray(llvm::StringRef begin, llvm::ArrayRef<std::string> items) {
    if (items.empty())
      return;
    os << "  " << begin;
    writeWrapped(items, begin.size() + 2, 6);
    os << "};\n";
  }

  llvm::raw_ostream &os;
  const HeaderOptions &options;
  llvm::SmallVector<std::string> names;
};
} // namespace

llvm::Expected<std::string> rnn::writeCHeader(llvm::ArrayRef<ExportedFunction> functions,
                                              const HeaderOptions &options) {
  if (!options.prefix.empty() && makeCIdentifier(options.prefix) != options.prefix)
    return llvm::createStringError(describeInvalidPrefix(options.prefix));
  std::string text;
  llvm::raw_string_ostream os(text);
  Writer writer(os, options);
  // Without a prefix, the first function tells headers of one program apart.
  const std::string first = functions.empty() ? "" : makeCIdentifier(functions.front().name);
  writer.writeBegin(options.prefix.empty() ? "RNN_MODULE_" + llvm::StringRef(first).upper() + "_H"
                                           : llvm::StringRef(options.prefix).upper() + "_RNN_MODULE_H");
  llvm::StringMap<llvm::StringRef> used;
  for (const ExportedFunction &function : functions) {
    std::string name = makeCIdentifier(options.prefix + (options.prefix.empty() ? "" : "_") + function.name);
    if (options.prefix.empty() && isTaken(name))
      return llvm::createStringError("the name of function `" + function.name +
                                     "` is reserved in C; pass a prefix or rename the function");
    auto [place, isNew] = used.try_emplace(name, function.name);
    if (!isNew)
      return llvm::createStringError("functions `" + place->second.str() + "` and `" + function.name + "` are both `" +
                                     name + "` in C; rename one of them");
    writer.writeFunction(function, name);
  }
  writer.writeEnd();
  return text;
}
