#include "llm/prompt/prompt_template.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "core/file.h"
#include "core/names.h"
#include "llm/prompt/placeholders.h"

namespace zermelo::llm {

using core::ErrorCode;
using core::Fail;
using core::Result;

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "=== ";

std::vector<std::string> NamesOf(const auto& named) {
  std::vector<std::string> names;
  names.reserve(named.size());
  for (const auto& [name, value] : named) names.push_back(name);
  return names;
}

}  // namespace

Result<PromptTemplate> ParsePromptTemplate(const fs::path& file, std::string_view text) {
  PromptTemplate parsed;
  std::set<std::string> seen;
  std::string section;  // empty before the first section
  size_t line_number = 0;
  const auto fail = [&](std::string_view what) {
    return Fail(ErrorCode::kUsage, fmt::format("{}:{}: {}", file.string(), line_number, what));
  };
  while (!text.empty() && section != "end") {
    ++line_number;
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with(kMark)) {
      section = line.substr(kMark.size());
      if (section != "system" && section != "user" && section != "end") {
        return fail(fmt::format("unknown section `{}`: use system, user or end", section));
      }
      if (!seen.insert(section).second) return fail("duplicate section: " + section);
    } else if (section.empty()) {
      if (!line.empty() && !line.starts_with('#')) return fail("text before the first section");
    } else {
      (section == "system" ? parsed.system : parsed.user) += fmt::format("{}\n", line);
    }
  }
  if (section != "end") return fail("`=== end` is missing");
  if (text.find_first_not_of(" \t\r\n") != std::string_view::npos) {
    return fail("unexpected text after `=== end`");
  }
  for (std::string* part : {&parsed.system, &parsed.user}) {
    if (!part->empty()) part->pop_back();  // the line break before the next mark
  }
  if (parsed.user.empty()) return fail("section `user` is missing");
  return parsed;
}

Result<PromptTemplates> PromptTemplates::Load(const fs::path& folder) {
  PromptTemplates loaded;
  loaded.folder_ = folder;
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    if (file->path().extension() != ".txt") continue;
    const auto text = core::ReadTextFile(file->path(), 1U << 20U);
    if (!text) return Fail(text.error());
    auto parsed = ParsePromptTemplate(file->path(), *text);
    if (!parsed) return Fail(parsed.error());
    loaded.templates_.emplace(file->path().stem().string(), *std::move(parsed));
  }
  if (error || loaded.templates_.empty()) {
    return Fail(ErrorCode::kEnvironment,
                folder.empty() ? "the folder of prompts was not found"
                               : fmt::format("no prompts in {}", folder.string()),
                "set ZERMELO_PROMPTS to Zermelo's folder `prompts`");
  }
  return loaded;
}

Result<std::vector<Message>> PromptTemplates::Fill(std::string_view name,
                                                   const Values& values) const {
  const auto found = templates_.find(name);
  if (found == templates_.end()) {
    return Fail(ErrorCode::kUsage, fmt::format("there is no {}.txt in {}", name, folder_.string()),
                core::DidYouMean(std::string(name), NamesOf(templates_)));
  }
  const std::string file = (folder_ / (found->first + ".txt")).string();
  std::set<std::string> used;
  std::string missing;
  const auto value_of = [&](const std::string& placeholder) -> const std::string* {
    const auto value = values.find(placeholder);
    if (value == values.end() && missing.empty()) missing = placeholder;
    if (value == values.end()) return nullptr;
    used.insert(placeholder);
    return &value->second;
  };
  std::vector<Message> messages;
  const auto add = [&](const char* role, const std::string& section) {
    Message message;
    message.role = role;
    message.content = FillPlaceholders(section, value_of);
    messages.push_back(std::move(message));
  };
  if (!found->second.system.empty()) add("system", found->second.system);
  add("user", found->second.user);
  if (!missing.empty()) {
    return Fail(ErrorCode::kUsage, fmt::format("{}: no value for {{{}}}", file, missing),
                core::DidYouMean(missing, NamesOf(values)));
  }
  for (const auto& [value, text] : values) {
    if (used.contains(value)) continue;
    return Fail(ErrorCode::kUsage,
                fmt::format("{}: no placeholder for the value {{{}}}", file, value));
  }
  return messages;
}

}  // namespace zermelo::llm
