#include "learn/outcome.h"

#include <algorithm>

#include "core/hash/hash.h"
#include "learn/bytes.h"
#include "syntax/goal/goal.h"
#include "syntax/lexer.h"
#include "syntax/statement_key.h"

namespace zermelo::learn {

namespace {

// A record begins with this where an example has the hash of a place.
constexpr uint64_t kOutcomeMark = core::Hash64("an outcome of a goal");
constexpr uint32_t kMostTried = (1U << 31U) - 1;
constexpr uint32_t kClosedBit = 1U << 31U;
constexpr size_t kOutcomeHead = 5 * sizeof(uint64_t) + 2 * sizeof(uint32_t);
static_assert(kOutcomeHead % alignof(Feature) == 0);

uint64_t HashOfLastPart(std::string_view name) {
  return name.empty() ? 0 : HashOf(syntax::LastComponent(name));
}

}  // namespace

std::optional<GoalOutcome> MakeOutcome(std::string_view goal, bool closed, size_t tried,
                                       const Source& source) {
  const syntax::ProofState state = syntax::ParseProofState(goal);
  if (state.goals.empty() || state.goals.front().conv || tried == 0) return std::nullopt;
  GoalOutcome outcome;
  outcome.features = FeaturesOf(state.goals.front());
  outcome.head.goal = HashOf(syntax::GoalKey(state.goals.front()));
  outcome.head.theorem = HashOf(source.theorem);
  outcome.head.last_name = HashOfLastPart(source.theorem);
  outcome.head.statement = source.statement;
  outcome.head.tried = static_cast<uint32_t>(std::min<size_t>(tried, kMostTried));
  outcome.head.closed = closed;
  return outcome;
}

std::string Encode(const GoalOutcome& outcome) {
  const OutcomeHead& head = outcome.head;
  std::string bytes;
  Put(kOutcomeMark, &bytes);
  for (const uint64_t hash : {head.goal, head.theorem, head.last_name, head.statement})
    Put(hash, &bytes);
  Put(head.tried | (head.closed ? kClosedBit : 0), &bytes);
  Put(static_cast<uint32_t>(outcome.features.size()), &bytes);
  for (const Feature feature : outcome.features) Put(feature, &bytes);
  return bytes;
}

bool IsOutcome(std::string_view bytes) {
  return bytes.size() >= sizeof(uint64_t) && Get<uint64_t>(bytes, 0) == kOutcomeMark;
}

std::optional<EncodedOutcome> ReadOutcome(std::string_view bytes) {
  if (bytes.size() < kOutcomeHead || !IsOutcome(bytes)) return std::nullopt;
  EncodedOutcome outcome;
  outcome.head.goal = Get<uint64_t>(bytes, 8);
  outcome.head.theorem = Get<uint64_t>(bytes, 16);
  outcome.head.last_name = Get<uint64_t>(bytes, 24);
  outcome.head.statement = Get<uint64_t>(bytes, 32);
  const auto tried = Get<uint32_t>(bytes, 40);
  outcome.head.tried = tried & kMostTried;
  outcome.head.closed = (tried & kClosedBit) != 0;
  const size_t size = size_t{Get<uint32_t>(bytes, 44)} * sizeof(Feature);
  if (outcome.head.tried == 0 || size != bytes.size() - kOutcomeHead) return std::nullopt;
  outcome.features = {reinterpret_cast<const Feature*>(bytes.data() + kOutcomeHead),
                      size / sizeof(Feature)};
  return outcome;
}

IsOwnOutcome::IsOwnOutcome(const Source& source)
    : theorem_(HashOf(source.theorem)), statement_(source.statement) {
  if (source.no_namesakes) last_name_ = HashOfLastPart(source.theorem);
}

bool IsOwnOutcome::operator()(const OutcomeHead& outcome) const {
  const auto same = [](uint64_t own, uint64_t other) { return own != 0 && own == other; };
  return same(statement_, outcome.statement) || same(theorem_, outcome.theorem) ||
         same(last_name_, outcome.last_name);
}

}  // namespace zermelo::learn
