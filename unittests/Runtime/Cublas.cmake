# Cublas.cmake - tests of the GEMMs by cuBLASLt: comparison of declarations with NVIDIA's header, and GEMMs on a fake.
set(runtime ${CMAKE_CURRENT_SOURCE_DIR}/../../runtime)

# A fake libcublasLt.so.13 that computes on the host.
add_library(rnn_fake_cublas SHARED FakeCuda/FakeCublas.cpp)
target_compile_features(rnn_fake_cublas PRIVATE cxx_std_17)
target_compile_options(rnn_fake_cublas PRIVATE -Wall -Wextra -Wno-unused-parameter)
target_include_directories(rnn_fake_cublas PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/FakeCuda ${runtime}/include ${runtime}/src)
target_link_libraries(rnn_fake_cublas PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(rnn_fake_cublas PROPERTIES OUTPUT_NAME cublasLt SUFFIX .so.13 CXX_VISIBILITY_PRESET hidden
                      VISIBILITY_INLINES_HIDDEN ON LIBRARY_OUTPUT_DIRECTORY ${RNN_FAKE_CUDA_DIRECTORY})

add_executable(rnn_runtime_cublas_tests CublasTest.cpp CudaSupport.cpp TestSupport.cpp)
target_compile_features(rnn_runtime_cublas_tests PRIVATE cxx_std_17)
target_compile_options(rnn_runtime_cublas_tests PRIVATE -Wall -Wextra -Wno-unused-parameter)
target_compile_definitions(rnn_runtime_cublas_tests PRIVATE RNN_FAKE_CUDA_DIRECTORY="${RNN_FAKE_CUDA_DIRECTORY}")
target_include_directories(rnn_runtime_cublas_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${runtime}/src)
target_link_libraries(rnn_runtime_cublas_tests PRIVATE rnn_runtime GTest::gtest GTest::gtest_main ${CMAKE_DL_LIBS})
add_dependencies(rnn_runtime_cublas_tests rnn_fake_cuda rnn_fake_cublas)
add_test(NAME rnn_runtime_cublas_tests COMMAND rnn_runtime_cublas_tests)
set_property(GLOBAL APPEND PROPERTY RNN_UNIT_TESTS rnn_runtime_cublas_tests)

# NVIDIA's header, if available, for the comparison only.
find_path(RNN_CUBLAS_INCLUDE_DIR cublasLt.h HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda
          PATH_SUFFIXES include)
mark_as_advanced(RNN_CUBLAS_INCLUDE_DIR)
if(RNN_CUBLAS_INCLUDE_DIR AND RNN_CUDA_INCLUDE_DIR)
  add_library(rnn_cublas_header_test OBJECT CublasHeaderTest.cpp)
  target_compile_features(rnn_cublas_header_test PRIVATE cxx_std_17)
  target_include_directories(rnn_cublas_header_test PRIVATE ${runtime}/src)
  target_include_directories(rnn_cublas_header_test SYSTEM PRIVATE ${RNN_CUBLAS_INCLUDE_DIR} ${RNN_CUDA_INCLUDE_DIR})
  target_sources(rnn_runtime_cublas_tests PRIVATE $<TARGET_OBJECTS:rnn_cublas_header_test>)
else()
  message(STATUS "no cublasLt.h: our declarations of cuBLASLt are not compared with it")
endif()
