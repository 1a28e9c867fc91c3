#include "strategy/lemma_memory.h"

#include <algorithm>
#include <fmt/format.h>

#include "syntax/declarations.h"
#include "syntax/lexer.h"

namespace zermelo::strategy {

std::string StatementKey(std::string_view keyword, std::string_view signature) {
  std::string key(keyword == "lemma" || keyword == "example" ? "theorem" : keyword);
  for (const syntax::Token& token : syntax::LexCode(signature)) {
    key.append(" ").append(syntax::TextOf(signature, token));
  }
  return key;
}

bool Mentions(std::string_view code, std::string_view name) {
  const std::string_view last = syntax::LastComponent(name);
  const auto tokens = syntax::LexCode(code);
  return std::any_of(tokens.begin(), tokens.end(), [&](const syntax::Token& token) {
    if (token.kind != syntax::TokenKind::kWord) return false;
    const auto parts = syntax::NameComponents(syntax::TextOf(code, token));
    return std::find(parts.begin(), parts.end(), last) != parts.end();
  });
}

bool LemmaMemory::Add(ProvedLemma lemma) {
  if (FindName(lemma.name) != nullptr) return false;
  lemmas_.push_back(std::move(lemma));
  return true;
}

const ProvedLemma* LemmaMemory::FindName(std::string_view name) const {
  const auto found = std::find_if(lemmas_.begin(), lemmas_.end(),
                                  [&](const auto& lemma) { return lemma.name == name; });
  return found == lemmas_.end() ? nullptr : &*found;
}

const ProvedLemma* LemmaMemory::FindStatement(std::string_view statement) const {
  const auto found = std::find_if(lemmas_.begin(), lemmas_.end(),
                                  [&](const auto& lemma) { return lemma.statement == statement; });
  return found == lemmas_.end() ? nullptr : &*found;
}

std::string LemmaMemory::Text() const {
  std::string text;
  for (const ProvedLemma& lemma : lemmas_) text.append(lemma.text).append("\n\n");
  return text;
}

std::vector<std::string> LemmaMemory::Texts() const {
  std::vector<std::string> texts;
  texts.reserve(lemmas_.size());
  for (const ProvedLemma& lemma : lemmas_) texts.push_back(lemma.text);
  return texts;
}

std::string LemmaMemory::TextFor(std::string_view code) const {
  std::vector<bool> needed(lemmas_.size());
  std::string seen(code);
  for (size_t i = lemmas_.size(); i-- > 0;) {  // a lemma needs only earlier ones
    needed[i] = Mentions(seen, lemmas_[i].name);
    if (needed[i]) seen.append("\n").append(lemmas_[i].text);
  }
  std::string text;
  for (size_t i = 0; i < lemmas_.size(); ++i) {
    if (needed[i]) text.append(lemmas_[i].text).append("\n\n");
  }
  return text;
}

std::string LemmaMemory::Statements() const {
  std::string statements;
  for (const ProvedLemma& lemma : lemmas_) {
    const auto declared = syntax::FindDeclarations(lemma.text);
    if (declared.empty()) continue;
    const syntax::Declaration& d = declared.front();
    const bool is_proof = d.keyword == "theorem" || d.keyword == "lemma";
    const size_t end = is_proof ? d.signature.end : d.range.end;
    statements += fmt::format("{}\n", lemma.text.substr(d.range.begin, end - d.range.begin));
  }
  return statements;
}

}  // namespace zermelo::strategy
