// Filters rows, divides them into training and validation sets, and describes what was done.
//
// Pure except for StatementsOf.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "data/rows/rows.h"

namespace zermelo::data {

struct Filters {
  std::set<std::string> without;    // StatementKeys of test sets
  std::optional<size_t> max_bytes;  // of a row's text
  // For prompts of reinforcement learning: a prompt with an unknown rate passes none of them.
  std::optional<double> min_pass_rate, max_pass_rate;
  std::optional<size_t> min_proved, max_proved;
};

/// The keys of the problems of a benchmark, as `zermelo eval` reads it.
core::Result<std::set<std::string>> StatementsOf(const std::filesystem::path& benchmark);

/// What was left out, by reason. The reasons are in the order in which the filters work: a row
/// counts for the first that applies.
struct Filtered {
  std::vector<Row> rows;
  // contaminated, too_long, pass_rate, duplicate, perplexity (data/perplexity.h)
  std::map<std::string, size_t> removed;
};
Filtered Apply(const Filters& filters, std::vector<Row> rows);

/// Moves the rows of about `fraction` of the modules to the second set: the same modules each time
/// for a seed, so that both sets have no module in common.
std::pair<std::vector<Row>, std::vector<Row>> SplitByModule(std::vector<Row> rows, double fraction,
                                                            uint64_t seed);

/// One JSON object per line.
std::string Lines(const std::vector<Row>& rows);

/// {"rows", "bytes", "sha256", "modules", "statements", "kinds"} of the rows and their Lines.
nlohmann::json Describe(const std::vector<Row>& rows);

/// rows.jsonl -> rows.valid.jsonl, rows.card.json
std::filesystem::path BesideOut(const std::filesystem::path& out, const std::string& extension);

}  // namespace zermelo::data
