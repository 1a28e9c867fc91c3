// The inputs of fuzz targets that read compiled modules and exports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernel/check.h"

namespace zermelo::kernel {

/// The parts of a module in an input: a byte that says in how many parts (1 or 3) the rest is, for
/// three parts two little-endian u16 lengths of the first two, then the parts.
std::vector<std::string_view> PartsOfInput(const uint8_t* data, size_t size);

/// The verdict on an NDJSON export, within half a second, 256 MB and 16 MB of stack.
Decision JudgeExport(std::string_view text);

/// Gives the target every file in src/kernel/testdata/corpus. Returns how many there are.
size_t ForEachInCorpus(int (*target)(const uint8_t* data, size_t size));

}  // namespace zermelo::kernel
