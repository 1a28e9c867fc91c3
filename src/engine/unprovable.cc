#include "engine/unprovable.h"

#include <algorithm>

#include "core/text.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::engine {

using syntax::Declaration;
using syntax::DeclarationHole;

namespace {

// Fails unless the goal is a proposition.
constexpr auto kProofOnly = "exact (sorry : (_ : Prop))";

bool LacksData(const Declaration& declaration) {
  return std::ranges::any_of(declaration.holes, [](const DeclarationHole& hole) {
    return hole.in_definition && !hole.provable && !hole.in_default;
  });
}

/// The name as its author wrote it: of `_private.M.0.a.b`, `a.b`.
std::string WithoutPrivatePrefix(const std::string& name) {
  constexpr std::string_view kEnd = ".0.";
  const size_t end = name.starts_with("_private.") ? name.find(kEnd) : std::string::npos;
  return end == std::string::npos ? name : name.substr(end + kEnd.size());
}

}  // namespace

UnprovableQuestion::UnprovableQuestion(const syntax::File& file) : text_(file.text()) {
  std::vector<DeclarationHole> holes;
  for (const Declaration& declaration : file.declarations()) {
    defines_with_sorry_ |= LacksData(declaration);
    if (declaration.keyword != "instance") continue;
    std::ranges::copy_if(declaration.holes, std::back_inserter(holes), &DeclarationHole::provable);
  }
  std::ranges::reverse(holes);
  for (const DeclarationHole& hole : holes) {  // the last one first
    const size_t before = text_.size();
    auto splice = syntax::SpliceProof(text_, hole, kProofOnly);
    text_ = std::move(splice.text);
    for (Suspect& later : suspects_) {
      later.in_place.begin += text_.size() - before;
      later.in_place.end += text_.size() - before;
    }
    suspects_.push_back({.hole = hole.begin, .in_place = {splice.begin, splice.end}});
  }
}

void UnprovableQuestion::Answer(const lean::CheckResult& result) {
  const core::LineIndex lines(text_);
  for (const lean::Diagnostic& diagnostic : result.diagnostics) {
    if (diagnostic.severity != lean::Severity::kError) continue;
    const size_t at = OffsetOf(lines, diagnostic.begin);
    for (Suspect& suspect : suspects_) suspect.is_data |= suspect.in_place.Touches(at);
  }
  FollowReferences(result.references);
}

void UnprovableQuestion::FollowReferences(const std::vector<lean::Reference>& references) {
  const core::LineIndex lines(text_);
  const auto declarations = syntax::FindDeclarations(text_);
  std::map<std::string, std::string> lacking;  // definitions, by the one to blame
  const auto blamed = [&](const syntax::TextRange& range) {
    for (const lean::Reference& reference : references) {
      if (!range.Touches(OffsetOf(lines, reference.begin))) continue;
      const auto found = lacking.find(WithoutPrivatePrefix(reference.name));
      if (found != lacking.end()) return found->second;
    }
    return std::string();
  };
  for (size_t d = 0; d < declarations.size(); ++d) {
    const Declaration& declaration = declarations[d];
    const bool theorem = declaration.IsTheorem();
    const std::string blame = LacksData(declaration)
                                  ? declaration.full_name
                                  : blamed(theorem ? declaration.signature : declaration.range);
    if (blame.empty()) continue;
    (theorem ? missing_[d] : lacking[declaration.full_name]) = blame;
  }
}

bool UnprovableQuestion::IsData(size_t hole) const {
  return std::ranges::any_of(
      suspects_, [&](const Suspect& suspect) { return suspect.is_data && suspect.hole == hole; });
}

std::string UnprovableQuestion::MissingFrom(size_t declaration) const {
  const auto found = missing_.find(declaration);
  return found == missing_.end() ? std::string() : found->second;
}

}  // namespace zermelo::engine
