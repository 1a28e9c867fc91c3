#include "engine/proof_steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

#include "core/text.h"
#include "syntax/position.h"

namespace zermelo::engine {

using nlohmann::json;
using syntax::TacticPlace;

namespace {

constexpr size_t kMostStateBytes = 1U << 20U;

json PlaceOf(const core::LineIndex& lines, size_t byte) {
  const auto at = lines.ToCodePoints(byte);
  return {at.line + 1, at.column + 1};
}

}  // namespace

ProofSteps::ProofSteps(std::string text, const std::vector<Part>& parts) : file_(std::move(text)) {
  const core::LineIndex lines(file_.text());
  const auto& declarations = file_.declarations();
  size_t states = 0;
  for (const Part& part : parts) {
    PartPlaces places;
    places.first_state = states;
    for (size_t d = part.first; d <= part.last && d < declarations.size(); ++d) {
      const size_t before = places.tactics.size();
      for (TacticPlace place : syntax::TacticPlaces(file_, declarations[d])) {
        if (place.next) *place.next += before;
        places.tactics.push_back(place);
      }
      if (d == part.first) {
        places.range.begin = lines.LineBegin(lines.LineOf(declarations[d].range.begin));
      }
      places.range.end = declarations[d].range.end;
    }
    states += places.tactics.size();
    parts_.push_back(std::move(places));
  }
}

lean::CheckRequest ProofSteps::Request() const {
  const core::LineIndex lines(file_.text());
  lean::CheckRequest request;
  request.text = file_.text();
  for (const PartPlaces& part : parts_) {
    for (const TacticPlace& place : part.tactics) {
      request.goals_at.push_back(syntax::PositionAt(lines, place.range.begin));
    }
  }
  return request;
}

std::vector<json> ProofSteps::Describe(const lean::CheckResult& checked) const {
  std::vector<json> all;
  for (const PartPlaces& part : parts_) all.push_back(Describe(part, checked));
  return all;
}

json ProofSteps::Describe(const PartPlaces& part, const lean::CheckResult& checked) const {
  std::vector<json> number;  // of the step of each tactic; null: it has not run
  size_t count = 0;
  for (size_t i = 0; i < part.tactics.size(); ++i) {
    const bool has_run = checked.in_proof.at(part.first_state + i);
    number.push_back(has_run ? json(count++) : json());
  }
  const std::string text(file_.Slice(part.range));
  const core::LineIndex lines(text);
  json steps = json::array();
  size_t bytes = 0;
  for (size_t i = 0; i < part.tactics.size(); ++i) {
    if (number[i].is_null()) continue;
    const TacticPlace& place = part.tactics[i];
    std::string before =
        fmt::format("{}", fmt::join(checked.goals.at(part.first_state + i), "\n\n"));
    bytes += before.size();
    steps.push_back({{"start", PlaceOf(lines, place.range.begin - part.range.begin)},
                     {"end", PlaceOf(lines, place.range.end - part.range.begin)},
                     {"depth", place.depth},
                     {"before", std::move(before)},
                     {"next", place.next ? number[*place.next] : json()}});
  }
  if (steps.empty() || bytes > kMostStateBytes) return nullptr;
  return {{"text", text}, {"steps", std::move(steps)}};
}

}  // namespace zermelo::engine
