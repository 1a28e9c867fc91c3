#include "data/rows/row_parts.h"

#include <algorithm>

#include "core/hash/sha256.h"
#include "core/json.h"
#include "data/short_header.h"
#include "llm/dialect.h"
#include "policy/completion.h"
#include "syntax/proof/proof_cuts.h"
#include "syntax/statement_key.h"

namespace zermelo::data {

using core::Fail;
using core::Result;
using nlohmann::json;

json PromptJson(const std::variant<std::string, std::vector<llm::Message>>& prompt) {
  if (const auto* text = std::get_if<std::string>(&prompt)) return *text;
  return llm::MessagesJson(std::get<std::vector<llm::Message>>(prompt));
}

Row RowOf(const Origin& origin, const std::string& kind, json fields) {
  Row row;
  row.json = std::move(fields);
  row.json["source"] = origin.source;
  row.json["source"]["kind"] = kind;
  row.statement = syntax::StatementKey(origin.theorem.signature);
  row.module = origin.module;
  row.kind = kind;
  return row;
}

std::string ContentKey(const json& row) {
  json content = row;
  content.erase("source");
  content.erase("perplexity");
  return core::Sha256Hex(core::Dump(content));
}

Result<json> PromptFor(const llm::Format& format, const syntax::Theorem& theorem,
                       const Place& place, std::optional<size_t> header_bytes) {
  policy::CompletionInput input;
  input.theorem = theorem;
  if (header_bytes) input.theorem.header = ShortHeader(theorem.header, *header_bytes);
  input.prefix = policy::PrefixOf(place.prefix);
  input.state = place.state;
  const auto request = format.Build(policy::PromptOf(input));
  if (!request) return Fail(request.error());
  return PromptJson(request->prompt);
}

std::vector<Place> CutsOf(const ProofExample& example) {
  std::vector<Place> places;
  for (const auto& cut : syntax::CutPoints(example.tactics)) {
    const auto next = std::ranges::find(example.traced, cut.next, &TracedTactic::begin);
    if (next == example.traced.end() || next->before.empty()) continue;
    const auto between = example.tactics.substr(cut.end, cut.next - cut.end);
    if (between.find('\n') == std::string::npos) continue;  // on the same line: `a; b`
    places.push_back({.prefix = example.tactics.substr(0, cut.end), .state = next->before});
  }
  return places;
}

}  // namespace zermelo::data
