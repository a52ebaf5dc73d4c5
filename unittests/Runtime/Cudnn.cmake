# Cudnn.cmake - tests of the cuDNN plans: on a fake library, and on the real library if that needs no device.
set(runtime ${CMAKE_CURRENT_SOURCE_DIR}/../../runtime)

# Compiles sources of the runtime, because the shared library does not export the tested functions.
add_executable(rnn_runtime_cudnn_api_tests
  CudnnApiTest.cpp
  ${runtime}/src/core/DynamicLibrary.cpp
  ${runtime}/src/core/Problem.cpp
  ${runtime}/src/core/Status.cpp
  ${runtime}/src/core/StatusFormat.cpp
  ${runtime}/src/cudnn/CudnnAlgorithm.cpp
  ${runtime}/src/cudnn/CudnnDescriptors.cpp
  ${runtime}/src/cudnn/CudnnLibrary.cpp)
target_compile_features(rnn_runtime_cudnn_api_tests PRIVATE cxx_std_17)
target_compile_options(rnn_runtime_cudnn_api_tests PRIVATE -Wall -Wextra -Wno-unused-parameter)
target_include_directories(rnn_runtime_cudnn_api_tests PRIVATE ${runtime}/include ${runtime}/src)
target_link_libraries(rnn_runtime_cudnn_api_tests PRIVATE GTest::gtest GTest::gtest_main ${CMAKE_DL_LIBS})
add_test(NAME rnn_runtime_cudnn_api_tests COMMAND rnn_runtime_cudnn_api_tests)
set_property(GLOBAL APPEND PROPERTY RNN_UNIT_TESTS rnn_runtime_cudnn_api_tests)

# NVIDIA's headers, if available, for the comparison only.
find_path(RNN_CUDNN_INCLUDE_DIR cudnn_adv.h HINTS ENV CUDNN_HOME ENV CUDA_HOME ENV CUDA_PATH
          PATHS /usr/local/cuda PATH_SUFFIXES include)
find_path(RNN_CUDA_INCLUDE_DIR cuda_runtime_api.h HINTS ENV CUDA_HOME ENV CUDA_PATH
          PATHS /usr/local/cuda PATH_SUFFIXES include)
mark_as_advanced(RNN_CUDNN_INCLUDE_DIR RNN_CUDA_INCLUDE_DIR)
if(RNN_CUDNN_INCLUDE_DIR AND RNN_CUDA_INCLUDE_DIR)
  add_library(rnn_cudnn_header_test OBJECT CudnnHeaderTest.cpp)
  target_compile_features(rnn_cudnn_header_test PRIVATE cxx_std_17)
  target_include_directories(rnn_cudnn_header_test PRIVATE ${runtime}/src)
  target_include_directories(rnn_cudnn_header_test SYSTEM PRIVATE ${RNN_CUDNN_INCLUDE_DIR} ${RNN_CUDA_INCLUDE_DIR})
  target_sources(rnn_runtime_cudnn_api_tests PRIVATE $<TARGET_OBJECTS:rnn_cudnn_header_test>)
else()
  message(STATUS "no cuDNN headers found: the declarations of cuDNN are not compared")
endif()

# A fake libcudnn.so.9 that computes with the host plans.
add_library(rnn_fake_cudnn SHARED FakeCuda/FakeCudnn.cpp FakeCuda/FakeCudnnRun.cpp)
target_compile_features(rnn_fake_cudnn PRIVATE cxx_std_17)
target_compile_options(rnn_fake_cudnn PRIVATE -Wall -Wextra -Wno-unused-parameter)
target_include_directories(rnn_fake_cudnn PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/FakeCuda ${runtime}/src)
target_link_libraries(rnn_fake_cudnn PRIVATE rnn_runtime)
set_target_properties(rnn_fake_cudnn PROPERTIES OUTPUT_NAME cudnn SUFFIX .so.9 CXX_VISIBILITY_PRESET hidden
                      VISIBILITY_INLINES_HIDDEN ON LIBRARY_OUTPUT_DIRECTORY ${RNN_FAKE_CUDA_DIRECTORY})

add_executable(rnn_runtime_cudnn_tests
  CudnnBorrowTest.cpp
  CudnnCaptureTest.cpp
  CudnnFailureTest.cpp
  CudnnPlanTest.cpp
  CudnnSupport.cpp
  TestSupport.cpp)
target_compile_features(rnn_runtime_cudnn_tests PRIVATE cxx_std_17)
target_compile_options(rnn_runtime_cudnn_tests PRIVATE -Wall -Wextra -Wno-unused-parameter)
target_compile_definitions(rnn_runtime_cudnn_tests PRIVATE RNN_FAKE_CUDA_DIRECTORY="${RNN_FAKE_CUDA_DIRECTORY}")
target_include_directories(rnn_runtime_cudnn_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${runtime}/src)
target_link_libraries(rnn_runtime_cudnn_tests PRIVATE rnn_runtime GTest::gtest GTest::gtest_main ${CMAKE_DL_LIBS})
add_dependencies(rnn_runtime_cudnn_tests rnn_fake_cuda rnn_fake_cudnn)
add_test(NAME rnn_runtime_cudnn_tests COMMAND rnn_runtime_cudnn_tests)
set_property(GLOBAL APPEND PROPERTY RNN_UNIT_TESTS rnn_runtime_cudnn_tests)
