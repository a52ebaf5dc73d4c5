// CudnnDescriptors.cpp - converts a problem to cuDNN descriptors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cudnn/CudnnDescriptors.h"

using namespace rnnrt;
using namespace rnnrt::cudnn;

static const struct {
  const char *name;
  RnnAlgo algorithm;
} algorithms[] = {{"standard", RnnAlgo::Standard},
                  {"persist_static", RnnAlgo::PersistStatic},
                  {"persist_dynamic", RnnAlgo::PersistDynamic},
                  {"persist_static_small_h", RnnAlgo::PersistStaticSmallH}};

const char *cudnn::algorithmName(RnnAlgo algorithm) {
  for (const auto &row : algorithms)
    if (row.algorithm == algorithm)
      return row.name;
  return "unknown";
}

bool cudnn::algorithmOf(const std::string &name, RnnAlgo &algorithm) {
  for (const auto &row : algorithms)
    if (name == row.name) {
      algorithm = row.algorithm;
      return true;
    }
  return false;
}

DataType cudnn::dataTypeOf(int32_t dtype) {
  switch (dtype) {
  case RNNRT_DTYPE_F16:
    return DataType::Half;
  case RNNRT_DTYPE_BF16:
    return DataType::BFloat16;
  case RNNRT_DTYPE_F64:
    return DataType::Double;
  }
  return DataType::Float;
}

DataType cudnn::mathPrecisionOf(int32_t dtype) {
  return dtype == RNNRT_DTYPE_F64 ? DataType::Double : DataType::Float;
}

MathType cudnn::mathTypeOf(int32_t dtype, bool tf32) {
  switch (dtype) {
  case RNNRT_DTYPE_F16:
  case RNNRT_DTYPE_BF16:
    return MathType::TensorOp;
  case RNNRT_DTYPE_F32:
    // DEFAULT allows cuDNN to round f32 operands to TF32; FMA does not.
    return tf32 ? MathType::Default : MathType::Fma;
  }
  return MathType::Default;
}

Status cudnn::checkSizes(const RnnProblem &p) {
  const struct {
    const char *name;
    int64_t value;
  } sizes[] = {{"T", p.steps}, {"B", p.batch}, {"I", p.input}, {"H", p.hidden}, {"L", p.layers}};
  for (const auto &size : sizes)
    if (size.value > INT32_MAX)
      return outOfRange("cuDNN sizes are 32 bits: expects %s to be at most %d, but got %lld", size.name, INT32_MAX,
                        (long long)size.value);
  // Strides and dimensions of the states are 32 bits too. Each factor fits in 32 bits, so that 64 bits hold the
  // products.
  if (p.batch * p.hidden > INT32_MAX || p.layers * p.directions() > INT32_MAX ||
      p.directions() * p.projection > INT32_MAX)
    return outOfRange("cuDNN sizes are 32 bits: expects B*H, L*D and D*P to be at most %d, but got %lld, %lld and %lld",
                      INT32_MAX, (long long)(p.batch * p.hidden), (long long)(p.layers * p.directions()),
                      (long long)(p.directions() * p.projection));
  return Status();
}

Status cudnn::makeRnn(const std::shared_ptr<const CudnnLibrary> &library, const RnnProblem &p, const RnnConfig &config,
                      DropoutDescriptor dropout, RnnOwner &owner) {
  RNNRT_TRY(owner.create(library, "cudnnCreateRNNDescriptor"));
  // Without a projection, projSize is H: cuDNN rejects 0. The values of Mode equal those of cuDNN.
  return library->check(library->api().cudnnSetRNNDescriptor_v8(
                            owner.get(), config.algorithm, RnnMode(int32_t(p.mode)), BiasMode::Double,
                            p.bidirectional ? DirectionMode::Bidirectional : DirectionMode::Unidirectional,
                            p.skipInput ? InputMode::Skip : InputMode::Linear, dataTypeOf(p.dtype),
                            mathPrecisionOf(p.dtype), mathTypeOf(p.dtype, config.tf32), int32_t(p.input),
                            int32_t(p.hidden), int32_t(p.projection), int32_t(p.layers), dropout,
                            config.packed ? 0 : paddedIoEnabled),
                        "cudnnSetRNNDescriptor_v8");
}

Status cudnn::makeData(const std::shared_ptr<const CudnnLibrary> &library, const RnnProblem &p, int64_t width,
                       const std::vector<int32_t> &lengths, RnnDataOwner &owner, bool packed) {
  RNNRT_TRY(owner.create(library, "cudnnCreateRNNDataDescriptor"));
  // The padding value, of the data type; all-zero bits are 0 in each type.
  uint64_t zero = 0;
  const DataLayout layout = packed         ? DataLayout::SeqMajorPacked
                            : p.batchMajor ? DataLayout::BatchMajorUnpacked
                                           : DataLayout::SeqMajorUnpacked;
  return library->check(library->api().cudnnSetRNNDataDescriptor(owner.get(), dataTypeOf(p.dtype), layout, int(p.steps),
                                                                 int(p.batch), int(width), lengths.data(), &zero),
                        "cudnnSetRNNDataDescriptor");
}

Status cudnn::makeStates(const std::shared_ptr<const CudnnLibrary> &library, const RnnProblem &p, int64_t width,
                         TensorOwner &owner) {
  RNNRT_TRY(owner.create(library, "cudnnCreateTensorDescriptor"));
  const int dims[] = {int(p.layers * p.directions()), int(p.batch), int(width)};
  const int strides[] = {int(p.batch * width), int(width), 1};
  return library->check(library->api().cudnnSetTensorNdDescriptor(owner.get(), dataTypeOf(p.dtype), 3, dims, strides),
                        "cudnnSetTensorNdDescriptor");
}
