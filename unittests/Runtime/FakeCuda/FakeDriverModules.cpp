// FakeDriverModules.cpp - modules and launches of the fake driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FakeDriverState.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace rnnrt::cuda;

/// Separators of words in the code that the fake parses.
static std::string wordAt(const std::string &text, size_t at) {
  at = text.find_first_not_of(" \t\n", at);
  return at == std::string::npos ? "" : text.substr(at, text.find_first_of(" \t\n,(;", at) - at);
}

/// Sizes of the parameters in PTX: `(.param .u64 NAME, .param .align 8 .b8 NAME[16])`.
static std::vector<size_t> readParameters(const std::string &text) {
  std::vector<size_t> sizes;
  if (text.empty() || text[0] != '(')
    return sizes;
  const std::string list = text.substr(0, text.find_first_of("){"));
  for (size_t at = list.find(".param"); at != std::string::npos; at = list.find(".param", at + 1)) {
    const std::string parameter = list.substr(at, list.find(',', at) - at);
    size_t count = 1;
    if (const size_t bracket = parameter.find('['); bracket != std::string::npos)
      count = std::strtoul(parameter.c_str() + bracket + 1, nullptr, 10);
    for (const char *type : {" .u", " .s", " .b", " .f"})
      if (const size_t found = parameter.find(type); found != std::string::npos)
        sizes.push_back(std::strtoul(parameter.c_str() + found + 3, nullptr, 10) / 8 * count);
  }
  return sizes;
}

static void addFunction(CUmodule module, const std::string &name, int cluster, std::vector<size_t> parameters = {}) {
  auto function = std::make_unique<CUfunc_st>();
  function->module = module;
  function->name = name;
  function->parameters = std::move(parameters);
  function->attributes = {{CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
                          {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1024},
                          {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 0},
                          {CU_FUNC_ATTRIBUTE_NUM_REGS, 32},
                          {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 48 * 1024 - 1024},
                          {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, cluster},
                          {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, cluster ? 1 : 0},
                          {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, cluster ? 1 : 0},
                          {CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 0}};
  module->functions.push_back(std::move(function));
}

/// Rejects machine code for another chip.
static CUresult readMachineCode(CUmodule module, const char *data) {
  const std::string text(data + 4);
  if (text.rfind(" chip=", 0) != 0) {
    // A real cubin: every kernel has a section `.text.NAME`. The header determines the file size (ELF-64: offset of the
    // section headers at byte 40, their size and count at 58 and 60).
    uint64_t headers;
    uint16_t size, count;
    std::memcpy(&headers, data + 40, sizeof(headers));
    std::memcpy(&size, data + 58, sizeof(size));
    std::memcpy(&count, data + 60, sizeof(count));
    const std::string file(data, headers + uint64_t(size) * count);
    const std::string section(".text.");
    for (size_t at = file.find(section); at != std::string::npos; at = file.find(section, at + 1))
      addFunction(module, file.c_str() + at + section.size(), 0);
    return CUDA_SUCCESS;
  }
  int capability = 0;
  char suffix = 0;
  std::sscanf(text.c_str(), " chip=sm_%d%c", &capability, &suffix);
  const int device = fake::currentCapability();
  if (suffix == 'a' ? device != capability : device / 10 != capability / 10 || device < capability)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  for (size_t at = text.find("kernels="); at != std::string::npos; at = text.find(',', at + 1))
    addFunction(module, wordAt(text, text[at] == ',' ? at + 1 : at + 8), 0);
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count,
                                                  CUjit_option *options, void **values) {
  FAKE_ENTER("cuModuleLoadDataEx");
  FAKE_EXPECT_CONTEXT("cuModuleLoadDataEx");
  FAKE_EXPECT(image);
  if (fake::state().capturing)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  auto reject = [&](CUresult result, const char *reason) {
    for (unsigned k = 0; k + 1 < count; ++k)
      if (options[k] == CU_JIT_ERROR_LOG_BUFFER && options[k + 1] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
        std::snprintf(static_cast<char *>(values[k]), reinterpret_cast<size_t>(values[k + 1]), "%s", reason);
    return result;
  };
  const char *data = static_cast<const char *>(image);
  auto made = std::make_unique<CUmod_st>();
  if (!std::memcmp(data, "\177ELF", 4)) {
    if (CUresult result = readMachineCode(made.get(), data); result != CUDA_SUCCESS)
      return result;
  } else {
    const std::string text(data);
    int capability = 0, cluster = 0;
    const size_t target = text.find(".target"), marked = text.find(".reqnctapercluster");
    if (target == std::string::npos || std::sscanf(text.c_str() + target, ".target sm_%d", &capability) != 1)
      return reject(CUDA_ERROR_INVALID_PTX, "ptxas application ptx input, line 1;\n  fatal : no target\n");
    if (capability > fake::currentCapability())
      return reject(CUDA_ERROR_INVALID_PTX, "ptxas fatal : the target is newer than the device\n");
    if (text.find("BROKEN") != std::string::npos)
      return reject(CUDA_ERROR_INVALID_PTX,
                    "ptxas application ptx input, line 3; error : Unknown\n\n  symbol 'BROKEN'\n");
    if (marked != std::string::npos)
      std::sscanf(text.c_str() + marked, ".reqnctapercluster %d", &cluster);
    for (size_t at = text.find(".entry "); at != std::string::npos; at = text.find(".entry ", at + 1))
      addFunction(made.get(), wordAt(text, at + 7), cluster,
                  readParameters(text.substr(std::min(text.find('(', at), text.size()))));
  }
  fake::log("cuModuleLoadDataEx kernels=%zu", made->functions.size());
  *module = made.release();
  fake::state().live[*module] = "module";
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuModuleUnload(CUmodule module) {
  FAKE_ENTER_DESTROY();
  FAKE_EXPECT_LIVE(module, "module", "cuModuleUnload");
  fake::log("cuModuleUnload");
  fake::state().live.erase(module);
  delete module;
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  FAKE_ENTER("cuModuleGetFunction");
  FAKE_EXPECT_LIVE(module, "module", "cuModuleGetFunction");
  for (const auto &candidate : module->functions)
    if (candidate->name == name) {
      *function = candidate.get();
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}

FAKE_API CUresult rnnrt::cuda::cuModuleGetFunctionCount(unsigned int *count, CUmodule module) {
  FAKE_ENTER("cuModuleGetFunctionCount");
  FAKE_EXPECT_LIVE(module, "module", "cuModuleGetFunctionCount");
  *count = unsigned(module->functions.size());
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuModuleEnumerateFunctions(CUfunction *functions, unsigned int count, CUmodule module) {
  FAKE_ENTER("cuModuleEnumerateFunctions");
  FAKE_EXPECT_LIVE(module, "module", "cuModuleEnumerateFunctions");
  FAKE_EXPECT(count && count <= module->functions.size());
  for (unsigned k = 0; k < count; ++k)
    functions[k] = module->functions[k].get();
  return CUDA_SUCCESS;
}

static bool isFunction(CUfunction function, const char *user) {
  for (const auto &[object, kind] : fake::state().live)
    if (kind == "module")
      for (const auto &candidate : static_cast<CUmodule>(object)->functions)
        if (candidate.get() == function)
          return true;
  fake::misuse("%s of a function of no live module", user);
  return false;
}

FAKE_API CUresult rnnrt::cuda::cuFuncLoad(CUfunction function) {
  FAKE_ENTER("cuFuncLoad");
  FAKE_EXPECT_CONTEXT("cuFuncLoad");
  FAKE_EXPECT(isFunction(function, "cuFuncLoad"));
  if (fake::state().capturing)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  fake::log("cuFuncLoad kernel=%s", function->name.c_str());
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  FAKE_ENTER("cuFuncGetAttribute");
  FAKE_EXPECT(isFunction(function, "cuFuncGetAttribute") && function->attributes.count(attribute));
  *value = function->attributes[attribute];
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  FAKE_ENTER("cuFuncSetAttribute");
  FAKE_EXPECT(isFunction(function, "cuFuncSetAttribute"));
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    FAKE_EXPECT(value >= 0 && value + function->attributes[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] <= 232448);
  else
    FAKE_EXPECT(attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
  function->attributes[attribute] = value;
  fake::log("cuFuncSetAttribute kernel=%s attribute=%u value=%d", function->name.c_str(), unsigned(attribute), value);
  return CUDA_SUCCESS;
}

/// The attributes of a launch.
struct LaunchAttributes {
  explicit LaunchAttributes(const CUlaunchConfig &config, int compiledCluster)
      : blocks(int64_t(config.gridDimX) * config.gridDimY * config.gridDimZ),
        threads(int64_t(config.blockDimX) * config.blockDimY * config.blockDimZ), cluster(compiledCluster) {
    for (unsigned k = 0; k < config.numAttrs; ++k) {
      const CUlaunchAttribute &attribute = config.attrs[k];
      const auto &dim = attribute.value.clusterDim;
      switch (uint32_t(attribute.id)) {
      case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        text += " cluster=" + std::to_string(dim.x) + "x" + std::to_string(dim.y) + "x" + std::to_string(dim.z);
        divides = dim.x && dim.y && dim.z && config.gridDimX % dim.x == 0 && config.gridDimY % dim.y == 0 &&
                  config.gridDimZ % dim.z == 0;
        cluster = int64_t(dim.x) * dim.y * dim.z;
        break;
      case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        cooperative = attribute.value.cooperative;
        text += cooperative ? " cooperative" : "";
        break;
      case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
        text += attribute.value.programmaticStreamSerializationAllowed ? " programmatic" : "";
        break;
      default:
        supported = false;
      }
    }
  }
  int64_t blocks, threads, cluster;
  bool cooperative = false, divides = true, supported = true;
  std::string text;
};

static void runKernel(CUfunction function, void **parameters) {
  auto kernel = fake::state().kernels.find(function->name);
  if (kernel != fake::state().kernels.end())
    kernel->second(parameters);
}

FAKE_API CUresult rnnrt::cuda::cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters,
                                                void **extra) {
  FAKE_ENTER("cuLaunchKernelEx");
  FAKE_EXPECT_CONTEXT("cuLaunchKernelEx");
  CUstream stream = config->hStream;
  FAKE_EXPECT_STREAM(stream, "cuLaunchKernelEx");
  FAKE_EXPECT(isFunction(function, "cuLaunchKernelEx") && !extra);
  const LaunchAttributes launch(*config, function->attributes[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH]);
  FAKE_EXPECT(launch.supported && launch.blocks > 0 && launch.threads > 0 && launch.threads <= 1024);
  FAKE_EXPECT(int64_t(config->sharedMemBytes) <= function->attributes[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES]);
  if (!launch.divides || launch.cluster > 16 ||
      (launch.cluster > 8 && !function->attributes[CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED]))
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  // One block per multiprocessor; clusters of 16 blocks only with little shared memory.
  if (launch.cooperative && launch.blocks > 132)
    return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  if ((launch.cluster == 16 && config->sharedMemBytes > 200000) ||
      (launch.cluster > 1 && launch.cluster > fake::state().forClusters))
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  fake::step(stream);
  fake::log("cuLaunchKernelEx stream=%d kernel=%s grid=%ux%ux%u block=%ux%ux%u shared=%u%s", stream->number,
            function->name.c_str(), config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
            config->blockDimY, config->blockDimZ, config->sharedMemBytes, launch.text.c_str());
  if (!stream->capture) {
    runKernel(function, parameters);
    return CUDA_SUCCESS;
  }
  // A node has a copy of the arguments.
  std::vector<std::vector<char>> arguments;
  for (size_t index = 0; index < function->parameters.size(); ++index) {
    const char *argument = static_cast<const char *>(parameters[index]);
    arguments.emplace_back(argument, argument + function->parameters[index]);
  }
  const std::string shape = function->name + " " + std::to_string(launch.blocks) + " " +
                            std::to_string(launch.threads) + " " + std::to_string(config->sharedMemBytes) + launch.text;
  fake::enqueue(
      stream,
      [function, arguments]() mutable {
        std::vector<void *> pointers;
        for (std::vector<char> &argument : arguments)
          pointers.push_back(argument.data());
        if (isFunction(function, "cuGraphLaunch"))
          runKernel(function, pointers.data());
      },
      shape);
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size) {
  FAKE_ENTER("cuFuncGetParamInfo");
  FAKE_EXPECT_CONTEXT("cuFuncGetParamInfo");
  FAKE_EXPECT(isFunction(function, "cuFuncGetParamInfo") && offset && index < function->parameters.size());
  *offset = 0;
  for (size_t before = 0; before <= index; ++before) {
    const size_t bytes = function->parameters[before], alignment = bytes < 8 ? bytes : 8;
    *offset = (*offset + alignment - 1) / alignment * alignment;
    if (before < index)
      *offset += bytes;
  }
  if (size)
    *size = function->parameters[index];
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuOccupancyMaxActiveClusters(int *clusters, CUfunction function,
                                                            const CUlaunchConfig *config) {
  FAKE_ENTER("cuOccupancyMaxActiveClusters");
  FAKE_EXPECT(isFunction(function, "cuOccupancyMaxActiveClusters"));
  const LaunchAttributes launch(*config, function->attributes[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH]);
  FAKE_EXPECT(launch.cluster > 0);
  *clusters =
      launch.cluster == 16 && config->sharedMemBytes > 200000 ? 0 : int(fake::state().forClusters / launch.cluster);
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, uint32_t rank,
                                                      void *address, const uint64_t *sizes, const uint64_t *strides,
                                                      const uint32_t *box, const uint32_t *elementStrides,
                                                      CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                                      CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  FAKE_ENTER("cuTensorMapEncodeTiled");
  FAKE_EXPECT(map && rank >= 1 && rank <= 5 && address);
  std::string text = "type=" + std::to_string(type) + " sizes";
  for (uint32_t dim = 0; dim < rank; ++dim)
    text += " " + std::to_string(sizes[dim]);
  text += " strides";
  for (uint32_t dim = 0; dim + 1 < rank; ++dim)
    text += " " + std::to_string(strides[dim]);
  text += " box";
  for (uint32_t dim = 0; dim < rank; ++dim)
    text += " " + std::to_string(box[dim]);
  fake::log("cuTensorMapEncodeTiled %s", text.c_str());
  map->opaque[0] = reinterpret_cast<uintptr_t>(address);
  map->opaque[1] = std::hash<std::string>()(text);
  return CUDA_SUCCESS;
}
