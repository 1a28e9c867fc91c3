#include "retrieve/ranking/symbol_ranking.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <queue>

namespace zermelo::retrieve {

namespace {

constexpr uint32_t kSymbol = Theorems::kRelevant - 1;

}  // namespace

void Theorems::Append(int64_t id, const std::vector<uint32_t>& of) {
  ids.push_back(id);
  symbols.insert(symbols.end(), of.begin(), of.end());
  begin.push_back(static_cast<uint32_t>(symbols.size()));
}

SymbolRankings::SymbolRankings(Theorems theorems, uint32_t symbol_count,
                               const std::vector<uint32_t>& denied)
    : theorems_(std::move(theorems)), frequency_(symbol_count, 0), denied_(symbol_count, false) {
  for (const uint32_t symbol : theorems_.symbols) {
    if ((symbol & Theorems::kRelevant) != 0) ++frequency_[symbol & kSymbol];
  }
  for (const uint32_t symbol : denied) denied_[symbol] = true;
  BuildOccurrences();
  BuildTriggers(sine_);
}

void SymbolRankings::BuildOccurrences() {
  occurrence_begin_.assign(frequency_.size() + 1, 0);
  for (const uint32_t symbol : theorems_.symbols) ++occurrence_begin_[(symbol & kSymbol) + 1];
  for (size_t s = 1; s < occurrence_begin_.size(); ++s) {
    occurrence_begin_[s] += occurrence_begin_[s - 1];
  }
  occurrences_.resize(theorems_.symbols.size());
  relevant_size_.assign(theorems_.size(), 0);
  std::vector<uint32_t> next_relevant(occurrence_begin_.begin(), occurrence_begin_.end() - 1);
  std::vector<uint32_t> next_other = next_relevant;
  for (size_t s = 0; s < frequency_.size(); ++s) next_other[s] += frequency_[s];
  for (uint32_t t = 0; t < theorems_.size(); ++t) {
    for (uint32_t i = theorems_.begin[t]; i < theorems_.begin[t + 1]; ++i) {
      const uint32_t symbol = theorems_.symbols[i] & kSymbol;
      const bool relevant = theorems_.symbols[i] != symbol;
      occurrences_[relevant ? next_relevant[symbol]++ : next_other[symbol]++] = t;
      if (relevant) ++relevant_size_[t];
    }
  }
}

void SymbolRankings::BuildTriggers(const SineParameters& parameters) {
  const auto each = [&](auto visit) {
    for (uint32_t t = 0; t < theorems_.size(); ++t) {
      uint32_t rarest = std::numeric_limits<uint32_t>::max();
      const auto relevant = [&](auto f) {
        for (uint32_t i = theorems_.begin[t]; i < theorems_.begin[t + 1]; ++i) {
          const uint32_t symbol = theorems_.symbols[i] & kSymbol;
          if (theorems_.symbols[i] != symbol && !denied_[symbol]) f(symbol);
        }
      };
      relevant([&](uint32_t symbol) { rarest = std::min(rarest, frequency_[symbol]); });
      relevant([&](uint32_t symbol) {
        const double tolerance = static_cast<double>(frequency_[symbol]) / rarest;
        if (tolerance <= parameters.tolerance) visit(t, symbol, static_cast<float>(tolerance));
      });
    }
  };
  trigger_begin_.assign(frequency_.size() + 1, 0);
  each([&](uint32_t, uint32_t symbol, float) { ++trigger_begin_[symbol + 1]; });
  for (size_t s = 1; s < trigger_begin_.size(); ++s) trigger_begin_[s] += trigger_begin_[s - 1];
  triggers_.resize(trigger_begin_.back());
  std::vector<uint32_t> next(trigger_begin_.begin(), trigger_begin_.end() - 1);
  each([&](uint32_t t, uint32_t symbol, float tolerance) {
    triggers_[next[symbol]++] = {t, tolerance};
  });
}

// 1 + 2 / (floor(log2 freq) + 1), a weight of Meng and Paulson.
double SymbolRankings::Weight(uint32_t symbol, bool rarity) const {
  if (!rarity) return 1;
  const uint32_t frequency = std::max<uint32_t>(frequency_[symbol], 1);
  return 1 + 2.0 / static_cast<double>(std::bit_width(frequency));
}

Ranking SymbolRankings::Mepo(const std::vector<uint32_t>& goal, size_t limit,
                             const MepoParameters& parameters) {
  standings_.resize(theorems_.size());
  for (uint32_t t = 0; t < theorems_.size(); ++t) {
    standings_[t] = {0, static_cast<float>(relevant_size_[t])};
  }
  std::vector<bool> in_r(frequency_.size(), false);
  const auto add = [&](uint32_t symbol) {
    if (in_r[symbol]) return;
    in_r[symbol] = true;
    const auto weight = static_cast<float>(Weight(symbol, parameters.rarity));
    const uint32_t begin = occurrence_begin_[symbol];
    for (uint32_t i = begin; i < begin + frequency_[symbol]; ++i) {
      Standing& standing = standings_[occurrences_[i]];
      standing.met += weight;
      standing.missing -= 1;
    }
  };
  for (const uint32_t symbol : goal) add(symbol);
  Ranking ranking;
  struct Passed {
    uint32_t theorem;
    float score;
    float overlap;
  };
  std::vector<Passed> passed;
  for (double pass = parameters.pass; ranking.size() < limit;
       pass += (1 - pass) / parameters.convergence) {
    passed.clear();
    const auto least = static_cast<float>(pass);
    for (uint32_t t = 0; t < theorems_.size(); ++t) {
      const auto [met, missing] = standings_[t];
      if (met <= 0 || met < least * (met + missing)) continue;
      const float overlap = static_cast<float>(relevant_size_[t]) - missing;
      passed.push_back({t, met / (met + missing), overlap});
    }
    if (passed.empty()) break;
    const size_t taken = std::min(passed.size(), limit - ranking.size());
    std::partial_sort(passed.begin(), passed.begin() + static_cast<std::ptrdiff_t>(taken),
                      passed.end(), [](const Passed& a, const Passed& b) {
                        if (a.score != b.score) return a.score > b.score;
                        if (a.overlap != b.overlap) return a.overlap > b.overlap;
                        return a.theorem < b.theorem;
                      });
    passed.resize(taken);
    for (const Passed& one : passed) {
      standings_[one.theorem].met = -std::numeric_limits<float>::infinity();  // accept only once
      ranking.emplace_back(theorems_.ids[one.theorem], one.score);
    }
    if (ranking.size() == limit) break;
    for (const Passed& one : passed) {
      for (uint32_t i = theorems_.begin[one.theorem]; i < theorems_.begin[one.theorem + 1]; ++i) {
        const uint32_t symbol = theorems_.symbols[i] & kSymbol;
        if (theorems_.symbols[i] != symbol) add(symbol);
      }
    }
  }
  return ranking;
}

Ranking SymbolRankings::Sine(const std::vector<uint32_t>& goal, size_t limit) const {
  using Entry = std::pair<double, uint32_t>;  // priority, and a symbol or a theorem
  using Queue = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;
  Queue triggers;
  Queue theorems;
  std::vector<bool> triggered(frequency_.size(), false);
  std::vector<bool> accepted(theorems_.size(), false);
  const auto trigger = [&](uint32_t symbol, double priority) {
    if (denied_[symbol] || triggered[symbol]) return;
    triggered[symbol] = true;
    triggers.emplace(priority * (1 + 0.01 * std::log2(frequency_[symbol] + 1.0)), symbol);
  };
  for (const uint32_t symbol : goal) trigger(symbol, 1);
  Ranking ranking;
  while (ranking.size() < limit && (!triggers.empty() || !theorems.empty())) {
    if (!triggers.empty() && (theorems.empty() || triggers.top().first < theorems.top().first)) {
      const auto [priority, symbol] = triggers.top();
      triggers.pop();
      for (uint32_t i = trigger_begin_[symbol]; i < trigger_begin_[symbol + 1]; ++i) {
        const Trigger& entry = triggers_[i];
        if (!accepted[entry.theorem]) theorems.emplace(priority * entry.tolerance, entry.theorem);
      }
      continue;
    }
    const auto [priority, theorem] = theorems.top();
    theorems.pop();
    if (accepted[theorem]) continue;
    accepted[theorem] = true;
    ranking.emplace_back(theorems_.ids[theorem], 1 / priority);
    for (uint32_t i = theorems_.begin[theorem]; i < theorems_.begin[theorem + 1]; ++i) {
      const uint32_t symbol = theorems_.symbols[i] & kSymbol;
      if (theorems_.symbols[i] != symbol) trigger(symbol, priority * sine_.depth_factor);
    }
  }
  return ranking;
}

std::vector<int64_t> SymbolRankings::Containing(const std::vector<uint32_t>& symbols) const {
  std::vector<uint16_t> count(theorems_.size(), 0);
  std::vector<uint32_t> distinct = symbols;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (const uint32_t symbol : distinct) {
    for (uint32_t i = occurrence_begin_[symbol]; i < occurrence_begin_[symbol + 1]; ++i) {
      ++count[occurrences_[i]];
    }
  }
  std::vector<uint32_t> all;
  for (uint32_t t = 0; t < theorems_.size(); ++t) {
    if (count[t] == distinct.size()) all.push_back(t);
  }
  const auto length = [&](uint32_t t) { return theorems_.begin[t + 1] - theorems_.begin[t]; };
  std::stable_sort(all.begin(), all.end(),
                   [&](uint32_t a, uint32_t b) { return length(a) < length(b); });
  std::vector<int64_t> ids;
  ids.reserve(all.size());
  for (const uint32_t t : all) ids.push_back(theorems_.ids[t]);
  return ids;
}

}  // namespace zermelo::retrieve
