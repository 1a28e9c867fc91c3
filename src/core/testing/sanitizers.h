// Test support: what sanitizers change for a test.
#pragma once

#include <cstddef>

namespace zermelo::core::testing {

/// Whether an address or thread sanitizer is compiled in. Code takes several times as long then,
/// and freed memory is kept for a while, to find uses of it.
#if defined(__has_feature)
inline constexpr bool kSanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

/// The rounds of a test on random input: with sanitizers a fifth. The fuzzers, which run with them,
/// try many more inputs.
constexpr size_t Rounds(size_t rounds) { return kSanitized ? rounds / 5 : rounds; }

}  // namespace zermelo::core::testing
