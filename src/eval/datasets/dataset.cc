#include "eval/datasets/dataset.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "core/files/file.h"
#include "core/names.h"
#include "engine/receipt/git_commit.h"
#include "eval/datasets/loaders.h"

namespace zermelo::eval {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;

namespace {

/// The file of rows with the problems of a repository; empty: none.
fs::path RowsOf(const fs::path& root) {
  for (const char* name : {"data/proofnet-verified.jsonl", "proofnet-verified.jsonl",
                           "proofnet_lean4.jsonl", "FATE-M.json", "FATE-H.json", "FATE-X.json"}) {
    std::error_code ignored;
    if (fs::is_regular_file(root / name, ignored)) return root / name;
  }
  return {};
}

std::vector<fs::path> RowFilesIn(const fs::path& root) {
  std::vector<fs::path> found;
  for (const char* below : {"", "datasets", "dataset", "data"}) {
    std::error_code error;
    for (fs::directory_iterator it(root / below, error), end; !error && it != end;
         it.increment(error)) {
      if (it->path().extension() == ".jsonl") found.push_back(it->path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// The format of a dataset, and the file or folder to read.
struct Found {
  std::string format;
  fs::path path;
};

Result<Found> LookAtFolder(const fs::path& root) {
  if (const fs::path rows = RowsOf(root); !rows.empty()) {
    auto format = FormatOfRows(rows);
    if (!format) return Fail(format.error());
    return Found{*format, rows};
  }
  const auto has = [&](const std::vector<std::string>& below, const auto& holds) {
    return !FirstFolder(root, below, holds).empty();
  };
  if (has({"MiniF2F"}, [](const fs::path& p) {
        return HasFile(p / "Test", "", ".lean") || HasFile(p / "Valid", "", ".lean");
      })) {
    return Found{"minif2f", root};
  }
  if (has({"lean4/src", "src"}, [](const fs::path& p) { return HasFile(p, "putnam_", ".lean"); })) {
    return Found{"putnambench", root};
  }
  if (has({"lean/CombiBench", "CombiBench"},
          [](const fs::path& p) { return HasFile(p, "metadata.csv", ""); })) {
    return Found{"combibench", root};
  }
  if (has({"FATEM", "FATEH", "FATEX"}, [](const fs::path& p) {
        return p.filename().string().starts_with("FATE") && HasFile(p, "", ".lean");
      })) {
    return Found{"fate", root};
  }
  const auto files = RowFilesIn(root);
  if (files.size() == 1) {
    auto format = FormatOfRows(files.front());
    if (!format) return Fail(format.error());
    return Found{*format, files.front()};
  }
  if (files.size() > 1) {
    std::vector<std::string> names;
    for (const fs::path& file : files) names.push_back(file.string());
    return Fail(ErrorCode::kUsage, root.string() + " contains several datasets",
                fmt::format("choose one of: {}", fmt::join(names, ", ")));
  }
  return Found{"lean", root};
}

Result<Found> Look(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return Fail(ErrorCode::kInput, "there is no " + path.string());
  }
  if (fs::is_directory(path, ignored)) return LookAtFolder(path);
  const std::string extension = path.extension().string();
  if (extension == ".lean") return Found{"lean", path};
  if (extension == ".jsonl" || extension == ".json") {
    auto format = FormatOfRows(path);
    if (!format) return Fail(format.error());
    return Found{*format, path};
  }
  return Fail(ErrorCode::kInput,
              path.string() + " is not a .jsonl, .json or .lean file or a folder",
              extension == ".parquet" ? "export it as jsonl first" : "");
}

/// For a given --format: the file or folder with its problems.
Result<Found> FindAs(const std::string& format, const fs::path& path) {
  const auto& known = Formats();
  if (std::find(known.begin(), known.end(), format) == known.end()) {
    const std::string near = core::DidYouMean(format, known);
    return Fail(ErrorCode::kUsage, "there is no format '" + format + "'",
                near.empty() ? fmt::format("formats are {}", fmt::join(known, ", ")) : near);
  }
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return Fail(ErrorCode::kInput, "there is no " + path.string());
  static const std::set<std::string> of_folders = {"minif2f", "putnambench", "combibench", "lean"};
  if (of_folders.contains(format) || !fs::is_directory(path, ignored)) return Found{format, path};
  if (const fs::path rows = RowsOf(path); !rows.empty()) return Found{format, rows};
  if (format == "fate") return Found{format, path};
  const auto files = RowFilesIn(path);
  if (files.size() == 1) return Found{format, files.front()};
  return Fail(ErrorCode::kUsage,
              fmt::format("{} contains {} .jsonl files", path.string(), files.size()),
              "give the path of one file");
}

Result<std::vector<Problem>> Load(const Found& found, const LoadOptions& options,
                                  std::vector<std::string>& notes) {
  std::error_code ignored;
  if (fs::is_directory(found.path, ignored)) {
    if (found.format == "minif2f") return LoadMiniF2fRepository(found.path);
    if (found.format == "putnambench") return LoadPutnamBench(found.path, options, notes);
    if (found.format == "combibench") return LoadCombiBench(found.path, options, notes);
    if (found.format == "fate") return LoadFateFiles(found.path);
  }
  if (found.format == "lean") return LoadLeanFolder(found.path);
  return LoadRows(found.path, found.format, options);
}

void MakeNamesUnique(Dataset& dataset) {
  std::map<std::string, size_t> seen;
  std::vector<std::string> twice;
  for (Problem& problem : dataset.problems) {
    const size_t nth = ++seen[problem.name];
    if (nth == 1) continue;
    if (nth == 2) twice.push_back(problem.name);
    std::string unique;
    for (size_t n = nth;; ++n) {
      unique = fmt::format("{}#{}", problem.name, n);
      if (seen.emplace(unique, 1).second) break;
    }
    problem.name = unique;
  }
  if (twice.empty()) return;
  dataset.notes.push_back(fmt::format("{} name{} more than once; repetitions got #2, #3, …: {}",
                                      twice.size(), twice.size() == 1 ? " occurs" : "s occur",
                                      fmt::join(twice, ", ")));
}

/// The Lean version in the lean-toolchain file of a repository; empty: none.
std::string LeanOf(const fs::path& path) {
  std::error_code ignored;
  fs::path folder = fs::absolute(path, ignored).lexically_normal();
  for (int up = 0; up < 4 && folder.has_relative_path(); ++up, folder = folder.parent_path()) {
    for (const fs::path& place : {folder / "lean-toolchain", folder / "lean4/lean-toolchain",
                                  folder / "lean/lean-toolchain"}) {
      const auto text = core::ReadTextFile(place, 1024);
      if (!text) continue;
      const std::string line = text->substr(0, text->find_first_of("\r\n"));
      return line.substr(line.find(':') == std::string::npos ? 0 : line.find(':') + 1);
    }
    if (fs::exists(folder / ".git", ignored)) break;
  }
  return "";
}

/// The last component of the path, preceded by its folder if it is too generic.
std::string NameOf(const fs::path& path) {
  std::error_code ignored;
  fs::path full = fs::absolute(path, ignored).lexically_normal();
  if (!full.has_filename()) full = full.parent_path();
  if (fs::is_directory(full, ignored)) return full.filename().string();
  const std::string stem = full.stem().string();
  static const std::set<std::string> vague = {"valid", "test", "train", "data", "problems"};
  return vague.contains(stem) ? full.parent_path().filename().string() + "/" + stem : stem;
}

std::string Canonical(const std::string& split) {
  return split == "validation" || split == "val" ? "valid" : split;
}

}  // namespace

const std::vector<std::string>& Formats() {
  static const std::vector<std::string> formats = {
      "minif2f",     "deepseek", "goedel",     "kimina", "proofnet", "proofnet-verified",
      "putnambench", "fate",     "combibench", "lean",   "jsonl"};
  return formats;
}

std::string MiniF2fCategory(const std::string& name) {
  static const std::vector<std::pair<std::string, std::string>> prefixes = {
      {"mathd_algebra_", "MATH Algebra"},
      {"mathd_numbertheory_", "MATH Number Theory"},
      {"algebra_", "Custom Algebra"},
      {"numbertheory_", "Custom Number Theory"},
      {"induction_", "Custom Induction"},
      {"aime", "AIME"},
      {"amc12", "AMC"},
      {"imo", "IMO"},
  };
  for (const auto& [prefix, category] : prefixes) {
    if (name.starts_with(prefix)) return category;
  }
  return "";
}

Result<Dataset> LoadDataset(const fs::path& path, const LoadOptions& options) {
  const auto found = options.format.empty() ? Look(path) : FindAs(options.format, path);
  if (!found) return Fail(found.error());
  Dataset dataset;
  dataset.format = found->format;
  dataset.name = NameOf(path);
  auto problems = Load(*found, options, dataset.notes);
  if (!problems) return Fail(problems.error());
  dataset.problems = std::move(*problems);
  dataset.commit = engine::CommitAt(found->path);
  const std::string lean = LeanOf(found->path);
  for (Problem& problem : dataset.problems) {
    problem.split = Canonical(problem.split);
    if (problem.lean.empty()) problem.lean = lean;
  }
  MakeNamesUnique(dataset);
  return dataset;
}

core::Status Select(Dataset& dataset, const Selection& selection) {
  std::set<std::string> splits;
  for (const Problem& problem : dataset.problems) splits.insert(problem.split);
  const std::string split = Canonical(selection.split);
  if (!split.empty() && !splits.contains(split)) {
    splits.erase("");
    return Fail(
        ErrorCode::kUsage, "the dataset has no split '" + selection.split + "'",
        splits.empty() ? "it has no splits" : fmt::format("it has {}", fmt::join(splits, ", ")));
  }
  std::regex filter;
  try {
    filter = std::regex(selection.filter, std::regex::ECMAScript);
  } catch (const std::regex_error&) {
    return Fail(ErrorCode::kUsage, "'" + selection.filter + "' is not a regular expression");
  }
  std::vector<Problem> kept;
  size_t place = 0;
  for (Problem& problem : dataset.problems) {
    if (!split.empty() && problem.split != split) continue;
    if (!selection.filter.empty() && !std::regex_search(problem.name, filter)) continue;
    if (place++ % selection.shards == selection.shard) kept.push_back(std::move(problem));
  }
  dataset.problems = std::move(kept);
  if (place == 0) return Fail(ErrorCode::kUsage, "no problem is left; check --split and --filter");
  return {};
}

}  // namespace zermelo::eval
