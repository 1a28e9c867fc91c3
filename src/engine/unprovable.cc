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

/// Whether the kernel's constant of this name contains a `sorry` that is data. Defaults of fields
/// and of parameters are constants of their own, and that of a partial function hides its body.
bool LacksData(const std::string& text, const Declaration& declaration) {
  if (declaration.IsInductive()) return false;
  const auto head = std::string_view(text).substr(
      declaration.range.begin, declaration.signature.begin - declaration.range.begin);
  if (syntax::HasWordWith(head, [](std::string_view word) { return word == "partial"; })) {
    return false;
  }
  return std::ranges::any_of(declaration.holes, [](const DeclarationHole& hole) {
    return hole.in_definition && !hole.provable && !hole.in_signature;
  });
}

}  // namespace

UnprovableQuestion::UnprovableQuestion(const syntax::File& file) : text_(file.text()) {
  std::vector<DeclarationHole> holes;
  for (const Declaration& declaration : file.declarations()) {
    defines_with_sorry_ |= LacksData(file.text(), declaration);
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
  std::multimap<size_t, std::string> names;
  for (const lean::Reference& reference : result.references) {
    names.emplace(OffsetOf(lines, reference.begin), lean::WithoutPrivatePrefix(reference.name));
  }
  FollowNames(names);
}

void UnprovableQuestion::FollowNames(const std::multimap<size_t, std::string>& names) {
  std::map<std::string, std::string> lacking;  // definitions, by the one to blame
  const auto blamed = [&](const syntax::TextRange& range) {
    if (lacking.empty()) return std::string();
    const auto end = names.upper_bound(range.end);
    for (auto name = names.lower_bound(range.begin); name != end; ++name) {
      if (const auto found = lacking.find(name->second); found != lacking.end()) {
        return found->second;
      }
    }
    return std::string();
  };
  const auto declarations = syntax::FindDeclarations(text_);
  for (size_t d = 0; d < declarations.size(); ++d) {
    const Declaration& declaration = declarations[d];
    if (declaration.IsTheoremOrExample()) {
      if (auto blame = blamed(declaration.signature); !blame.empty()) missing_[d] = blame;
    } else if (LacksData(text_, declaration)) {
      lacking[declaration.full_name] = declaration.full_name;
    } else if (!declaration.IsInductive()) {
      if (auto blame = blamed(declaration.range); !blame.empty()) {
        lacking[declaration.full_name] = blame;
      }
    }
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
