#include "kernel/testing/fuzz_input.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "kernel/files/ndjson.h"

namespace zermelo::kernel {

Decision JudgeExport(std::string_view text) {
  Terms terms;
  Environment environment(terms);
  const CheckReport read = ReadNdjson(text, &environment);
  if (read.outcome != Decision::kAccepted) return read.outcome;
  CheckOptions options;
  options.limits.time = std::chrono::milliseconds(500);
  options.limits.bytes = size_t{256} << 20U;
  options.limits.stack = size_t{16} << 20U;
  return Check(environment, options).outcome;
}

std::vector<std::string_view> PartsOfInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.empty()) return {};
  const bool three = (input[0] & 1) != 0;
  input.remove_prefix(1);
  if (!three || input.size() < 4) return {input};
  std::vector<std::string_view> parts;
  const auto length = [&](size_t at) {
    return static_cast<size_t>(static_cast<uint8_t>(input[at]) | static_cast<uint8_t>(input[at + 1])
                                                                     << 8U);
  };
  const size_t first = length(0), second = length(2);
  input.remove_prefix(4);
  for (const size_t part : {first, second}) {
    parts.push_back(input.substr(0, part));
    input.remove_prefix(parts.back().size());
  }
  parts.push_back(input);
  return parts;
}

size_t ForEachInCorpus(int (*target)(const uint8_t* data, size_t size)) {
  const std::filesystem::path corpus =
      std::filesystem::path(ZERMELO_SOURCE_DIR) / "src/kernel/testdata/corpus";
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    target(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    ++count;
  }
  return count;
}

}  // namespace zermelo::kernel
