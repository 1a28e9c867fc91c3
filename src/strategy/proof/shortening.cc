#include "strategy/proof/shortening.h"

#include <algorithm>
#include <array>
#include <boost/asio/this_coro.hpp>
#include <set>
#include <utility>

#include "strategy/expander.h"
#include "syntax/lexer.h"
#include "syntax/signature.h"
#include "syntax/words.h"

namespace zermelo::strategy {
namespace {

using core::Task;
using syntax::Token;

constexpr size_t kMostRounds = 10;
constexpr size_t kMostEdits = 24;  // in a round
constexpr size_t kBatch = 8;       // in a check
constexpr auto kPerTrial = std::chrono::seconds(3);

constexpr std::array<std::string_view, 4> kWithLists = {"simp", "simp_all", "grind",
                                                        "solve_by_elim"};
constexpr std::array<std::string_view, 3> kLines = {"have", "try", "rename_i"};
/// In an item or an alternative, a comma or bar may not be the list's.
constexpr std::array<std::string_view, 9> kBinders = {"∀",      "∃",      "fun",   "by",  "show",
                                                      "rcases", "obtain", "match", "with"};

template <size_t n>
bool IsOneOf(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::ranges::find(words, word) != words.end();
}

class Finder {
 public:
  explicit Finder(std::string_view proof) : proof_(proof), tokens_(syntax::LexCode(proof)) {}

  std::vector<Edit> Find() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const std::string_view word = At(i);
      if (tokens_[i].first_on_line && IsOneOf(word, kLines)) Line(i);
      if (IsOneOf(word, kWithLists)) List(i);
      if (word == "first") Alternatives(i);
    }
    std::ranges::stable_sort(edits_, std::ranges::greater(), &Edit::Saving);
    return std::move(edits_);
  }

 private:
  std::string_view At(size_t i) const { return syntax::TextOf(proof_, tokens_[i]); }

  std::string_view TextOf(size_t begin, size_t end) const {
    return proof_.substr(tokens_[begin].begin, tokens_[end - 1].end - tokens_[begin].begin);
  }

  /// The token after the bracket that opens at `open`; 0: it is not closed.
  size_t After(size_t open) const {
    const size_t after = syntax::AfterBracket(proof_, tokens_, open, tokens_.size());
    return syntax::ClosingBracket(At(after - 1)) == syntax::OpeningBracket(At(open)) ? after : 0;
  }

  void Add(size_t begin, size_t end, std::string replacement = "") {
    if (end - begin > replacement.size()) edits_.push_back({begin, end, std::move(replacement)});
  }

  /// A tactic on a line of its own that is not the last.
  void Line(size_t first) {
    size_t next = first + 1;
    while (next < tokens_.size() && !tokens_[next].first_on_line) ++next;
    if (next == tokens_.size() || tokens_[next].column > tokens_[first].column) return;
    Add(BeginOfLine(first), BeginOfLine(next));
    if (At(first) == "try" && next > first + 1)
      Add(tokens_[first].begin, tokens_[first + 1].end, std::string(At(first + 1)));
  }

  size_t BeginOfLine(size_t token) const {
    const size_t at = proof_.rfind('\n', tokens_[token].begin);
    return at == std::string_view::npos ? 0 : at + 1;
  }

  bool Binds(size_t begin, size_t end) const {
    for (size_t i = begin; i < end; ++i) {
      if (IsOneOf(At(i), kBinders)) return true;
    }
    return false;
  }

  /// The tokens in [begin, end) that are `separator` outside of brackets.
  std::vector<size_t> Separators(size_t begin, size_t end, std::string_view separator) const {
    std::vector<size_t> found;
    const auto next = [&](size_t from) {
      return syntax::FindOutside(proof_, tokens_, separator, from, end);
    };
    for (size_t i = next(begin); i < end; i = next(i + 1)) found.push_back(i);
    return found;
  }

  /// `grind (gen := 3) only [a, b]`: its list.
  void List(size_t tactic) {
    size_t open = tactic + 1;
    bool only = false;
    while (open < tokens_.size() && At(open) != "[") {
      const std::string_view word = At(open);
      const bool is_option =
          word == "+" || word == "-" || At(open - 1) == "+" || At(open - 1) == "-";
      only |= word == "only";
      if (const size_t after = word == "(" ? After(open) : 0; after > 0) {
        Add(tokens_[open - 1].end, tokens_[after - 1].end);
        open = after - 1;
      } else if (word != "only" && !is_option) {
        return;
      }
      ++open;
    }
    if (open == tokens_.size() || After(open) == 0) return;
    const size_t close = After(open) - 1;
    if (!only) Add(tokens_[open - 1].end, tokens_[close].end);
    const std::vector<size_t> commas = Separators(open + 1, close, ",");
    if (commas.empty() || Binds(open + 1, close)) return;
    for (size_t i = 0; i <= commas.size(); ++i) {
      if (i == commas.size()) {
        Add(tokens_[commas.back() - 1].end, tokens_[close].begin);
      } else {
        const size_t first = i == 0 ? open + 1 : commas[i - 1] + 1;
        Add(tokens_[first].begin, tokens_[commas[i] + 1].begin);
      }
    }
  }

  /// The token after the last alternative of `first`: a bracket that closes around it, or the
  /// beginning of a line that is not deeper and has no `|`.
  size_t EndOfAlternatives(size_t first) const {
    size_t line = first;
    while (line > 0 && !tokens_[line].first_on_line) --line;
    size_t i = first + 1;
    for (; i < tokens_.size(); ++i) {
      const bool new_line = tokens_[i].first_on_line && At(i) != "|";
      if (new_line && tokens_[i].column <= tokens_[line].column) break;
      const int nesting = syntax::Nesting(At(i));
      if (nesting < 0 || At(i) == ",") break;
      if (nesting > 0) i = syntax::AfterBracket(proof_, tokens_, i, tokens_.size()) - 1;
    }
    return i;
  }

  /// `simp; done` in brackets without these, which only kept `first` from going on.
  std::string_view WithoutDone(size_t begin, size_t end) const {
    const bool done = end - begin > 4 && At(begin) == "(" && After(begin) == end &&
                      At(end - 2) == "done" && At(end - 3) == ";";
    const auto has = [&](std::string_view separator) {
      return !Separators(begin + 1, end - 3, separator).empty();
    };
    if (!done || has(";") || has("<;>")) return TextOf(begin, end);
    return TextOf(begin + 1, end - 3);
  }

  void Alternatives(size_t first) {
    const size_t end = EndOfAlternatives(first);
    if (end == first + 1 || Binds(first + 1, end)) return;
    std::vector<size_t> bars = Separators(first + 1, end, "|");
    if (!bars.empty() && bars.front() == first + 1) bars.erase(bars.begin());
    if (bars.empty()) return;
    size_t begin = At(first + 1) == "|" ? first + 2 : first + 1;
    bars.push_back(end);
    const size_t to = tokens_[end - 1].end;
    for (size_t i = 0; i < bars.size(); ++i) {
      if (begin == bars[i]) return;
      const std::string_view alternative = WithoutDone(begin, bars[i]);
      if (alternative.find('\n') != std::string_view::npos) return;
      Add(tokens_[first].begin, to, std::string(alternative));
      if (bars.size() > 2) {
        const size_t from = i == 0 ? tokens_[begin].begin : tokens_[bars[i - 1] - 1].end;
        const bool last = i + 1 == bars.size();
        Add(from, last ? to : i == 0 ? tokens_[bars[0] + 1].begin : tokens_[bars[i] - 1].end);
      }
      begin = bars[i] + 1;
    }
  }

  const std::string_view proof_;
  const std::vector<Token> tokens_;
  std::vector<Edit> edits_;
};

/// Those that do not overlap one before them.
std::vector<Edit> Disjoint(std::span<const Edit> edits) {
  std::vector<Edit> kept;
  for (const Edit& edit : edits) {
    const bool is_free = std::ranges::all_of(kept, [&](const Edit& other) {
      return edit.end <= other.begin || other.end <= edit.begin;
    });
    if (is_free) kept.push_back(edit);
  }
  return kept;
}

/// The edits of one attempt.
using Trial = std::vector<Edit>;

class Shortener {
 public:
  Shortener(Expander& expander, std::string proof) : expander_(expander), best_(std::move(proof)) {}

  /// What Lean accepts, the shorter first; when the time ended, also what it may accept.
  Task<std::vector<std::string>> Run() {
    for (size_t round = 0; round < kMostRounds && !expander_.Done(); ++round) {
      if (co_await LeaveOutMostLines()) continue;
      if (!co_await LeaveOutOneByOne()) break;
    }
    std::vector<std::string> found = {best_};
    if (!unconfirmed_.empty()) found.insert(found.begin(), unconfirmed_);
    co_return found;
  }

 private:
  std::string With(const Trial& trial) const { return Edited(best_, trial); }

  /// Which of the trials Lean accepts; fewer results when the time has ended.
  Task<std::vector<bool>> Try(std::vector<Trial> trials) {
    std::vector<bool> accepted;
    for (size_t begin = 0; begin < trials.size(); begin += kBatch) {
      std::vector<policy::Candidate> batch;
      for (size_t i = begin; i < std::min(begin + kBatch, trials.size()); ++i) {
        batch.push_back({.tactic = With(trials[i])});
      }
      const auto tried = co_await expander_.TryTactics("", batch, kPerTrial);
      if (!tried) break;
      for (const lean::ProbeResult& result : *tried)
        accepted.push_back(result.outcome == lean::ProbeResult::Outcome::kClosed);
    }
    co_return accepted;
  }

  /// Takes the first of the trials that Lean accepts.
  Task<bool> TakeFirst(std::vector<Trial> trials) {
    const std::vector<bool> accepted = co_await Try(trials);
    const auto first = std::ranges::find(accepted, true);
    if (first == accepted.end()) co_return false;
    best_ = With(trials[static_cast<size_t>(first - accepted.begin())]);
    co_return true;
  }

  /// Leaves out all lines, all but a quarter of them, or all but half.
  Task<bool> LeaveOutMostLines() {
    std::vector<Edit> lines = EditsOf(best_);
    std::erase_if(lines, [&](const Edit& edit) { return best_[edit.end - 1] != '\n'; });
    if (lines.size() < 2 || !most_tried_.insert(lines.size()).second) co_return false;
    std::ranges::sort(lines, {}, &Edit::begin);
    std::vector<Trial> trials = {lines};
    for (const size_t chunks : {4, 2}) {
      if (lines.size() < 2 * chunks) continue;
      for (size_t kept = 0; kept < chunks; ++kept) {
        Trial others;
        for (size_t i = 0; i < lines.size(); ++i) {
          if (i * chunks / lines.size() != kept) others.push_back(lines[i]);
        }
        trials.push_back(std::move(others));
      }
    }
    co_return co_await TakeFirst(std::move(trials));
  }

  /// Tries single edits, then as many of those that Lean accepts as work together.
  Task<bool> LeaveOutOneByOne() {
    std::vector<Edit> edits = EditsOf(best_);
    const auto change = [&](const Edit& edit) {
      return std::pair(best_.substr(edit.begin, edit.end - edit.begin), edit.replacement);
    };
    std::erase_if(edits, [&](const Edit& edit) { return vain_.contains(change(edit)); });
    if (edits.size() > kMostEdits) edits.resize(kMostEdits);
    std::vector<Trial> trials;
    for (const Edit& edit : edits) trials.push_back({edit});
    const std::vector<bool> accepted = co_await Try(trials);
    Trial good;
    for (size_t i = 0; i < accepted.size(); ++i) {
      if (accepted[i]) good.push_back(edits[i]);
      if (!accepted[i]) vain_.insert(change(edits[i]));
    }
    good = Disjoint(good);
    if (good.empty()) co_return false;
    if (good.size() > 1) {
      const auto half = good.begin() + static_cast<long>(good.size() / 2);
      trials = {good, Trial(good.begin(), half), Trial(half, good.end())};
      if (co_await TakeFirst(std::move(trials))) co_return true;
      if (expander_.Done()) unconfirmed_ = With(good);
    }
    best_ = With({good.front()});
    co_return true;
  }

  Expander& expander_;
  std::string best_;                                    // accepted by a probe
  std::string unconfirmed_;                             // the time ended before Lean saw it
  std::set<size_t> most_tried_;                         // with these numbers of lines
  std::set<std::pair<std::string, std::string>> vain_;  // what was taken out, what took its place
};

}  // namespace

std::vector<Edit> EditsOf(std::string_view proof) { return Finder(proof).Find(); }

std::string Edited(std::string_view proof, std::span<const Edit> edits) {
  std::vector<Edit> kept = Disjoint(edits);
  std::ranges::sort(kept, std::ranges::greater(), &Edit::begin);
  std::string text(proof);
  for (const Edit& edit : kept) text.replace(edit.begin, edit.end - edit.begin, edit.replacement);
  return text;
}

Task<std::optional<std::string>> Shorten(Services services, const Problem& problem,
                                         std::string proof, const Limits& limits,
                                         core::Duration time) {
  if (problem.goals.size() != 1) co_return std::nullopt;
  const auto executor = co_await boost::asio::this_coro::executor;
  std::vector<std::string> found;
  {
    const Timebox box(executor, limits, time);
    Expander expander(services, problem, box.limits(), executor);
    Shortener shortener(expander, proof);
    found = co_await shortener.Run();
  }
  Expander expander(services, problem, limits, executor);
  for (const std::string& shorter : found) {
    if (shorter != proof && co_await expander.Confirm(shorter, role::kBuiltin)) co_return shorter;
  }
  co_return std::nullopt;
}

}  // namespace zermelo::strategy
