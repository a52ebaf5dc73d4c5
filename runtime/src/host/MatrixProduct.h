// MatrixProduct.h - products of matrices on the host, for the device `simt`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_HOST_MATRIXPRODUCT_H
#define RNNRT_HOST_MATRIXPRODUCT_H

#include "core/MatrixProduct.h"

namespace rnnrt {

/// Computes a product that was checked. Sums are f32 (f64 for f64), from the first term on.
void hostMatrixProduct(const MatrixProduct &product);

} // namespace rnnrt

#endif // RNNRT_HOST_MATRIXPRODUCT_H
