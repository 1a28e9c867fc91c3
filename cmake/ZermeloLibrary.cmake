# Most of the compile time is tests and what waits for Lean and models all its life, which gain
# nothing from more than -O1 (g++'s precompiled headers do not serve -O0).
function(zermelo_compile_quickly target)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# zermelo_library(NAME SOURCES... [USES libraries...] [LINKS targets...] [TESTS files...])
#
# One folder under src/ is one library. USES names the zermelo libraries that it may include and
# link; tests/layering.py holds the same table and fails on an include that is not in it.
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
    add_test(NAME unit.${name} COMMAND ${name}_test)
    set_tests_properties(unit.${name} PROPERTIES TIMEOUT 1800 COST 300)
  endif()
endfunction()
