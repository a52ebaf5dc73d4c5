// CublasProducts.cpp - describes a product to cuBLASLt, asks once for the best algorithm, and runs it.
//
// Row major matrices are column major ones transposed: result^T = right^T * left^T, so that the library's A is our right
// side and its B our left one, and a bias per column is one per row of the library's D.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cublas/CublasProducts.h"
#include "core/Trace.h"

using namespace rnnrt;
using namespace rnnrt::cublas;

/// What NVIDIA recommends for compute capability 9.0 (cuBLAS guide, cublasSetWorkspace).
static constexpr uint64_t maxWorkspace = uint64_t(32) << 20;

static DataType typeOf(int32_t dtype) {
  return dtype == RNNRT_DTYPE_F16    ? DataType::R16F
         : dtype == RNNRT_DTYPE_BF16 ? DataType::R16BF
         : dtype == RNNRT_DTYPE_F32  ? DataType::R32F
                                     : DataType::R64F;
}

/// Powers of two that an address is a multiple of, as far as algorithms care.
static uint32_t alignmentOf(const void *pointer) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  uint32_t alignment = 256;
  while (address % alignment)
    alignment /= 2;
  return alignment;
}

/// The descriptions of one product.
struct CublasProducts::Descriptors {
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

  Status describe(const MatrixProduct &p) {
    const CublasApi &api = library.api();
    const bool isDouble = p.dtype == RNNRT_DTYPE_F64;
    const ComputeType compute = isDouble                                                   ? ComputeType::F64
                                : p.dtype == RNNRT_DTYPE_F32 && p.has(RoundToTf32) ? ComputeType::F32FastTf32
                                                                                           : ComputeType::F32;
    RNNRT_TRY(library.check(
        api.cublasLtMatmulDescCreate(&operation, compute, isDouble ? DataType::R64F : DataType::R32F),
        "cublasLtMatmulDescCreate"));
    RNNRT_TRY(set(MatmulDescAttribute::TransposeA, p.has(RightTransposed) ? Operation::Transpose : Operation::None));
    RNNRT_TRY(set(MatmulDescAttribute::TransposeB, p.has(LeftTransposed) ? Operation::Transpose : Operation::None));
    if (p.bias) {
      RNNRT_TRY(set(MatmulDescAttribute::Epilogue, Epilogue::Bias));
      RNNRT_TRY(set(MatmulDescAttribute::BiasPointer, p.bias));
      RNNRT_TRY(set(MatmulDescAttribute::BiasDataType, typeOf(p.resultDtype)));
    }
    auto make = [&](MatrixLayout &layout, int32_t dtype, int64_t rows, int64_t columns, int64_t stride) {
      // Column major: the width of a row of ours comes first.
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

CublasProducts::~CublasProducts() {
  if (!handle)
    return;
  cuda::ContextScope scope(*device);
  if (scope.status.ok())
    (void)device->driver().cuCtxSynchronize();
  (void)library->api().cublasLtDestroy(handle);
}

Status CublasProducts::start(bool capturing) {
  if (started)
    return Status();
  if (capturing)
    return failedPrecondition("cuBLASLt cannot be started while the stream is being captured; run the same work once "
                              "before the capture");
  // That it is not there is a fact, no failure: kernels of the program do its work.
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

Status CublasProducts::choose(const MatrixProduct &product, const Key &key, Descriptors &descriptors, Choice &choice) {
  if (auto it = choices.find(key); it != choices.end()) {
    choice = it->second;
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
  RNNRT_TRY(set(MatmulPreferenceAttribute::MinAlignmentA, alignmentOf(product.right.data)));
  RNNRT_TRY(set(MatmulPreferenceAttribute::MinAlignmentB, alignmentOf(product.left.data)));
  RNNRT_TRY(set(MatmulPreferenceAttribute::MinAlignmentC, alignmentOf(product.result)));
  RNNRT_TRY(set(MatmulPreferenceAttribute::MinAlignmentD, alignmentOf(product.result)));
  MatmulHeuristicResult best{};
  int count = 0;
  const Result result = api.cublasLtMatmulAlgoGetHeuristic(
      handle, descriptors.operation, descriptors.right, descriptors.left, descriptors.result, descriptors.result,
      preference, 1, &best, &count);
  if (result != Result::NotSupported && result != Result::ArchMismatch)
    RNNRT_TRY(library->check(result, "cublasLtMatmulAlgoGetHeuristic"));
  choice.exists = result == Result::Success && count > 0 && best.state == Result::Success;
  choice.algo = best.algo;
  choice.workspace = choice.exists ? best.workspaceSize : 0;
  if (tracing(TraceKind::Plan))
    trace("rnnrt,plan,cublasLt,%s,%s,%zu", product.describe().c_str(), choice.exists ? "found" : "none",
          choice.workspace);
  choices.emplace(key, choice);
  return Status();
}

Status CublasProducts::run(cuda::CUstream stream, const MatrixProduct &p, bool &done) {
  done = false;
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
  Choice choice;
  {
    std::lock_guard<std::mutex> lock(mutex);
    RNNRT_TRY(start(capturing));
    if (!handle)
      return Status();
    descriptors = std::make_unique<Descriptors>(*library);
    RNNRT_TRY(descriptors->describe(p));
    RNNRT_TRY(choose(p, key, *descriptors, choice));
  }
  if (!choice.exists)
    return Status();
  if (capturing && !choice.warm)
    return failedPrecondition("the first product of its kind cannot be captured, since cuBLASLt loads device code in "
                              "it; run the same work once before the capture");

  void *workspace = nullptr;
  if (choice.workspace)
    if (Status status = device->allocate(stream, int64_t(choice.workspace), workspace); !status.ok())
      return rnnrt_status_code(status.get()) == RNNRT_STATUS_RESOURCE_EXHAUSTED ? Status() : std::move(status);
  const bool isDouble = p.dtype == RNNRT_DTYPE_F64;
  const double alpha64 = 1, beta64 = p.has(Accumulate);
  const float alpha32 = 1, beta32 = p.has(Accumulate);
  const Result result = library->api().cublasLtMatmul(
      handle, descriptors->operation, isDouble ? static_cast<const void *>(&alpha64) : &alpha32, p.right.data,
      descriptors->right, p.left.data, descriptors->left, isDouble ? static_cast<const void *>(&beta64) : &beta32,
      p.result, descriptors->result, p.result, descriptors->result, &choice.algo, workspace, choice.workspace, stream);
  // In the order of the stream; the captured product has a place of its own in the graph.
  Status released = device->release(stream, workspace);
  // Refused before anything was launched: another try would end alike.
  const bool refused = result == Result::NotSupported || result == Result::ArchMismatch;
  if (!refused)
    RNNRT_TRY(library->check(result, "cublasLtMatmul"));
  RNNRT_TRY(std::move(released));
  std::lock_guard<std::mutex> lock(mutex);
  Choice &kept = choices[key];
  kept.exists = !refused;
  kept.warm = !refused;
  done = !refused;
  return Status();
}
