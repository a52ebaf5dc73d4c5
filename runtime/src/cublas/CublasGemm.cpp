// CublasGemm.cpp - describes a GEMM to cuBLASLt, requests the best algorithm once, and runs it.
//
// A row-major matrix is a transposed column-major one, so that cuBLASLt computes result^T = right^T * left^T. Its A is
// the right operand, its B the left operand, and the bias of a column is the bias of a row of its D.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cublas/CublasGemm.h"
#include "core/Trace.h"

using namespace rnnrt;
using namespace rnnrt::cublas;

/// Bytes. NVIDIA's recommendation for compute capability 9.0 (cuBLAS guide, cublasSetWorkspace).
static constexpr uint64_t maxWorkspace = uint64_t(32) << 20;

static DataType typeOf(int32_t dtype) {
  return dtype == RNNRT_DTYPE_F16    ? DataType::R16F
         : dtype == RNNRT_DTYPE_BF16 ? DataType::R16BF
         : dtype == RNNRT_DTYPE_F32  ? DataType::R32F
                                     : DataType::R64F;
}

/// The largest power of two, at most 256, that divides the address. No algorithm requires a larger alignment.
static uint32_t alignmentOf(const void *pointer) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  uint32_t alignment = 256;
  while (address % alignment)
    alignment /= 2;
  return alignment;
}

/// The operation and layout descriptors of one GEMM.
struct CublasGemm::Descriptors {
  explicit Descriptors(const CublasLibrary &library) : library(library) {}
  Descriptors(const Descriptors &) = delete;
  ~Descriptors() {
    const CublasApi &api = library.api();
    if (operation)
      (void)api.cublasLtMatmulDescDestroy(operation);
    for (MatrixLayout layout : {left, right, result})
      if (layout)
        (void)api.cublasLtMatrixLayoutDestroy(layout);
  }

  Status describe(const Gemm &p) {
    const CublasApi &api = library.api();
    const bool isDouble = p.dtype == RNNRT_DTYPE_F64;
    const ComputeType compute = isDouble                                           ? ComputeType::F64
                                : p.dtype == RNNRT_DTYPE_F32 && p.has(RoundToTf32) ? ComputeType::F32FastTf32
                                                                                   : ComputeType::F32;
    RNNRT_TRY(
        library.check(api.cublasLtMatmulDescCreate(&operation, compute, isDouble ? DataType::R64F : DataType::R32F),
                      "cublasLtMatmulDescCreate"));
    RNNRT_TRY(set(MatmulDescAttribute::TransposeA, p.has(RightTransposed) ? Operation::Transpose : Operation::None));
    RNNRT_TRY(set(MatmulDescAttribute::TransposeB, p.has(LeftTransposed) ? Operation::Transpose : Operation::None));
    if (p.bias) {
      RNNRT_TRY(set(MatmulDescAttribute::Epilogue, Epilogue::Bias));
      RNNRT_TRY(set(MatmulDescAttribute::BiasPointer, p.bias));
      RNNRT_TRY(set(MatmulDescAttribute::BiasDataType, typeOf(p.resultDtype)));
    }
    auto make = [&](MatrixLayout &layout, int32_t dtype, int64_t rows, int64_t columns, int64_t stride) {
      // cuBLASLt expects column-major sizes: rows and columns are exchanged.
      return library.check(
          api.cublasLtMatrixLayoutCreate(&layout, typeOf(dtype), uint64_t(columns), uint64_t(rows), stride),
          "cublasLtMatrixLayoutCreate");
    };
    RNNRT_TRY(p.has(LeftTransposed) ? make(left, p.dtype, p.depth, p.rows, p.left.stride)
                                    : make(left, p.dtype, p.rows, p.depth, p.left.stride));
    RNNRT_TRY(p.has(RightTransposed) ? make(right, p.dtype, p.columns, p.depth, p.right.stride)
                                     : make(right, p.dtype, p.depth, p.columns, p.right.stride));
    return make(result, p.resultDtype, p.rows, p.columns, p.resultStride);
  }

  template <typename T> Status set(MatmulDescAttribute attribute, T value) {
    return library.check(library.api().cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof(value)),
                         "cublasLtMatmulDescSetAttribute");
  }

  const CublasLibrary &library;
  MatmulDesc operation = nullptr;
  MatrixLayout left = nullptr, right = nullptr, result = nullptr;
};

CublasGemm::~CublasGemm() {
  if (!handle)
    return;
  cuda::ContextScope scope(*device);
  if (scope.status.ok())
    (void)device->driver().cuCtxSynchronize();
  (void)library->api().cublasLtDestroy(handle);
}

Status CublasGemm::start(bool capturing) {
  if (started)
    return Status();
  if (capturing)
    return failedPrecondition(
        "cuBLASLt cannot be initialized while the stream is being captured; run the same work once "
        "before the capture");
  // A missing library is no error: the compiled program then launches its own kernels.
  Status status = CublasLibrary::load(device->driverVersion(), library);
  if (status.ok()) {
    const Result result = library->api().cublasLtCreate(&handle);
    status = library->check(result, "cublasLtCreate");
    if (result != Result::Success)
      handle = nullptr;
  }
  started = true;
  if (tracing(TraceKind::Plan))
    trace("rnnrt,plan,cublasLt,%s",
          status.ok() ? (library->versionText() + " " + library->path()).c_str() : rnnrt_status_message(status.get()));
  return Status();
}

Status CublasGemm::findAlgorithm(const Gemm &gemm, const Key &key, Descriptors &descriptors, Algorithm &algorithm) {
  if (auto it = algorithms.find(key); it != algorithms.end()) {
    algorithm = it->second;
    return Status();
  }
  const CublasApi &api = library->api();
  MatmulPreference preference = nullptr;
  RNNRT_TRY(library->check(api.cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate"));
  const std::unique_ptr<MatmulPreferenceObject, Result (*)(MatmulPreference)> owner(
      preference, api.cublasLtMatmulPreferenceDestroy);
  auto set = [&](MatmulPreferenceAttribute attribute, auto value) {
    return library->check(api.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof(value)),
                          "cublasLtMatmulPreferenceSetAttribute");
  };
  RNNRT_TRY(set(MatmulPreferenceAttribute::MaxWorkspaceBytes, maxWorkspace));
  RNNRT_TRY(set(MatmulPreferenceAttribute::MinAlignmentA, alignmentOf(gemm.right.data)));
  RNNRT_TRY(set(MatmulPreferenceAttribute::MinAlignmentB, alignmentOf(gemm.left.data)));
  RNNRT_TRY(set(MatmulPreferenceAttribute::MinAlignmentC, alignmentOf(gemm.result)));
  RNNRT_TRY(set(MatmulPreferenceAttribute::MinAlignmentD, alignmentOf(gemm.result)));
  MatmulHeuristicResult best{};
  int count = 0;
  const Result result =
      api.cublasLtMatmulAlgoGetHeuristic(handle, descriptors.operation, descriptors.right, descriptors.left,
                                         descriptors.result, descriptors.result, preference, 1, &best, &count);
  if (result != Result::NotSupported && result != Result::ArchMismatch)
    RNNRT_TRY(library->check(result, "cublasLtMatmulAlgoGetHeuristic"));
  algorithm.exists = result == Result::Success && count > 0 && best.state == Result::Success;
  algorithm.algo = best.algo;
  algorithm.workspace = algorithm.exists ? best.workspaceSize : 0;
  if (tracing(TraceKind::Plan))
    trace("rnnrt,plan,cublasLt,%s,%s,%zu", gemm.describe().c_str(), algorithm.exists ? "found" : "none",
          algorithm.workspace);
  algorithms.emplace(key, algorithm);
  return Status();
}

Status CublasGemm::run(const rnnrt_stream_t *callStream, const Gemm &p, bool &done) {
  done = false;
  const cuda::CUstream stream = cuda::nativeStream(callStream, *device);
  bool capturing = false;
  RNNRT_TRY(device->isCapturing(stream, capturing));
  cuda::ContextScope scope(*device);
  RNNRT_TRY(std::move(scope.status));
  const Key key = {p.dtype,
                   p.resultDtype,
                   p.flags,
                   p.bias != nullptr,
                   p.rows,
                   p.columns,
                   p.depth,
                   p.left.stride,
                   p.right.stride,
                   p.resultStride,
                   alignmentOf(p.left.data),
                   alignmentOf(p.right.data),
                   alignmentOf(p.result)};
  std::unique_ptr<Descriptors> descriptors;
  Algorithm algorithm;
  {
    std::lock_guard<std::mutex> lock(mutex);
    RNNRT_TRY(start(capturing));
    if (!handle)
      return Status();
    descriptors = std::make_unique<Descriptors>(*library);
    RNNRT_TRY(descriptors->describe(p));
    RNNRT_TRY(findAlgorithm(p, key, *descriptors, algorithm));
  }
  if (!algorithm.exists)
    return Status();
  if (capturing && !algorithm.warm)
    return failedPrecondition("the first GEMM of its kind cannot be captured, since cuBLASLt loads device code for it; "
                              "run the same work once before the capture");

  void *workspace = nullptr;
  if (algorithm.workspace)
    if (Status status = device->allocate(callStream, int64_t(algorithm.workspace), workspace); !status.ok())
      return rnnrt_status_code(status.get()) == RNNRT_STATUS_RESOURCE_EXHAUSTED ? Status() : std::move(status);
  const bool isDouble = p.dtype == RNNRT_DTYPE_F64;
  const double alpha64 = 1, beta64 = p.has(Accumulate);
  const float alpha32 = 1, beta32 = p.has(Accumulate);
  const Result result = library->api().cublasLtMatmul(
      handle, descriptors->operation, isDouble ? static_cast<const void *>(&alpha64) : &alpha32, p.right.data,
      descriptors->right, p.left.data, descriptors->left, isDouble ? static_cast<const void *>(&beta64) : &beta32,
      p.result, descriptors->result, p.result, descriptors->result, &algorithm.algo, workspace, algorithm.workspace,
      stream);
  // The release is stream-ordered; a captured GEMM gets a workspace of its own in the graph.
  Status released = device->release(callStream, workspace);
  // cuBLASLt rejected the GEMM before any launch. The result is cached, since another attempt would fail likewise.
  const bool rejected = result == Result::NotSupported || result == Result::ArchMismatch;
  if (!rejected)
    RNNRT_TRY(library->check(result, "cublasLtMatmul"));
  RNNRT_TRY(std::move(released));
  std::lock_guard<std::mutex> lock(mutex);
  Algorithm &kept = algorithms[key];
  kept.exists = !rejected;
  kept.warm = !rejected;
  done = !rejected;
  return Status();
}
