#include "learn/knowledge.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/hash/hash.h"
#include "learn/analogy.h"
#include "syntax/goal/goal.h"
#include "syntax/lexer.h"

namespace zermelo::learn {

namespace {

constexpr size_t kMatches = 256;    // that are compared in full
constexpr size_t kNeighbours = 64;  // that are read
constexpr size_t kTactics = 24;
constexpr size_t kPremises = 12;
constexpr double kSamePlace = 1.3;
constexpr double kNewestFactor = 1.1;  // against the oldest
constexpr double kLeast = 0.1;         // similarity

struct Neighbour {
  uint32_t example = 0;
  double similarity = 0;
};

/// The premises with the most votes: of each neighbour its similarity, divided among its premises.
class Votes {
 public:
  void Add(const Example& example, double similarity) {
    for (const std::string& premise : example.premises) {
      votes_[premise] += similarity / static_cast<double>(example.premises.size());
    }
  }
  std::vector<std::string> Best(size_t limit) const {
    std::vector<std::pair<std::string, double>> sorted(votes_.begin(), votes_.end());
    std::ranges::stable_sort(sorted, std::ranges::greater(),
                             [](const auto& vote) { return vote.second; });
    std::vector<std::string> best;
    for (size_t i = 0; i < std::min(limit, sorted.size()); ++i) best.push_back(sorted[i].first);
    return best;
  }

 private:
  std::map<std::string, double> votes_;
};

/// The cosine of two sets of features with weighted elements.
double Cosine(const FeatureIndex& index, const std::vector<Feature>& query, double query_weight,
              const EncodedHead& example) {
  double common = 0, all = 0;
  for (const Feature feature : example.features) {
    const double weight = index.Weight(feature);
    all += weight;
    if (std::ranges::binary_search(query, feature)) common += weight;
  }
  return all > 0 && query_weight > 0 ? common / std::sqrt(all * query_weight) : 0;
}

bool IsNamesake(const Example& example, const Source& source) {
  return source.no_namesakes && !source.theorem.empty() &&
         syntax::LastComponent(example.source.theorem) == syntax::LastComponent(source.theorem);
}

bool IsOf(const EncodedHead& example, const Source& source) {
  if (source.statement != 0 && example.statement == source.statement) return true;
  return !source.theorem.empty() && example.theorem == HashOf(source.theorem);
}

}  // namespace

core::Status Knowledge::Read(const std::filesystem::path& file) {
  auto opened = RecordFile::Open(file);
  if (!opened) return core::Fail(opened.error());
  const RecordFile& read = files_.emplace_back(std::move(*opened));
  if (read.size() == 0) return {};
  records_.reserve(records_.size() + read.size());
  for (size_t i = 0; i < read.size(); ++i) {
    if (ReadHead(read.record(i))) records_.push_back(read.record(i));
    if (const auto outcome = ReadOutcome(read.record(i))) values_.Add(*outcome);
  }
  index_.Build(records_.size(), [&](size_t i) { return ReadHead(records_[i])->features; });
  return {};
}

bool Knowledge::Keep(std::string bytes, std::string_view* record) {
  if (!known_.insert(core::Hash64(bytes)).second) return false;
  *record = added_.emplace_back(std::move(bytes));
  return true;
}

void Knowledge::Add(const Example& example) {
  std::string_view record;
  if (!Keep(Encode(example), &record)) return;
  records_.push_back(record);
  index_.Add(example.features);
}

void Knowledge::Add(const GoalOutcome& outcome) {
  std::string_view record;
  if (Keep(Encode(outcome), &record)) values_.Add(ReadOutcome(record).value());
}

core::Status Knowledge::Save(const std::vector<Example>& examples,
                             const std::vector<GoalOutcome>& outcomes) const {
  if (kept_in_.empty() || (examples.empty() && outcomes.empty())) return {};
  std::vector<std::string> records;
  records.reserve(examples.size() + outcomes.size());
  for (const Example& example : examples) records.push_back(Encode(example));
  for (const GoalOutcome& outcome : outcomes) records.push_back(Encode(outcome));
  const auto saved = AppendRecords(kept_in_, records);
  if (!saved) return core::Fail(saved.error());
  return {};
}

Chances Knowledge::Estimate(const ChanceQuery& query) const {
  Chances estimate;
  const Value& value = values_.For(query.source);
  if (!value.useful()) return estimate;
  for (const std::string& goal : query.goals) {
    const syntax::ProofState state = syntax::ParseProofState(goal);
    const auto features =
        state.goals.empty() ? std::vector<Feature>() : FeaturesOf(state.goals.front());
    estimate.chances.push_back(std::round(value.Chance(features) * 1e4) / 1e4);
  }
  return estimate;
}

Advice Knowledge::Ask(const Query& query) const {
  Advice advice;
  const syntax::ProofState state = syntax::ParseProofState(query.goal);
  if (state.goals.empty() || index_.size() == 0) return advice;
  const std::vector<Feature> features = FeaturesOf(state.goals.front());
  double weight = 0;
  for (const Feature feature : features) weight += index_.Weight(feature);
  const uint64_t place = HashOf(query.source.place);
  std::vector<Neighbour> neighbours;
  for (const auto& match : index_.Find(features, kMatches)) {
    const auto head = ReadHead(records_[match.example]);
    if (!head || IsOf(*head, query.source)) continue;
    double similarity = Cosine(index_, features, weight, *head);
    if (similarity < kLeast) continue;
    if (place != 0 && head->place == place) similarity *= kSamePlace;
    const double age = static_cast<double>(match.example + 1) / static_cast<double>(index_.size());
    similarity *= 1 + (kNewestFactor - 1) * age;
    neighbours.push_back({match.example, similarity});
  }
  std::ranges::sort(neighbours, [](const Neighbour& a, const Neighbour& b) {
    return std::tie(a.similarity, a.example) > std::tie(b.similarity, b.example);
  });
  neighbours.resize(std::min(neighbours.size(), kNeighbours));
  Votes votes;
  for (const Neighbour& neighbour : neighbours) {
    auto example = Decode(records_[neighbour.example]);
    if (!example || IsNamesake(*example, query.source)) continue;
    votes.Add(*example, neighbour.similarity);
    const auto suggest = [&](const Pattern& tactic) {
      const auto same = [&](const Suggestion& other) { return other.tactic.text == tactic.text; };
      if (advice.tactics.size() == kTactics || std::ranges::any_of(advice.tactics, same)) return;
      advice.tactics.push_back(
          {tactic, example->closes, neighbour.similarity, example->source.theorem});
    };
    const Renaming renaming = AnalogyOf(example->source.theorem, query.source.theorem);
    if (!renaming.empty())
      suggest({Renamed(example->tactic.text, renaming), example->tactic.holes});
    suggest(example->tactic);
  }
  advice.premises = votes.Best(kPremises);
  return advice;
}

}  // namespace zermelo::learn
