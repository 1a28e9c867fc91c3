# Debian 12's packages, installed by ./zermelo (list in packages.txt).
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tl-expected REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(seccomp REQUIRED IMPORTED_TARGET libseccomp)
find_package(SQLiteCpp REQUIRED)
find_package(tomlplusplus REQUIRED)  # its headers; nothing links it
find_package(CURL REQUIRED)
if(ZERMELO_TESTS)
  find_package(GTest REQUIRED)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # A precompiled header needs both: the sloppiness here and -fpch-preprocess for g++. With paths relative to the
  # sources, another clone and the wheel's build find what has been compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${CCACHE})
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()

add_library(zermelo_options INTERFACE)
target_compile_options(zermelo_options INTERFACE -Wall -Wextra -Wpedantic
  -Wno-missing-field-initializers
  # g++ 12 sees overflows in std::string's operator+ that are not there (its bug 105651), and Asio's
  # operator new without its operator delete.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow -Wno-restrict -Wno-array-bounds -Wno-mismatched-new-delete>
  # In a unity build it takes a coroutine's frame for a type that other files see.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>)
target_compile_definitions(zermelo_options INTERFACE
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_HAS_CO_AWAIT=1 BOOST_ERROR_CODE_HEADER_ONLY)
target_include_directories(zermelo_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
if(ZERMELO_SANITIZE)
  target_compile_options(zermelo_options INTERFACE
    -fsanitize=${ZERMELO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(zermelo_options INTERFACE -fsanitize=${ZERMELO_SANITIZE})
endif()

# Asio's coroutines and the JSON library cost seconds in every file; parse them once.
add_library(zermelo_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cc)
target_precompile_headers(zermelo_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/pch.h)
target_link_libraries(zermelo_pch PRIVATE
  zermelo_options fmt::fmt nlohmann_json::nlohmann_json Boost::headers tl::expected Threads::Threads)
