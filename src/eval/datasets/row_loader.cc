#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/files/file.h"
#include "core/hash/sha256.h"
#include "core/json.h"
#include "core/names.h"
#include "core/text.h"
#include "eval/datasets/loaders.h"
#include "eval/statement.h"
#include "syntax/declarations.h"

namespace zermelo::eval {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

constexpr size_t kMaxRowsBytes = 512U << 20U;
constexpr size_t kMaxRowBytes = 8U << 20U;

/// The keys that public datasets use for a field, in order of precedence.
struct Field {
  std::string name;
  std::vector<std::string> keys;
};
const std::vector<Field>& Fields() {
  static const std::vector<Field> fields = {
      {"name", {"name", "problem_name", "theorem_name", "problem_id", "uuid", "id"}},
      {"statement",
       {"formal_statement", "formal_stmt", "lean4_code", "lean_code", "statement", "code"}},
      {"header", {"header", "lean_header", "imports"}},
      {"helper", {"helper", "preamble"}},
      {"informal",
       {"informal_prefix", "informal_statement", "informal_stmt", "natural_language",
        "nl_statement", "problem", "question"}},
      {"split", {"split"}},
      {"category", {"category", "textbook", "tag", "tags", "subject", "domain"}},
      {"answer", {"answer"}},
      {"lean", {"version", "lean_version"}},
  };
  return fields;
}

struct Row {
  size_t line = 0;
  json object;
};

tl::unexpected<core::Error> RowError(const fs::path& file, size_t line, const std::string& what,
                                     const std::string& hint = "") {
  return Fail(ErrorCode::kInput, fmt::format("{}:{}: {}", file.string(), line, what), hint);
}

Result<std::vector<Row>> ParseLines(const fs::path& file, const std::string& text) {
  std::vector<Row> rows;
  size_t line = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view row(text.data() + at, end - at);
    at = end + 1;
    ++line;
    if (row.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (row.size() > kMaxRowBytes) {
      return RowError(file, line, fmt::format("the row has {} bytes", row.size()),
                      "rows are limited to 8 MiB; is this a file with one object per line?");
    }
    auto object = core::ParseJson(row);
    if (!object) return RowError(file, line, "this " + object.error().what);
    if (!object->is_object()) {
      return RowError(file, line, "a row must be a JSON object {\"name\": …}");
    }
    rows.push_back({.line = line, .object = *std::move(object)});
  }
  return rows;
}

Result<std::vector<Row>> ParseArray(const fs::path& file, const std::string& text) {
  auto parsed = core::ParseJson(text);
  if (!parsed) return RowError(file, parsed.error().line, "this " + parsed.error().what);
  json& array = *parsed;
  if (!array.is_array()) return RowError(file, 1, "the file must contain an array of objects");
  const auto lines = core::LinesOfObjects(text);
  std::vector<Row> rows;
  for (size_t i = 0; i < array.size(); ++i) {
    const size_t at = i < lines.size() ? lines[i] : 1;
    if (!array[i].is_object()) return RowError(file, at, "every element must be an object");
    rows.push_back({.line = at, .object = std::move(array[i])});
  }
  return rows;
}

Result<std::vector<Row>> ReadRows(const fs::path& file, std::string* text_of_file = nullptr) {
  const auto text = core::ReadTextFile(file, kMaxRowsBytes);
  if (!text) return Fail(text.error());
  if (text_of_file != nullptr) *text_of_file = *text;
  const size_t first = text->find_first_not_of(" \t\r\n");
  auto rows = first != std::string::npos && (*text)[first] == '[' ? ParseArray(file, *text)
                                                                  : ParseLines(file, *text);
  if (!rows) return rows;
  if (rows->empty()) return Fail(ErrorCode::kInput, file.string() + " has no rows");
  return rows;
}

/// Reads the fields of one row.
class RowReader {
 public:
  RowReader(const fs::path& file, const Row& row, const LoadOptions& options)
      : file_(file), row_(row), options_(options) {}

  /// The key of a field in this row; empty: none.
  std::string KeyOf(const std::string& field) const {
    if (const auto said = options_.fields.find(field); said != options_.fields.end()) {
      return said->second;
    }
    for (const Field& known : Fields()) {
      if (known.name != field) continue;
      for (const std::string& key : known.keys) {
        const auto value = row_.object.find(key);
        if (value != row_.object.end() && !value->is_null()) return key;
      }
    }
    return "";
  }

  /// The value of a field; empty if there is none. The first two elements of a list are joined.
  Result<std::string> Text(const std::string& field) const {
    const std::string key = KeyOf(field);
    if (key.empty()) return "";
    const auto value = row_.object.find(key);
    if (value == row_.object.end()) {
      return RowError(file_, row_.line, fmt::format("there is no field \"{}\"", key), Known());
    }
    if (value->is_null()) return "";
    if (value->is_string()) return value->get<std::string>();
    if (value->is_number_integer()) return value->dump();
    if (value->is_array() && field == "category") return Joined(*value);
    if (field == "category" || field == "answer" || field == "lean" || field == "split") return "";
    return RowError(file_, row_.line,
                    fmt::format("the field \"{}\" must be a string, not {}", key, value->dump())
                        .substr(0, 300));
  }

  std::string Known() const {
    std::vector<std::string> keys;
    for (const auto& [key, value] : row_.object.items()) keys.push_back(key);
    return fmt::format("its fields are {}; map them with --field statement=KEY",
                       fmt::join(keys, ", "));
  }

 private:
  static std::string Joined(const json& list) {
    std::string joined;
    for (size_t i = 0; i < std::min<size_t>(list.size(), 2); ++i) {
      if (!list[i].is_string()) continue;
      joined += (joined.empty() ? "" : ": ") + list[i].get<std::string>();
    }
    return joined;
  }

  const fs::path& file_;
  const Row& row_;
  const LoadOptions& options_;
};

bool HasImport(const std::string& text) { return !syntax::ImportedModules(text).empty(); }

/// The header for datasets without one (AI-MO's and its descendants).
constexpr std::string_view kMathlibHeader =
    "import Mathlib\nimport Aesop\n\nset_option maxHeartbeats 400000\n\n"
    "open BigOperators Real Nat Topology Rat\n\n";

std::string Paragraph(std::string text) {
  const size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return "";
  text.erase(end + 1);
  return text + "\n\n";
}

struct RowTexts {
  std::string name, statement, header, helper, informal, split, category, answer, lean;
};

Result<RowTexts> ReadTexts(const RowReader& reader) {
  RowTexts texts;
  const std::array<std::pair<const char*, std::string*>, 9> wanted = {
      {{"name", &texts.name},
       {"statement", &texts.statement},
       {"header", &texts.header},
       {"helper", &texts.helper},
       {"informal", &texts.informal},
       {"split", &texts.split},
       {"category", &texts.category},
       {"answer", &texts.answer},
       {"lean", &texts.lean}}};
  for (const auto& [field, into] : wanted) {
    auto text = reader.Text(field);
    if (!text) return Fail(text.error());
    *into = std::move(*text);
  }
  return texts;
}

/// The Lean file that a row describes.
std::string LeanText(const RowTexts& row, const std::string& format) {
  std::string statement = EndWithSorry(row.statement);
  if (HasImport(statement)) return statement;  // Goedel, Kimina, FATE: the header is in it
  std::string text = Paragraph(row.header) + Paragraph(row.helper);
  if (row.header.empty() && format == "kimina") text = kMathlibHeader;
  if (!HasDocComment(statement)) text += AsDocComment(row.informal);
  return text + statement;
}

Result<Problem> ReadRow(const fs::path& file, const Row& row, const std::string& format,
                        const LoadOptions& options) {
  const RowReader reader(file, row, options);
  const auto texts = ReadTexts(reader);
  if (!texts) return Fail(texts.error());
  if (texts->statement.find_first_not_of(" \t\r\n") == std::string::npos) {
    return RowError(file, row.line, "there is no statement", reader.Known());
  }
  Problem problem;
  problem.name = texts->name;
  std::string text = LeanText(*texts, format);
  if (options.answers == Answers::kGiven) GiveAnswers(text, texts->answer);
  if (auto cut = CutStatement(text, problem.name, problem); !cut) {
    return RowError(
        file, row.line,
        "the statement has no theorem, lemma or example: " + texts->statement.substr(0, 200));
  }
  if (problem.name.empty()) problem.name = problem.theorem;
  const std::string source =
      row.object.value("source", json()).is_string() ? row.object["source"].get<std::string>() : "";
  if (format == "fate" && !source.empty()) problem.name = source + "_" + problem.name;
  problem.split = texts->split;
  problem.category = texts->category;
  if (problem.category.empty()) problem.category = MiniF2fCategory(problem.name);
  if (problem.category.empty() && format == "proofnet" && source.ends_with(".lean")) {
    problem.category = source.substr(0, source.size() - 5);  // the textbook
  }
  problem.informal = core::Trim(core::WithoutCommentMarks(texts->informal));
  problem.lean = texts->lean;
  problem.source.file = file.filename().string();
  problem.source.line = row.line;
  return problem;
}

bool HasKeys(const json& row, std::initializer_list<const char*> keys) {
  return std::all_of(keys.begin(), keys.end(), [&](const char* key) { return row.contains(key); });
}

}  // namespace

const std::vector<std::string>& FieldNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Field& field : Fields()) all.push_back(field.name);
    return all;
  }();
  return names;
}

Result<std::string> FormatOfRows(const fs::path& file) {
  const auto rows = ReadRows(file);
  if (!rows) return Fail(rows.error());
  const json& row = rows->front().object;
  const json source = row.value("source", json());
  if (HasKeys(row, {"formal_stmt", "helper"})) return "proofnet-verified";
  if (source.is_string() && source.get<std::string>().starts_with("FATE")) return "fate";
  if (HasKeys(row, {"formal_statement", "informal_stmt", "source"})) return "proofnet";
  if (HasKeys(row, {"formal_statement", "lean4_code"})) return "goedel";
  if (HasKeys(row, {"formal_statement", "header"})) return "deepseek";
  if (HasKeys(row, {"formal_statement", "informal_prefix"})) return "kimina";
  return "jsonl";
}

Result<std::vector<Problem>> LoadRows(const fs::path& file, const std::string& format,
                                      const LoadOptions& options) {
  for (const auto& [field, key] : options.fields) {
    const auto& names = FieldNames();
    if (std::find(names.begin(), names.end(), field) != names.end()) continue;
    return Fail(ErrorCode::kUsage, "there is no field '" + field + "'",
                fmt::format("fields are {}", fmt::join(names, ", ")));
  }
  std::string text;
  const auto rows = ReadRows(file, &text);
  if (!rows) return Fail(rows.error());
  const std::string sha256 = core::Sha256Hex(text);
  std::vector<Problem> problems;
  for (const Row& row : *rows) {
    auto problem = ReadRow(file, row, format, options);
    if (!problem) return Fail(problem.error());
    problem->source.sha256 = sha256;
    problems.push_back(std::move(*problem));
  }
  return problems;
}

std::string RowsOf(const std::vector<Problem>& problems) {
  std::string rows;
  for (const Problem& problem : problems) {
    const bool is_apart = core::Trim(problem.trailer).empty();
    json row{{"name", problem.name},
             {"header", is_apart ? problem.header : ""},
             {"formal_statement", is_apart ? problem.statement : problem.Text()}};
    const auto add = [&](const char* key, const std::string& value) {
      if (!value.empty()) row[key] = value;
    };
    add("split", problem.split);
    add("category", problem.category);
    add("lean_version", problem.lean);
    add("informal_prefix", HasDocComment(problem.statement) ? problem.informal : "");
    rows += core::Dump(row) + "\n";
  }
  return rows;
}

}  // namespace zermelo::eval
