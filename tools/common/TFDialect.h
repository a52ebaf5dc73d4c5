//===- TFDialect.h - TensorFlow's ops in generic form -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_COMMON_TFDIALECT_H
#define RNN_TOOLS_COMMON_TFDIALECT_H

#include "mlir/IR/Dialect.h"

namespace mlir::rnn {

/// Accepts any op `"tf.Name"(...)`, so that tools read imported graphs without -allow-unregistered-dialect. It defines
/// no ops. Tools register it; compilers that embed the passes have TensorFlow's own dialect.
class TFDialect : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TFDialect)

  explicit TFDialect(MLIRContext *context) : Dialect(getDialectNamespace(), context, TypeID::get<TFDialect>()) {
    allowUnknownOperations();
  }
  static constexpr llvm::StringLiteral getDialectNamespace() { return "tf"; }
};

} // namespace mlir::rnn

#endif // RNN_TOOLS_COMMON_TFDIALECT_H
