// CublasLt.h - GEMMs by cuBLASLt for TensorFlow's method (PerStep.cpp). Descriptors and algorithms are created once.
// The library is loaded at run time, and its interface is declared here, since the bundle is built without CUDA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_TOOLS_GPU_BUNDLE_CUBLASLT_H
#define RNN_TOOLS_GPU_BUNDLE_CUBLASLT_H

#include "Tensors.h"

#include <dlfcn.h>

namespace bundle {

/// The library's functions; if they are not available, `problem` has the reason.
class CublasLt {
public:
  /// cublasLtMatmulHeuristicResult_t.
  struct Heuristic {
    uint64_t algorithm[8];
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
  };

  CublasLt() {
    const char *path = std::getenv("RNNRT_CUBLASLT_PATH");
    std::vector<std::string> names = {"libcublasLt.so.13", "libcublasLt.so.12", "/usr/local/cuda/lib64/libcublasLt.so"};
    const bool hasPath = path && *path;
    if (hasPath)
      names = {path, std::string(path) + "/libcublasLt.so.13", std::string(path) + "/libcublasLt.so.12"};
    for (const std::string &name : names)
      if ((library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)))
        break;
    if (!library) {
      problem = hasPath ? "cuBLASLt is needed, but what RNNRT_CUBLASLT_PATH names cannot be loaded"
                        : "cuBLASLt is needed, but libcublasLt.so.13 and .12 cannot be loaded; RNNRT_CUBLASLT_PATH "
                          "may name the file";
      return;
    }
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
      if (!function)
        problem = std::string("cuBLASLt has no function ") + name;
    };
    find(create, "cublasLtCreate");
    find(descCreate, "cublasLtMatmulDescCreate");
    find(descSet, "cublasLtMatmulDescSetAttribute");
    find(layoutCreate, "cublasLtMatrixLayoutCreate");
    find(preferenceCreate, "cublasLtMatmulPreferenceCreate");
    find(preferenceSet, "cublasLtMatmulPreferenceSetAttribute");
    find(heuristic, "cublasLtMatmulAlgoGetHeuristic");
    find(matmul, "cublasLtMatmul");
    if (!problem.empty())
      return;
    // cublasLtCreate uses the current context or, without one, the primary context of the first device, which the
    // runtime uses too.
    if (int result = create(&handle))
      problem = "cublasLtCreate fails with " + std::to_string(result);
  }

  std::string problem;
  void *handle = nullptr;
  int (*create)(void **);
  int (*descCreate)(void **, int computeType, int scaleType);
  int (*descSet)(void *, int attribute, const void *, size_t);
  int (*layoutCreate)(void **, int type, uint64_t rows, uint64_t columns, int64_t stride);
  int (*preferenceCreate)(void **);
  int (*preferenceSet)(void *, int attribute, const void *, size_t);
  int (*heuristic)(void *, void *, void *, void *, void *, void *, void *, int, Heuristic *, int *);
  int (*matmul)(void *, void *, const void *alpha, const void *a, void *, const void *b, void *, const void *beta,
                const void *c, void *, void *d, void *, const void *algorithm, void *workspace, size_t, void *stream);

private:
  void *library = nullptr;
};

/// result [rows, columns] = left * right (+ result): row-major, accumulated in f32. The library is column-major, so it
/// gets all three matrices transposed, and left and right exchanged.
class CublasGemm {
public:
  static constexpr size_t workspaceBytes = 32 << 20; // as cuBLAS has on this generation

  /// `transposeLeft`: left is [depth, rows]; `transposeRight`: right is [columns, depth]. If the library refuses the
  /// GEMM, `problem` has the reason.
  void make(const CublasLt &owner, int32_t dtype, bool transposeLeft, bool transposeRight, int64_t rows,
            int64_t columns, int64_t depth, bool tf32) {
    lt = &owner;
    problem = lt->problem;
    if (!problem.empty())
      return;
    // CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F; CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_32F: full precision.
    const int type = dtype == RNNRT_DTYPE_F16    ? 2
                     : dtype == RNNRT_DTYPE_BF16 ? 14
                                                 : 0,
              compute = tf32 ? 77 : 68, scale = 0;
    const int transposeA = transposeRight, transposeB = transposeLeft;
    void *preference = nullptr;
    enum { TransposeA = 3, TransposeB = 4, MaxWorkspaceBytes = 1 };
    auto layout = [&](void **result, bool transposed, int64_t high, int64_t wide) {
      check(transposed ? lt->layoutCreate(result, type, high, wide, high)
                       : lt->layoutCreate(result, type, wide, high, wide),
            "cublasLtMatrixLayoutCreate");
    };
    check(lt->descCreate(&desc, compute, scale), "cublasLtMatmulDescCreate");
    check(lt->descSet(desc, TransposeA, &transposeA, sizeof transposeA), "cublasLtMatmulDescSetAttribute");
    check(lt->descSet(desc, TransposeB, &transposeB, sizeof transposeB), "cublasLtMatmulDescSetAttribute");
    layout(&a, transposeRight, depth, columns);
    layout(&b, transposeLeft, rows, depth);
    layout(&c, false, rows, columns);
    check(lt->preferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    check(lt->preferenceSet(preference, MaxWorkspaceBytes, &workspaceBytes, sizeof workspaceBytes),
          "cublasLtMatmulPreferenceSetAttribute");
    int count = 0;
    if (problem.empty())
      check(lt->heuristic(lt->handle, desc, a, b, c, c, preference, 1, &chosen, &count),
            "cublasLtMatmulAlgoGetHeuristic");
    if (problem.empty() && (count < 1 || chosen.state != 0))
      problem = "cublasLtMatmulAlgoGetHeuristic finds no algorithm";
  }

  void run(const void *left, const void *right, void *result, bool add, void *workspace, void *stream) {
    const float alpha = 1, beta = add;
    check(lt->matmul(lt->handle, desc, &alpha, right, a, left, b, &beta, result, c, result, c, chosen.algorithm,
                     workspace, chosen.workspace, stream),
          "cublasLtMatmul");
  }

  std::string problem;

private:
  void check(int result, const char *what) {
    if (result && problem.empty())
      problem = std::string(what) + " fails with " + std::to_string(result);
  }

  const CublasLt *lt = nullptr;
  void *desc = nullptr, *a = nullptr, *b = nullptr, *c = nullptr;
  CublasLt::Heuristic chosen = {};
};

} // namespace bundle

#endif // RNN_TOOLS_GPU_BUNDLE_CUBLASLT_H
