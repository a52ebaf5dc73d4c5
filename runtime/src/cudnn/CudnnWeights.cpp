// CudnnWeights.cpp - queries and checks the layout of the opaque parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cudnn/CudnnWeights.h"

#include <algorithm>

using namespace rnnrt;
using namespace rnnrt::cudnn;

bool WeightLayout::operator==(const WeightLayout &other) const {
  return bytes == other.bytes &&
         std::equal(regions.begin(), regions.end(), other.regions.begin(), other.regions.end(),
                    [](const Region &a, const Region &b) { return a.offset == b.offset && a.bytes == b.bytes; });
}

namespace {

/// The description of a tensor by cuDNN.
struct TensorInfo {
  DataType type{};
  int rank = 0, dims[3] = {}, strides[3] = {};

  Status read(const CudnnLibrary &library, TensorDescriptor descriptor) {
    return library.check(library.api().cudnnGetTensorNdDescriptor(descriptor, 3, &type, &rank, dims, strides),
                         "cudnnGetTensorNdDescriptor");
  }

  /// Returns true for a dense [rows,columns] matrix of type `expected`. The reference documents [1,rows,columns]
  /// (cudnnGetRNNWeightParams). Unit dimensions are ignored at any position.
  bool is(DataType expected, int64_t rows, int64_t columns) const {
    if (type != expected || rank < 1 || rank > 3)
      return false;
    std::vector<int64_t> expectedDims, actualDims;
    for (int64_t size : {rows, columns})
      if (size != 1)
        expectedDims.push_back(size);
    int64_t stride = 1;
    for (int k = rank - 1; k >= 0; --k) {
      if (dims[k] == 1)
        continue;
      if (strides[k] != stride)
        return false;
      actualDims.insert(actualDims.begin(), dims[k]);
      stride *= dims[k];
    }
    return actualDims == expectedDims;
  }
};

} // namespace

Status WeightLayout::queryRegions(CudnnContext &context, const RnnProblem &p, RnnDescriptor descriptor, Handle handle,
                                  const void *base) {
  const CudnnLibrary &library = *context.library;
  const CudnnApi &api = library.api();
  const int64_t pseudoLayers = p.layers * p.directions(), gates = p.gates(), size = rnnrt_dtype_size(p.dtype);
  const DataType type = dataTypeOf(p.dtype);
  TensorOwner matrix, bias;
  RNNRT_TRY(matrix.create(context.library, "cudnnCreateTensorDescriptor"));
  RNNRT_TRY(bias.create(context.library, "cudnnCreateTensorDescriptor"));

  std::vector<Region> weights, biases;
  auto addRegion = [&](std::vector<Region> &regions, const void *address, int64_t elements) {
    // With a null base, addresses are offsets.
    regions.push_back(
        {int64_t(reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(base)), elements * size});
  };
  for (int64_t k = 0; k < pseudoLayers; ++k)
    for (int64_t id = 0; id < 2 * gates + p.projected(); ++id) {
      const bool projects = id == 2 * gates;
      const int32_t layerId = projects ? projectionLayerId : int32_t(id);
      void *matrixAt = nullptr, *biasAt = nullptr;
      RNNRT_TRY(library.check(api.cudnnGetRNNWeightParams(handle, descriptor, int32_t(k), size_t(bytes), base, layerId,
                                                          matrix.get(), &matrixAt, bias.get(), &biasAt),
                              "cudnnGetRNNWeightParams"));
      auto unexpected = [&](const char *what, int64_t rows, int64_t columns, const TensorInfo &info) {
        return internalError("cuDNN %s describes %s %d of pseudo layer %lld as rank %d [%d,%d,%d] of type %u, expected "
                             "a dense [1,%lld,%lld] of type %u",
                             library.versionText().c_str(), what, layerId, (long long)k, info.rank, info.dims[0],
                             info.dims[1], info.dims[2], unsigned(info.type), (long long)rows, (long long)columns,
                             unsigned(type));
      };
      TensorInfo info;
      // With skip_input, layer 0 has no input matrices; cuDNN's description of them is ignored.
      if (p.skipInput && k < p.directions() && id < gates) {
        weights.push_back({0, 0});
      } else {
        const int64_t rows = projects ? p.projection : p.hidden;
        const int64_t columns = projects ? p.hidden : id >= gates ? p.projection : p.inputOf(k / p.directions());
        RNNRT_TRY(info.read(library, matrix.get()));
        if (!info.is(type, rows, columns))
          return unexpected("matrix", rows, columns, info);
        addRegion(weights, matrixAt, rows * columns);
      }
      if (projects)
        continue; // has no bias
      RNNRT_TRY(info.read(library, bias.get()));
      if (!info.is(type, p.hidden, 1))
        return unexpected("bias", p.hidden, 1, info);
      addRegion(biases, biasAt, p.hidden);
    }
  regions = std::move(weights);
  regions.insert(regions.end(), biases.begin(), biases.end());
  return checkRegions();
}

Status WeightLayout::checkRegions() {
  std::vector<Region> sorted;
  for (const Region &region : regions)
    if (region.bytes)
      sorted.push_back(region);
  std::sort(sorted.begin(), sorted.end(), [](const Region &a, const Region &b) { return a.offset < b.offset; });
  int64_t end = 0;
  dense = true;
  for (const Region &region : sorted) {
    if (region.offset < end)
      return internalError("cuDNN parameters overlap at byte %lld of the parameter buffer", (long long)region.offset);
    dense = dense && region.offset == end;
    end = region.offset + region.bytes;
  }
  if (end > bytes)
    return internalError("a cuDNN parameter ends at byte %lld of a parameter buffer of %lld bytes", (long long)end,
                         (long long)bytes);
  dense = dense && end == bytes;
  return Status();
}

Status WeightLayout::query(CudnnContext &context, const RnnProblem &problem, RnnDescriptor descriptor, Handle handle,
                           cuda::CUstream stream, WeightLayout &layout) {
  layout = WeightLayout();
  size_t bytes = 0;
  RNNRT_TRY(context.library->check(context.library->api().cudnnGetRNNWeightSpaceSize(handle, descriptor, &bytes),
                                   "cudnnGetRNNWeightSpaceSize"));
  layout.bytes = int64_t(bytes);
  Status status = layout.queryRegions(context, problem, descriptor, handle, nullptr);
  if (status.ok() || rnnrt_status_code(status.get()) == RNNRT_STATUS_UNIMPLEMENTED)
    return status;

  // Callers of the older API rely on offsets from a null base, but the reference does not document them. If the check
  // fails, query again with a real buffer.
  cuda::CudaDevice &device = *context.device;
  void *base = nullptr;
  RNNRT_TRY(device.allocate(stream, layout.bytes, base));
  status = layout.queryRegions(context, problem, descriptor, handle, base);
  Status released = device.release(stream, base);
  RNNRT_TRY(std::move(status));
  return released;
}
