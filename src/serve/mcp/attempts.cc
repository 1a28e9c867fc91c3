#include <algorithm>
#include <fmt/format.h>

#include "core/text.h"
#include "engine/acceptance/file_errors.h"
#include "engine/acceptance/outcome.h"
#include "lean/probe.h"
#include "serve/mcp/lean.h"
#include "serve/snippet_text.h"
#include "syntax/proof/proof_site.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::serve::mcp {

using core::Cancellation;
using core::ErrorCode;
using core::Task;
using lean::CheckResult;
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

/// Summarizes Lean's messages inside the declaration, with line numbers relative to the attempt.
json ReadAttempt(const syntax::SiteDocument& document, const CheckResult& result) {
  const core::LineIndex lines(document.text);
  json messages = json::array();
  json goals = json::array();
  json structured = json::array();
  bool only_open = true;
  bool failed = false;
  bool open = false;
  for (const auto& d : result.diagnostics) {
    if (!document.InDeclaration(d.begin)) continue;
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
    const bool inside =
        d.begin.line >= document.first_line && OffsetOf(lines, d.begin) <= document.end;
    if (inside) message["line"] = d.begin.line - document.first_line + 1;
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
    const bool named = declaration.full_name == name || declaration.name == name;
    if (!named || !declaration.IsTheorem() || !declaration.holes.empty() ||
        declaration.value.empty())
      continue;
    return WithSorryFor(text, declaration);
  }
  return text;
}

}  // namespace

Task<json> LeanTools::Attempt(const Source& source, const HolePlace& place, std::string proof,
                              core::Duration limit, Cancellation& cancellation) {
  const std::string tactics = TacticsOf(std::move(proof));
  if (tactics.find_first_not_of(" \t\r\n") == std::string::npos) {
    co_return AttemptAnswer(engine::Outcome::kRejected, "the proof is empty");
  }
  if (!syntax::IsSelfContained(tactics)) {
    co_return AttemptAnswer(engine::Outcome::kRejected,
                            "a bracket, comment or string is not closed, or it contains a command; "
                            "send only the tactics that replace the sorry");
  }
  if (syntax::UsesSorry(tactics)) {
    co_return AttemptAnswer(engine::Outcome::kRejected,
                            "the proof leaves something unproved (sorry)");
  }
  const syntax::ProofSite site(source.text, place.declaration, place.hole);
  const syntax::SiteDocument document = site.ForConfirmation(tactics);
  lean::CheckRequest request;
  request.text = document.text;
  const auto result = co_await Ask(source, std::move(request), limit, cancellation);
  if (!result) {
    co_return AttemptAnswer(engine::OutcomeOf(result.error()), Cut(result.error().message));
  }
  json answer = ReadAttempt(document, *result);
  answer["seconds"] = result->seconds;
  co_return answer;
}

Task<ToolAnswer> LeanTools::TryProofs(json arguments, Cancellation& cancellation) {
  auto read = co_await SourceOf(projects_, arguments);
  if (!read) co_return NoAnswer(read.error());
  Source source = std::move(*read);
  const Source stamped = source;
  source.text = OpenedUp(source.text, arguments);
  const auto place = FindHole(source.text, arguments);
  if (!place) co_return NoAnswer(place.error());
  const core::Duration limit = TimeLimit(arguments, 30);
  const auto proofs = arguments.at("proofs").get<std::vector<std::string>>();
  std::vector<json> attempts(proofs.size());
  const auto attempt = [&](size_t i) -> Task<void> {
    attempts[i] = co_await Attempt(source, *place, proofs[i], limit, cancellation);
  };
  core::TaskGroup trying(executor_);
  for (size_t i = 0; i < proofs.size(); ++i) trying.Spawn(attempt(i));
  co_await trying.Join();

  const auto count = [&](std::string_view state) {
    return static_cast<size_t>(
        std::ranges::count_if(attempts, [&](const json& a) { return a.at("status") == state; }));
  };
  const size_t unknown = count("timed_out") + count("crashed") + count("infrastructure");
  ToolAnswer answer;
  json& content = answer.content;
  content["theorem"] = place->name;
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
  if (source.text != stamped.text) content["note"] = "the existing proof was removed first";
  Stamp(content, stamped);
  co_return answer;
}

}  // namespace zermelo::serve::mcp
