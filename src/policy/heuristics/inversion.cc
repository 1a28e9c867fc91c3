#include "policy/heuristics/inversion.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "syntax/lexer.h"
#include "syntax/signature.h"

namespace zermelo::policy {
namespace {

using syntax::FileConstant;

constexpr size_t kMostPatterns = 8;

/// The types of a predicate's explicit arguments.
std::vector<TermPtr> ArgumentTypes(const FileConstant& predicate) {
  std::vector<TermPtr> types;
  const auto signature = syntax::ParseSignature(predicate.signature);
  if (!signature) return types;
  for (const syntax::Binder& binder : signature->binders) {
    if (binder.kind != syntax::BracketKind::kRound) continue;
    types.insert(types.end(), binder.names.size(), ParseTerm(binder.type));
  }
  TermPtr rest = ParseTerm(signature->type);
  while (rest->Is("→")) {
    types.push_back(rest->args[0]);
    rest = rest->args[1];
  }
  return types;
}

}  // namespace

bool Repeats(const FileConstant& predicate, std::string_view constructor) {
  const std::string_view own = syntax::LastComponent(constructor);
  return std::ranges::any_of(predicate.rules, [&](const std::string& rule) {
    size_t times = 0;
    for (const syntax::Token& token : syntax::LexCode(rule)) {
      times += syntax::LastComponent(syntax::TextOf(rule, token)) == own ? 1 : 0;
    }
    return times > 1;
  });
}

std::string Inversion(const HeuristicInput& input, const syntax::NameSet& names) {
  std::vector<std::string> patterns;
  for (const FileConstant* predicate : input.file.predicates) {
    std::string before;
    for (const TermPtr& argument : ArgumentTypes(*predicate)) {
      if (const FileConstant* type = input.file.Type(argument->head)) {
        for (const std::string& constructor : type->constructors) {
          if (!syntax::MayMean(names, constructor) || Repeats(*predicate, constructor)) continue;
          patterns.push_back(
              fmt::format("cases ‹{}{} ({} ..) ..›", predicate->reference, before, constructor));
        }
      }
      before += " _";
    }
  }
  if (patterns.empty()) return "";
  if (patterns.size() > kMostPatterns) patterns.resize(kMostPatterns);
  // Without the last alternative, Lean goes on with an error in place of the hypothesis.
  return fmt::format("repeat' (first | cases ‹_ ∧ _› | cases ‹∃ _, _› | {} | fail)",
                     fmt::join(patterns, " | "));
}

}  // namespace zermelo::policy
