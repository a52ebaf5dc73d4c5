# AddRNN.cmake - wrappers that keep the build files short: libraries, tools, unit tests.
#
# Everything links upstream through libMLIR.so and libLLVM.so, never through static archives. A static archive beside the
# shared library defines every TypeID of a dialect a second time, and isa<> on its ops is then false without a diagnostic.

set(RNN_UPSTREAM_LIBS MLIR LLVM)

# LLVM is built without run-time type information, and so is everything that derives from its classes.
set(RNN_COMPILE_OPTIONS -fno-rtti -Wall -Wextra -Wno-unused-parameter -Wno-comment)
include(RNNPrecompiledHeaders)

# Fails if a library in ARGN is a static archive of MLIR or LLVM.
function(rnn_check_upstream_libs name)
  foreach(lib IN LISTS ARGN)
    if(lib MATCHES "^(MLIR|LLVM)" AND TARGET ${lib})
      get_target_property(type ${lib} TYPE)
      if(type STREQUAL "STATIC_LIBRARY")
        message(FATAL_ERROR "${name} links ${lib}, a static archive; remove it from LINK_LIBS: the library MLIR contains it")
      endif()
    endif()
  endforeach()
endfunction()

# add_rnn_library(<name> source... [DEPENDS target...] [LINK_LIBS lib...])
function(add_rnn_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  rnn_check_upstream_libs(${name} ${ARG_LINK_LIBS})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE ${RNN_COMPILE_OPTIONS})
  rnn_use_precompiled_headers(${name})
  add_dependencies(${name} rnn-headers ${ARG_DEPENDS})
  target_link_libraries(${name} ${ARG_LINK_LIBS})
  target_link_libraries(${name} PUBLIC ${RNN_UPSTREAM_LIBS})
  target_include_directories(${name} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/runtime/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  add_library(RNN::${name} ALIAS ${name})
  set_property(GLOBAL APPEND PROPERTY RNN_ALL_LIBS ${name})
endfunction()

# Dialects and conversions are recorded, so that a tool can link all of them.
function(add_rnn_dialect_library name)
  add_rnn_library(${name} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY RNN_DIALECT_LIBS ${name})
endfunction()

function(add_rnn_conversion_library name)
  add_rnn_library(${name} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY RNN_CONVERSION_LIBS ${name})
endfunction()

# add_rnn_tool(<name> source... [LINK_LIBS lib...])
function(add_rnn_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  rnn_check_upstream_libs(${name} ${ARG_LINK_LIBS})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE ${RNN_COMPILE_OPTIONS})
  rnn_use_precompiled_headers(${name})
  add_dependencies(${name} rnn-headers)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} ${RNN_UPSTREAM_LIBS})
  set_property(GLOBAL APPEND PROPERTY RNN_ALL_TOOLS ${name})
endfunction()

# add_rnn_unittest(<name> source... [LINK_LIBS lib...]); the program is part of `check-rnn-unit`.
function(add_rnn_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  rnn_check_upstream_libs(${name} ${ARG_LINK_LIBS})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  # Debian's gtest is built with run-time type information and works without; ours must match LLVM.
  target_compile_options(${name} PRIVATE ${RNN_COMPILE_OPTIONS})
  rnn_use_precompiled_headers(${name})
  add_dependencies(${name} rnn-headers)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} ${RNN_UPSTREAM_LIBS} GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_property(GLOBAL APPEND PROPERTY RNN_UNIT_TESTS ${name})
endfunction()
