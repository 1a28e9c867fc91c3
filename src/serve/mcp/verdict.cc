#include <algorithm>
#include <fmt/format.h>

#include "core/text.h"
#include "engine/acceptance/acceptance.h"
#include "serve/mcp/lean.h"
#include "serve/snippet_text.h"

namespace zermelo::serve::mcp {

using core::Cancellation;
using core::Deadline;
using core::Task;
using nlohmann::json;

namespace {

/// Shortens a report's reasons; an agent calls their message "text".
void Shorten(json& reasons) {
  for (json& reason : reasons) {
    reason["text"] = Cut(reason.at("message").get<std::string>());
    reason.erase("message");
  }
}

json StatusOf(const engine::AcceptanceReport& report) {
  json answer = report;
  answer.erase("seconds");
  Shorten(answer["reasons"]);
  for (json& theorem : answer["theorems"]) {
    Shorten(theorem["reasons"]);
    if (theorem["reasons"].empty()) theorem.erase("reasons");
  }
  const auto accepted = static_cast<size_t>(
      std::ranges::count(report.targets, true, &engine::JudgedTarget::accepted));
  answer["status"] = report.accepted ? status::kOk
                     : accepted > 0  ? status::kPartial
                                     : status::kFailed;
  answer["summary"] =
      fmt::format("{} of {} accepted", accepted, core::Counted(report.targets.size(), "theorem"));
  if (!report.accepted) {
    answer["reason"] = !report.reasons.empty()
                           ? Cut(report.reasons.front().message)
                           : "not every theorem is proved; the reasons of each say why";
  }
  if (report.targets.empty()) {
    answer["reason"] = "there is no theorem to judge";
  }
  return answer;
}

}  // namespace

Task<ToolAnswer> LeanTools::Verdict(json arguments, Cancellation& cancellation) {
  const auto source = co_await SourceOf(projects_, arguments);
  if (!source) co_return NoAnswer(source.error());
  json original;
  original["project"] = arguments.value("project", json());
  original["file"] = arguments.value("original_file", json());
  original["text"] = arguments.value("original_text", json());
  std::string claims = WithoutProofs(source->text);
  const bool compared = !original["file"].is_null() || !original["text"].is_null();
  json original_version;
  if (compared) {
    const auto other = co_await SourceOf(projects_, original);
    if (!other) co_return NoAnswer(other.error());
    claims = other->text;
    original_version = other->Version();
  } else if (claims == source->text) {
    auto answer = Refused("there is no theorem with a proof in this text");
    Stamp(answer.content, *source);
    co_return answer;
  }
  auto axioms = options_.axioms(source->folder);
  if (!axioms) co_return NoAnswer(axioms.error());
  engine::AcceptanceOptions judging;
  judging.allowed_axioms = std::move(*axioms);
  judging.kernel = options_.kernel;
  judging.cancellation = &cancellation;
  judging.max_resident_bytes = pool_.options().worker.max_resident_bytes;
  const auto claim = ClaimPlace();
  const auto room = co_await pool_.Reserve(2, Deadline::After(options_.max_wait), &cancellation);
  if (!room) co_return NoAnswer(room.error());
  judging.deadline = Deadline::After(TimeLimit(arguments, 300));
  engine::Acceptance acceptance(executor_, source->toolchain(), std::move(claims));
  const auto report = co_await acceptance.Judge(source->text, std::nullopt, std::move(judging));
  ToolAnswer answer;
  if (!report) {
    answer = NoAnswer(report.error());
  } else if (report->lost) {
    answer = NoAnswer(*report->lost);
  } else {
    answer.content = StatusOf(*report);
    answer.content["compared_with"] =
        compared ? std::move(original_version) : json("its own statements");
  }
  Stamp(answer.content, *source);
  answer.content["lean"]["warnings"] = lean::KnownProblems(source->toolchain().version);
  co_return answer;
}

}  // namespace zermelo::serve::mcp
