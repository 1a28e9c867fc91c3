#include "engine/acceptance/file_errors.h"

#include <algorithm>
#include <set>
#include <string>

#include "syntax/lexer.h"

namespace zermelo::engine {

using lean::Diagnostic;
using syntax::Declaration;

namespace {

void FindSpoilt(std::string_view text, const std::vector<Declaration>& declarations,
                FileError& error) {
  std::set<std::string> names{
      std::string(syntax::LastComponent(declarations[error.declaration].name))};
  if (names.contains("")) return;
  for (size_t i = error.declaration + 1; i < declarations.size(); ++i) {
    const auto& range = declarations[i].range;
    const auto code = text.substr(range.begin, range.end - range.begin);
    if (!syntax::HasWordWith(
            code, [&](std::string_view part) { return names.contains(std::string(part)); })) {
      continue;
    }
    error.spoils.push_back(i);
    if (!declarations[i].name.empty()) names.emplace(syntax::LastComponent(declarations[i].name));
  }
}

}  // namespace

bool IsMissingLibraryCode(const Diagnostic& diagnostic) {
  const std::string& message = diagnostic.message;
  const bool in_ir = message.starts_with("failed to compile definition, compiler IR check failed");
  if (!in_ir && !message.starts_with("Unknown constant `")) return false;
  // Names that only the compiler generates.
  return message.find("._redArg`") != std::string::npos ||
         message.find("._boxed'") != std::string::npos ||
         message.find("._boxed`") != std::string::npos ||
         message.find("._at_.") != std::string::npos ||
         message.find("`_private.") != std::string::npos;
}

bool IsCodeGenerationError(const Diagnostic& diagnostic) {
  return diagnostic.message.starts_with("failed to compile definition") ||
         IsMissingLibraryCode(diagnostic);
}

std::vector<FileError> FindErrors(std::string_view text,
                                  const std::vector<Declaration>& declarations,
                                  const std::vector<Diagnostic>& diagnostics) {
  const core::LineIndex lines(text);
  std::vector<FileError> errors;
  for (const Diagnostic& d : diagnostics) {
    if (d.severity != lean::Severity::kError || IsCodeGenerationError(d)) continue;
    const Declaration* const in = syntax::DeclarationAt(declarations, OffsetOf(lines, d.begin));
    const size_t at = in == nullptr ? kNoDeclaration : static_cast<size_t>(in - &declarations[0]);
    const auto same = [&](const FileError& e) { return e.declaration == at; };
    if (at != kNoDeclaration && std::any_of(errors.begin(), errors.end(), same)) continue;
    errors.push_back({.diagnostic = &d, .declaration = at, .spoils = {}});
  }
  for (FileError& error : errors) {
    if (error.declaration != kNoDeclaration) FindSpoilt(text, declarations, error);
  }
  std::stable_sort(errors.begin(), errors.end(), [](const FileError& a, const FileError& b) {
    return a.diagnostic->begin < b.diagnostic->begin;
  });
  return errors;
}

}  // namespace zermelo::engine
