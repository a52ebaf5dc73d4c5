# RNNCompilerCache.cmake - settings of ccache, if it is the compiler launcher.
#
# The build sets them, not the user's environment, so that every build of these sources computes the same keys.
#   CCACHE_BASEDIR, CCACHE_NOHASHDIR  a clone in another folder reuses the objects: paths below the top folder are hashed
#                                     relative to the working directory, and the working directory is not hashed
#   CCACHE_SLOPPINESS                 needed by ccache for files that use a precompiled header
#   CCACHE_PCH_EXTSUM                 see RNNPrecompiledHeaders.cmake
foreach(language C CXX)
  if("${CMAKE_${language}_COMPILER_LAUNCHER}" MATCHES "(^|/)ccache$")
    set(CMAKE_${language}_COMPILER_LAUNCHER
      env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_PCH_EXTSUM=1
      ${CMAKE_${language}_COMPILER_LAUNCHER})
  endif()
endforeach()
