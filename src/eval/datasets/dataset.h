// Reads the public benchmarks in the layouts of their own repositories and files.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "eval/problem.h"

namespace zermelo::eval {

/// How to treat `abbrev X_solution : T := sorry` if the benchmark contains the answer.
enum class Answers {
  kGiven,  // the answer replaces the `sorry`; the prover finds only the proof
  kOpen,   // the `sorry` stays; the prover must find the answer, too
};

struct LoadOptions {
  std::string format;                         // one of Formats(); empty: detected
  std::map<std::string, std::string> fields;  // of a jsonl: "statement" -> its key
  Answers answers = Answers::kGiven;
};

/// The valid values of LoadOptions::format.
const std::vector<std::string>& Formats();
/// The valid keys of LoadOptions::fields.
const std::vector<std::string>& FieldNames();

/// Problems in the order of the file, or of the files' names. Repeated names get "#2", "#3", …, and
/// a note says so. kUsage: an unknown format or field. kInput with FILE:LINE: data that does not
/// match the format, a row without a theorem, an empty set.
core::Result<Dataset> LoadDataset(const std::filesystem::path& path, const LoadOptions& options);

/// A selection of the problems of a dataset.
struct Selection {
  std::string split;   // empty: all; "validation" means "valid"
  std::string filter;  // regular expression (ECMAScript), searched for in names; empty: all
  size_t shard = 0, shards = 1;  // keep problems with index `shard` modulo `shards`
};

/// Keeps the selected problems, in order. kUsage: an invalid expression, a split that the dataset
/// does not have (the hint lists its splits), or an empty selection.
core::Status Select(Dataset& dataset, const Selection& selection);

/// The text of a jsonl that LoadDataset reads as the same problems, up to blank lines around the
/// statements. Words that a statement does not contain as its comment are left out.
std::string RowsOf(const std::vector<Problem>& problems);

/// The category of a miniF2F problem in the papers (DeepSeek-Prover-V1.5, tables 5-7), by its name:
/// "IMO", "AIME", "AMC", "MATH Algebra", "MATH Number Theory", "Custom Algebra", …; empty: none.
std::string MiniF2fCategory(const std::string& name);

}  // namespace zermelo::eval
