//===- NpyHeader.h - the header of an npy file -*- C++ -*-===//
//
// Used by Npy.cpp only. Not installed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_SUPPORT_NPYHEADER_H
#define RNN_LIB_SUPPORT_NPYHEADER_H

#include "rnn/Support/HostTensor.h"

namespace mlir::rnn::detail {

inline constexpr llvm::StringRef npyMagic("\x93NUMPY", 6);
// NumPy's own limit before 2.0.
inline constexpr size_t npyMaxRank = 32;

struct NpyDType {
  llvm::StringLiteral code; // without byte order
  ElementKind kind;
  llvm::StringLiteral numpyName;
};

/// A parsed file. `elements` points into it; its length is not checked yet.
struct NpyContents {
  ElementKind kind;
  bool fortranOrder;
  llvm::SmallVector<int64_t> shape;
  llvm::StringRef elements;
};

/// The dtype that stores `kind`. bf16 is stored as its bits, since NumPy does not support it.
const NpyDType &getNpyDType(ElementKind kind);

/// An error about the file `name`.
llvm::Error makeNpyError(llvm::StringRef name, const llvm::Twine &message);

/// Parses the header. `requested` is that of `readNpy`.
llvm::Expected<NpyContents> splitNpy(llvm::StringRef bytes, llvm::StringRef name, std::optional<ElementKind> requested);

} // namespace mlir::rnn::detail

#endif // RNN_LIB_SUPPORT_NPYHEADER_H
