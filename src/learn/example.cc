#include "learn/example.h"

#include "core/hash/hash.h"
#include "core/json.h"
#include "learn/bytes.h"
#include "learn/outcome.h"
#include "syntax/proof/proof_text.h"
#include "syntax/statement_key.h"

namespace zermelo::learn {

using nlohmann::json;

namespace {

constexpr size_t kMostTactic = 4'000;  // bytes
constexpr size_t kMostRest = 65'536;
constexpr size_t kHashes = 3;  // place, theorem, statement
static_assert((kHashes * sizeof(uint64_t) + sizeof(uint32_t)) % alignof(Feature) == 0);
constexpr size_t kHead = kHashes * sizeof(uint64_t) + sizeof(uint32_t);

}  // namespace

Source SourceOf(std::string theorem, std::string place, std::string_view goal) {
  Source source;
  source.place = std::move(place);
  source.theorem = std::move(theorem);
  const syntax::ProofState state = syntax::ParseProofState(goal);
  if (!state.goals.empty()) source.statement = HashOf(syntax::GoalKey(state.goals.front()));
  return source;
}

std::optional<Example> MakeExample(std::string_view goal, std::string_view tactic, bool closes,
                                   Source source) {
  if (tactic.size() > kMostTactic) return std::nullopt;
  if (syntax::UsesSorry(tactic)) return std::nullopt;
  const syntax::ProofState state = syntax::ParseProofState(goal);
  if (state.goals.empty() || state.goals.front().conv) return std::nullopt;
  Example example;
  example.features = FeaturesOf(state.goals.front());
  example.tactic = Generalise(tactic, state.goals.front());
  example.closes = closes;
  example.premises = PremisesIn(example.tactic.text);
  example.source = std::move(source);
  if (example.tactic.text.empty()) return std::nullopt;
  return example;
}

std::string Encode(const Example& example) {
  const Source& source = example.source;
  std::string bytes;
  Put(HashOf(source.place), &bytes);
  Put(HashOf(source.theorem), &bytes);
  Put(source.statement, &bytes);
  Put(static_cast<uint32_t>(example.features.size()), &bytes);
  for (const Feature feature : example.features) Put(feature, &bytes);
  json rest{{"tactic", example.tactic.text}, {"place", source.place}, {"theorem", source.theorem}};
  if (!example.tactic.holes.empty()) rest["holes"] = example.tactic.holes;
  if (example.closes) rest["closes"] = true;
  if (!example.premises.empty()) rest["premises"] = example.premises;
  return bytes + core::Dump(rest);
}

std::optional<EncodedHead> ReadHead(std::string_view bytes) {
  if (bytes.size() < kHead || IsOutcome(bytes)) return std::nullopt;
  EncodedHead head;
  head.place = Get<uint64_t>(bytes, 0);
  head.theorem = Get<uint64_t>(bytes, 8);
  head.statement = Get<uint64_t>(bytes, 16);
  const size_t size = size_t{Get<uint32_t>(bytes, 24)} * sizeof(Feature);
  if (size > bytes.size() - kHead) return std::nullopt;
  head.features = {reinterpret_cast<const Feature*>(bytes.data() + kHead), size / sizeof(Feature)};
  head.rest = bytes.substr(kHead + size);
  return head;
}

std::optional<Example> Decode(std::string_view bytes) {
  const auto head = ReadHead(bytes);
  if (!head || head->rest.size() > kMostRest) return std::nullopt;
  const json rest = core::JsonOrDiscarded(head->rest);
  if (!rest.is_object()) return std::nullopt;
  try {
    Example example;
    example.features.assign(head->features.begin(), head->features.end());
    rest.at("tactic").get_to(example.tactic.text);
    example.tactic.holes = rest.value("holes", std::vector<Pattern::Hole>());
    example.closes = rest.value("closes", false);
    example.premises = rest.value("premises", std::vector<std::string>());
    rest.at("place").get_to(example.source.place);
    rest.at("theorem").get_to(example.source.theorem);
    example.source.statement = head->statement;
    return example;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

uint64_t HashOf(std::string_view name) { return name.empty() ? 0 : core::Hash64(name); }

}  // namespace zermelo::learn
