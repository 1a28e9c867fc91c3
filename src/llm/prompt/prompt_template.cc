#include "llm/prompt/prompt_template.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "core/files/file.h"
#include "core/names.h"
#include "llm/prompt/placeholders.h"

namespace zermelo::llm {

using core::ErrorCode;
using core::Fail;
using core::Result;

namespace {

namespace fs = std::filesystem;

std::vector<std::string> NamesOf(const auto& named) {
  std::vector<std::string> names;
  names.reserve(named.size());
  for (const auto& [name, value] : named) names.push_back(name);
  return names;
}

}  // namespace

Result<PromptTemplates> PromptTemplates::Load(const fs::path& folder) {
  PromptTemplates loaded;
  loaded.folder_ = folder;
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    if (file->path().extension() != ".txt") continue;
    const auto text = core::ReadTextFile(file->path(), 1U << 20U);
    if (!text) return Fail(text.error());
    auto parsed = ParseTemplate(file->path(), *text);
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
  const auto& sections = found->second.sections;
  const auto system = sections.find("system");
  if (system != sections.end() && !system->second.empty()) add("system", system->second);
  add("user", sections.at("user"));
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
