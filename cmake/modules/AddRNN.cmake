# AddRNN.cmake - wrappers that keep the build files short: libraries, tools, unit tests, TableGen.
#
# Everything links upstream through libMLIR.so and libLLVM.so, never through static archives: linking takes seconds, and
# a process holds one copy of every registry.

set(RNN_UPSTREAM_LIBS MLIR LLVM)

# LLVM is built without run-time type information, and so is everything that derives from its classes.
set(RNN_COMPILE_OPTIONS -fno-rtti -Wall -Wextra -Wno-unused-parameter -Wno-comment)

# add_rnn_library(<name> source... [DEPENDS target...] [LINK_LIBS lib...])
function(add_rnn_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE ${RNN_COMPILE_OPTIONS})
  add_dependencies(${name} rnn-headers ${ARG_DEPENDS})
  target_link_libraries(${name} ${ARG_LINK_LIBS})
  target_link_libraries(${name} PUBLIC ${RNN_UPSTREAM_LIBS})
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
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE ${RNN_COMPILE_OPTIONS})
  add_dependencies(${name} rnn-headers)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} ${RNN_UPSTREAM_LIBS})
  set_property(GLOBAL APPEND PROPERTY RNN_ALL_TOOLS ${name})
endfunction()

# add_rnn_unittest(<name> source... [LINK_LIBS lib...]); the program is part of `check-rnn-unit`.
function(add_rnn_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  # Debian's gtest is built with run-time type information and works without; ours must match LLVM.
  target_compile_options(${name} PRIVATE ${RNN_COMPILE_OPTIONS})
  add_dependencies(${name} rnn-headers)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} ${RNN_UPSTREAM_LIBS} GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_property(GLOBAL APPEND PROPERTY RNN_UNIT_TESTS ${name})
endfunction()
