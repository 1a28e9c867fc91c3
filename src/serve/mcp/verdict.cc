#include <fmt/format.h>

#include "engine/acceptance.h"
#include "serve/mcp/lean.h"
#include "serve/snippet_text.h"

namespace zermelo::serve::mcp {

using core::Cancellation;
using core::Deadline;
using core::Task;
using nlohmann::json;

namespace {

json ReasonsOf(const std::vector<trust::Reason>& reasons) {
  json list = json::array();
  for (const auto& reason : reasons) {
    json entry;
    entry["code"] = trust::Name(reason.code);
    entry["text"] = Cut(reason.message);
    list.push_back(std::move(entry));
  }
  return list;
}

json VerdictOf(const engine::AcceptanceReport& report) {
  json answer;
  json theorems = json::array();
  size_t accepted = 0;
  for (const auto& target : report.targets) {
    accepted += target.accepted ? 1 : 0;
    json theorem;
    theorem["name"] = target.name;
    theorem["verdict"] = target.accepted ? "accepted" : "rejected";
    theorem["axioms"] = target.axioms;
    if (!target.reasons.empty()) theorem["reasons"] = ReasonsOf(target.reasons);
    theorems.push_back(std::move(theorem));
  }
  answer["verdict"] = report.accepted ? "accepted" : "rejected";
  answer["status"] = report.accepted ? status::kOk
                     : accepted > 0  ? status::kPartial
                                     : status::kFailed;
  answer["theorems"] = std::move(theorems);
  answer["reasons"] = ReasonsOf(report.reasons);
  answer["summary"] =
      fmt::format("{} of {} accepted", accepted, Counted(report.targets.size(), "theorem"));
  if (!report.accepted) {
    answer["reason"] = !report.reasons.empty()
                           ? Cut(report.reasons.front().message)
                           : "not every theorem is proved; the reasons of each say why";
  }
  if (report.targets.empty()) {
    answer["reason"] = "there is no theorem to judge";
  }
  answer["library"]["modules"] = report.library_modules;
  answer["library"]["fingerprint"] = report.library_fingerprint;
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
  judging.cancellation = &cancellation;
  const auto room = co_await pool_.MakeRoom(2, Deadline::After(options_.max_wait), &cancellation);
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
    answer.content = VerdictOf(*report);
    answer.content["compared_with"] =
        compared ? std::move(original_version) : json("its own statements");
  }
  Stamp(answer.content, *source);
  answer.content["lean"]["warnings"] = lean::KnownProblems(source->toolchain().version);
  co_return answer;
}

}  // namespace zermelo::serve::mcp
