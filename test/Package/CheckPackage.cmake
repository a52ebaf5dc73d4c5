# CheckPackage.cmake - installs the project, moves the prefix, and builds and runs a project that finds it there; a second
# project is configured against the build tree.
# Arguments: BUILD (the build tree), WORK (a scratch folder), CONSUMER (the project), COMPILER_C, COMPILER_CXX, LAUNCHER,
# GENERATOR, MAKE, BINDIR and LIBDIR (folders of the prefix).
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT result EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "failed (${result}): ${command}\n${text}")
  endif()
  set(text "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
# Each component installs its own kind of file.
foreach(component compiler tools dev)
  run(${CMAKE_COMMAND} --install ${BUILD} --component ${component} --prefix ${WORK}/${component})
  file(GLOB_RECURSE files RELATIVE ${WORK}/${component} ${WORK}/${component}/*)
  if(component STREQUAL compiler)
    set(kinds "^${LIBDIR}/libRNN[A-Za-z]*\\.a$")
  elseif(component STREQUAL tools)
    set(kinds "^${BINDIR}/rnn-[a-z-]+$|^${LIBDIR}/RNNPlugin\\.so$|^${LIBDIR}/cmake/RNN/RNNToolsTargets")
  else()
    set(kinds "^include/rnn/.*\\.(h|td|def|inc)$|^${LIBDIR}/cmake/RNN/RNN(Config|Targets)")
  endif()
  list(LENGTH files count)
  if(count EQUAL 0)
    message(FATAL_ERROR "component ${component} installs nothing")
  endif()
  foreach(file IN LISTS files)
    if(NOT file MATCHES "${kinds}")
      message(FATAL_ERROR "component ${component} installs ${file}")
    endif()
  endforeach()
endforeach()

foreach(component runtime compiler tools dev)
  run(${CMAKE_COMMAND} --install ${BUILD} --component ${component} --prefix ${WORK}/prefix)
endforeach()
# The prefix may be moved: no file of the package names it.
file(RENAME ${WORK}/prefix ${WORK}/moved)
run(${WORK}/moved/${BINDIR}/rnn-opt --version)
set(arguments -G ${GENERATOR} -DCMAKE_MAKE_PROGRAM=${MAKE} -DCMAKE_C_COMPILER=${COMPILER_C}
    -DCMAKE_CXX_COMPILER=${COMPILER_CXX} "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/consumer ${arguments} -DCMAKE_PREFIX_PATH=${WORK}/moved)
run(${CMAKE_COMMAND} --build ${WORK}/consumer)
run(${WORK}/consumer/embed)
message("${text}")
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/of-build-tree ${arguments} -DCMAKE_PREFIX_PATH=${BUILD})
