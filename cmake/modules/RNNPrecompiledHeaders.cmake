# RNNPrecompiledHeaders.cmake - one precompiled header, of upstream headers alone, for everything that links MLIR.
#
# Parsing these headers takes 15 to 20 s of a file's 17 to 25 s (Clang 22, one Zen 3 core); loading them precompiled takes
# less than one. The object files are the same bit for bit. Headers of this project are not included: a change of one would
# recompile everything.

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(rnn_precompile_default ON)
else()
  set(rnn_precompile_default OFF)
endif()
option(RNN_PRECOMPILE_HEADERS "Precompile the headers of MLIR (on by default with Clang)" ${rnn_precompile_default})
if(NOT RNN_PRECOMPILE_HEADERS)
  function(rnn_use_precompiled_headers target)
  endfunction()
  return()
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Time stamps in the file would make every build's file different, and ccache could not reuse any object.
  list(APPEND RNN_COMPILE_OPTIONS "SHELL:-Xclang -fno-pch-timestamp")
endif()

set(rnn_pch_source ${CMAKE_CURRENT_BINARY_DIR}/rnn_pch.cpp)
file(CONFIGURE OUTPUT ${rnn_pch_source} CONTENT "// Written by CMake: a target needs a source file.\n")
add_library(rnn_pch OBJECT ${rnn_pch_source})
target_compile_options(rnn_pch PRIVATE ${RNN_COMPILE_OPTIONS})
set(rnn_pch_headers
  <mlir/Conversion/LLVMCommon/TypeConverter.h>
  <mlir/Dialect/Affine/IR/AffineOps.h>
  <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Arith/Utils/Utils.h>
  <mlir/Dialect/Bufferization/IR/Bufferization.h>
  <mlir/Dialect/ControlFlow/IR/ControlFlowOps.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/GPU/IR/GPUDialect.h>
  <mlir/Dialect/LLVMIR/LLVMDialect.h>
  <mlir/Dialect/LLVMIR/NVVMDialect.h>
  <mlir/Dialect/Linalg/IR/Linalg.h>
  <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/MemRef/IR/MemRef.h>
  <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Tensor/IR/Tensor.h>
  <mlir/Dialect/Vector/IR/VectorOps.h>
  <mlir/IR/Builders.h>
  <mlir/IR/BuiltinOps.h>
  <mlir/IR/PatternMatch.h>
  <mlir/Pass/PassManager.h>
  <mlir/Transforms/DialectConversion.h>
  <llvm/ADT/TypeSwitch.h>)
target_precompile_headers(rnn_pch PRIVATE ${rnn_pch_headers})

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # CMake would also pass the path of its header after `-Xclang -include`, which ccache does not make relative.
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include-pch <PCH_FILE>)
  # The precompiled file contains its own path. ccache (CCACHE_PCH_EXTSUM) hashes this checksum in place of it, so that a
  # clone in another folder reuses the objects: of the list, and of every upstream header that can be included.
  set(contents "${rnn_pch_headers}")
  set(folders ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    file(GLOB_RECURSE files ${folder}/mlir/*.h ${folder}/mlir/*.inc ${folder}/mlir/*.def
                            ${folder}/llvm/*.h ${folder}/llvm/*.inc ${folder}/llvm/*.def)
    foreach(file IN LISTS files)
      file(SHA256 ${file} checksum)
      string(APPEND contents ${checksum})
    endforeach()
  endforeach()
  string(SHA256 checksum "${contents}")
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/rnn_pch.dir/cmake_pch.hxx.pch.sum ${checksum})
endif()

# Compiles the files of `target` with the precompiled header; their flags must be those of rnn_pch.
function(rnn_use_precompiled_headers target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    # CMake would add -fPIE, and the header is compiled with -fPIC.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM rnn_pch)
endfunction()
