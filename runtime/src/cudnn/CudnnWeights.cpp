// CudnnWeights.cpp - asks for the layout of the parameters.
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

/// One tensor as cuDNN describes it.
struct Answer {
  DataType type{};
  int rank = 0, dims[3] = {}, strides[3] = {};

  Status read(const CudnnLibrary &library, TensorDescriptor descriptor) {
    return library.check(library.api().cudnnGetTensorNdDescriptor(descriptor, 3, &type, &rank, dims, strides),
                         "cudnnGetTensorNdDescriptor");
  }

  /// Dense rows of `expected`: [1,rows,columns] by the reference (cudnnGetRNNWeightParams). Dimensions of one element
  /// say nothing, wherever they stand.
  bool is(DataType expected, int64_t rows, int64_t columns) const {
    if (type != expected || rank < 1 || rank > 3)
      return false;
    std::vector<int64_t> wanted, got;
    for (int64_t size : {rows, columns})
      if (size != 1)
        wanted.push_back(size);
    int64_t stride = 1;
    for (int k = rank - 1; k >= 0; --k) {
      if (dims[k] == 1)
        continue;
      if (strides[k] != stride)
        return false;
      got.insert(got.begin(), dims[k]);
      stride *= dims[k];
    }
    return got == wanted;
  }
};

} // namespace

Status WeightLayout::ask(CudnnContext &context, const RnnProblem &p, RnnDescriptor descriptor, Handle handle,
                         const void *base) {
  const CudnnLibrary &library = *context.library;
  const CudnnApi &api = library.api();
  const int64_t pseudoLayers = p.layers * p.directions(), gates = p.gates(), size = rnnrt_dtype_size(p.dtype);
  const DataType type = dataTypeOf(p.dtype);
  // The descriptors that receive the answers.
  TensorOwner matrix, bias;
  RNNRT_TRY(matrix.create(context.library, "cudnnCreateTensorDescriptor"));
  RNNRT_TRY(bias.create(context.library, "cudnnCreateTensorDescriptor"));

  std::vector<Region> weights, biases;
  auto place = [&](std::vector<Region> &regions, const void *address, int64_t elements) {
    // Without a base the addresses are offsets.
    regions.push_back(
        {int64_t(reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(base)), elements * size});
  };
  for (int64_t k = 0; k < pseudoLayers; ++k)
    for (int64_t id = 0; id < 2 * gates + p.projected(); ++id) {
      const bool projects = id == 2 * gates;
      const int32_t number = projects ? projectionLayerId : int32_t(id);
      void *matrixAt = nullptr, *biasAt = nullptr;
      RNNRT_TRY(library.check(api.cudnnGetRNNWeightParams(handle, descriptor, int32_t(k), size_t(bytes), base, number,
                                                          matrix.get(), &matrixAt, bias.get(), &biasAt),
                              "cudnnGetRNNWeightParams"));
      auto unexpected = [&](const char *what, int64_t rows, int64_t columns, const Answer &got) {
        return internalError("cuDNN %s describes %s %d of pseudo layer %lld as rank %d [%d,%d,%d] of type %u, expected "
                             "a dense [1,%lld,%lld] of type %u",
                             library.versionText().c_str(), what, number, (long long)k, got.rank, got.dims[0],
                             got.dims[1], got.dims[2], unsigned(got.type), (long long)rows, (long long)columns,
                             unsigned(type));
      };
      Answer answer;
      // skip_input: layer 0 has no input matrices, and what cuDNN says of them does not matter.
      if (p.skipInput && k < p.directions() && id < gates) {
        weights.push_back({0, 0});
      } else {
        const int64_t rows = projects ? p.projection : p.hidden;
        const int64_t columns = projects ? p.hidden : id >= gates ? p.projection : p.inputOf(k / p.directions());
        RNNRT_TRY(answer.read(library, matrix.get()));
        if (!answer.is(type, rows, columns))
          return unexpected("matrix", rows, columns, answer);
        place(weights, matrixAt, rows * columns);
      }
      if (projects)
        continue; // has no bias
      RNNRT_TRY(answer.read(library, bias.get()));
      if (!answer.is(type, p.hidden, 1))
        return unexpected("bias", p.hidden, 1, answer);
      place(biases, biasAt, p.hidden);
    }
  regions = std::move(weights);
  regions.insert(regions.end(), biases.begin(), biases.end());
  return judge();
}

Status WeightLayout::judge() {
  std::vector<Region> sorted;
  for (const Region &region : regions)
    if (region.bytes)
      sorted.push_back(region);
  std::sort(sorted.begin(), sorted.end(), [](const Region &a, const Region &b) { return a.offset < b.offset; });
  int64_t end = 0;
  dense = true;
  for (const Region &region : sorted) {
    if (region.offset < end)
      return internalError("cuDNN places two parameters at byte %lld of the buffer", (long long)region.offset);
    dense = dense && region.offset == end;
    end = region.offset + region.bytes;
  }
  if (end > bytes)
    return internalError("cuDNN places a parameter up to byte %lld of a buffer of %lld bytes", (long long)end,
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
  Status status = layout.ask(context, problem, descriptor, handle, nullptr);
  if (status.ok() || rnnrt_status_code(status.get()) == RNNRT_STATUS_UNIMPLEMENTED)
    return status;

  // Offsets from a null base are what callers of the older interface rely on; the reference does not promise them. With
  // a buffer to point into there is no doubt left.
  cuda::CudaDevice &device = *context.device;
  void *base = nullptr;
  RNNRT_TRY(device.allocate(stream, layout.bytes, base));
  status = layout.ask(context, problem, descriptor, handle, base);
  Status released = device.release(stream, base);
  RNNRT_TRY(std::move(status));
  return released;
}
