#include "data/export.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "core/hash/hash.h"
#include "core/hash/sha256.h"
#include "core/json.h"
#include "data/rows/row_parts.h"
#include "eval/datasets/dataset.h"
#include "syntax/statement_key.h"

namespace zermelo::data {

namespace fs = std::filesystem;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

size_t BytesOf(const json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().size();
  size_t bytes = 0;
  if (value.is_structured()) {
    for (const json& part : value) bytes += BytesOf(part);
  }
  return bytes;
}

size_t LengthOf(const Row& row) {
  size_t bytes = 0;
  for (const char* field : {"prompt", "completion", "segments"}) {
    if (const auto found = row.json.find(field); found != row.json.end()) bytes += BytesOf(*found);
  }
  return bytes;
}

template <class T>
bool Within(const std::optional<T>& least, const std::optional<T>& most, const json& value) {
  if (!least && !most) return true;
  if (!value.is_number()) return false;
  const T number = value.get<T>();
  return (!least || number >= *least) && (!most || number <= *most);
}

bool IsAttempted(const Row& row) { return row.json.value("samples", size_t{0}) > 0; }

bool HasWantedRate(const Filters& filters, const Row& row) {
  if (!row.json.contains("pass_rate")) return true;
  const json proved = IsAttempted(row) ? row.json.at("proved") : json();
  return Within(filters.min_pass_rate, filters.max_pass_rate, row.json.at("pass_rate")) &&
         Within(filters.min_proved, filters.max_proved, proved);
}

}  // namespace

Result<std::set<std::string>> StatementsOf(const fs::path& benchmark) {
  const auto dataset = eval::LoadDataset(benchmark, eval::LoadOptions());
  if (!dataset) return Fail(dataset.error());
  std::set<std::string> keys;
  for (const eval::Problem& problem : dataset->problems) {
    const syntax::File file(problem.Text());
    for (const auto& declaration : file.declarations()) {
      if (declaration.range.begin != problem.header.size()) continue;
      keys.insert(syntax::StatementKey(file.Slice(declaration.signature)));
    }
  }
  return keys;
}

Filtered Apply(const Filters& filters, std::vector<Row> rows) {
  Filtered filtered;
  filtered.removed = {
      {"contaminated", 0}, {"duplicate", 0}, {"pass_rate", 0}, {"perplexity", 0}, {"too_long", 0}};
  std::set<std::string> seen;
  for (Row& row : rows) {
    if (filters.without.contains(row.statement)) {
      ++filtered.removed["contaminated"];
    } else if (filters.max_bytes && LengthOf(row) > *filters.max_bytes) {
      ++filtered.removed["too_long"];
    } else if (!HasWantedRate(filters, row)) {
      ++filtered.removed["pass_rate"];
    } else if (!seen.insert(ContentKey(row.json)).second) {
      ++filtered.removed["duplicate"];
    } else {
      filtered.rows.push_back(std::move(row));
    }
  }
  return filtered;
}

std::pair<std::vector<Row>, std::vector<Row>> SplitByModule(std::vector<Row> rows, double fraction,
                                                            uint64_t seed) {
  constexpr uint64_t kParts = 1'000'000;
  std::pair<std::vector<Row>, std::vector<Row>> sets;
  const auto limit = static_cast<uint64_t>(fraction * static_cast<double>(kParts));
  for (Row& row : rows) {
    // The low bits of FNV-1a alone would follow those of the last character.
    const uint64_t hash =
        core::Hash64(core::HexHash64(row.module), core::Hash64(fmt::to_string(seed)));
    (hash % kParts < limit ? sets.second : sets.first).push_back(std::move(row));
  }
  return sets;
}

std::string Lines(const std::vector<Row>& rows) {
  std::string lines;
  for (const Row& row : rows) lines += core::Dump(row.json) + '\n';
  return lines;
}

json Describe(const std::vector<Row>& rows) {
  std::set<std::string> modules, theorems;
  std::map<std::string, size_t> kinds;
  for (const Row& row : rows) {
    modules.insert(row.module);
    theorems.insert(row.statement);
    ++kinds[row.kind];
  }
  const std::string lines = Lines(rows);
  return {{"rows", rows.size()},
          {"bytes", lines.size()},
          {"sha256", core::Sha256Hex(lines)},
          {"modules", modules.size()},
          {"statements", theorems.size()},
          {"kinds", kinds}};
}

fs::path BesideOut(const fs::path& out, const std::string& extension) {
  fs::path beside = out;
  beside.replace_extension();
  return fs::path(beside.string() + extension);
}

}  // namespace zermelo::data
