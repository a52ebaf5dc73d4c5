//===- Mutator.cpp - changes to the text of a module --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"
#include "Random.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::rnn::fuzz;
using llvm::StringRef;

static const StringRef numbers[] = {"0",
                                    "1",
                                    "2",
                                    "3",
                                    "-1",
                                    "17",
                                    "65",
                                    "255",
                                    "4294967295",
                                    "2147483648",
                                    "4611686018427387904",
                                    "9223372036854775807",
                                    "9223372036854775808",
                                    "18446744073709551616",
                                    "0.5",
                                    "-0.0",
                                    "1.0e+40",
                                    "0x7FC00000",
                                    "?"};
static const StringRef elementTypes[] = {"f16",          "bf16", "f32",           "f64",     "i1",   "i8",
                                         "i32",          "i64",  "index",         "f128",    "tf32", "ui8",
                                         "complex<f32>", "none", "vector<4xf32>", "f8E4M3FN"};
static const StringRef words[] = {"lstm",
                                  "gru",
                                  "rnn_tanh",
                                  "rnn_relu",
                                  "bidirectional",
                                  "unidirectional",
                                  "skip_input",
                                  "linear_input",
                                  "auto_select",
                                  "icfo",
                                  "ifco",
                                  "use_peephole",
                                  "batch_major",
                                  "tensor",
                                  "memref",
                                  "input",
                                  "state",
                                  "params",
                                  "lengths",
                                  "output",
                                  "grads",
                                  "reserve",
                                  "outs",
                                  "weights",
                                  "biases",
                                  "sizes",
                                  "extent",
                                  "saved",
                                  "peephole",
                                  "seq_len_max",
                                  "rnn.cudnn_forward",
                                  "rnn.cudnn_backprop",
                                  "rnn.block_lstm",
                                  "rnn.block_lstm_grad",
                                  "rnn.cudnn_params_size",
                                  "rnn.cudnn_reserve_size",
                                  "rnn.cudnn_canonical_to_params",
                                  "rnn.cudnn_params_to_canonical",
                                  "scf.for",
                                  "scf.if",
                                  "scf.while",
                                  "resets",
                                  "tf.CudnnRNN",
                                  "tf.CudnnRNNV2",
                                  "tf.CudnnRNNV3",
                                  "tf.CudnnRNNBackprop",
                                  "tf.CudnnRNNBackpropV2",
                                  "tf.CudnnRNNBackpropV3",
                                  "tf.BlockLSTM",
                                  "tf.BlockLSTMV2",
                                  "tf.BlockLSTMGrad",
                                  "tf.BlockLSTMGradV2",
                                  "tensor.cast",
                                  "math.tanh",
                                  "arith.addf",
                                  "private",
                                  "*",
                                  "<",
                                  ">",
                                  "(",
                                  ")",
                                  "{",
                                  "}",
                                  ",",
                                  ":",
                                  "->",
                                  "=",
                                  "strided<[1, 1, 1], offset: ?>",
                                  "affine_map<(i, j, k) -> (k, j, i)>",
                                  "loc(unknown)"};
static const StringRef attributes[] = {"dropout = 2.0",
                                       "dropout = 0.5",
                                       "dropout = 0x7FF8000000000000 : f64",
                                       "num_proj = 1",
                                       "num_proj = 3",
                                       "num_proj = -1",
                                       "seed = 4294967296",
                                       "seed = -2147483648",
                                       "is_training = false",
                                       "cell_clip = 0.5",
                                       "cell_clip = 0x7FF8000000000000 : f64",
                                       "forget_bias = 1.0",
                                       "use_peephole",
                                       "use_peephole = true",
                                       "reset_to = #rnn.reset_to<initial>",
                                       "rnn_mode = \"gru\"",
                                       "direction = \"bidirectional\"",
                                       "input_mode = \"skip_input\"",
                                       "time_major = false",
                                       "batch_major",
                                       "foo = unit",
                                       "foo",
                                       "element_type = f32",
                                       "element_type = i32",
                                       "lowering = #rnn.lowering<fused>",
                                       "lowering = #rnn.lowering<runtime>",
                                       "lowering = #rnn.lowering<fused, kernel = persistent, cluster = 2>",
                                       "lowering = #rnn.lowering<fused, kernel = persistent>",
                                       "lowering = #rnn.lowering<fused, kernel = per_step>",
                                       "operandSegmentSizes = array<i32: 1, 1>",
                                       "mode = #rnn.mode<gru>",
                                       "layout = #rnn.layout<icfo>"};

/// The number of characters of the token at the beginning of `text`.
static size_t getTokenSize(StringRef text, StringRef before) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; };
  // `5x2xf32`: a size, `x`, and so on.
  if (text.front() == 'x' && !before.empty() && (llvm::isDigit(before.back()) || before.back() == '?'))
    return 1;
  if (llvm::isDigit(text.front())) {
    size_t size = text.find_if_not([](char c) { return llvm::isDigit(c) || c == '.'; });
    return std::min(size, text.size());
  }
  size_t skip = llvm::is_contained({'%', '@', '#', '!'}, text.front()) ? 1 : 0;
  size_t size = std::min(text.drop_front(skip).find_if_not(isWord), text.size() - skip);
  return std::max<size_t>(1, skip + size);
}

std::vector<std::string> mlir::rnn::fuzz::tokenize(StringRef text) {
  std::vector<std::string> tokens;
  while (!text.empty()) {
    size_t size = getTokenSize(text, tokens.empty() ? "" : StringRef(tokens.back()));
    StringRef token = text.take_front(size);
    text = text.drop_front(size);
    StringRef space = text.take_while([](char c) { return llvm::isSpace(c); });
    tokens.push_back((token + space).str());
    text = text.drop_front(space.size());
  }
  return tokens;
}

namespace {
class Mutation {
public:
  Mutation(StringRef text, uint64_t seed) : random(seed), tokens(tokenize(text)) {}

  std::string run() {
    for (int64_t count = random.between(1, 3); count > 0 && !tokens.empty(); --count)
      change();
    return llvm::join(tokens, "");
  }

private:
  /// A random token that satisfies a condition, or -1.
  int64_t find(llvm::function_ref<bool(StringRef)> condition) {
    std::vector<int64_t> found;
    for (auto [index, token] : llvm::enumerate(tokens))
      if (condition(StringRef(token).trim()))
        found.push_back(index);
    return found.empty() ? -1 : random.pick<int64_t>(found);
  }
  int64_t any() { return random.next() % tokens.size(); }

  void replace(int64_t index, StringRef by) {
    if (index < 0)
      return;
    StringRef token = tokens[index], space = token.drop_front(token.rtrim().size());
    tokens[index] =
        by.str() +
        (space.empty() && llvm::isAlnum(by.back()) && !llvm::isDigit(token.front()) && token != "x" ? "" : space.str());
  }

  /// The tokens [first, last) of the line of a random token.
  std::pair<int64_t, int64_t> line() {
    int64_t first = any(), last = first;
    while (first > 0 && StringRef(tokens[first - 1]).find('\n') == StringRef::npos)
      --first;
    while (last < static_cast<int64_t>(tokens.size()) && StringRef(tokens[last]).find('\n') == StringRef::npos)
      ++last;
    return {first, std::min<int64_t>(last + 1, tokens.size())};
  }

  /// Replaces every token equal to the one at `index`, so that types stay consistent.
  void replaceAll(int64_t index, StringRef by) {
    if (index < 0)
      return;
    const std::string old = StringRef(tokens[index]).trim().str();
    for (auto [other, token] : llvm::enumerate(tokens))
      if (StringRef(token).trim() == old)
        replace(other, by);
  }

  /// Changes that often give a valid module.
  void changeConsistently() {
    auto isSize = [](StringRef token) { return !token.empty() && llvm::all_of(token, llvm::isDigit); };
    auto isShapeSize = [&](int64_t index) {
      return isSize(StringRef(tokens[index]).trim()) && index + 1 < static_cast<int64_t>(tokens.size()) &&
             tokens[index + 1] == "x";
    };
    switch (random.next() % 6) {
    case 0: { // a size, everywhere
      int64_t index = find(isSize);
      return replaceAll(index, random.pick<StringRef>({"0", "1", "2", "3", "5", "8", "33", "65"}));
    }
    case 1: // an element type, everywhere
      return replaceAll(find([](StringRef token) { return llvm::is_contained({"f16", "bf16", "f32", "f64"}, token); }),
                        random.pick<StringRef>({"f16", "bf16", "f32", "f64", "f128", "i32"}));
    case 2: { // one dimension, or all of its size, becomes dynamic
      int64_t index = find(isSize);
      if (index < 0 || !isShapeSize(index))
        return;
      if (random.oneIn(2))
        return replace(index, "?");
      const std::string old = tokens[index];
      for (int64_t other = 0; other < static_cast<int64_t>(tokens.size()); ++other)
        if (tokens[other] == old && isShapeSize(other))
          replace(other, "?");
      return;
    }
    case 3: { // a constant
      int64_t index = find([](StringRef token) { return token == "arith.constant"; });
      if (index >= 0 && index + 1 < static_cast<int64_t>(tokens.size()))
        replace(index + 1, random.pick<StringRef>(numbers));
      return;
    }
    case 4: // another cell or layout
      return replace(find([](StringRef token) {
                       return llvm::is_contained({"lstm", "gru", "rnn_tanh", "rnn_relu", "icfo", "ifco"}, token);
                     }),
                     random.pick<StringRef>({"lstm", "gru", "rnn_tanh", "rnn_relu", "icfo", "ifco"}));
    default: { // an attribute before the result types of an op
      std::vector<int64_t> places;
      for (auto [index, token] : llvm::enumerate(tokens))
        if (index > 2 && StringRef(token) == ">" && StringRef(tokens[index - 1]).starts_with("-"))
          continue;
        else if (index + 1 < tokens.size() && StringRef(token).trim() == ")" &&
                 (tokens[index + 1] == "-" || StringRef(token).contains('\n')))
          places.push_back(index);
      if (places.empty())
        return;
      int64_t index = random.pick<int64_t>(places);
      StringRef token = tokens[index], space = token.drop_front(1);
      tokens[index] = (") {" + random.pick<StringRef>(attributes) + "}" + (space.empty() ? " " : space)).str();
    }
    }
  }

  void change() {
    if (random.oneIn(2))
      return changeConsistently();
    auto isNumber = [](StringRef token) { return llvm::isDigit(token.empty() ? ' ' : token.front()) || token == "?"; };
    auto isType = [](StringRef token) { return llvm::is_contained(elementTypes, token); };
    auto isName = [](StringRef token) { return token.starts_with("%") || token.starts_with("@"); };
    auto isKeyword = [](StringRef token) { return llvm::is_contained(words, token); };
    switch (random.next() % 12) {
    case 0:
    case 1:
      return replace(find(isNumber), random.pick<StringRef>(numbers));
    case 2:
      return replace(find(isType), random.pick<StringRef>(elementTypes));
    case 3:
      return replace(find(isKeyword), random.pick<StringRef>(words));
    case 4:
    case 5: { // another value
      int64_t from = find(isName), to = find(isName);
      if (from >= 0)
        replace(from, StringRef(tokens[to]).trim());
      return;
    }
    case 6:
      tokens.erase(tokens.begin() + any());
      return;
    case 7: {
      int64_t index = any();
      tokens.insert(tokens.begin() + index, tokens[index]);
      return;
    }
    case 8:
      std::swap(tokens[any()], tokens[any()]);
      return;
    case 9: { // a line is removed, or follows another one too
      auto [first, last] = line();
      std::vector<std::string> copy(tokens.begin() + first, tokens.begin() + last);
      if (random.oneIn(2)) {
        tokens.erase(tokens.begin() + first, tokens.begin() + last);
      } else {
        int64_t at = line().first;
        tokens.insert(tokens.begin() + at, copy.begin(), copy.end());
      }
      return;
    }
    default: { // an attribute, in a dictionary or as a new one
      int64_t index = find([](StringRef token) { return token == "{"; });
      StringRef attribute = random.pick<StringRef>(attributes);
      int64_t op = find([](StringRef token) { return token == ")"; });
      if (random.oneIn(2) && index >= 0)
        tokens[index] += attribute.str() + ", ";
      else if (op >= 0)
        tokens[op] += " {" + attribute.str() + "} ";
    }
    }
  }

  Random random;
  std::vector<std::string> tokens;
};
} // namespace

std::string mlir::rnn::fuzz::mutate(StringRef text, uint64_t seed) {
  return Mutation(text, seed).run();
}
