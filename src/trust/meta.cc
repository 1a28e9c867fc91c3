#include "trust/meta.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "kernel/term/names.h"

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

}  // namespace

bool IsMetaName(const Terms& terms, NameId id) {
  const std::string name = terms.Print(id);
  if (name.ends_with("Config")) return false;  // options of simp, omega, …
  return std::any_of(std::begin(kMeta), std::end(kMeta), [&](std::string_view meta) {
    return name.starts_with(meta) && (name.size() == meta.size() || name[meta.size()] == '.');
  });
}

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
  if (IsOfNotation(terms, constant)) return false;
  return AnyPart(terms, {constant.type}, [&](const ExprNode& node, const auto&) {
    return node.kind == ExprKind::kConst &&
           (meta.contains(NameId{node.a}) || IsMetaName(terms, NameId{node.a}));
  });
}

}  // namespace zermelo::trust
