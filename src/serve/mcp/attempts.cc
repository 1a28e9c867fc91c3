#include <algorithm>
#include <fmt/format.h>

#include "core/text.h"
#include "engine/acceptance/file_errors.h"
#include "engine/acceptance/outcome.h"
#include "lean/probe.h"
#include "serve/mcp/lean.h"
#include "serve/mcp/refusals.h"
#include "serve/snippet_text.h"
#include "syntax/proof/proof_site.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::serve::mcp {

using core::Cancellation;
using core::ErrorCode;
using core::Task;
using lean::CheckResult;
using lean::Diagnostic;
using lean::Severity;
using nlohmann::json;

namespace {

constexpr size_t kMaxMessagesOfAttempt = 100;

/// Returns the tactics of a proof given as tactics, as `by` with tactics, or as a fenced block.
std::string TacticsOf(std::string proof) {
  if (proof.find("```") != std::string::npos) proof = ExtractLean(proof);
  return WithoutBy(proof);
}

/// The status is the outcome's name, or "failed" for what is rejected.
json AttemptAnswer(engine::Outcome outcome, std::string reason) {
  json answer;
  answer["status"] = outcome == engine::Outcome::kRejected ? "failed" : Name(outcome);
  answer["outcome"] = Name(outcome);
  if (!reason.empty()) answer["reason"] = std::move(reason);
  return answer;
}

/// Summarizes Lean's messages from the declaration on, with line numbers relative to the attempt.
/// An error at the end of the document is one of the declaration's syntax.
json ReadAttempt(const syntax::SiteDocument& document, const CheckResult& result) {
  const core::LineIndex lines(document.text);
  json messages = json::array();
  json goals = json::array();
  json structured = json::array();
  bool only_open = true;
  bool failed = false;
  bool open = false;
  std::vector<Diagnostic> sorted = result.diagnostics;
  const auto is_inside = [&](const Diagnostic& d) {
    return d.begin.line >= document.first_line && OffsetOf(lines, d.begin) <= document.end;
  };
  std::ranges::stable_sort(sorted, {}, &Diagnostic::begin);
  std::ranges::stable_partition(sorted, is_inside);  // the attempt's own first
  for (const auto& d : sorted) {
    if (d.begin.line < document.declaration_first_line) continue;
    open |= SaysSorry(d);
    if (d.severity != Severity::kError || engine::IsMissingLibraryCode(d)) continue;
    failed = true;
    const auto unsolved = lean::UnsolvedGoals(d.message);
    only_open &= !unsolved.empty();
    for (const auto& goal : unsolved) {
      if (goals.size() == kMaxGoals) break;
      goals.push_back(Cut(goal));
      structured.push_back(Structured(goal));
    }
    json message;
    if (is_inside(d)) message["line"] = d.begin.line - document.first_line + 1;
    message["text"] = Cut(d.message);
    if (messages.size() < kMaxMessagesOfAttempt) messages.push_back(std::move(message));
  }
  if (!failed) {
    json answer = AttemptAnswer(engine::Outcome::kAccepted, "");
    if (open) answer["note"] = "another sorry of the same declaration is still open";
    return answer;
  }
  json answer = AttemptAnswer(only_open ? engine::Outcome::kOpen : engine::Outcome::kRejected, "");
  answer["messages"] = std::move(messages);
  if (!goals.empty()) {
    answer["goals"] = std::move(goals);
    answer["structured"] = std::move(structured);
  }
  return answer;
}

/// Returns the text with the value of the declaration replaced by `sorry`.
std::string WithSorryFor(const std::string& text, const syntax::Declaration& declaration) {
  std::string changed = text;
  changed.replace(declaration.range.begin, declaration.range.end - declaration.range.begin,
                  syntax::StatementOnly(text, declaration));
  return changed;
}

/// Returns the text with the proof of the theorem named in `arguments` replaced by `sorry`.
std::string OpenedUp(const std::string& text, const json& arguments) {
  if (!arguments.contains("theorem") || !arguments.at("theorem").is_string()) return text;
  const auto name = arguments.at("theorem").get<std::string>();
  for (const auto& declaration : syntax::FindDeclarations(text)) {
    if (!declaration.IsNamed(name) || !declaration.IsTheorem() || !declaration.holes.empty() ||
        declaration.value.empty())
      continue;
    return WithSorryFor(text, declaration);
  }
  return text;
}

/// Why a proof is not tried; empty if it is.
std::string Objection(const std::string& tactics) {
  if (tactics.find_first_not_of(" \t\r\n") == std::string::npos) return "the proof is empty";
  if (!syntax::IsSelfContained(tactics)) {
    return "a bracket, comment or string is not closed, or it contains a command; "
           "send only the tactics that replace the sorry";
  }
  if (syntax::UsesSorry(tactics)) return "the proof leaves something unproved (sorry)";
  return "";
}

/// With fewer, a worker's answers to the first of each kind are all that there are.
constexpr size_t kEnoughForStates = 3;

}  // namespace

struct LeanTools::Attempts {
  struct Trial {
    syntax::SiteDocument document;
    WorkerUse use = WorkerUse::kShared;

    /// Whether only a worker may try it.
    bool IsForWorkers() const {
      return use == WorkerUse::kAlone ||
             document.text.find("kernel", document.begin) < document.end;
    }
  };

  Attempts(const Source& text, const HolePlace& place, const std::vector<std::string>& proofs)
      : source(text), site(text.text, place.declaration, place.hole) {
    for (const std::string& proof : proofs) {
      const std::string tactics = TacticsOf(proof);
      const std::string objection = Objection(tactics);
      answers.push_back(AttemptAnswer(engine::Outcome::kRejected, objection));
      trials.push_back(std::nullopt);
      if (!objection.empty()) continue;
      // Without the options of the document.
      const std::string file = syntax::SpliceProof(text.text, place.hole, tactics).text;
      trials.back() = Trial{.document = site.ForConfirmation(tactics), .use = WorkerFor(file)};
    }
  }

  const Source& source;
  const syntax::ProofSite site;
  core::Duration limit{};
  Cancellation* cancellation = nullptr;
  std::vector<std::optional<Trial>> trials;  // none: it is not tried
  std::vector<json> answers;
  size_t in_states = 0;  // answers that no worker was asked for
};

Task<std::optional<CheckResult>> LeanTools::AskWorker(Attempts& all, size_t i) {
  const syntax::SiteDocument& document = all.trials[i]->document;
  lean::CheckRequest request;
  request.text = document.text;
  auto result = co_await Ask(all.source, std::move(request), all.limit, *all.cancellation,
                             all.trials[i]->use);
  if (!result) {
    const core::Error& error = result.error();
    all.answers[i] = AttemptAnswer(engine::OutcomeOf(error), Cut(error.message));
    co_return std::nullopt;
  }
  all.answers[i] = ReadAttempt(document, *result);
  all.answers[i]["seconds"] = result->seconds;
  co_return std::move(*result);
}

/// Tries all in the states that the hole and the tactics lead to. Those that succeed there, and
/// what only a worker can say, are a worker's, at the same time.
Task<void> LeanTools::TryInStates(Attempts& all, lean::LateStateServer& states) {
  struct Refused {
    size_t i = 0;
    Refusals::Kind kind{};
    lean::StateRun run;
    double seconds = 0;
  };
  Refusals refusals(all.site.ForConfirmation("sorry"));
  std::vector<Refused> refused, others;
  refused.reserve(all.trials.size());  // tasks refer to its elements
  core::TaskGroup asking(executor_);
  const auto ask = [&](size_t i) -> Task<void> { co_await AskWorker(all, i); };
  const auto learn = [&](const Refused& first) -> Task<void> {
    const auto checked = co_await AskWorker(all, first.i);
    if (checked) refusals.Learn(first.kind, all.trials[first.i]->document, first.run, *checked);
  };
  bool opens = refusals.applies();
  for (size_t i = 0; i < all.trials.size(); ++i) {
    if (!all.trials[i]) continue;
    lean::StateServer* const server = states.ready();
    if (!opens || server == nullptr || all.trials[i]->IsForWorkers()) {
      asking.Spawn(ask(i));
      continue;
    }
    lean::StateQuery query = QueryOf(all.trials[i]->document);
    query.limit = all.limit;
    query.cancellation = all.cancellation;
    const auto begun = core::Clock::now();
    auto run = co_await server->Run(std::move(query));
    opens = run.has_value();  // after a failure, workers answer the rest
    if (run && run->cut()) {
      const core::Error error = TooSlow(all.limit);
      all.answers[i] = AttemptAnswer(engine::OutcomeOf(error), error.message);
      ++all.in_states;
      continue;
    }
    const auto kind = run ? refusals.KindOf(*run) : std::nullopt;
    if (!kind) {
      asking.Spawn(ask(i));
      continue;
    }
    const double seconds = core::Seconds(core::Clock::now() - begun);
    Refused one;
    one.i = i;
    one.kind = *kind;
    one.run = std::move(*run);
    one.seconds = seconds;
    if (std::ranges::find(refused, *kind, &Refused::kind) != refused.end()) {
      others.push_back(std::move(one));
    } else {
      refused.push_back(std::move(one));
      asking.Spawn(learn(refused.back()));
    }
  }
  co_await asking.Join();
  for (const Refused& one : others) {
    const auto result = refusals.ResultOf(one.kind, all.trials[one.i]->document, one.run);
    if (!result) {
      asking.Spawn(ask(one.i));
      continue;
    }
    all.answers[one.i] = ReadAttempt(all.trials[one.i]->document, *result);
    all.answers[one.i]["seconds"] = one.seconds;
    ++all.in_states;
  }
  co_await asking.Join();
}

Task<void> LeanTools::TryAll(Attempts& all) {
  const auto tried = static_cast<size_t>(
      std::ranges::count_if(all.trials, [](const auto& trial) { return trial.has_value(); }));
  std::shared_ptr<lean::LateStateServer> states;
  if (options_.states && options_.states(all.source) &&
      WorkerFor(all.source.text) == WorkerUse::kShared) {
    states = states_.For(all.source.SetupFor(), syntax::ImportedModules(all.source.text));
  }
  if (states && tried >= kEnoughForStates) {
    co_await TryInStates(all, *states);
    co_return;
  }
  core::TaskGroup asking(executor_);
  const auto ask = [&](size_t i) -> Task<void> { co_await AskWorker(all, i); };
  for (size_t i = 0; i < all.trials.size(); ++i) {
    if (all.trials[i]) asking.Spawn(ask(i));
  }
  co_await asking.Join();
}

Task<ToolAnswer> LeanTools::TryProofs(json arguments, Cancellation& cancellation) {
  auto read = co_await SourceOf(projects_, arguments);
  if (!read) co_return NoAnswer(read.error());
  Source source = std::move(*read);
  const Source stamped = source;
  source.text = OpenedUp(source.text, arguments);
  const auto place = FindHole(syntax::File(source.text), arguments);
  if (!place) co_return NoAnswer(place.error());
  const auto proofs = arguments.at("proofs").get<std::vector<std::string>>();
  Attempts all(source, *place, proofs);
  all.limit = TimeLimit(arguments, 30);
  all.cancellation = &cancellation;
  co_await TryAll(all);
  std::vector<json>& attempts = all.answers;

  const auto count = [&](std::string_view state) {
    return static_cast<size_t>(
        std::ranges::count_if(attempts, [&](const json& a) { return a.at("status") == state; }));
  };
  const size_t unknown = count("timed_out") + count("crashed") + count("infrastructure");
  ToolAnswer answer;
  json& content = answer.content;
  content["theorem"] = place->declaration.DisplayName();
  content["status"] = count("accepted") > 0        ? status::kOk
                      : unknown == attempts.size() ? status::kTimedOut
                      : unknown > 0                ? status::kPartial
                                                   : status::kFailed;
  content["summary"] =
      fmt::format("{} of {} accepted", count("accepted"), core::Counted(attempts.size(), "proof"));
  if (count("accepted") == 0) {
    content["reason"] = unknown > 0 ? "no proof was accepted, but not all could be judged"
                                    : "none of the proofs was accepted";
  }
  content["accepted"] = json::array();
  for (size_t i = 0; i < attempts.size(); ++i) {
    if (attempts[i].at("status") == "accepted") content["accepted"].push_back(i);
    attempts[i]["proof"] = Cut(proofs[i]);
  }
  content["attempts"] = attempts;
  if (all.in_states > 0) content["in_states"] = all.in_states;
  if (source.text != stamped.text) content["note"] = "the existing proof was removed first";
  Stamp(content, stamped);
  co_return answer;
}

}  // namespace zermelo::serve::mcp
