#include "serve/mcp/answer.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/json.h"
#include "core/names.h"
#include "core/text.h"
#include "engine/acceptance/outcome.h"
#include "engine/prove_file.h"
#include "serve/http/json_fields.h"
#include "syntax/goal/goal_json.h"

namespace zermelo::serve::mcp {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using nlohmann::json;

namespace {

constexpr size_t kMaxText = 4000;
constexpr size_t kMaxNames = 20;

const char* StatusOf(ErrorCode code) {
  return code == ErrorCode::kTimeout ? status::kTimedOut : status::kFailed;
}

/// All holes that can be proved.
std::vector<HolePlace> Holes(const syntax::File& file, const core::LineIndex& lines) {
  std::vector<HolePlace> places;
  for (const syntax::Declaration& declaration : file.declarations()) {
    size_t nth = 0;
    for (const syntax::DeclarationHole& hole : declaration.holes) {
      if (!hole.provable) continue;
      const size_t line = lines.LineOf(hole.begin) + 1;
      places.push_back({declaration, hole, engine::HoleName(declaration, hole, line, nth++)});
    }
  }
  return places;
}

std::string FormatPlaces(const std::vector<HolePlace>& places, const core::LineIndex& lines) {
  std::vector<std::string> entries;
  for (const HolePlace& place : places) {
    if (entries.size() == kMaxNames) break;
    entries.push_back(fmt::format("line {} ({})", lines.LineOf(place.hole.begin) + 1,
                                  place.declaration.DisplayName()));
  }
  return fmt::format("{}{}", fmt::join(entries, ", "), places.size() > kMaxNames ? ", …" : "");
}

}  // namespace

ToolAnswer NoAnswer(const core::Error& error) {
  ToolAnswer answer = Refused(error.message, error.hint);
  answer.content["status"] = StatusOf(error.code);
  const engine::Outcome outcome = engine::OutcomeOf(error);
  if (outcome != engine::Outcome::kRejected) answer.content["outcome"] = Name(outcome);
  return answer;
}

ToolAnswer Refused(std::string reason, std::string hint) {
  ToolAnswer answer;
  answer.is_error = true;
  answer.content["status"] = status::kFailed;
  answer.content["reason"] = std::move(reason);
  if (!hint.empty()) answer.content["hint"] = std::move(hint);
  return answer;
}

Task<Result<Source>> SourceOf(Projects& projects, const json& arguments) {
  const bool file = arguments.contains("file") && !arguments.at("file").is_null();
  const bool text = arguments.contains("text") && !arguments.at("text").is_null();
  if (file == text) {
    co_return Fail(ErrorCode::kInput, "pass either file or text",
                   "file is the path of a Lean file, text is Lean code");
  }
  if (file) co_return co_await projects.Read(arguments.at("file").get<std::string>());
  std::string folder;
  if (arguments.contains("project") && arguments.at("project").is_string()) {
    folder = arguments.at("project").get<std::string>();
  }
  co_return co_await projects.Take(arguments.at("text").get<std::string>(), folder);
}

void Stamp(json& answer, const Source& source) {
  answer["version"] = source.Version();
  answer["lean"] = core::Picked(source.toolchain(), {"version", "kind"});
  if (source.Current()) return;
  answer["changed_meanwhile"] = true;
  if (answer.at("status") == status::kOk) answer["status"] = status::kPartial;
  const std::string said = answer.value("reason", "");
  answer["reason"] = (said.empty() ? "" : said + "; ") +
                     "the file has changed since; this answer is about the version given";
}

Result<HolePlace> FindHole(const syntax::File& file, const json& arguments) {
  const core::LineIndex lines(file.text());
  std::vector<HolePlace> places = Holes(file, lines);
  if (places.empty()) {
    return Fail(ErrorCode::kInput, "there is no sorry to fill in this text");
  }
  const std::string all = FormatPlaces(places, lines);
  std::string wanted;
  if (arguments.contains("theorem") && arguments.at("theorem").is_string()) {
    wanted = arguments.at("theorem").get<std::string>();
    std::vector<std::string> names;
    for (const HolePlace& place : places) names.push_back(place.declaration.full_name);
    std::erase_if(places, [&](const HolePlace& p) {
      return !p.declaration.MatchesName(wanted) && p.declaration.DisplayName() != wanted;
    });
    if (places.empty()) {
      const std::string near = core::DidYouMean(wanted, names);
      return Fail(ErrorCode::kInput, "this text has no theorem " + Cut(wanted) + " with a sorry",
                  near.empty() ? "sorries are on " + all : near);
    }
  }
  if (arguments.contains("line") && arguments.at("line").is_number_integer()) {
    const auto line = arguments.at("line").get<size_t>();
    std::erase_if(places, [&](const HolePlace& p) {
      return line < lines.LineOf(p.hole.begin) + 1 || line > lines.LineOf(p.hole.end) + 1;
    });
    if (places.empty()) {
      return Fail(ErrorCode::kInput, fmt::format("there is no sorry to fill on line {}", line),
                  "sorries are on " + all);
    }
  }
  if (places.size() > 1 && (wanted.empty() || arguments.contains("line"))) {
    return Fail(ErrorCode::kInput, "more than one sorry matches; pass line or theorem",
                "sorries are on " + all);
  }
  if (places.size() > 1) {
    return Fail(ErrorCode::kInput, "this theorem has several sorries; pass line",
                "sorries are on " + FormatPlaces(places, lines));
  }
  return std::move(places.front());
}

core::Duration TimeLimit(const json& arguments, double otherwise) {
  return SecondsField(arguments, "timeout_seconds", otherwise);
}

core::Error TooSlow(core::Duration limit) {
  return {.code = ErrorCode::kTimeout,
          .message = fmt::format("Lean did not finish within {:g} s", core::Seconds(limit)),
          .hint = "allow more time (timeout_seconds), or find out what is slow"};
}

json Structured(const std::string& goal) {
  if (goal.size() > kMaxText) return {};
  const syntax::ProofState state = syntax::ParseProofState(goal);
  return state.goals.empty() ? json() : syntax::GoalJson(state.goals.front());
}

std::string Cut(const std::string& text) { return core::Truncated(text, kMaxText); }

}  // namespace zermelo::serve::mcp
