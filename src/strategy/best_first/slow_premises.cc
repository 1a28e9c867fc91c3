#include "strategy/best_first/slow_premises.h"

#include <algorithm>

#include "syntax/lexer.h"

namespace zermelo::strategy {

namespace {

constexpr size_t kTimes = 2;

}  // namespace

std::set<std::string> PremisesOfGrind(std::string_view tactic) {
  std::set<std::string> names;
  bool after_grind = false;  // until its list begins
  size_t depth = 0;          // of brackets in its list
  for (const syntax::Token& token : syntax::LexCode(tactic)) {
    const std::string_view text = syntax::TextOf(tactic, token);
    if (depth > 0) {
      if (text == "[") ++depth;
      if (text == "]") --depth;
      if (token.kind == syntax::TokenKind::kWord && text != "_") names.emplace(text);
    } else if (text == "grind") {
      after_grind = true;
    } else if (after_grind && text == "[") {
      depth = 1;
      after_grind = false;
    } else if (text == "|" || text == "<;>" || text == ";") {
      after_grind = false;
    }
  }
  return names;
}

void SlowPremises::Ran(std::string_view tactic, bool out_of_time) {
  for (const std::string& premise : PremisesOfGrind(tactic)) {
    size_t& times = times_[premise];
    times = out_of_time ? times + 1 : 0;
  }
}

bool SlowPremises::AreIn(std::string_view tactic) const {
  const std::set<std::string> premises = PremisesOfGrind(tactic);
  return std::ranges::any_of(premises, [&](const std::string& premise) {
    const auto found = times_.find(premise);
    return found != times_.end() && found->second >= kTimes;
  });
}

}  // namespace zermelo::strategy
