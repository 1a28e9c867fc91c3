#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <map>

#include "core/files/file.h"
#include "core/hash/sha256.h"
#include "core/json.h"
#include "core/text.h"
#include "eval/datasets/loaders.h"
#include "eval/statement.h"
#include "syntax/declarations.h"
#include "syntax/lexer.h"

namespace zermelo::eval {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

constexpr size_t kMaxLeanBytes = 4U << 20U;
constexpr size_t kMaxFiles = 100'000;

bool IsSkipped(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with(".") || name == "build" || name == "lake-packages" ||
         name == "with_solution";
}

size_t LineOf(const Problem& problem) {
  return 1 + static_cast<size_t>(std::count(problem.header.begin(), problem.header.end(), '\n'));
}

/// The text of the statement's doc comment, or of the comment at the end of the header.
std::string InformalOf(const Problem& problem) {
  const auto comment = [](const std::string& text, const syntax::Token& token) {
    return std::string(core::Trim(core::WithoutCommentMarks(TextOf(text, token))));
  };
  const auto own = syntax::Lex(problem.statement);
  if (!own.empty() && own.front().kind == syntax::TokenKind::kDocComment) {
    return comment(problem.statement, own.front());
  }
  const auto above = syntax::Lex(problem.header);
  const auto kind = above.empty() ? syntax::TokenKind::kSymbol : above.back().kind;
  const bool is_comment = kind == syntax::TokenKind::kBlockComment ||
                          kind == syntax::TokenKind::kDocComment ||
                          kind == syntax::TokenKind::kModuleDoc;
  return is_comment ? comment(problem.header, above.back()) : "";
}

/// Reads a file with one problem, named like the file. Adds to `open_answers`, if not null.
Result<Problem> LoadLeanFile(const fs::path& file, const fs::path& root, const std::string& answer,
                             const LoadOptions& options, size_t* open_answers = nullptr) {
  const auto original = core::ReadTextFile(file, kMaxLeanBytes);
  if (!original) return Fail(original.error());
  std::string text = *original;
  if (options.answers == Answers::kGiven) {
    const size_t open = GiveAnswers(text, answer);
    if (open_answers != nullptr) *open_answers += open;
  }
  Problem problem;
  problem.name = file.stem().string();
  if (auto cut = CutStatement(text, problem.name, problem); !cut) {
    return Fail(ErrorCode::kInput, fmt::format("{}:1: {}", file.string(), cut.error().message));
  }
  problem.informal = InformalOf(problem);
  problem.source.file = file.lexically_relative(root).generic_string();
  problem.source.line = LineOf(problem);
  problem.source.sha256 = core::Sha256Hex(*original);
  return problem;
}

Result<std::vector<Problem>> LoadEach(const fs::path& folder, const fs::path& root,
                                      const std::function<void(Problem&)>& finish) {
  const auto files = FindLeanFiles(folder, false);
  if (!files) return Fail(files.error());
  std::vector<Problem> problems;
  for (const fs::path& file : *files) {
    auto problem = LoadLeanFile(file, root, "", {});
    if (!problem) return Fail(problem.error());
    finish(*problem);
    problems.push_back(std::move(*problem));
  }
  return problems;
}

bool IsMiniF2fFolder(const fs::path& folder) {
  return HasFile(folder / "Test", "", ".lean") || HasFile(folder / "Valid", "", ".lean");
}

/// Reads informal/putnam.json, next to lean4/: words and tags of the problems, by name.
Result<std::map<std::string, Problem>> ReadPutnamWords(const fs::path& file) {
  std::map<std::string, Problem> words;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return words;
  const auto text = core::ReadTextFile(file);
  if (!text) return Fail(text.error());
  const auto rows = core::ParseJson(*text);
  if (!rows) return Fail(core::ErrorIn(file, rows.error()));
  if (!rows->is_array()) {
    return Fail(ErrorCode::kInput, file.string() + ":1: this is not an array of problems");
  }
  for (const json& row : *rows) {
    if (!row.is_object() || !row.contains("problem_name") || !row["problem_name"].is_string()) {
      return Fail(ErrorCode::kInput, file.string() + ":1: a problem has no \"problem_name\"");
    }
    Problem& problem = words[row["problem_name"].get<std::string>()];
    if (const auto said = row.find("informal_statement"); said != row.end() && said->is_string()) {
      problem.informal = said->get<std::string>();
    }
    if (const auto tags = row.find("tags");
        tags != row.end() && tags->is_array() && !tags->empty() && tags->front().is_string()) {
      problem.category = tags->front().get<std::string>();
    }
  }
  return words;
}

fs::path Existing(const std::vector<fs::path>& candidates) {
  std::error_code ignored;
  for (const fs::path& path : candidates) {
    if (fs::exists(path, ignored)) return path;
  }
  return {};
}

void NoteOpenAnswers(size_t open, std::vector<std::string>& notes) {
  if (open == 0) return;
  notes.push_back(fmt::format(
      "{} definition{} without an answer in the benchmark stay{} open; proofs of theorems that use "
      "them are not accepted",
      open, open == 1 ? "" : "s", open == 1 ? "s" : ""));
}

}  // namespace

bool HasFile(const fs::path& folder, const std::string& begin, const std::string& end) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), last; !error && it != last; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(begin) && name.ends_with(end) && it->is_regular_file(error)) return true;
  }
  return false;
}

fs::path FirstFolder(const fs::path& root, const std::vector<std::string>& below,
                     const std::function<bool(const fs::path&)>& holds) {
  if (holds(root)) return root;
  for (const std::string& name : below) {
    if (holds(root / name)) return root / name;
  }
  return {};
}

Result<std::vector<fs::path>> FindLeanFiles(const fs::path& folder, bool below) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_symlink(ignored)) continue;
    if (it->is_directory(ignored)) {
      if (!below || IsSkipped(it->path())) it.disable_recursion_pending();
      continue;
    }
    const std::string name = it->path().filename().string();
    if (name.starts_with(".") || !name.ends_with(".lean")) continue;
    if (name == "lakefile.lean") continue;
    files.push_back(it->path());
    if (files.size() > kMaxFiles) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{} contains more than {} Lean files", folder.string(), kMaxFiles));
    }
  }
  if (error) {
    return Fail(ErrorCode::kInput, "cannot read " + folder.string() + ": " + error.message());
  }
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return strverscmp(a.c_str(), b.c_str()) < 0;  // 2 before 10
  });
  if (files.empty()) {
    return Fail(ErrorCode::kInput, "there are no .lean files in " + folder.string());
  }
  return files;
}

Result<std::vector<Problem>> LoadMiniF2fRepository(const fs::path& root) {
  const fs::path base = FirstFolder(root, {"MiniF2F"}, IsMiniF2fFolder);
  if (base.empty()) {
    return Fail(ErrorCode::kInput, "there is no MiniF2F/Test or MiniF2F/Valid in " + root.string());
  }
  std::vector<Problem> problems;
  for (const auto& [folder, split] : {std::pair("Valid", "valid"), std::pair("Test", "test")}) {
    std::error_code ignored;
    if (!fs::exists(base / folder, ignored)) continue;
    auto loaded = LoadEach(base / folder, root, [&](Problem& problem) {
      problem.split = split;
      problem.category = MiniF2fCategory(problem.name);
    });
    if (!loaded) return Fail(loaded.error());
    std::move(loaded->begin(), loaded->end(), std::back_inserter(problems));
  }
  return problems;
}

Result<std::vector<Problem>> LoadPutnamBench(const fs::path& root, const LoadOptions& options,
                                             std::vector<std::string>& notes) {
  const fs::path folder = FirstFolder(root, {"lean4/src", "src"}, [](const fs::path& path) {
    return HasFile(path, "putnam_", ".lean");
  });
  if (folder.empty()) {
    return Fail(ErrorCode::kInput, "there is no lean4/src/putnam_*.lean in " + root.string());
  }
  const auto words =
      ReadPutnamWords(Existing({root / "informal/putnam.json", root / "../informal/putnam.json",
                                root / "../../informal/putnam.json"}));
  if (!words) return Fail(words.error());
  const auto files = FindLeanFiles(folder, false);
  if (!files) return Fail(files.error());
  std::vector<Problem> problems;
  size_t open = 0;
  for (const fs::path& file : *files) {
    auto problem = LoadLeanFile(file, root, "", options, &open);
    if (!problem) return Fail(problem.error());
    if (const auto known = words->find(problem->name); known != words->end()) {
      problem->category = known->second.category;
      problem->informal = known->second.informal;
    }
    problems.push_back(std::move(*problem));
  }
  NoteOpenAnswers(open, notes);
  return problems;
}

Result<std::vector<Problem>> LoadCombiBench(const fs::path& root, const LoadOptions& options,
                                            std::vector<std::string>& notes) {
  const fs::path folder =
      FirstFolder(root, {"lean/CombiBench", "CombiBench"},
                  [](const fs::path& path) { return HasFile(path, "metadata.csv", ""); });
  if (folder.empty()) {
    return Fail(ErrorCode::kInput, "there is no lean/CombiBench/metadata.csv in " + root.string());
  }
  const fs::path table = folder / "metadata.csv";
  const auto text = core::ReadTextFile(table);
  if (!text) return Fail(text.error());
  const auto rows = ParseCsv(table.string(), *text);
  if (!rows) return Fail(rows.error());
  std::map<std::string, CsvRow> by_name;
  for (const CsvRow& row : *rows) {
    const auto name = row.values.find("theorem_name");
    if (name == row.values.end() || name->second.empty()) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{}:{}: there is no theorem_name", table.string(), row.line));
    }
    by_name[name->second] = row;
  }
  const auto files = FindLeanFiles(folder, false);
  if (!files) return Fail(files.error());
  std::vector<Problem> problems;
  size_t open = 0;
  for (const fs::path& file : *files) {
    const auto row = by_name.find(file.stem().string());
    const auto value = [&](const std::string& column) -> std::string {
      if (row == by_name.end()) return "";
      const auto found = row->second.values.find(column);
      return found == row->second.values.end() ? "" : found->second;
    };
    auto problem = LoadLeanFile(file, root, value("answer"), options, &open);
    if (!problem) return Fail(problem.error());
    problem->category = value("tag");
    if (const std::string words = value("natural_language"); !words.empty()) {
      problem->informal = words;
    }
    problems.push_back(std::move(*problem));
  }
  NoteOpenAnswers(open, notes);
  return problems;
}

Result<std::vector<Problem>> LoadFateFiles(const fs::path& root) {
  for (const char* set : {"M", "H", "X"}) {
    const fs::path folder = FirstFolder(root, {std::string("FATE") + set}, [&](const fs::path& p) {
      return p.filename() == std::string("FATE") + set && HasFile(p, "", ".lean");
    });
    if (folder.empty()) continue;
    return LoadEach(folder, root, [&](Problem& problem) {
      problem.name = fmt::format("FATE-{}_{}", set, problem.name);
    });
  }
  return Fail(ErrorCode::kInput,
              "there is no FATE-M.json, FATE-H.json or FATE-X.json and no folder "
              "FATEM, FATEH or FATEX in " +
                  root.string());
}

Result<std::vector<Problem>> LoadLeanFolder(const fs::path& path) {
  std::error_code ignored;
  const bool is_folder = fs::is_directory(path, ignored);
  std::vector<fs::path> files = {path};
  if (is_folder) {
    auto found = FindLeanFiles(path, true);
    if (!found) return Fail(found.error());
    files = std::move(*found);
  }
  std::vector<Problem> problems;
  for (const fs::path& file : files) {
    const auto text = core::ReadTextFile(file, kMaxLeanBytes);
    if (!text) return Fail(text.error());
    const auto declarations = syntax::FindDeclarations(*text);
    std::vector<Problem> of_file;
    for (const syntax::Declaration& declaration : declarations) {
      if (!declaration.HasProvableHole()) continue;
      Problem problem;
      const auto [begin, end] = declaration.range;
      problem.header = text->substr(0, begin);
      problem.statement = text->substr(begin, end - begin);
      problem.trailer = text->substr(end);
      problem.theorem = declaration.DisplayName();
      problem.name = problem.theorem;
      problem.informal = InformalOf(problem);
      problem.source.file =
          is_folder ? file.lexically_relative(path).generic_string() : file.filename().string();
      problem.source.line = declaration.line;
      problem.source.sha256 = core::Sha256Hex(*text);
      of_file.push_back(std::move(problem));
    }
    if (of_file.size() == 1) {
      of_file.front().name = fs::path(of_file.front().source.file).replace_extension().string();
    }
    for (Problem& problem : of_file) {
      if (problem.category.empty()) problem.category = MiniF2fCategory(problem.name);
      problems.push_back(std::move(problem));
    }
  }
  if (problems.empty()) {
    return Fail(ErrorCode::kInput, "there is no theorem with a sorry in " + path.string());
  }
  return problems;
}

}  // namespace zermelo::eval
