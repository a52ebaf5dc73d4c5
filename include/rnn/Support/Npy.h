//===- Npy.h - reading and writing NumPy's npy files -*- C++ -*-===//
//
// Formats 1.0 to 3.0, little endian, C or Fortran order (transposed on reading). Every defect of a file is one error that
// names the file, what was expected and what came.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_SUPPORT_NPY_H
#define RNN_SUPPORT_NPY_H

#include "rnn/Support/HostTensor.h"

namespace mlir::rnn {

/// Reads a tensor of type `wanted`, or of the file's own type if there is none. Elements are never converted, only named:
/// types without a sign take both of NumPy's, index is `<i8`, and `<u2` is i16 or the bits of f16 or bf16, which has no
/// dtype of its own in NumPy. With another dtype, or with `<u2` and no `wanted`, the error tells what to do.
llvm::Expected<HostTensor> readNpy(llvm::StringRef path, std::optional<ElementKind> wanted = std::nullopt);

/// The same from memory; `name` stands for the file in errors.
llvm::Expected<HostTensor> parseNpy(llvm::StringRef bytes, llvm::StringRef name,
                                    std::optional<ElementKind> wanted = std::nullopt);

/// Writes format 1.0; bf16 as `<u2`, i1 as bool, index as `<i8`. The file appears whole or not at all.
llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor);

} // namespace mlir::rnn

#endif // RNN_SUPPORT_NPY_H
