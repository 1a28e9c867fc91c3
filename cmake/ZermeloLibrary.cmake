# Most of the compile time is tests and what waits for Lean and models all its life, which gain
# nothing from more than -O1. (g++ 12's precompiled header, made with -O2, serves -O1 but not -O0; from 13 on neither.)
function(zermelo_compile_quickly target)
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# zermelo_unit_test(NAME TARGET SOURCES...): every case is a test of its own, unit.NAME.Suite.Case. The names are
# read from the sources, so that ctest knows them before anything is built.
include(GoogleTest)
function(zermelo_unit_test name target)
  gtest_add_tests(TARGET ${target} SOURCES ${ARGN} TEST_PREFIX unit.${name}. TEST_LIST cases)
  set_tests_properties(${cases} PROPERTIES TIMEOUT 600 LABELS "unit;${name}")
endfunction()

# zermelo_library(NAME SOURCES... [USES libraries...] [LINKS targets...] [TESTS files...])
#
# One folder under src/ is one library. USES names the zermelo libraries that it links;
# tests/layering.py fails on an include or a link that the table in docs/architecture.md forbids.
function(zermelo_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LINKS;TESTS" ${ARGN})
  add_library(zermelo_${name} STATIC ${ARG_SOURCES})
  list(TRANSFORM ARG_USES PREPEND zermelo_)
  target_link_libraries(zermelo_${name} PUBLIC
    zermelo_options fmt::fmt nlohmann_json::nlohmann_json Boost::headers tl::expected
    Threads::Threads ${ARG_USES} ${ARG_LINKS})
  target_precompile_headers(zermelo_${name} REUSE_FROM zermelo_pch)
  if(ZERMELO_TESTS AND ARG_TESTS)
    add_executable(${name}_test ${ARG_TESTS})
    target_link_libraries(${name}_test PRIVATE zermelo_${name} GTest::gtest_main GTest::gmock)
    target_precompile_headers(${name}_test REUSE_FROM zermelo_pch)
    zermelo_compile_quickly(${name}_test)
    target_compile_definitions(${name}_test PRIVATE ZERMELO_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    set(tests ${ARG_TESTS})
    list(FILTER tests INCLUDE REGEX "_test\\.cc$")
    zermelo_unit_test(${name} ${name}_test ${tests})
  endif()
endfunction()

# zermelo_lean_test(NAME LIBRARY SECONDS SOURCES...): a GoogleTest program NAME_lean_test that starts the embedded Lean or
# reads its library, apart from the unit tests, which need no Lean. As the test e2e.NAME it may take ten times SECONDS.
function(zermelo_lean_test name library seconds)
  if(NOT ZERMELO_TESTS)
    return()
  endif()
  set(target ${name}_lean_test)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE zermelo_${library} GTest::gtest_main GTest::gmock)
  target_precompile_headers(${target} REUSE_FROM zermelo_pch)
  target_compile_definitions(${target} PRIVATE ZERMELO_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME e2e.${name} COMMAND ${target})
  math(EXPR limit "10 * ${seconds}")
  set_tests_properties(e2e.${name} PROPERTIES
    TIMEOUT ${limit}
    COST ${seconds}
    LABELS e2e
    ENVIRONMENT "ZERMELO_EMBEDDED=${CMAKE_SOURCE_DIR}/embedded")
endfunction()

# zermelo_embed(NAME FILE CONSTANT): the text of src/NAME/FILE becomes the string_view zermelo::NAME::CONSTANT
# in "NAME/FILE.h", for the library NAME alone. A file elsewhere, which begins with `../`, is known by its last part.
function(zermelo_embed name file constant)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  if(file MATCHES "^\\.\\./")
    get_filename_component(file ${file} NAME)
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} text)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/embedded.h.in
    ${CMAKE_BINARY_DIR}/embedded/${name}/${file}.h @ONLY)
  target_include_directories(zermelo_${name} PRIVATE ${CMAKE_BINARY_DIR}/embedded)
endfunction()

# zermelo_fuzz_target(NAME LIBRARY SOURCES...): a libFuzzer program NAME_fuzz; CONTRIBUTING.md says how to run it.
function(zermelo_fuzz_target name library)
  if(NOT ZERMELO_FUZZERS)
    return()
  endif()
  add_executable(${name}_fuzz ${ARGN})
  target_link_libraries(${name}_fuzz PRIVATE zermelo_${library})
  target_compile_definitions(${name}_fuzz PRIVATE ZERMELO_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_compile_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
endfunction()
