#include "strategy/hilbert/steps.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <set>

#include "core/text.h"
#include "llm/reply.h"
#include "retrieve/retriever.h"
#include "strategy/prompt_text.h"
#include "strategy/proof/marked_errors.h"
#include "syntax/declarations.h"
#include "syntax/lexer.h"
#include "syntax/proof/proof_text.h"
#include "trust/source/source_tokens.h"

namespace zermelo::strategy {

using core::Result;
using core::Task;
using syntax::Proof;

namespace {

constexpr const char* kNone = "(none)";

std::string Capped(std::string text) {
  constexpr size_t kMost = 20'000;
  text.resize(core::CharacterBegin(text, kMost));
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
  query.imports = syntax::ModulesToSearch(goal.problem.context.theorem.header);
  return query;
}

std::string FormatPremise(const retrieve::Premise& premise) {
  std::string shown = fmt::format("{} {}", premise.name, premise.signature);
  if (!premise.docstring.empty()) {
    shown += " -- " + premise.docstring.substr(0, premise.docstring.find('\n'));
  }
  return shown;
}

std::string FormatList(const std::vector<std::string>& lines) {
  if (lines.empty()) return kNone;
  std::string list;
  for (const std::string& line : lines) list += fmt::format("- {}\n", line);
  list.pop_back();
  return list;
}

/// Accepts "YES", "Yes.", "**YES**".
bool SaysYes(std::string_view verdict) {
  std::string letters;
  for (const char c : verdict) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalpha(byte) != 0) letters += static_cast<char>(std::toupper(byte));
  }
  return letters == "YES";
}

std::string NameOf(const std::string& shown) { return shown.substr(0, shown.find(' ')); }

}  // namespace

Steps::Steps(Session& session, const HilbertParameters& parameters, LemmaStore& known,
             FreeAttempt builtin)
    : session_(session), parameters_(parameters), known_(known), builtin_(std::move(builtin)) {}

// ---- requests

Task<std::optional<std::string>> Steps::AskForCode(Chat& chat, const Limits& limits) {
  for (size_t tries = 0; tries <= parameters_.tag_retries; ++tries) {
    if (tries > 0 && !session_.Add(chat, "missing_tag", PromptValues("form", "one ```lean4 block")))
      break;
    const bool asked = co_await session_.Ask(chat, limits);
    if (!asked) break;
    auto code = llm::FindCode(llm::ReplyKind::kBlock, chat.reply);
    if (code) co_return *std::move(code);
  }
  co_return std::nullopt;
}

Task<std::vector<std::string>> Steps::AskForTags(Chat& chat, std::string tag,
                                                 const Limits& limits) {
  std::vector<std::string> found;
  for (size_t tries = 0; tries <= parameters_.tag_retries && found.empty(); ++tries) {
    const std::string form = fmt::format("<{0}>…</{0}>", tag);
    if (tries > 0 && !session_.Add(chat, "missing_tag", PromptValues("form", form))) break;
    const bool asked = co_await session_.Ask(chat, limits);
    if (!asked) break;
    found = InTags(chat.reply, tag);
  }
  co_return found;
}

Task<std::optional<Session::Checked>> Steps::Check(const Problem& problem, Proof proof,
                                                   std::string_view role, double seconds,
                                                   Goals goals, const Limits& limits) {
  Session::CheckOptions options;
  options.limit = core::FromSeconds(seconds);
  options.goals_at_sorries = goals == Goals::kAtSorries;
  return session_.Check(problem.site, std::move(proof), role, options, limits);
}

// ---- direct attempts

Task<std::optional<Proof>> Steps::TryBuiltin(const Goal& goal, const Limits& limits) {
  const double seconds = parameters_.builtin_seconds;
  co_return co_await Search(goal.problem, seconds, Learning::kYes, limits);
}

Task<std::optional<Proof>> Steps::Search(const Problem& problem, double seconds, Learning learning,
                                         const Limits& limits) {
  if (!builtin_ || seconds <= 0 || problem.goals.empty() || session_.Done(limits)) {
    co_return std::nullopt;
  }
  const Timebox box(session_.executor(), limits, core::FromSeconds(seconds));
  Limits own = box.limits();
  own.silent = true;
  auto result = co_await builtin_(problem, std::move(own));
  if (!result) {
    session_.Failed(result.error(), limits);
    co_return std::nullopt;
  }
  if (learning == Learning::kNo) result->goals.clear();
  session_.result().AddUse(*result);
  if (!result->proof) co_return std::nullopt;
  co_return MakeProof(*result->proof, result->auxiliary);
}

Task<std::optional<Proof>> Steps::TryProver(const Goal& goal, size_t proofs, const Limits& limits) {
  policy::CompletionPolicy* const prover = session_.services().roles->prover(role::kProver);
  if (prover == nullptr) co_return std::nullopt;
  TaskRace<Proof> attempts(session_.executor(), JoinPolicy::kFirstSuccess, parameters_.parallel,
                           limits);
  const auto attempt = [&](const Limits& own) -> Task<Result<Proof>> {
    own.trying("asking the prover");
    policy::CompletionInput input;
    input.theorem = goal.problem.context.theorem;
    const auto samples = co_await session_.ProposeProofs(*prover, std::move(input), 1, own);
    if (samples.empty() || !session_.IsUsable(samples.front(), Session::Sorry::kMakesUseless)) {
      co_return core::Fail(core::ErrorCode::kCancelled, "no proof");
    }
    auto checked = co_await CheckProof(goal, samples.front().proof, role::kProver, own);
    if (!checked || !*checked) co_return core::Fail(core::ErrorCode::kInput, "refused");
    prover->Succeeded(samples.front().origin);
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
    std::string_view role, const Limits& limits) {
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
    const auto checked = co_await Check(goal.problem, proof, role, parameters_.proof_seconds,
                                        Goals::kNotNeeded, limits);
    if (!checked) {
      if (session_.Done(limits)) co_return std::nullopt;
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
  auto chat =
      session_.Begin(role::kRetriever, "search_queries",
                     PromptValues("statement", FormatStatement(goal), "informal", InWords(goal),
                                  "count", std::to_string(parameters_.queries)));
  if (!chat) co_return queries;
  queries = co_await AskForTags(*chat, "query", limits);
  queries.resize(std::min(queries.size(), parameters_.queries));
  co_return queries;
}

Task<bool> Steps::Look(const Goal& goal, std::string query, bool formal,
                       std::vector<std::string>& found, const Limits& limits) {
  if (session_.Done(limits) || session_.services().premises == nullptr) co_return false;
  auto asked = QueryFor(goal, std::move(query), parameters_.premises);
  asked.formal = formal;
  if (formal) asked.rankings = retrieve::Rankings::kWithoutModel;
  const auto premises =
      co_await session_.services().premises->Search(std::move(asked), limits.deadline);
  library_answers_ = premises.has_value();
  if (!premises) co_return false;  // no index (yet): continue without premises
  for (const retrieve::Premise& premise : *premises) {
    const std::string shown = FormatPremise(premise);
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
  auto chat = session_.Begin(
      role::kRetriever, "select_premises",
      PromptValues("statement", FormatStatement(goal), "premises", FormatList(found)));
  if (!chat) co_return kNone;
  const auto chosen = co_await AskForTags(*chat, "theorem", limits);
  std::erase_if(found, [&](const std::string& premise) {
    return std::ranges::find(chosen, NameOf(premise)) == chosen.end();
  });
  co_return FormatList(found);
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
  const double seconds = parameters_.disprove_seconds;
  if (!builtin_ || seconds <= 0) co_return std::nullopt;
  auto negation = NegationOf(goal.problem, goal.theorem);
  if (!negation) co_return std::nullopt;
  const auto stated = co_await Check(*negation, MakeProof("sorry"), role::kBuiltin,
                                     parameters_.sketch_seconds, Goals::kAtSorries, limits);
  if (!stated || !stated->accepted || stated->result.sorries.empty()) co_return std::nullopt;
  negation->goals = stated->result.sorries.back().goals;
  const auto proof = co_await Search(*negation, seconds, Learning::kNo, limits);
  if (!proof) co_return std::nullopt;
  co_return fmt::format("Lean has a proof of its negation: {}", proof->tactics);
}

Task<std::optional<std::string>> Steps::Judge(const Goal& goal, size_t judge,
                                              const Limits& limits) {
  static constexpr const char* kPrompts[] = {"judge_mathematics", "judge_formalization"};
  if (session_.services().roles->chat(role::kJudge) == nullptr) co_return std::nullopt;
  auto chat = session_.Begin(role::kJudge, kPrompts[judge],
                             PromptValues("header", goal.problem.context.theorem.header,
                                          "statement", FormatStatement(goal)));
  if (!chat) co_return std::nullopt;
  const auto verdicts = co_await AskForTags(*chat, "verdict", limits);
  if (!verdicts.empty() && SaysYes(verdicts.back())) co_return std::nullopt;
  if (verdicts.empty() && !session_.MayAsk(limits)) co_return std::nullopt;
  if (verdicts.empty()) co_return "the judge gave no verdict";
  const auto reasons = InTags(chat->reply, "reason");
  co_return reasons.empty() ? Capped(chat->reply) : reasons.back();
}

// ---- shallow solve

Task<std::optional<Proof>> Steps::ShallowSolve(const Goal& goal, const Limits& limits) {
  if (!session_.MayAsk(limits) || parameters_.shallow_attempts == 0) co_return std::nullopt;
  TaskRace<Proof> attempts(session_.executor(), JoinPolicy::kFirstSuccess, parameters_.parallel,
                           limits);
  const auto attempt = [&](const Limits& own) -> Task<Result<Proof>> {
    auto proof = co_await ShallowAttempt(goal, own);
    if (!proof) co_return core::Fail(core::ErrorCode::kInput, "no proof");
    co_return *std::move(proof);
  };
  for (size_t i = 0; i < parameters_.shallow_attempts; ++i) attempts.Spawn(attempt);
  auto results = co_await attempts.Join();
  const auto winner = attempts.decided_by();
  if (!winner) co_return std::nullopt;
  co_return *std::move(results[*winner]);
}

/// "This entire shallow solve process repeats": with its retrieval.
Task<std::optional<Proof>> Steps::ShallowAttempt(const Goal& goal, const Limits& limits) {
  const std::string premises = co_await RetrievePremises(goal, limits);
  auto chat =
      session_.Begin(role::kReasoner, "prove",
                     PromptValues("header", goal.problem.context.theorem.header, "statement",
                                  FormatStatement(goal), "premises", premises));
  if (!chat) co_return std::nullopt;
  for (size_t pass = 0; pass <= parameters_.shallow_corrections; ++pass) {
    const auto code = co_await AskForCode(*chat, limits);
    if (!code) break;
    const auto read = syntax::ExtractProof(goal.problem.context.theorem, *code);
    auto checked = co_await CheckProof(goal, read, role::kReasoner, limits);
    if (!checked) break;
    if (*checked) co_return std::move(**checked);
    const Refused& refused = checked->error();
    // Too long: leave the goal to the other attempts and, if the depth allows it, to further
    // decomposition.
    const bool may_divide = goal.depth < parameters_.depth;
    if (may_divide && refused.lines > parameters_.shallow_lines) break;
    if (pass == parameters_.shallow_corrections) break;
    const std::string more = co_await PremisesForErrors(goal, refused, limits);
    if (!session_.Add(*chat, "correct_proof",
                      PromptValues("errors", refused.errors, "premises", more)))
      break;
  }
  co_return std::nullopt;
}

Task<std::string> Steps::PremisesForErrors(const Goal& goal, const Refused& refused,
                                           const Limits& limits) {
  if (refused.unknown.empty() || !library_answers_) co_return kNone;
  auto chat =
      session_.Begin(role::kRetriever, "error_queries",
                     PromptValues("errors", refused.errors, "names", FormatList(refused.unknown),
                                  "count", std::to_string(parameters_.error_queries)));
  if (!chat) co_return kNone;
  auto queries = co_await AskForTags(*chat, "query", limits);
  queries.resize(std::min(queries.size(), parameters_.error_queries));
  co_return FormatList(co_await SearchLibrary(goal, std::move(queries), limits));
}

// ---- the whole

Task<bool> Steps::CompilesWhole(const Goal& goal, const Proof& proof, const Limits& limits) {
  if (syntax::UsesSorry(proof.Text())) co_return false;
  const auto checked = co_await Check(goal.problem, proof, role::kSketcher,
                                      10 * parameters_.proof_seconds, Goals::kNotNeeded, limits);
  co_return checked && checked->accepted;
}

std::vector<std::string> InTags(std::string_view text, std::string_view tag) {
  const std::string open = fmt::format("<{}>", tag), close = fmt::format("</{}>", tag);
  std::vector<std::string> found;
  for (size_t at = text.find(open); at != std::string_view::npos; at = text.find(open, at)) {
    at += open.size();
    const size_t end = std::min(text.find(close, at), text.size());
    const auto inside = core::Trim(text.substr(at, end - at));
    if (!inside.empty()) found.emplace_back(inside);
    at = end;
  }
  return found;
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
