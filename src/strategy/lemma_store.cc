#include "strategy/lemma_store.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "syntax/lexer.h"

namespace zermelo::strategy {

ProvedLemma ProvedLemma::Renamed(std::string other_name, std::string other_head) const {
  ProvedLemma lemma = *this;
  lemma.name = std::move(other_name);
  lemma.head = std::move(other_head);
  return lemma;
}

std::string DeclarationKey(std::string_view keyword, std::string_view signature) {
  const bool is_proof = keyword == "lemma" || keyword == "example";
  return fmt::format("{} {}", is_proof ? "theorem" : keyword, syntax::TokenKey(signature));
}

bool Mentions(std::string_view code, std::string_view name) {
  const std::string_view last = syntax::LastComponent(name);
  return syntax::HasWordWith(code, [&](std::string_view part) { return part == last; });
}

bool LemmaStore::Add(ProvedLemma lemma) {
  if (FindName(lemma.name) != nullptr) return false;
  lemmas_.push_back(std::move(lemma));
  return true;
}

const ProvedLemma* LemmaStore::FindName(std::string_view name) const {
  const auto found = std::ranges::find(lemmas_, name, &ProvedLemma::name);
  return found == lemmas_.end() ? nullptr : &*found;
}

const ProvedLemma* LemmaStore::FindKey(std::string_view key) const {
  const auto found = std::ranges::find(lemmas_, key, &ProvedLemma::key);
  return found == lemmas_.end() ? nullptr : &*found;
}

// ---- names

void LemmaStore::Reserve(std::string name, std::string key) {
  if (!key.empty()) planned_.try_emplace(std::move(key), name);
  reserved_.insert(std::move(name));
}

std::string LemmaStore::NameOf(std::string_view key) const {
  if (const ProvedLemma* const proved = FindKey(key)) return proved->name;
  const auto planned = planned_.find(key);
  return planned == planned_.end() ? "" : planned->second;
}

std::string LemmaStore::FreeName(const std::string& name,
                                 const std::set<std::string>& others) const {
  const auto taken = [&](const std::string& one) {
    return IsReserved(one) || FindName(one) != nullptr || others.contains(one);
  };
  std::string free = name;
  for (size_t n = 2; taken(free); ++n) free = fmt::format("{}_{}", name, n);
  return free;
}

// ---- text

std::string LemmaStore::Text() const {
  std::string text;
  for (const ProvedLemma& lemma : lemmas_) text.append(lemma.Text()).append("\n\n");
  return text;
}

std::vector<const ProvedLemma*> LemmaStore::MentionedIn(std::string_view code) const {
  std::vector<const ProvedLemma*> mentioned;
  std::string seen(code);
  for (size_t i = lemmas_.size(); i-- > 0;) {  // a lemma needs only earlier ones
    if (!Mentions(seen, lemmas_[i].name)) continue;
    mentioned.push_back(&lemmas_[i]);
    seen.append("\n").append(lemmas_[i].Text());
  }
  std::ranges::reverse(mentioned);
  return mentioned;
}

std::string LemmaStore::Stitched(const std::vector<std::string>& names) const {
  std::string text;
  std::set<std::string> done;
  AddStitched(names, done, text);
  return text;
}

void LemmaStore::AddStitched(const std::vector<std::string>& names, std::set<std::string>& done,
                             std::string& text) const {
  for (const std::string& name : names) {
    const ProvedLemma* const lemma = FindName(name);
    if (lemma == nullptr || !done.insert(name).second) continue;
    AddStitched(lemma->uses, done, text);
    text.append(text.empty() ? "" : "\n").append(lemma->Text());
  }
}

std::string LemmaStore::Statements() const {
  std::string statements;
  for (const ProvedLemma& lemma : lemmas_) statements.append(lemma.head).append("\n");
  return statements;
}

}  // namespace zermelo::strategy
