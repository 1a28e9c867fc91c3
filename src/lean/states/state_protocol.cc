#include "lean/states/state_protocol.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace zermelo::lean {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

/// nlohmann::json would convert a negative number.
template <class T>
T Number(const json& number) {
  if (!number.is_number_unsigned() ||
      number.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<T>::max())) {
    throw json::other_error::create(0, "a number is expected", &number);
  }
  return number.get<T>();
}

/// nlohmann::json would iterate over anything.
const json& List(const json& list) {
  if (!list.is_array()) throw json::other_error::create(0, "a list is expected", &list);
  return list;
}

/// [line, column in code points]. Columns are taken as LSP's, as those of `lean --json` are: they
/// differ only after characters beyond the Basic Multilingual Plane.
Position ParsePosition(const json& place) {
  return {.line = Number<uint32_t>(place.at(0)), .character = Number<uint32_t>(place.at(1))};
}

Diagnostic ParseNote(const json& note) {
  const auto severity = Number<int>(note.at("severity"));
  if (severity < 1 || severity > 3) {
    throw json::other_error::create(0, "there is no such severity", &note);
  }
  return {.severity = static_cast<Severity>(severity),
          .begin = ParsePosition(note.at("from")),
          .end = ParsePosition(note.at("to")),
          .message = note.at("text").get<std::string>()};
}

std::vector<Diagnostic> ParseNotes(const json& notes) {
  std::vector<Diagnostic> parsed;
  for (const json& note : List(notes)) parsed.push_back(ParseNote(note));
  return parsed;
}

TacticStep ParseStep(const json& step) {
  TacticStep parsed;
  parsed.begin = ParsePosition(step.at("from"));
  parsed.end = ParsePosition(step.at("to"));
  if (const json& state = step.at("state"); !state.is_null()) {
    parsed.state = Number<StateNumber>(state);
    parsed.goals = step.at("goals").get<std::vector<std::string>>();
  }
  parsed.messages = ParseNotes(step.at("notes"));
  parsed.cut = step.at("cut").get<bool>();
  parsed.elaborated = step.at("elaborated").get<bool>();
  parsed.aborted = step.at("aborted").get<bool>();
  return parsed;
}

std::vector<std::optional<std::vector<std::string>>> ParseGoalsAt(const json& answer) {
  std::vector<std::optional<std::vector<std::string>>> parsed;
  const auto asked = answer.find("goals_at");
  if (asked == answer.end()) return parsed;
  for (const json& goals : List(*asked)) {
    parsed.emplace_back();
    if (!goals.is_null()) parsed.back() = goals.get<std::vector<std::string>>();
  }
  return parsed;
}

core::Error Garbage(const json::exception& e) {
  return {.code = ErrorCode::kCrashed,
          .message = std::string("the state server sent an unexpected answer: ") + e.what()};
}

}  // namespace

const Diagnostic* StateRun::FirstError() const {
  const Diagnostic* first = nullptr;
  const auto look = [&](const std::vector<Diagnostic>& messages) {
    for (const Diagnostic& d : messages) {
      const bool is_error = d.severity == Severity::kError;
      if (is_error && (first == nullptr || d.begin < first->begin)) first = &d;
    }
  };
  for (const TacticStep& step : steps) look(step.messages);
  look(syntax_errors);
  return first;
}

bool StateRun::Closed() const {
  const bool failed = !steps.empty() && !steps.back().state;
  return !failed && FirstError() == nullptr && goals.empty() && !has_sorry && !has_holes;
}

Result<OpenedHole> ParseOpenedHole(const json& answer) {
  try {
    return OpenedHole{.state = Number<StateNumber>(answer.at("state")),
                      .goals = answer.at("goals").get<std::vector<std::string>>()};
  } catch (const json::exception& e) {
    return Fail(Garbage(e));
  }
}

Result<StateRun> ParseStateRun(const json& answer) {
  try {
    StateRun run;
    for (const json& step : List(answer.at("steps"))) run.steps.push_back(ParseStep(step));
    run.syntax_errors = ParseNotes(answer.at("syntax"));
    run.state = Number<StateNumber>(answer.at("state"));
    run.goals = answer.at("goals").get<std::vector<std::string>>();
    run.has_sorry = answer.at("sorry").get<bool>();
    run.has_holes = answer.at("holes").get<bool>();
    run.goals_at = ParseGoalsAt(answer);
    return run;
  } catch (const json::exception& e) {
    return Fail(Garbage(e));
  }
}

Result<std::vector<StateRun>> ParseTried(const json& answer) {
  try {
    std::vector<StateRun> tried;
    for (const json& each : List(answer.at("tried"))) {
      auto run = ParseStateRun(each);
      if (!run) return Fail(run.error());
      tried.push_back(std::move(*run));
    }
    return tried;
  } catch (const json::exception& e) {
    return Fail(Garbage(e));
  }
}

}  // namespace zermelo::lean
