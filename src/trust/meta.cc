#include "trust/meta.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "kernel/term/names.h"
#include "syntax/lexer.h"

namespace zermelo::trust {

namespace {

// The exact types of the definitions that `notation`, `macro`, `syntax` and `(h : p := by simp)`
// leave behind.
constexpr std::string_view kOfNotation[] = {
    "Lean.Macro", "Lean.ParserDescr", "Lean.PrettyPrinter.Unexpander", "Lean.TrailingParserDescr"};

constexpr std::string_view kMeta[] = {"Lean.AttrM",        "Lean.Compiler", "Lean.Core",
                                      "Lean.CoreM",        "Lean.Elab",     "Lean.Environment",
                                      "Lean.IR",           "Lean.Ident",    "Lean.ImportM",
                                      "Lean.Linter",       "Lean.Macro",    "Lean.MacroM",
                                      "Lean.Meta",         "Lean.MetaM",    "Lean.MonadQuotation",
                                      "Lean.MonadRef",     "Lean.Parser",   "Lean.PrettyPrinter",
                                      "Lean.Server",       "Lean.Syntax",   "Lean.TSyntax",
                                      "Lean.TSyntaxArray", "Lean.Term"};

// Programs that act, whoever runs them, and their state.
constexpr std::string_view kEffects[] = {"BaseIO", "EIO",  "EST",    "IO",
                                         "ST",     "Void", "runEST", "runST"};

// Whether the name is one of these or in its namespace.
template <size_t n>
bool IsIn(const std::string_view (&namespaces)[n], std::string_view name) {
  return std::ranges::any_of(namespaces, [&](std::string_view one) {
    return name.starts_with(one) && (name.size() == one.size() || name[one.size()] == '.');
  });
}

// Types of options of simp, omega, …, and of their fields.
bool IsOfOptions(std::string_view name) {
  if (name.ends_with(".defaultMaxSteps")) return true;
  return std::ranges::any_of(syntax::NameComponents(name), [](std::string_view part) {
    const bool type = !part.empty() && part.front() >= 'A' && part.front() <= 'Z';
    return type &&
           (part.ends_with("Config") || part.ends_with("Mode") || part.ends_with("Occurrences"));
  });
}

}  // namespace

bool IsMetaName(const Terms& terms, NameId id) {
  const std::string name = terms.Print(id);
  return IsIn(kMeta, name) && !IsOfOptions(name);
}

bool IsEffectName(const Terms& terms, NameId id) { return IsIn(kEffects, terms.Print(id)); }

bool IsOfNotation(const Terms& terms, const Constant& constant) {
  const ExprNode& type = terms[constant.type];
  if (type.kind != ExprKind::kConst) return false;
  const std::string name = terms.Print(NameId{type.a});
  if (name == "Lean.Syntax") return IsAuxiliary(terms, constant.name);
  return std::find(std::begin(kOfNotation), std::end(kOfNotation), name) != std::end(kOfNotation);
}

bool IsMetaProgram(const Terms& terms, const Constant& constant,
                   const std::unordered_set<NameId>& meta) {
  if (constant.kind != ConstantKind::kDefinition && constant.kind != ConstantKind::kOpaque)
    return false;
  return meta.contains(constant.name) && !IsOfNotation(terms, constant);
}

}  // namespace zermelo::trust
