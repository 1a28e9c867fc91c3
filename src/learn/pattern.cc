#include "learn/pattern.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

#include "core/text.h"
#include "syntax/lexer.h"
#include "syntax/words.h"

namespace zermelo::learn {
namespace {

using syntax::Goal;
using syntax::Token;
using syntax::TokenKind;

constexpr std::string_view kMark = "§";
constexpr double kLeastFit = 0.3;
constexpr double kSameName = 0.05;
constexpr syntax::WordSet kWorksWithoutList({"simp", "simp_all", "grind", "simpa", "dsimp", "omega",
                                             "norm_num", "linarith", "nlinarith", "aesop"});

std::string MarkOf(size_t hole) { return fmt::format("{}{}{}", kMark, hole, kMark); }

/// The index of a hypothesis by each of its names.
using Hypotheses = std::map<std::string, size_t, std::less<>>;

Hypotheses ByName(const Goal& goal) {
  Hypotheses found;
  for (size_t i = 0; i < goal.hypotheses.size(); ++i) {
    for (const std::string& name : goal.hypotheses[i].names) found[name] = i;
  }
  return found;
}

/// Takes `rename_i a b` from the beginning of the tactic, and lets its names stand for the last
/// inaccessible hypotheses.
std::string_view WithoutRenaming(std::string_view tactic, const Goal& goal, Hypotheses* names) {
  constexpr std::string_view kRename = "rename_i ";
  const size_t end = tactic.find('\n');
  if (!tactic.starts_with(kRename) || end == std::string_view::npos) return tactic;
  const auto given = syntax::SplitNames(tactic.substr(kRename.size(), end - kRename.size()));
  std::vector<size_t> inaccessible;
  for (size_t i = 0; i < goal.hypotheses.size(); ++i) {
    for (const std::string& name : goal.hypotheses[i].names) {
      if (syntax::IsInaccessible(name)) inaccessible.push_back(i);
    }
  }
  if (given.size() > inaccessible.size()) return tactic;
  const size_t first = inaccessible.size() - given.size();
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i] != "_") (*names)[given[i]] = inaccessible[first + i];
  }
  return tactic.substr(end + 1);
}

double Overlap(const std::vector<Feature>& a, const std::vector<Feature>& b) {
  size_t common = 0;
  for (const Feature feature : a) common += std::ranges::binary_search(b, feature) ? 1 : 0;
  const size_t all = a.size() + b.size() - common;
  return all == 0 ? 0 : static_cast<double>(common) / static_cast<double>(all);
}

/// The hypothesis for each hole; empty: none fits.
std::vector<std::string> Assign(const Pattern& pattern, const Goal& goal,
                                const std::vector<std::vector<Feature>>& types) {
  struct Choice {
    double fit = 0;
    size_t place = 0;  // of the hypothesis; later ones are nearer
    size_t hole = 0;
    const std::string* name = nullptr;
  };
  std::vector<Choice> choices;
  size_t place = 0;
  for (size_t i = 0; i < goal.hypotheses.size() && !pattern.holes.empty(); ++i) {
    for (const std::string& name : goal.hypotheses[i].names) {
      ++place;
      for (size_t hole = pattern.holes.size(); hole-- > 0;) {  // later holes get later hypotheses
        const auto& wanted = pattern.holes[hole];
        const double fit = Overlap(wanted.type, types[i]);
        if (fit < kLeastFit) continue;
        choices.push_back({fit + (wanted.name == name ? kSameName : 0), place, hole, &name});
      }
    }
  }
  std::ranges::stable_sort(choices, [](const Choice& a, const Choice& b) {
    return std::tie(a.fit, a.place) > std::tie(b.fit, b.place);
  });
  std::vector<std::string> assigned(pattern.holes.size());
  std::set<std::string_view> used;
  for (const Choice& choice : choices) {
    if (!assigned[choice.hole].empty() || used.contains(*choice.name)) continue;
    assigned[choice.hole] = *choice.name;
    used.insert(*choice.name);
  }
  return assigned;
}

void ReplaceAll(std::string* text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text->find(from, at)) != std::string::npos; at += to.size()) {
    text->replace(at, from.size(), to);
  }
}

/// The item of a `[…]` around a byte, and the list: nullopt if it stands in none.
struct ListItem {
  size_t open = 0, close = 0;  // of the brackets
  size_t begin = 0, end = 0;   // of the item, without commas
};

std::optional<ListItem> ItemAround(std::string_view text, size_t at) {
  ListItem item;
  std::vector<size_t> open;
  item.end = text.size();
  int depth = 0;  // below the list, after `at`
  for (const Token& token : syntax::LexCode(text)) {
    const std::string_view word = TextOf(text, token);
    const int nesting = syntax::Nesting(word);
    if (token.begin < at) {
      if (nesting > 0) open.push_back(token.begin);
      if (nesting < 0 && !open.empty()) open.pop_back();
      continue;
    }
    if (open.empty()) return std::nullopt;
    if (nesting < 0 && depth-- == 0) {
      if (word != "]") return std::nullopt;
      item.close = token.begin;
      break;
    }
    if (nesting > 0) ++depth;
    if (word == "," && depth == 0 && item.end == text.size()) item.end = token.begin;
  }
  if (open.empty() || item.close == 0 || text[open.back()] != '[') return std::nullopt;
  item.open = open.back();
  item.end = std::min(item.end, item.close);
  item.begin = item.open + 1;
  depth = 0;
  for (const Token& token : syntax::LexCode(text)) {
    if (token.begin <= item.open || token.begin >= at) continue;
    depth += syntax::Nesting(TextOf(text, token));
    if (depth == 0 && TextOf(text, token) == ",") item.begin = token.end;
  }
  return item;
}

/// Whether the tactic whose list opens at `open` can do without one.
bool WorksWithoutList(std::string_view text, size_t open) {
  std::string_view name;
  for (const Token& token : syntax::LexCode(text.substr(0, open))) {
    const std::string_view word = TextOf(text, token);
    if (token.kind != TokenKind::kWord) {
      if (word != "+" && word != "*" && word != "!") name = {};
      continue;
    }
    if (name.empty() || kWorksWithoutList.Contains(word)) name = word;
    if (word == "only" || word == "using") name = word;
  }
  return kWorksWithoutList.Contains(name);
}

bool LeaveOutOfList(std::string* text, size_t at) {
  const auto item = ItemAround(*text, at);
  if (!item) return false;
  const bool first = item->begin == item->open + 1, last = item->end == item->close;
  if (first && last) {
    if (!WorksWithoutList(*text, item->open)) return false;
    const size_t begin =
        item->open > 0 && (*text)[item->open - 1] == ' ' ? item->open - 1 : item->open;
    text->erase(begin, item->close + 1 - begin);
  } else if (last) {
    text->erase(item->begin - 1, item->end - item->begin + 1);  // with the comma before it
  } else {
    size_t end = item->end + 1;
    if (first && end < text->size() && (*text)[end] == ' ') ++end;
    text->erase(item->begin, end - item->begin);
  }
  return true;
}

/// `at h §1§`: there must be another place.
bool LeaveOutOfPlaces(std::string* text, size_t at, size_t size) {
  const size_t line = text->rfind('\n', at) == std::string::npos ? 0 : text->rfind('\n', at) + 1;
  const size_t keyword = text->rfind(" at ", at);
  if (keyword == std::string::npos || keyword < line) return false;
  size_t end = at + size;
  const size_t places = keyword + 4;
  const std::string_view between = std::string_view(*text).substr(places, at - places);
  const bool only_names = between.find_first_of("()[]{}<>;,|:=") == std::string_view::npos;
  const bool more_after = end < text->size() && (*text)[end] == ' ';
  if (!only_names || (core::Trim(between).empty() && !more_after)) return false;
  if (end < text->size() && (*text)[end] != ' ' && (*text)[end] != '\n' && (*text)[end] != ')')
    return false;  // `h.1`
  const size_t begin = more_after ? at : at - 1;
  if (more_after) ++end;
  text->erase(begin, end - begin);
  const std::string_view next = std::string_view(*text).substr(begin);
  return !core::Trim(between).empty() || !(next.starts_with('<') || next.starts_with(';'));
}

}  // namespace

Pattern Generalise(std::string_view tactic, const Goal& goal) {
  Hypotheses names = ByName(goal);
  const std::string_view code = WithoutRenaming(tactic, goal, &names);
  const auto tokens = syntax::LexCode(code);
  const auto types = FeaturesOfTypes(goal);
  Pattern pattern;
  std::map<std::string, size_t, std::less<>> holes;  // by name
  size_t done = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.kind != TokenKind::kWord) continue;
    const std::string_view first = syntax::NameComponents(TextOf(code, token)).front();
    const auto hypothesis = names.find(first);
    if (hypothesis == names.end()) continue;
    const bool is_field =
        i > 0 && tokens[i - 1].end == token.begin && WordAt(code, tokens, i - 1) == ".";
    const bool names_argument =
        i > 0 && WordAt(code, tokens, i - 1) == "(" && WordAt(code, tokens, i + 1) == ":=";
    if (is_field || names_argument) continue;
    const auto [hole, is_new] = holes.try_emplace(std::string(first), pattern.holes.size());
    if (is_new) {
      pattern.holes.push_back({std::string(first), types[hypothesis->second]});
    }
    pattern.text += code.substr(done, token.begin - done);
    pattern.text += MarkOf(hole->second);
    done = token.begin + first.size();
  }
  pattern.text += code.substr(done);
  return pattern;
}

std::optional<std::string> Fit(const Pattern& pattern, const Goal& goal,
                               const std::vector<std::vector<Feature>>& types) {
  const auto assigned = Assign(pattern, goal, types);
  std::string text = pattern.text;
  for (size_t hole = 0; hole < assigned.size(); ++hole) {
    const std::string mark = MarkOf(hole);
    if (!assigned[hole].empty()) {
      ReplaceAll(&text, mark, assigned[hole]);
      continue;
    }
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark)) {
      if (!LeaveOutOfList(&text, at) && !LeaveOutOfPlaces(&text, at, mark.size()))
        return std::nullopt;
    }
  }
  return text;
}

std::vector<std::string> PremisesIn(std::string_view tactic) {
  std::vector<std::string> premises;
  for (const Token& token : syntax::LexCode(tactic)) {
    const std::string_view word = TextOf(tactic, token);
    const bool is_name = token.kind == TokenKind::kWord &&
                         word.find('.') != std::string_view::npos &&
                         std::isupper(static_cast<unsigned char>(word.front())) != 0;
    if (!is_name || std::ranges::find(premises, word) != premises.end()) continue;
    premises.emplace_back(word);
  }
  return premises;
}

}  // namespace zermelo::learn
