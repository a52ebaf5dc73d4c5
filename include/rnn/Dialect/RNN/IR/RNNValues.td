//===- RNNValues.td - operand and result tables of the rnn ops -*- tablegen -*-===//
//
// One table per op lists its operands and results. TableGen derives from it the ODS arguments and results, the C++
// signature (OpSignature.h), and the tables and the assembly grammar in the op's description.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_IR_RNNVALUES_TD
#define RNN_DIALECT_RNN_IR_RNNVALUES_TD

include "rnn/Dialect/RNN/IR/RNNTypes.td"
include "mlir/IR/OpBase.td"

// A kind of value: its ODS type, its C++ `ValueKind` and its name in the documentation. The assembly prints the types
// of typed kinds only.
class RNN_Kind<Type odsType, string kind, string documentation, bit isTyped = 1> {
  Type type = odsType;
  string cpp = "::mlir::rnn::ValueKind::" # kind;
  string doc = documentation;
  bit typed = isTyped;
}
def RNN_FloatKind : RNN_Kind<RNN_Float, "Float", "E">;
def RNN_LengthsKind : RNN_Kind<RNN_Lengths, "Lengths", "i32">;
def RNN_ResetsKind : RNN_Kind<RNN_Resets, "Resets", "i1">;
def RNN_OffsetsKind : RNN_Kind<RNN_Offsets, "Offsets", "i64">;
def RNN_ReserveKind : RNN_Kind<RNN_Reserve, "Reserve", "i8">;
def RNN_IndexKind : RNN_Kind<Index, "Index", "index", 0>;
def RNN_I64Kind : RNN_Kind<I64, "I64", "i64", 0>;

// One operand or result. Empty `dims` allow any rank and shape. `ruleLabel` names the constraint that checks the shape.
class RNN_Value<string valueName, RNN_Kind valueKind, list<string> dims, string ruleLabel, string text,
                bit isOptional = 0, bit isVariadic = 0, bit isWritten = 0> {
  string name = valueName;
  RNN_Kind kind = valueKind;
  bit optional = isOptional;
  bit variadic = isVariadic;

  TypeConstraint operandType = !cond(isOptional : Optional<valueKind.type>, isVariadic : Variadic<valueKind.type>,
                           true : valueKind.type);
  // As a result, or as the `outs` buffer of a result. One of the two forms of the op has it.
  TypeConstraint resultType = !if(isVariadic, Variadic<valueKind.type>, Optional<valueKind.type>);

  // The members of `NamedValue` that follow name and group.
  defvar shape = !if(!empty(dims), "", "[" # !interleave(dims, ", ") # "]");
  string cpp = valueKind.cpp # ", " # !if(!empty(dims), -1, !size(dims)) # ", " #
               !if(isOptional, "true", "false") # ", " # !if(isVariadic, "true", "false") # ", " #
               !if(isWritten, "true", "false") # ", \"" # shape # "\", \"" # ruleLabel # "\"";
  string row = "    | `" # valueName # "`" # !if(isOptional, " (optional)", "") # !if(isVariadic, " (list)", "") #
               " | `" # valueKind.doc # "` | " #
               !cond(!ne(shape, "") : "`" # shape # "`", valueKind.typed : "any", true : "scalar") # " | " # ruleLabel #
               " | " # text # " |\n";
}

// Operands that the assembly prints as `name(...)`. Only the last values of a group may be optional, or its only one.
class RNN_Group<string groupName, list<RNN_Value> groupValues> {
  list<RNN_Value> values = groupValues;
  defvar first = !head(groupValues);
  defvar canBeAbsent = !or(first.optional, first.variadic);
  string cpp = !interleave(!foreach(v, groupValues,
                                    "    {\"" # v.name # "\", \"" # groupName # "\", " # v.cpp # "},\n"), "");
  string assembly = "      " # !if(canBeAbsent, "(", "") # "`" # groupName # "` `(` %" # first.name #
    !if(first.variadic, " (`,` %" # first.name # ")*", "") #
    !interleave(!foreach(v, !tail(groupValues), !if(v.optional, " (`,` %" # v.name # ")?", " `,` %" # v.name)), "") #
    !if(first.kind.typed, " `:` types", "") # " `)`" # !if(canBeAbsent, ")?", "") # "\n";
}

// The operands and results of one op, in ODS order. `keywordAttrs` are the enumeration attributes that the assembly
// prints as bare keywords; the first one is required. The labels are those of three rules that every layer op has: one
// element type, ranks, and value or memref form.
class RNN_Signature<string opMnemonic, list<string> keywordAttrs, list<RNN_Group> groups,
                    list<RNN_Value> resultValues = [], string elementTypeLabel = "", string rankLabel = "",
                    string formLabel = ""> {
  string mnemonic = opMnemonic;
  defvar operandValues = !foldl([]<RNN_Value>, groups, values, group, !listconcat(values, group.values));
  dag arguments = !con(!dag(ins, !foreach(v, operandValues, v.operandType), !foreach(v, operandValues, v.name)),
                       !dag(ins, !foreach(v, resultValues, v.resultType), !foreach(v, resultValues, v.name # "_out")));
  dag results = !dag(outs, !foreach(v, resultValues, v.resultType), !foreach(v, resultValues, v.name));

  string cpp = "const ::mlir::rnn::OpSignature &$cppClass::getSignature() {\n" #
    "  static constexpr ::mlir::rnn::NamedValue operandValues[] = {\n" #
    !interleave(!foreach(group, groups, group.cpp), "") # "  };\n" #
    !if(!empty(resultValues), "  static constexpr ::llvm::ArrayRef<::mlir::rnn::NamedValue> resultValues;\n",
        "  static constexpr ::mlir::rnn::NamedValue resultValues[] = {\n" #
        !interleave(!foreach(v, resultValues, "    {\"" # v.name # "\", \"\", " # v.cpp # "},\n"), "") # "  };\n") #
    "  static constexpr ::llvm::StringLiteral keywords[] = {\"" # !interleave(keywordAttrs, "\", \"") # "\"};\n" #
    "  static const ::mlir::rnn::OpSignature signature{operandValues, resultValues, \"" # elementTypeLabel # "\", \"" #
    rankLabel # "\", \"" # formLabel # "\", keywords};\n" #
    "  return signature;\n}\n";

  string tables = "\n    | Operand | Type | Shape | Rule | Meaning |\n    |---|---|---|---|---|\n" #
    !interleave(!foreach(v, operandValues, v.row), "") #
    !if(!empty(resultValues), "", "\n    | Result | Type | Shape | Rule | Meaning |\n    |---|---|---|---|---|\n" #
        !interleave(!foreach(v, resultValues, v.row), ""));

  string assembly = "\n    Assembly, with the common productions of the dialect:\n    ```\n    `rnn." # opMnemonic #
    "` " # !head(keywordAttrs) #
    !if(!empty(!tail(keywordAttrs)), "", " (`,` (" # !interleave(!tail(keywordAttrs), " | ") # "))*") # "\n" #
    !interleave(!foreach(group, groups, group.assembly), "") #
    !if(!empty(resultValues), "      attr-dict?\n", "      outs? attr-dict? result-types?\n") # "    ```\n";
}

#endif // RNN_DIALECT_RNN_IR_RNNVALUES_TD
