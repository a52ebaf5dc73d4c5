# Tests of the emulator, target simt.
set(runtime ${CMAKE_CURRENT_SOURCE_DIR}/../../runtime)
function(rnnrt_simt_test name)
  add_executable(${name} ${ARGN})
  target_compile_features(${name} PRIVATE cxx_std_17)
  target_compile_options(${name} PRIVATE -Wall -Wextra)
  target_include_directories(${name} PRIVATE ${runtime} ${runtime}/include ${runtime}/src)
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_property(GLOBAL APPEND PROPERTY RNN_UNIT_TESTS ${name})
endfunction()
rnnrt_simt_test(rnn_runtime_simt_tests SimtTest.cpp)
target_link_libraries(rnn_runtime_simt_tests PRIVATE rnn_emulator)
# The library does not export its fibers, so they are compiled in: once with the switch of this machine, once portable.
rnnrt_simt_test(rnn_runtime_fiber_tests FiberTest.cpp ${runtime}/emulator/Fiber.cpp)
rnnrt_simt_test(rnn_runtime_ucontext_tests FiberTest.cpp ${runtime}/emulator/Fiber.cpp)
target_compile_definitions(rnn_runtime_ucontext_tests PRIVATE RNNRT_EMULATOR_UCONTEXT)

# How the runtime finds the emulator: this program does not link it, and gets its path from the environment.
rnnrt_simt_test(rnn_runtime_emulator_tests EmulatorTest.cpp)
target_link_libraries(rnn_runtime_emulator_tests PRIVATE rnn_runtime ${CMAKE_DL_LIBS})
target_compile_definitions(rnn_runtime_emulator_tests PRIVATE RNN_EMULATOR="$<TARGET_FILE:rnn_emulator>"
                           RNN_OTHER_EMULATOR="$<TARGET_FILE:rnn_other_emulator>")
# An emulator of another release.
add_library(rnn_other_emulator SHARED OtherEmulator.cpp)
target_include_directories(rnn_other_emulator PRIVATE ${runtime} ${runtime}/include)
add_dependencies(rnn_runtime_emulator_tests rnn_emulator rnn_other_emulator)
# Conformance and boundary tests make a device simt.
add_dependencies(rnn_runtime_tests rnn_emulator)
