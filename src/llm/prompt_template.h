// Prompts of a strategy: a folder of files below prompts/, one for each thing that a model is asked
// (prompts/README.md tells their syntax).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "llm/model.h"

namespace zermelo::llm {

/// A system message, perhaps none, and a user's, with placeholders `{name}`.
struct PromptTemplate {
  std::string system;
  std::string user;
};

/// kUsage with file and line. `file` is for the message.
core::Result<PromptTemplate> ParsePromptTemplate(const std::filesystem::path& file,
                                                 std::string_view text);

/// Pure but for Load, which reads files.
class PromptTemplates {
 public:
  /// Every NAME.txt of a folder: of PromptFolder() / "hilbert", say. kEnvironment: there is none;
  /// kUsage: one cannot be read.
  static core::Result<PromptTemplates> Load(const std::filesystem::path& folder);

  /// What values stand for, by the names of their placeholders.
  using Values = std::map<std::string, std::string, std::less<>>;

  /// The messages of a template. A value is put in as it is: placeholders in it mean nothing.
  /// kUsage, with the name: there is no such template (with the nearest), it has a placeholder that
  /// has no value, or a value that it has no place for.
  core::Result<std::vector<Message>> Fill(std::string_view name, const Values& values) const;

 private:
  std::filesystem::path folder_;
  std::map<std::string, PromptTemplate, std::less<>> templates_;
};

}  // namespace zermelo::llm
