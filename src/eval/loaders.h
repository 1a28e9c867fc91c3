// The readers behind LoadDataset, one for each way in which problems are kept.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "eval/dataset.h"

namespace zermelo::eval {

/// A .jsonl (one object a line) or .json (an array of objects) file. `format` decides nothing but
/// the message of errors and where names and categories come from: the keys say the rest.
core::Result<std::vector<Problem>> LoadRows(const std::filesystem::path& file,
                                            const std::string& format, const LoadOptions& options);
/// The format of a file of rows, by the keys of the first; "jsonl" when it is none of the known.
core::Result<std::string> FormatOfRows(const std::filesystem::path& file);

/// Lean files, one problem each, in the order of their names.
struct LeanFiles {
  std::vector<std::filesystem::path> files;
  std::filesystem::path root;  // what Source::file is relative to
};
/// All .lean files at or below `folder` that are not hidden, of a build folder or links.
core::Result<std::vector<std::filesystem::path>> FindLeanFiles(const std::filesystem::path& folder,
                                                               bool below);

core::Result<std::vector<Problem>> LoadMiniF2fRepository(const std::filesystem::path& root);
core::Result<std::vector<Problem>> LoadPutnamBench(const std::filesystem::path& root,
                                                   const LoadOptions& options,
                                                   std::vector<std::string>& notes);
core::Result<std::vector<Problem>> LoadCombiBench(const std::filesystem::path& root,
                                                  const LoadOptions& options,
                                                  std::vector<std::string>& notes);
core::Result<std::vector<Problem>> LoadFateFiles(const std::filesystem::path& root);
/// Every theorem with a `sorry` in every file is a problem.
core::Result<std::vector<Problem>> LoadLeanFolder(const std::filesystem::path& path);

/// Comma-separated values with quotes (RFC 4180) and a first row of names: one map a row. Line
/// numbers count from the row's first line. kInput with FILE:LINE: a quote that is not closed, a
/// row with too many values.
struct CsvRow {
  size_t line = 0;
  std::map<std::string, std::string> values;
};
core::Result<std::vector<CsvRow>> ParseCsv(const std::string& file, std::string_view text);

/// The first of the folders `root` and `root/NAME` for which `holds` is true; empty: none.
std::filesystem::path FirstFolder(const std::filesystem::path& root,
                                  const std::vector<std::string>& below,
                                  const std::function<bool(const std::filesystem::path&)>& holds);
/// Whether a file whose name begins and ends so lies directly in `folder`.
bool HasFile(const std::filesystem::path& folder, const std::string& begin, const std::string& end);

}  // namespace zermelo::eval
