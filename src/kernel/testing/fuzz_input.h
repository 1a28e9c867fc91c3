// The inputs of fuzz targets that read compiled modules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace zermelo::kernel {

/// The parts of a module in an input: a byte that says in how many parts (1 or 3) the rest is, for
/// three parts two little-endian u16 lengths of the first two, then the parts.
std::vector<std::string_view> PartsOfInput(const uint8_t* data, size_t size);

/// Gives the target every file in src/kernel/testdata/corpus. Returns how many there are.
size_t ForEachInCorpus(int (*target)(const uint8_t* data, size_t size));

}  // namespace zermelo::kernel
