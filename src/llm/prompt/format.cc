#include "llm/prompt/format.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "core/files/file.h"
#include "core/json.h"
#include "core/names.h"
#include "core/random.h"
#include "core/text.h"
#include "llm/prompt/placeholders.h"

namespace zermelo::llm {

using core::ErrorCode;
using core::Fail;
using core::Result;

namespace {

namespace fs = std::filesystem;

/// What a file may contain.
struct Grammar {
  std::vector<std::string> settings;
  std::vector<std::string> sections;
  std::vector<std::string> placeholders;  // empty: any
};

const Grammar kFormat{{"kind", "reply", "auxiliary", "stop", "stop_at_fence", "temperature",
                       "top_p", "max_tokens", "shots"},
                      {"prompt", "system", "user", "state", "correction", "example", "end"},
                      {"header", "informal", "problem", "statement", "prefix", "name", "steps",
                       "state", "goal", "errors", "round", "examples"}};
const Grammar kTemplate{{}, {"system", "user", "end"}, {}};

bool Contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Removes the first line from `text` and returns it without its line break.
std::string_view TakeLine(std::string_view* text) {
  const size_t end = text->find('\n');
  std::string_view line = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  return line;
}

template <class Each>
void ForEachLine(std::string_view text, Each each) {
  while (!text.empty()) each(TakeLine(&text));
}

bool Contains(std::string_view text, std::string_view placeholder) {
  return text.find(placeholder) != std::string_view::npos;
}

using Values = std::map<std::string, std::string, std::less<>>;

std::string Fill(std::string_view section, const Values& values) {
  return FillPlaceholders(section, [&](const std::string& name) {
    const auto value = values.find(name);
    return value == values.end() ? nullptr : &value->second;
  });
}

class Parser {
 public:
  Parser(const Grammar& grammar, const fs::path& file, std::string_view text)
      : grammar_(grammar), file_(file), rest_(text) {
    format_.name = file.stem();
  }

  Result<Format> Run() {
    std::string section;
    while (!rest_.empty() && section != "end") {
      ++line_;
      const std::string_view line = TakeLine(&rest_);
      if (line.starts_with("=== ")) {
        section = core::Trim(line.substr(4));
        ReadSection(section);
      } else if (!core::Trim(line).empty() && !line.starts_with("#")) {
        ReadSetting(line);
      }
      if (!problem_.empty()) return Fail(ErrorCode::kUsage, problem_, hint_);
    }
    if (section != "end") Report("`=== end` is missing");
    CheckSections();
    if (!problem_.empty()) return Fail(ErrorCode::kUsage, problem_, hint_);
    return format_;
  }

 private:
  void Report(std::string_view what, std::string hint = "") {
    problem_ = fmt::format("{}:{}: {}", file_.string(), line_, what);
    hint_ = std::move(hint);
  }

  void ReadSetting(std::string_view line) {
    const size_t colon = line.find(':');
    const std::string key(core::Trim(line.substr(0, colon)));
    if (colon == std::string_view::npos || !Contains(grammar_.settings, key)) {
      return Report(fmt::format("unknown setting `{}`", key),
                    core::DidYouMean(key, grammar_.settings));
    }
    if (key != "stop" && !seen_.insert(key).second) return Report("duplicate setting: " + key);
    const std::string_view value = core::Trim(line.substr(colon + 1));
    if (key == "stop") return ReadStop(value);
    if (key == "temperature") return ReadNumber(value, 0.0, 2.0, &format_.sampling.temperature);
    if (key == "top_p") return ReadNumber(value, 0.0, 1.0, &format_.sampling.top_p);
    if (key == "shots") return ReadShots(value);
    if (key == "max_tokens") return ReadNumber(value, 1, 1 << 24, &format_.sampling.max_tokens);
    if (key == "kind") {
      ReadWord<PromptKind>(value,
                           {{{"completion", PromptKind::kCompletion}, {"chat", PromptKind::kChat}}},
                           &format_.kind);
    } else if (key == "reply") {
      ReadWord<ReplyKind>(value,
                          {{{"continuation", ReplyKind::kContinuation},
                            {"block", ReplyKind::kBlock},
                            {"tactic", ReplyKind::kTactic}}},
                          &format_.reply);
    } else if (key == "auxiliary") {
      ReadWord<bool>(value, {{{"keep", true}, {"drop", false}}}, &format_.keeps_auxiliary);
    } else {
      ReadWord<bool>(value, {{{"yes", true}, {"no", false}}}, &format_.stop_at_fence);
    }
  }

  template <class T>
  void ReadWord(std::string_view value, const std::vector<std::pair<std::string, T>>& words,
                T* out) {
    std::vector<std::string> names;
    for (const auto& [name, meaning] : words) {
      if (name == value) {
        *out = meaning;
        return;
      }
      names.push_back(name);
    }
    Report(fmt::format("`{}` is not one of: {}", value, fmt::join(names, ", ")));
  }

  template <class T>
  void ReadNumber(std::string_view value, T least, T most, std::optional<T>* out) {
    T number{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || !(number >= least) ||
        !(number <= most)) {
      return Report(fmt::format("`{}` is not a number from {} to {}", value, least, most));
    }
    *out = number;
  }

  void ReadShots(std::string_view value) {
    std::optional<int> shots;
    ReadNumber(value, 1, 100, &shots);
    format_.shots = static_cast<size_t>(shots.value_or(0));
  }

  void ReadStop(std::string_view value) {
    const auto json = core::JsonOrDiscarded(value);
    if (!json.is_string() || json.get<std::string>().empty()) {
      return Report("a stop string must be written as in JSON, with quotation marks");
    }
    format_.sampling.stop.push_back(json);
  }

  void ReadSection(const std::string& name) {
    if (!Contains(grammar_.sections, name)) {
      return Report(fmt::format("unknown section `{}`", name),
                    core::DidYouMean(name, grammar_.sections));
    }
    if (name == "end") {
      if (!core::Trim(rest_).empty()) Report("unexpected text after `=== end`");
      return;
    }
    const size_t end = rest_.starts_with("=== ") ? 0 : rest_.find("\n=== ");
    if (end == std::string_view::npos) {
      line_ += static_cast<size_t>(std::count(rest_.begin(), rest_.end(), '\n'));
      return Report("`=== end` is missing");
    }
    const std::string text(rest_.substr(0, end));
    const bool example = name == "example";  // Lean, which may have braces of its own
    for (const std::string& placeholder : PlaceholdersOf(text)) {
      if (example || grammar_.placeholders.empty()) break;
      if (!Contains(grammar_.placeholders, placeholder)) {
        return Report(fmt::format("section `{}`: unknown placeholder {{{}}}", name, placeholder),
                      core::DidYouMean(placeholder, grammar_.placeholders));
      }
    }
    if (example) {
      format_.examples.push_back(text);
    } else if (!format_.sections.emplace(name, text).second) {
      return Report("duplicate section: " + name);
    }
    line_ += static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + (end > 0 ? 1 : 0);
    rest_.remove_prefix(end > 0 ? end + 1 : 0);
  }

  void CheckSections() {
    if (!problem_.empty()) return;
    const bool chat = format_.kind == PromptKind::kChat;
    const char* needed = chat ? "user" : "prompt";
    if (!format_.sections.contains(needed)) {
      return Report(fmt::format("section `{}` is missing", needed));
    }
    if (format_.shots > format_.examples.size()) {
      return Report(fmt::format("{} shots need as many sections `example`", format_.shots));
    }
    const auto strangers = chat ? std::vector<std::string>{"prompt", "state"}
                                : std::vector<std::string>{"system", "user", "correction"};
    for (const std::string& name : strangers) {
      if (format_.sections.contains(name)) {
        Report(fmt::format("a {} format cannot have a section `{}`", chat ? "chat" : "completion",
                           name));
      }
    }
  }

  const Grammar& grammar_;
  const fs::path& file_;
  std::string_view rest_;
  size_t line_ = 0;
  std::set<std::string> seen_;
  Format format_;
  std::string problem_;
  std::string hint_;
};

std::string WithoutIndent(std::string_view prefix) {
  std::string steps = core::Dedented(prefix, 2);
  if (steps.ends_with('\n')) steps.pop_back();
  return steps;
}

/// Like BFS-Prover's `_pp1`: the first goal without its `case` line and `this : True`.
std::string FirstGoal(std::string_view state) {
  std::string goal;
  bool first = true;
  ForEachLine(state.substr(0, state.find("\n\n")), [&](std::string_view line) {
    const bool is_case = std::exchange(first, false) && core::Trim(line).starts_with("case ");
    const bool is_trivial = line.starts_with("this") && core::Trim(line).ends_with(" : True");
    if (is_case || is_trivial) return;
    goal += line;
    goal += '\n';
  });
  return std::string(core::Trim(goal));
}

/// The indentation of the last tactic of a prefix, that is, of its last line that is not blank.
std::string LastIndent(std::string_view prefix) {
  std::string_view indent = "  ";
  ForEachLine(prefix, [&](std::string_view line) {
    if (!core::Trim(line).empty()) indent = line.substr(0, line.find_first_not_of(' '));
  });
  return std::string(indent);
}

/// Fills the section `state`: every line is indented like the last tactic, every line of the state
/// like the placeholder. Blank lines are indented too, as in the training data of the models.
std::string StateComment(std::string_view section, const PromptInput& input) {
  std::string comment;
  const std::string indent = LastIndent(input.prefix);
  ForEachLine(section, [&](std::string_view line) {
    const size_t at = line.find("{state}");
    if (at == std::string_view::npos) {
      comment += fmt::format("{}{}\n", indent, line);
      return;
    }
    ForEachLine(input.state, [&](std::string_view state_line) {
      comment += fmt::format("{}{}{}\n", indent, line.substr(0, at), state_line);
    });
  });
  return comment;
}

/// Whether an example proves the problem's theorem: by its name without namespaces, or by what its
/// statement says after the name.
bool Answers(const std::string& example, const PromptInput& input) {
  const std::string text = core::WithSingleBlanks(example);
  const std::string last = input.name.substr(input.name.rfind('.') + 1);
  if (!last.empty() && Contains(text, "theorem " + last + " ")) return true;
  const std::string statement = core::WithSingleBlanks(input.statement);
  const size_t name = statement.find(' '), says = statement.find(' ', name + 1);
  return name != std::string::npos && says != std::string::npos &&
         Contains(text, statement.substr(says));
}

/// `shots` of the examples in random order, each followed by an empty line; none that answers the
/// problem.
std::string Draw(std::vector<std::string> examples, size_t shots, const PromptInput& input) {
  std::erase_if(examples, [&](const std::string& example) { return Answers(example, input); });
  std::string drawn;
  uint64_t draw = input.draw;
  for (size_t i = 0; i < std::min(shots, examples.size()); ++i) {
    draw = core::Mix(draw);
    std::swap(examples[i], examples[i + draw % (examples.size() - i)]);
    drawn += Fill(examples[i], {{"header", input.header}}) + "\n\n";
  }
  return drawn;
}

}  // namespace

bool Format::ContinuesProofs() const {
  return std::any_of(sections.begin(), sections.end(), [](const auto& section) {
    return Contains(section.second, "{prefix}") || Contains(section.second, "{steps}") ||
           Contains(section.second, "{goal}");
  });
}

Result<Request> Format::Build(const PromptInput& input) const {
  if (!input.prefix.empty() && !ContinuesProofs()) {
    return Fail(ErrorCode::kUsage, fmt::format("format {} cannot continue a proof", name));
  }
  if (!input.failed.empty() && !Corrects()) {
    return Fail(ErrorCode::kUsage, fmt::format("format {} cannot correct a proof", name));
  }
  Values values;
  values["header"] = input.header;
  values["informal"] = input.informal;
  values["problem"] = core::Trim(core::WithoutCommentMarks(input.informal));
  values["statement"] = input.statement;
  values["prefix"] = input.prefix;
  values["steps"] = WithoutIndent(input.prefix);
  values["name"] = input.name;
  values["state"] = input.state;
  values["goal"] = FirstGoal(input.state);
  values["examples"] = Draw(examples, shots, input);

  Request request;
  request.sampling = sampling;
  request.fence_is_open = reply == ReplyKind::kContinuation;
  request.stop_at_fence = stop_at_fence || request.fence_is_open;
  if (kind == PromptKind::kCompletion) {
    std::string prompt = Fill(sections.at("prompt"), values);
    const auto state = sections.find("state");
    if (state != sections.end() && !input.prefix.empty() && !input.state.empty()) {
      prompt += StateComment(state->second, input);
    }
    request.prompt = std::move(prompt);
    return request;
  }
  std::vector<Message> turns;
  const auto add = [&](const char* role, std::string content) {
    turns.push_back({.role = role, .content = std::move(content)});
  };
  if (const auto system = sections.find("system"); system != sections.end()) {
    add("system", Fill(system->second, values));
  }
  add("user", Fill(sections.at("user"), values));
  for (size_t round = 0; round < input.failed.size(); ++round) {
    add("assistant", input.failed[round].reply);
    values["errors"] = input.failed[round].errors;
    values["round"] = std::to_string(round);
    add("user", Fill(sections.at("correction"), values));
  }
  request.prompt = std::move(turns);
  return request;
}

Result<Format> ParseFormat(const fs::path& file, std::string_view text) {
  return Parser(kFormat, file, text).Run();
}

Result<Format> ParseTemplate(const fs::path& file, std::string_view text) {
  return Parser(kTemplate, file, text).Run();
}

Result<Formats> LoadFormats(const fs::path& folder) {
  Formats formats;
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    if (file->path().extension() != ".txt") continue;
    const auto text = core::ReadTextFile(file->path(), 1U << 20U);
    if (!text) return Fail(text.error());
    auto format = ParseFormat(file->path(), *text);
    if (!format) return Fail(format.error());
    std::string name = format->name;
    formats.emplace(std::move(name), *std::move(format));
  }
  if (error || formats.empty()) {
    return Fail(ErrorCode::kEnvironment,
                folder.empty() ? "the folder of prompt formats was not found"
                               : fmt::format("no prompt formats in {}", folder.string()),
                "set ZERMELO_PROMPTS to Zermelo's folder `prompts`");
  }
  return formats;
}

Result<Format> FindFormat(const Formats& formats, const std::string& name) {
  if (const auto found = formats.find(name); found != formats.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, format] : formats) names.push_back(known);
  const std::string near = core::DidYouMean(name, names);
  return Fail(ErrorCode::kUsage, fmt::format("unknown prompt format `{}`", name),
              near.empty() ? fmt::format("known formats: {}", fmt::join(names, ", ")) : near);
}

fs::path PromptFolder() {
  if (const char* named = std::getenv("ZERMELO_PROMPTS"); named != nullptr) return named;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  for (fs::path folder = self.parent_path(); !error && folder.has_relative_path();
       folder = folder.parent_path()) {
    if (fs::exists(folder / "prompts" / "chat.txt", error)) return folder / "prompts";
  }
  return {};
}

}  // namespace zermelo::llm
