// Reads the public benchmarks, each as it lies in its own repository or file.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "eval/problem.h"

namespace zermelo::eval {

/// What becomes of `abbrev X_solution : T := sorry` where the benchmark knows the answer.
enum class Answers {
  kGiven,  // the answer stands in place of `sorry`, and only the proof is asked for
  kOpen,   // it stays as it is: the prover must find the answer, too
};

struct LoadOptions {
  std::string format;                         // of Formats(); empty: by looking at the path
  std::map<std::string, std::string> fields;  // of a jsonl: "statement" -> the key that holds it
  Answers answers = Answers::kGiven;
};

/// The names that LoadOptions::format takes.
const std::vector<std::string>& Formats();
/// The names that LoadOptions::fields takes.
const std::vector<std::string>& FieldNames();

/// Problems in the order of the file, or of the files' names. Names that occur twice get "#2", and
/// a note says so. kUsage: an unknown format or field. kInput with FILE:LINE: what is not as the
/// format has it, a row without a theorem, an empty set.
core::Result<Dataset> LoadDataset(const std::filesystem::path& path, const LoadOptions& options);

/// What to keep of a dataset.
struct Selection {
  std::string split;   // empty: all. "validation" and "valid" are the same
  std::string filter;  // a regular expression (ECMAScript) that a name must contain; empty: all
  size_t shard = 0, shards = 1;  // keep problems whose place is `shard` modulo `shards`
};

/// Keeps what is selected, in order. kUsage: a bad expression, a split that the set does not have
/// (naming those it has), or nothing left.
core::Status Select(Dataset& dataset, const Selection& selection);

/// How the papers group a miniF2F problem (DeepSeek-Prover-V1.5, tables 5-7), from its name: "IMO",
/// "AIME", "AMC", "MATH Algebra", "MATH Number Theory", "Custom Algebra", …; empty: none of them.
std::string MiniF2fCategory(const std::string& name);

}  // namespace zermelo::eval
