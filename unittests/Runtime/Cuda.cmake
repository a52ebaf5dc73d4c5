# Cuda.cmake - tests of device `cuda` on a fake driver, and tests that need no driver.
set(runtime ${CMAKE_CURRENT_SOURCE_DIR}/../../runtime)

# Compiles sources of the runtime, because the shared library does not export the tested functions.
add_executable(rnn_runtime_cuda_api_tests
  CudaApiTest.cpp
  ${runtime}/src/core/DynamicLibrary.cpp
  ${runtime}/src/core/Status.cpp
  ${runtime}/src/core/StatusFormat.cpp
  ${runtime}/src/cuda/CudaImages.cpp)
target_compile_features(rnn_runtime_cuda_api_tests PRIVATE cxx_std_17)
target_compile_options(rnn_runtime_cuda_api_tests PRIVATE -Wall -Wextra -Wno-unused-parameter)
target_compile_definitions(rnn_runtime_cuda_api_tests PRIVATE RNN_FAKE_CUDA_DIRECTORY="${RNN_FAKE_CUDA_DIRECTORY}")
target_include_directories(rnn_runtime_cuda_api_tests PRIVATE ${runtime}/include ${runtime}/src)
target_link_libraries(rnn_runtime_cuda_api_tests PRIVATE GTest::gtest GTest::gtest_main ${CMAKE_DL_LIBS})
add_test(NAME rnn_runtime_cuda_api_tests COMMAND rnn_runtime_cuda_api_tests)
set_property(GLOBAL APPEND PROPERTY RNN_UNIT_TESTS rnn_runtime_cuda_api_tests)

# NVIDIA's header, if available, for the comparison only. Older versions lack functions.
find_path(RNN_CUDA_DRIVER_INCLUDE_DIR cuda.h HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda
          PATH_SUFFIXES include)
mark_as_advanced(RNN_CUDA_DRIVER_INCLUDE_DIR)
if(RNN_CUDA_DRIVER_INCLUDE_DIR)
  add_library(rnn_cuda_header_test OBJECT DriverHeaderTest.cpp)
  target_compile_features(rnn_cuda_header_test PRIVATE cxx_std_17)
  target_include_directories(rnn_cuda_header_test PRIVATE ${runtime}/src)
  target_include_directories(rnn_cuda_header_test SYSTEM PRIVATE ${RNN_CUDA_DRIVER_INCLUDE_DIR})
  target_sources(rnn_runtime_cuda_api_tests PRIVATE $<TARGET_OBJECTS:rnn_cuda_header_test>)
else()
  message(STATUS "no cuda.h: our declarations of the driver are not compared with it")
endif()

# A fake libcuda.so.1 whose device is the host.
add_library(rnn_fake_cuda SHARED
  FakeCuda/FakeDriver.cpp FakeCuda/FakeDriverGraphs.cpp FakeCuda/FakeDriverMemory.cpp FakeCuda/FakeDriverModules.cpp)
target_compile_features(rnn_fake_cuda PRIVATE cxx_std_17)
target_compile_options(rnn_fake_cuda PRIVATE -Wall -Wextra -Wno-unused-parameter)
target_include_directories(rnn_fake_cuda PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/FakeCuda ${runtime}/src)
target_link_options(rnn_fake_cuda PRIVATE -Wl,--no-undefined)
set_target_properties(rnn_fake_cuda PROPERTIES OUTPUT_NAME cuda SUFFIX .so.1 CXX_VISIBILITY_PRESET hidden
                      VISIBILITY_INLINES_HIDDEN ON LIBRARY_OUTPUT_DIRECTORY ${RNN_FAKE_CUDA_DIRECTORY})
add_dependencies(rnn_runtime_cuda_api_tests rnn_fake_cuda)

add_executable(rnn_runtime_cuda_tests
  BorrowedStreamTest.cpp
  CudaDeviceTest.cpp
  MgpuTest.cpp
  CudaFailureTest.cpp
  CudaGraphTest.cpp
  CudaLaunchTest.cpp
  CudaModuleTest.cpp
  CudaWavefrontTest.cpp
  CudaSupport.cpp)
target_compile_features(rnn_runtime_cuda_tests PRIVATE cxx_std_17)
target_compile_options(rnn_runtime_cuda_tests PRIVATE -Wall -Wextra -Wno-unused-parameter)
target_compile_definitions(rnn_runtime_cuda_tests PRIVATE RNN_FAKE_CUDA_DIRECTORY="${RNN_FAKE_CUDA_DIRECTORY}")
target_include_directories(rnn_runtime_cuda_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${runtime}/src)
target_link_libraries(rnn_runtime_cuda_tests PRIVATE rnn_runtime rnn_mgpu GTest::gtest GTest::gtest_main ${CMAKE_DL_LIBS})
add_dependencies(rnn_runtime_cuda_tests rnn_fake_cuda)
add_test(NAME rnn_runtime_cuda_tests COMMAND rnn_runtime_cuda_tests)
set_property(GLOBAL APPEND PROPERTY RNN_UNIT_TESTS rnn_runtime_cuda_tests)

# A program of its own: the devices of tvm-ffi's calls live as long as the process. The runtime finds the fake of tvm-ffi
# in TvmFfiCudaTest.cpp.
add_executable(rnn_runtime_cuda_ffi_tests TvmFfiCudaTest.cpp CudaSupport.cpp)
target_compile_features(rnn_runtime_cuda_ffi_tests PRIVATE cxx_std_17)
target_compile_options(rnn_runtime_cuda_ffi_tests PRIVATE -Wall -Wextra -Wno-unused-parameter)
target_compile_definitions(rnn_runtime_cuda_ffi_tests PRIVATE RNN_FAKE_CUDA_DIRECTORY="${RNN_FAKE_CUDA_DIRECTORY}")
target_include_directories(rnn_runtime_cuda_ffi_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${runtime}/src)
target_link_libraries(rnn_runtime_cuda_ffi_tests PRIVATE rnn_runtime GTest::gtest GTest::gtest_main ${CMAKE_DL_LIBS})
set_target_properties(rnn_runtime_cuda_ffi_tests PROPERTIES ENABLE_EXPORTS ON)
add_dependencies(rnn_runtime_cuda_ffi_tests rnn_fake_cuda)
add_test(NAME rnn_runtime_cuda_ffi_tests COMMAND rnn_runtime_cuda_ffi_tests)
set_property(GLOBAL APPEND PROPERTY RNN_UNIT_TESTS rnn_runtime_cuda_ffi_tests)

# The conformance tests on the fakes. To use a GPU, set RNN_TEST_DEVICE=cuda and no library paths.
add_test(NAME rnn_runtime_conformance_cuda COMMAND rnn_runtime_tests --gtest_filter=Device*:Event*:FusedPlan*:Memory*:Call*:Plan*)
set_tests_properties(rnn_runtime_conformance_cuda PROPERTIES ENVIRONMENT
  "RNN_TEST_DEVICE=cuda;RNNRT_CUDA_PATH=${RNN_FAKE_CUDA_DIRECTORY};RNNRT_CUDNN_PATH=${RNN_FAKE_CUDA_DIRECTORY}")
