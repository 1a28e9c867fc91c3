#include "strategy/hilbert/steps.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <set>

#include "retrieve/retriever.h"
#include "strategy/marked_errors.h"
#include "syntax/declarations.h"
#include "syntax/lexer.h"
#include "syntax/proof/proof_text.h"
#include "trust/source_tokens.h"

namespace zermelo::strategy {

using core::Result;
using core::Task;
using syntax::Proof;

namespace {

constexpr const char* kNone = "(none)";

std::string Capped(std::string text) {
  constexpr size_t kMost = 20'000;
  if (text.size() <= kMost) return text;
  size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text;
}

std::string InWords(const Goal& goal) {
  const std::string& informal = goal.problem.context.theorem.doc;
  return informal.empty() ? kNone : informal;
}

retrieve::PremiseQuery QueryFor(const Goal& goal, std::string text, size_t limit) {
  retrieve::PremiseQuery query;
  query.text = std::move(text);
  query.limit = limit;
  query.imports = syntax::ImportedModules(goal.problem.context.theorem.header);
  if (query.imports.empty()) query.imports.emplace_back("Init");
  return query;
}

std::string Shown(const retrieve::Premise& premise) {
  std::string shown = fmt::format("{} {}", premise.name, premise.signature);
  if (!premise.docstring.empty()) {
    shown += " -- " + premise.docstring.substr(0, premise.docstring.find('\n'));
  }
  return shown;
}

std::string Listed(const std::vector<std::string>& lines) {
  if (lines.empty()) return kNone;
  std::string list;
  for (const std::string& line : lines) list += fmt::format("- {}\n", line);
  list.pop_back();
  return list;
}

/// Accepts "NO", "No.", "**NO**".
bool SaysNo(std::string_view verdict) {
  std::string letters;
  for (const char c : verdict) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalpha(byte) != 0) letters += static_cast<char>(std::toupper(byte));
  }
  return letters == "NO";
}

std::string NameOf(const std::string& shown) { return shown.substr(0, shown.find(' ')); }

}  // namespace

Steps::Steps(Desk& desk, FreeAttempt builtin, const std::vector<std::string>& taken_names)
    : desk_(desk), builtin_(std::move(builtin)), names_(taken_names) {}

// ---- direct attempts

Task<std::optional<Proof>> Steps::TryBuiltin(const Goal& goal, const Limits& limits) {
  const double seconds = desk_.parameters().builtin_seconds;
  co_return co_await Search(goal.problem, seconds, limits);
}

Task<std::optional<Proof>> Steps::Search(const Problem& problem, double seconds,
                                         const Limits& limits) {
  if (!builtin_ || seconds <= 0 || problem.goals.empty() || desk_.Done(limits)) {
    co_return std::nullopt;
  }
  const Timebox box(desk_.executor(), limits, core::FromSeconds(seconds));
  Limits own = box.limits();
  own.silent = true;
  auto outcome = co_await builtin_(problem, std::move(own));
  if (!outcome) {
    desk_.Failed(outcome.error(), limits);
    co_return std::nullopt;
  }
  desk_.outcome().samples += outcome->samples;
  desk_.outcome().nodes += outcome->nodes;
  if (!outcome->proof) co_return std::nullopt;
  co_return MakeProof(*outcome->proof, outcome->auxiliary);
}

Task<std::optional<Proof>> Steps::TryProver(const Goal& goal, size_t proofs, const Limits& limits) {
  core::TaskRace<Proof> attempts(desk_.executor(), core::JoinPolicy::kFirstSuccess, limits.deadline,
                                 limits.cancellation);
  Gate gate(desk_.executor(), desk_.parameters().parallel);
  const auto attempt = [&](core::ChildContext child) -> Task<Result<Proof>> {
    const Limits own = Within(limits, child);
    const bool entered = co_await gate.Enter(own);
    if (!entered) co_return core::Fail(core::ErrorCode::kCancelled, "not begun");
    const Gate::Pass pass(gate);
    const auto sample = co_await desk_.AskProver(goal.problem.context.theorem, own);
    if (!sample) co_return core::Fail(core::ErrorCode::kCancelled, "no proof");
    auto checked = co_await CheckProof(goal, sample->proof, own);
    if (!checked || !*checked) co_return core::Fail(core::ErrorCode::kInput, "refused");
    desk_.roles().prover(role::kProver)->Succeeded(sample->origin);
    co_return std::move(**checked);
  };
  for (size_t i = 0; i < proofs; ++i) attempts.Spawn(attempt);
  auto results = co_await attempts.Join();
  const auto winner = attempts.decided_by();
  if (!winner) co_return std::nullopt;
  co_return *std::move(results[*winner]);
}

Task<std::optional<tl::expected<Proof, Steps::Refused>>> Steps::CheckProof(
    const Goal& goal, const tl::expected<syntax::ExtractedProof, syntax::NoProof>& read,
    const Limits& limits) {
  Refused refused;
  if (!read) {
    refused.errors = read.error().message;
    co_return tl::unexpected(refused);
  }
  refused.lines = CountLines(read->tactics);
  if (read->has_sorry) refused.errors = "a proof must not use `sorry`";
  if (auto objection = trust::Objection(read->auxiliary + read->tactics)) {
    refused.errors = *std::move(objection);
  }
  if (!refused.errors.empty()) co_return tl::unexpected(refused);
  const std::vector<Proof> variants = read->Variants();
  for (const Proof& proof : variants) {
    const auto checked =
        co_await desk_.Check(goal.problem.site, proof, desk_.parameters().proof_seconds,
                             Desk::Goals::kNotNeeded, limits);
    if (!checked) {
      if (desk_.Done(limits)) co_return std::nullopt;
      refused.errors = "Lean takes too long over it";
      continue;
    }
    if (checked->accepted) co_return proof;
    refused.errors = MarkedErrors(checked->document, checked->result.diagnostics);
    refused.unknown = UnknownNames(checked->result.diagnostics);
  }
  co_return tl::unexpected(refused);
}

// ---- retrieval

Task<std::vector<std::string>> Steps::SearchQueries(const Goal& goal, const Limits& limits) {
  std::vector<std::string> queries;
  auto chat = desk_.Begin(role::kRetriever, "search_queries",
                          Named("statement", Shown(goal), "informal", InWords(goal), "count",
                                std::to_string(desk_.parameters().queries)));
  if (!chat) co_return queries;
  queries = co_await desk_.AskForTags(*chat, "query", limits);
  queries.resize(std::min(queries.size(), desk_.parameters().queries));
  co_return queries;
}

Task<bool> Steps::Look(const Goal& goal, std::string query, bool formal,
                       std::vector<std::string>& found, const Limits& limits) {
  if (desk_.Done(limits) || desk_.premises() == nullptr) co_return false;
  auto asked = QueryFor(goal, std::move(query), desk_.parameters().premises);
  asked.formal = formal;
  if (formal) asked.rankings = retrieve::Rankings::kWithoutModel;
  const auto premises = co_await desk_.premises()->Search(std::move(asked), limits.deadline);
  library_answers_ = premises.has_value();
  if (!premises) co_return false;  // no index (yet): continue without premises
  for (const retrieve::Premise& premise : *premises) {
    const std::string shown = Shown(premise);
    if (std::ranges::find(found, shown) == found.end()) found.push_back(shown);
  }
  co_return true;
}

Task<std::vector<std::string>> Steps::SearchLibrary(const Goal& goal,
                                                    std::vector<std::string> queries,
                                                    const Limits& limits) {
  std::vector<std::string> found;
  for (const std::string& query : queries) {
    const bool answered = co_await Look(goal, query, false, found, limits);
    if (!answered) break;
  }
  co_return found;
}

Task<std::string> Steps::SelectPremises(const Goal& goal, std::vector<std::string> found,
                                        const Limits& limits) {
  if (found.empty()) co_return kNone;
  auto chat = desk_.Begin(role::kRetriever, "select_premises",
                          Named("statement", Shown(goal), "premises", Listed(found)));
  if (!chat) co_return kNone;
  const auto chosen = co_await desk_.AskForTags(*chat, "theorem", limits);
  std::erase_if(found, [&](const std::string& premise) {
    return std::ranges::find(chosen, NameOf(premise)) == chosen.end();
  });
  co_return Listed(found);
}

Task<std::string> Steps::RetrievePremises(const Goal& goal, const Limits& limits) {
  // The search by the goal's symbols is free; without an index, skip generating queries.
  std::vector<std::string> all;
  const std::string state = goal.problem.goals.empty() ? "" : goal.problem.goals.front();
  const bool answered = co_await Look(goal, state, true, all, limits);
  if (!answered) co_return kNone;
  auto queries = co_await SearchQueries(goal, limits);
  const auto found = co_await SearchLibrary(goal, std::move(queries), limits);
  for (const std::string& premise : found) {
    if (std::ranges::find(all, premise) == all.end()) all.push_back(premise);
  }
  co_return co_await SelectPremises(goal, std::move(all), limits);
}

// ---- judging

Task<std::optional<std::string>> Steps::Disprove(const Goal& goal, const Limits& limits) {
  const double seconds = desk_.parameters().disprove_seconds;
  if (!builtin_ || seconds <= 0) co_return std::nullopt;
  auto negation = NegationOf(goal.problem, goal.theorem);
  if (!negation) co_return std::nullopt;
  const auto stated =
      co_await desk_.Check(negation->site, MakeProof("sorry"), desk_.parameters().sketch_seconds,
                           Desk::Goals::kAtSorries, limits);
  if (!stated || !stated->accepted || stated->result.sorries.empty()) co_return std::nullopt;
  negation->goals = stated->result.sorries.back().goals;
  const auto proof = co_await Search(*negation, seconds, limits);
  if (!proof) co_return std::nullopt;
  co_return fmt::format("Lean has a proof of its negation: {}", proof->tactics);
}

Task<std::optional<std::string>> Steps::Judge(const Goal& goal, size_t judge,
                                              const Limits& limits) {
  static constexpr const char* kPrompts[] = {"judge_mathematics", "judge_formalization"};
  auto chat =
      desk_.Begin(role::kJudge, kPrompts[judge],
                  Named("header", goal.problem.context.theorem.header, "statement", Shown(goal)));
  if (!chat) co_return std::nullopt;
  const auto verdicts = co_await desk_.AskForTags(*chat, "verdict", limits);
  if (verdicts.empty() || !SaysNo(verdicts.back())) co_return std::nullopt;
  const auto reasons = InTags(chat->reply, "reason");
  co_return reasons.empty() ? Capped(chat->reply) : reasons.back();
}

// ---- shallow solve

Task<std::optional<Proof>> Steps::ShallowSolve(const Goal& goal, const Limits& limits) {
  if (!desk_.MayAsk(limits) || desk_.parameters().shallow_attempts == 0) co_return std::nullopt;
  const std::string premises = co_await RetrievePremises(goal, limits);
  core::TaskRace<Proof> attempts(desk_.executor(), core::JoinPolicy::kFirstSuccess, limits.deadline,
                                 limits.cancellation);
  Gate gate(desk_.executor(), desk_.parameters().parallel);
  const auto attempt = [&](core::ChildContext child) -> Task<Result<Proof>> {
    const Limits own = Within(limits, child);
    const bool entered = co_await gate.Enter(own);
    if (!entered) co_return core::Fail(core::ErrorCode::kCancelled, "not begun");
    const Gate::Pass pass(gate);
    auto proof = co_await ShallowAttempt(goal, premises, own);
    if (!proof) co_return core::Fail(core::ErrorCode::kInput, "no proof");
    co_return *std::move(proof);
  };
  for (size_t i = 0; i < desk_.parameters().shallow_attempts; ++i) attempts.Spawn(attempt);
  auto results = co_await attempts.Join();
  const auto winner = attempts.decided_by();
  if (!winner) co_return std::nullopt;
  co_return *std::move(results[*winner]);
}

Task<std::optional<Proof>> Steps::ShallowAttempt(const Goal& goal, const std::string& premises,
                                                 const Limits& limits) {
  auto chat = desk_.Begin(role::kReasoner, "prove",
                          Named("header", goal.problem.context.theorem.header, "statement",
                                Shown(goal), "premises", premises));
  if (!chat) co_return std::nullopt;
  for (size_t pass = 0; pass <= desk_.parameters().shallow_corrections; ++pass) {
    const auto code = co_await desk_.AskForCode(*chat, limits);
    if (!code) break;
    const auto read =
        policy::ReadProof(llm::ReplyKind::kBlock, goal.problem.context.theorem, chat->reply);
    auto checked = co_await CheckProof(goal, read, limits);
    if (!checked) break;
    if (*checked) co_return std::move(**checked);
    const Refused& refused = checked->error();
    // Too long: leave the goal to further decomposition if the depth allows it.
    const bool may_divide = goal.depth < desk_.parameters().depth;
    if (may_divide && refused.lines > desk_.parameters().shallow_lines) break;
    if (pass == desk_.parameters().shallow_corrections) break;
    const std::string more = co_await PremisesForErrors(goal, refused, limits);
    if (!desk_.Add(*chat, "correct_proof", Named("errors", refused.errors, "premises", more)))
      break;
  }
  co_return std::nullopt;
}

Task<std::string> Steps::PremisesForErrors(const Goal& goal, const Refused& refused,
                                           const Limits& limits) {
  if (refused.unknown.empty() || !library_answers_) co_return kNone;
  auto chat = desk_.Begin(role::kRetriever, "error_queries",
                          Named("errors", refused.errors, "names", Listed(refused.unknown), "count",
                                std::to_string(desk_.parameters().error_queries)));
  if (!chat) co_return kNone;
  auto queries = co_await desk_.AskForTags(*chat, "query", limits);
  queries.resize(std::min(queries.size(), desk_.parameters().error_queries));
  co_return Listed(co_await SearchLibrary(goal, std::move(queries), limits));
}

// ---- the whole

Task<bool> Steps::CompilesWhole(const Goal& goal, const Proof& proof, const Limits& limits) {
  if (syntax::UsesSorry(proof.Text())) co_return false;
  const auto checked =
      co_await desk_.Check(goal.problem.site, proof, 10 * desk_.parameters().proof_seconds,
                           Desk::Goals::kNotNeeded, limits);
  co_return checked && checked->accepted;
}

std::string StubsOf(const std::vector<Statement>& theorems) {
  std::string stubs;
  std::set<std::string> names;
  for (const Statement& theorem : theorems) {
    if (names.insert(theorem.name).second) stubs += theorem.Stub();
  }
  return stubs;
}

void Refuse(const Goal& goal, std::string_view step, const std::string& why, const Limits& limits) {
  limits.Append(event::kSketchRefused, {{"node", goal.node}, {"step", step}, {"why", Capped(why)}});
}

}  // namespace zermelo::strategy
