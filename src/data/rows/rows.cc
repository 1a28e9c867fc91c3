#include "data/rows/rows.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <random>

#include "core/hash/hash.h"
#include "core/text.h"
#include "data/rows/row_parts.h"
#include "llm/dialect.h"
#include "policy/completion.h"

namespace zermelo::data {

using core::Fail;
using core::Result;
using llm::ReplyKind;
using nlohmann::json;

namespace {

/// A chat's answer is a message, as TRL expects it; a text continues the prompt.
json CompletionJson(const json& prompt, std::string text) {
  if (prompt.is_string()) return text;
  return json::array({{{"role", "assistant"}, {"content", std::move(text)}}});
}

class SftWriter {
 public:
  SftWriter(const RowOptions& options, std::map<std::string, size_t>& skipped)
      : options_(options), skipped_(skipped) {}

  core::Status Add(const ProofExample& example) {
    if (options_.format.reply == ReplyKind::kTactic) return AddTactics(example);
    if (auto whole = AddProof(example); !whole) return whole;
    return AddCuts(example);
  }

  core::Status Add(const SearchTactic& tactic) {
    if (options_.format.reply != ReplyKind::kTactic) return {};
    if (tactic.failed && !options_.failed) return {};
    json label;
    if (options_.failed) label = !tactic.failed;
    return AddTactic(tactic.origin, {tactic.prefix, tactic.state}, tactic.tactic, "search_tactic",
                     label);
  }

  void Add(const ReplyExample& reply) {
    if (!options_.replies) return;
    const bool bad = reply.reward && *reply.reward < 0;
    if (bad && !options_.failed) return;
    const json prompt = PromptJson(reply.prompt);
    json completion = CompletionJson(prompt, reply.reply);
    if (!reply.reasoning.empty() && completion.is_array()) {
      completion[0]["reasoning_content"] = reply.reasoning;
    }
    Row row = RowOf(reply.origin, reply.kind,
                    {{"prompt", prompt}, {"completion", std::move(completion)}});
    if (options_.failed) row.json["label"] = !bad;
    if (reply.reward) row.json["reward"] = *reply.reward;
    if (!reply.rubric.is_null()) row.json["rubric"] = reply.rubric;
    rows_.push_back(std::move(row));
  }

  void Add(const Conversation& conversation) {
    if (!options_.replies) return;
    rows_.push_back(RowOf(conversation.origin, "conversation",
                          {{"messages", llm::MessagesJson(conversation.messages)}}));
  }

  std::vector<Row> Take() { return std::move(rows_); }

 private:
  Result<json> Prompt(const Origin& origin, const Place& place) const {
    return PromptFor(options_.format, origin.theorem, place, options_.header_bytes);
  }

  core::Status AddProof(const ProofExample& example) {
    const bool continues = options_.format.reply == ReplyKind::kContinuation;
    if (!example.auxiliary.empty() && (continues || !options_.format.keeps_auxiliary)) {
      ++skipped_["needs_lemmas"];
      return {};
    }
    auto prompt = Prompt(example.origin, Place());
    if (!prompt) return Fail(prompt.error());
    const std::string proof = policy::PrefixOf(example.tactics);
    std::string text;
    if (continues) {
      const bool on_new_line = !prompt->is_string() || EndsLine(prompt->get<std::string>());
      text = fmt::format("{}{}```", on_new_line ? "" : "\n", proof);
    } else {
      text = fmt::format("```lean4\n{}{}\n{}```", example.auxiliary,
                         example.origin.theorem.Opening(), proof);
    }
    json completion = CompletionJson(*prompt, std::move(text));
    rows_.push_back(RowOf(example.origin, "proof",
                          {{"prompt", *std::move(prompt)}, {"completion", std::move(completion)}}));
    return {};
  }

  static bool EndsLine(const std::string& text) { return text.ends_with('\n'); }

  // ---- rows from the middle of a proof

  /// DeepSeek-Prover-V1.5, section 3.1: the loss begins with the tactic state.
  core::Status AddCuts(const ProofExample& example) {
    const auto section = options_.format.sections.find("state");
    if (section == options_.format.sections.end() || !example.auxiliary.empty()) return {};
    auto places = CutsOf(example);
    Choose(example, places);
    for (const Place& place : places) {
      auto prompt = Prompt(example.origin, place);
      if (!prompt) return Fail(prompt.error());
      const std::string text = prompt->get<std::string>();
      const std::string mark = section->second.substr(0, section->second.find("{state}"));
      const std::string first = mark.substr(0, mark.find('\n'));
      const size_t comment = text.rfind(first + "\n");
      const size_t begin = text.find(place.state.substr(0, place.state.find('\n')), comment);
      if (comment == std::string::npos || begin == std::string::npos) continue;
      const std::string rest = core::Indented(example.tactics.substr(place.prefix.size()), 2);
      AddSegments(example.origin, text.substr(0, begin),
                  fmt::format("{}{}\n```", text.substr(begin), WithoutFirstBreak(rest)));
    }
    return {};
  }

  void AddSegments(const Origin& origin, const std::string& before, const std::string& after) {
    const json segments{{{"text", before}, {"loss", false}}, {{"text", after}, {"loss", true}}};
    rows_.push_back(RowOf(origin, "proof_from_state", {{"segments", segments}}));
  }

  static std::string WithoutFirstBreak(const std::string& text) {
    const size_t begin = text.find_first_not_of('\n');
    return begin == std::string::npos ? "" : text.substr(begin);
  }

  /// Keeps some places, at random but always the same for a proof.
  void Choose(const ProofExample& example, std::vector<Place>& places) const {
    std::mt19937_64 random(core::Hash64(example.tactics, core::Hash64(example.origin.module)));
    while (places.size() > options_.cuts) {
      places.erase(places.begin() + static_cast<std::ptrdiff_t>(random() % places.size()));
    }
  }

  // ---- tactics

  core::Status AddTactics(const ProofExample& example) {
    for (const TracedTactic& tactic : example.traced) {
      if (tactic.before.empty()) continue;
      Origin origin = example.origin;
      if (!tactic.premises.empty()) origin.source["premises"] = tactic.premises;
      const Place place{PrefixBefore(example.tactics, tactic.begin), tactic.before};
      if (auto added = AddTactic(origin, place, tactic.tactic, "tactic", json()); !added) {
        return added;
      }
    }
    return {};
  }

  /// The whole lines before a tactic; what stands before it on its own line, such as `·`, is not
  /// part of the prefix.
  static std::string PrefixBefore(const std::string& tactics, size_t begin) {
    const size_t line = tactics.rfind('\n', begin);
    if (line == std::string::npos) return {};
    return tactics.substr(0, line);
  }

  core::Status AddTactic(const Origin& origin, const Place& place, const std::string& tactic,
                         const std::string& kind, const json& label) {
    auto prompt = Prompt(origin, place);
    if (!prompt) return Fail(prompt.error());
    json completion = CompletionJson(*prompt, tactic);
    Row row = RowOf(origin, kind,
                    {{"prompt", *std::move(prompt)}, {"completion", std::move(completion)}});
    if (label.is_boolean()) row.json["label"] = label;
    rows_.push_back(std::move(row));
    return {};
  }

  const RowOptions& options_;
  std::map<std::string, size_t>& skipped_;
  std::vector<Row> rows_;
};

}  // namespace

Result<std::vector<Row>> SftRows(Material& material, const RowOptions& options) {
  SftWriter writer(options, material.skipped);
  for (const auto& example : material.proofs) {
    if (auto added = writer.Add(example); !added) return Fail(added.error());
  }
  for (const auto& tactic : material.tactics) {
    if (auto added = writer.Add(tactic); !added) return Fail(added.error());
  }
  for (const auto& reply : material.replies) writer.Add(reply);
  for (const auto& conversation : material.conversations) writer.Add(conversation);
  return writer.Take();
}

}  // namespace zermelo::data
