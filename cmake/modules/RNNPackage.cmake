# RNNPackage.cmake - components `compiler`, `tools` and `dev` of the installation, and the package RNN of the prefix and of the
# build tree. runtime/ installs component `runtime` and the package rnn_runtime.
#
#   cmake --install build --prefix DIR                        everything
#   cmake --install build --prefix DIR --component runtime    what compiled modules need
#   compiler: libraries    tools: programs and the plugin    dev: headers, TableGen files and the CMake package
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

foreach(component compiler tools dev)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/rnn-mlir COMPONENT ${component})
endforeach()
get_property(rnn_libs GLOBAL PROPERTY RNN_ALL_LIBS)
install(TARGETS ${rnn_libs} EXPORT RNNTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT compiler)
if(TARGET rnn-c)
  install(TARGETS rnn-c EXPORT RNNTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT compiler)
  set_target_properties(rnn-c PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/rnn-c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
endif()
set(rnn_tools rnn-compile rnn-lsp-server rnn-opt rnn-run)
install(TARGETS ${rnn_tools} EXPORT RNNToolsTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
# Not a target of the package: programs load it by its path.
install(TARGETS RNNPlugin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tools)

# Relative, so that the prefix can move; the folder of libMLIR.so is absolute where the system does not search it.
file(RELATIVE_PATH rnn_libs_from_tools ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(${rnn_tools} PROPERTIES INSTALL_RPATH "$ORIGIN/${rnn_libs_from_tools}"
                                              INSTALL_RPATH_USE_LINK_PATH ON)
set_target_properties(RNNPlugin PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/rnn ${PROJECT_BINARY_DIR}/include/rnn
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.def" PATTERN "*.inc" PATTERN CMakeFiles EXCLUDE)

# The same two files for the prefix and for the build tree.
foreach(list ALL DIALECT CONVERSION)
  get_property(libs GLOBAL PROPERTY RNN_${list}_LIBS)
  list(TRANSFORM libs PREPEND RNN:: OUTPUT_VARIABLE RNN_PACKAGE_${list}_LIBS)
endforeach()
set(rnn_install_dir ${CMAKE_INSTALL_LIBDIR}/cmake/RNN)
set(rnn_build_dir ${CMAKE_BINARY_DIR}/lib/cmake/RNN)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/RNNConfig.cmake.in ${rnn_build_dir}/RNNConfig.cmake
                              INSTALL_DESTINATION ${rnn_install_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0, a minor version may change the interface.
write_basic_package_version_file(${rnn_build_dir}/RNNConfigVersion.cmake VERSION ${PROJECT_VERSION}
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${rnn_build_dir}/RNNConfig.cmake ${rnn_build_dir}/RNNConfigVersion.cmake
        DESTINATION ${rnn_install_dir} COMPONENT dev)
foreach(targets RNNTargets RNNToolsTargets)
  export(EXPORT ${targets} NAMESPACE RNN:: FILE ${rnn_build_dir}/${targets}.cmake)
endforeach()
install(EXPORT RNNTargets NAMESPACE RNN:: DESTINATION ${rnn_install_dir} COMPONENT dev)
install(EXPORT RNNToolsTargets NAMESPACE RNN:: DESTINATION ${rnn_install_dir} COMPONENT tools)
