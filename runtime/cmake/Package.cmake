# Package.cmake - component `runtime` of the installation, and the package rnn_runtime of the prefix and the build tree.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set_target_properties(rnn_emulator PROPERTIES EXPORT_NAME emulator)
set_target_properties(rnn_mgpu PROPERTIES EXPORT_NAME mgpu)
add_library(rnn_runtime::rnn_runtime ALIAS rnn_runtime)
add_library(rnn_runtime::emulator ALIAS rnn_emulator)
add_library(rnn_runtime::mgpu ALIAS rnn_mgpu)

install(FILES ${RNNRT_SOURCE_DIR}/../LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/rnn-mlir COMPONENT runtime)
install(TARGETS rnn_runtime rnn_emulator rnn_mgpu EXPORT rnn_runtimeTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${RNNRT_SOURCE_DIR}/include/rnn_runtime DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT runtime)

set(package_install_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rnn_runtime)
set(package_build_dir ${CMAKE_BINARY_DIR}/lib/cmake/rnn_runtime)
configure_package_config_file(${RNNRT_SOURCE_DIR}/cmake/rnn_runtimeConfig.cmake.in
  ${package_build_dir}/rnn_runtimeConfig.cmake INSTALL_DESTINATION ${package_install_dir})
# Minor versions may break the interface before 1.0.
write_basic_package_version_file(${package_build_dir}/rnn_runtimeConfigVersion.cmake VERSION ${RNN_VERSION}
                                 COMPATIBILITY SameMinorVersion)
export(EXPORT rnn_runtimeTargets NAMESPACE rnn_runtime:: FILE ${package_build_dir}/rnn_runtimeTargets.cmake)
install(EXPORT rnn_runtimeTargets NAMESPACE rnn_runtime:: DESTINATION ${package_install_dir} COMPONENT runtime)
install(FILES ${package_build_dir}/rnn_runtimeConfig.cmake ${package_build_dir}/rnn_runtimeConfigVersion.cmake
        DESTINATION ${package_install_dir} COMPONENT runtime)
