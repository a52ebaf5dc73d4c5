# CheckPackage.cmake - installs the runtime alone, and builds and runs a project that finds it there and in the build tree.
# Arguments: BUILD (the build tree), WORK (an empty folder's name), CONSUMER (the project), COMPILER, GENERATOR, MAKE.
cmake_minimum_required(VERSION 3.20)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT result EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "failed (${result}): ${command}\n${text}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --component runtime --prefix ${WORK}/prefix)
# The prefix may be moved, and holds the runtime and the license alone.
file(RENAME ${WORK}/prefix ${WORK}/moved)
file(GLOB_RECURSE files RELATIVE ${WORK}/moved ${WORK}/moved/*)
if(NOT "share/doc/rnn-mlir/LICENSE" IN_LIST files)
  message(FATAL_ERROR "component runtime does not install the license")
endif()
list(REMOVE_ITEM files share/doc/rnn-mlir/LICENSE)
foreach(file IN LISTS files)
  if(NOT file MATCHES "^include/rnn_runtime/" AND NOT file MATCHES "^lib[^/]*/.*rnn_")
    message(FATAL_ERROR "component runtime installs ${file}")
  endif()
endforeach()
foreach(place ${WORK}/moved ${BUILD})
  string(MD5 name ${place})
  run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/${name} -G ${GENERATOR} -DCMAKE_MAKE_PROGRAM=${MAKE}
      -DCMAKE_C_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${place} -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
  run(${CMAKE_COMMAND} --build ${WORK}/${name})
  run(${WORK}/${name}/consumer)
  run(${WORK}/${name}/entries)
endforeach()
