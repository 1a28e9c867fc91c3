// The fuzzer's inputs, which are small modules, malformed in many ways.
#include <gtest/gtest.h>

#include "kernel/testing/fuzz_input.h"

// compare_fuzz.cc
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace zermelo::trust {
namespace {

TEST(CompareFuzz, TheFuzzingCorpus) {
  EXPECT_GT(kernel::ForEachInCorpus(LLVMFuzzerTestOneInput), 100U);
}

}  // namespace
}  // namespace zermelo::trust
