// Prompts of a strategy: a folder of files below prompts/, one for each question to a model
// (prompts/README.md describes their syntax).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "llm/model.h"
#include "llm/prompt/format.h"

namespace zermelo::llm {

/// Pure except for Load, which reads files.
class PromptTemplates {
 public:
  /// Loads every NAME.txt of a folder, such as PromptFolder() / "hilbert". kEnvironment: there is
  /// none; kUsage: one cannot be read.
  static core::Result<PromptTemplates> Load(const std::filesystem::path& folder);

  /// Values by the names of their placeholders.
  using Values = std::map<std::string, std::string, std::less<>>;

  /// The messages of a template. Values are inserted as they are: placeholders in them are not
  /// replaced. kUsage, with the name: unknown template (with the nearest one), a placeholder
  /// without a value, or a value without a placeholder.
  core::Result<std::vector<Message>> Fill(std::string_view name, const Values& values) const;

 private:
  std::filesystem::path folder_;
  Formats templates_;
};

}  // namespace zermelo::llm
