# Uses the distribution's headers and libraries only: what else is installed under /usr/local, by conda or by
# hand, may be of another version. Included after project(), before anything is looked for.
option(ZERMELO_SYSTEM_ONLY "Ignore libraries outside of /usr, and the environment's search paths" ON)
if(NOT ZERMELO_SYSTEM_ONLY)
  return()
endif()

set(CMAKE_IGNORE_PREFIX_PATH /usr/local /opt)
set(CMAKE_FIND_USE_PACKAGE_REGISTRY OFF)
set(CMAKE_FIND_USE_PACKAGE_ROOT_PATH OFF)
set(CMAKE_FIND_USE_CMAKE_ENVIRONMENT_PATH OFF)
set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)
foreach(variable BOOST_ROOT Boost_ROOT BOOST_INCLUDEDIR PKG_CONFIG_PATH PKG_CONFIG_LIBDIR)
  unset(ENV{${variable}})
endforeach()

# The compiler looks into /usr/local/include first, so it gets its own list without that folder.
set(directories ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
list(FILTER directories EXCLUDE REGEX "^/usr/local/")
add_compile_options(-nostdinc -nostdinc++)
foreach(directory ${directories})
  add_compile_options("SHELL:-isystem \"${directory}\"")
endforeach()

# The loader, too, prefers /usr/local/lib, and LD_LIBRARY_PATH before that; an RPATH (not a RUNPATH) comes first.
if(CMAKE_LIBRARY_ARCHITECTURE)
  add_link_options(-Wl,--disable-new-dtags -Wl,-rpath,/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
endif()
