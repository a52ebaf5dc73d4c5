# RNNWheel.cmake - the builds of the wheels rnn-mlir (pyproject.toml) and rnn-mlir-compiler (python/compiler), included before
# project(): defaults that `scripts/setup.sh` passes to the build of the project. With equal flags, the compiler cache serves
# all of them.
#
#   RNN_COMPILE            an rnn-compile of this version: only the runtime and the prebuilt layers are built
#   RNN_PYTHON_PREBUILT    a folder like build/python/lib, whose content is packed as it is
#   RNN_COMPILER_PACKAGE   a folder like build/python/compiler/package, whose content is packed as it is
set(RNN_COMPILE "" CACHE FILEPATH "An rnn-compile of this version")
set(RNN_PYTHON_PREBUILT "" CACHE PATH "A folder with libraries and modules to pack")
set(RNN_COMPILER_PACKAGE "" CACHE PATH "A folder with rnn-compile and librnn-c.so to pack")

find_program(rnn_clang clang-22)
find_program(rnn_clangxx clang++-22)
find_program(rnn_lld ld.lld-22)
find_program(rnn_ccache ccache)
# scikit-build-core sets CC and CXX to the compiler of Python, so they are no choice of the user.
if(rnn_clang AND rnn_clangxx AND NOT CMAKE_CXX_COMPILER)
  set(CMAKE_C_COMPILER ${rnn_clang} CACHE FILEPATH "")
  set(CMAKE_CXX_COMPILER ${rnn_clangxx} CACHE FILEPATH "")
  if(rnn_lld)
    set(CMAKE_EXE_LINKER_FLAGS -fuse-ld=lld-22 CACHE STRING "")
    set(CMAKE_SHARED_LINKER_FLAGS -fuse-ld=lld-22 CACHE STRING "")
  endif()
endif()
if(rnn_ccache)
  set(CMAKE_C_COMPILER_LAUNCHER ccache CACHE STRING "")
  set(CMAKE_CXX_COMPILER_LAUNCHER ccache CACHE STRING "")
endif()
if(NOT MLIR_DIR AND EXISTS /usr/lib/llvm-22/lib/cmake/mlir)
  set(MLIR_DIR /usr/lib/llvm-22/lib/cmake/mlir CACHE PATH "")
endif()
foreach(part TESTS EXAMPLES BENCHMARKS)
  set(RNN_BUILD_${part} OFF CACHE BOOL "")
endforeach()
