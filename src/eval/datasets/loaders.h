// The readers behind LoadDataset, one for each layout of problems.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "eval/datasets/dataset.h"

namespace zermelo::eval {

/// Reads a .jsonl file (one object per line) or a .json file (an array of objects). `format`
/// affects names, categories and missing headers; everything else depends on the keys of the rows.
core::Result<std::vector<Problem>> LoadRows(const std::filesystem::path& file,
                                            const std::string& format, const LoadOptions& options);
/// Detects the format of a file of rows by the keys of its first row; "jsonl" if it is unknown.
core::Result<std::string> FormatOfRows(const std::filesystem::path& file);

/// Lean files with one problem each, in the order of their names.
struct LeanFiles {
  std::vector<std::filesystem::path> files;
  std::filesystem::path root;  // what Source::file is relative to
};
/// All .lean files in `folder`, and with `below` in its subfolders, in natural order. Skips hidden
/// files, links, build folders and lakefiles. kInput: there are none, or too many.
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
/// Reads every theorem with a `sorry` in every file as a problem.
core::Result<std::vector<Problem>> LoadLeanFolder(const std::filesystem::path& path);

/// A row of comma-separated values: its first line, and its values by column name.
struct CsvRow {
  size_t line = 0;
  std::map<std::string, std::string> values;
};
/// Parses comma-separated values with quotes (RFC 4180); the first row has the column names. kInput
/// with FILE:LINE: an unclosed quote, text after a closing quote, a row with too many values.
core::Result<std::vector<CsvRow>> ParseCsv(const std::string& file, std::string_view text);

/// The first of the folders `root` and `root/NAME`, for each NAME in `below`, for which `holds` is
/// true; empty: none.
std::filesystem::path FirstFolder(const std::filesystem::path& root,
                                  const std::vector<std::string>& below,
                                  const std::function<bool(const std::filesystem::path&)>& holds);
/// Whether `folder` directly contains a file whose name begins with `begin` and ends with `end`.
bool HasFile(const std::filesystem::path& folder, const std::string& begin, const std::string& end);

}  // namespace zermelo::eval
