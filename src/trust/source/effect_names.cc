#include "trust/source/effect_names.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "syntax/lexer.h"

namespace zermelo::trust {

namespace {

constexpr std::string_view kMonads[] = {"BaseIO", "EIO", "IO"};

// After `Lean.`. Functions directly in this namespace begin with a small letter (below).
constexpr std::string_view kProgramsOfLean[] = {"Attr",
                                                "AttrM",
                                                "AttributeImpl",
                                                "Compiler",
                                                "Core",
                                                "CoreM",
                                                "Declaration",
                                                "Elab",
                                                "EnvExtension",
                                                "Environment",
                                                "Export",
                                                "Firefox",
                                                "IR",
                                                "ImportM",
                                                "KeyedDeclsAttribute",
                                                "Kernel",
                                                "Language",
                                                "Linter",
                                                "Lsp",
                                                "MapDeclarationExtension",
                                                "Meta",
                                                "MetaM",
                                                "MonadEnv",
                                                "MonadQuotation",
                                                "ParametricAttribute",
                                                "Parser",
                                                "ParserCompiler",
                                                "PersistentEnvExtension",
                                                "Plugin",
                                                "PrettyPrinter",
                                                "Server",
                                                "SearchPath",
                                                "SimplePersistentEnvExtension",
                                                "TagAttribute",
                                                "Util",
                                                "Widget"};

// Categories of syntax, which notations mention.
constexpr std::string_view kSyntaxOfLean[] = {"Attr", "Command", "Tactic", "Term"};

template <size_t n>
bool Has(const std::string_view (&words)[n], std::string_view word) {
  return std::ranges::find(words, word) != std::end(words);
}

bool BeginsWith(char first, char last, std::string_view word) {
  return !word.empty() && word.front() >= first && word.front() <= last;
}

bool IsTypeOfOptions(std::string_view word) {
  return word.ends_with("Config") && BeginsWith('A', 'Z', word);
}

// `binderIdent`, `explicitBinders`: syntax.
bool IsBinder(std::string_view word) {
  return word.starts_with("binder") || word.ends_with("Binders") || word.ends_with("Binder");
}

std::vector<std::string_view> Components(std::string_view name) {
  auto parts = syntax::NameComponents(name);
  const auto root = std::ranges::find_if(parts, [](auto part) { return part != "_root_"; });
  parts.erase(parts.begin(), root);
  return parts;
}

}  // namespace

bool MayNameAnEffect(std::string_view name) {
  const auto parts = Components(name);
  if (parts.size() < 2) return false;
  if (std::ranges::any_of(parts, [](auto part) { return Has(kMonads, part); })) return true;
  if (parts[0] == "Lake" || (parts[0] == "Std" && parts[1] == "Internal")) return true;
  if (parts[0] != "Lean" || IsTypeOfOptions(parts.back())) return false;
  if (parts[1] == "Parser" && parts.size() > 2 && Has(kSyntaxOfLean, parts[2])) return false;
  const bool is_function = BeginsWith('a', 'z', parts[1]) && !IsBinder(parts[1]);
  return is_function || Has(kProgramsOfLean, parts[1]);
}

bool HasEffects(std::string_view opened) {
  const auto parts = Components(opened);
  return parts.size() == 1 && (parts[0] == "Lean" || parts[0] == "Lake" || Has(kMonads, parts[0]));
}

}  // namespace zermelo::trust
