//===- Npy.h - reading and writing NumPy's npy files -*- C++ -*-===//
//
// Formats 1.0 to 3.0, little endian, C or Fortran order (transposed on reading). An error names the file, the expected
// content and the actual content.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_SUPPORT_NPY_H
#define RNN_SUPPORT_NPY_H

#include "rnn/Support/HostTensor.h"

namespace mlir::rnn {

/// Reads a tensor of type `requested`, or of the type of the file. Elements are not converted: a signless type accepts
/// signed and unsigned dtypes, index is `<i8`, `<u2` is i16 or the bits of f16 or bf16 (NumPy has no bf16), and `<V2`
/// is bf16, as NumPy saves ml_dtypes.bfloat16. For another dtype, or for `<u2` without `requested`, the error has an
/// advice.
llvm::Expected<HostTensor> readNpy(llvm::StringRef path, std::optional<ElementKind> requested = std::nullopt);

/// Reads a tensor from memory. Errors use `name` as the file name.
llvm::Expected<HostTensor> parseNpy(llvm::StringRef bytes, llvm::StringRef name,
                                    std::optional<ElementKind> requested = std::nullopt);

/// Writes format 1.0: bf16 as `<u2`, i1 as bool, index as `<i8`. The file is written atomically.
llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor);

} // namespace mlir::rnn

#endif // RNN_SUPPORT_NPY_H
