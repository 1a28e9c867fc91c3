#include "view/run_json.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>

#include "core/json.h"
#include "engine/acceptance/kernels.h"
#include "engine/recorded_run.h"
#include "record/events.h"
#include "syntax/goal/goal_json.h"
#include "view/blueprint.h"
#include "view/subgoal_tree.h"

namespace zermelo::view {

using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

constexpr size_t kEventsAtOnce = 1000;

json Member(const json& object, const char* name) {
  return object.is_object() ? object.value(name, json()) : json();
}

/// What the run's calls of models used, all roles together; null while it is unknown.
json SpentOf(const json& result) {
  const json roles = Member(result, "roles");
  if (!roles.is_object()) return {};
  json sum;
  for (const char* count : {"calls", "samples", "prompt_tokens", "completion_tokens"}) {
    int64_t all = 0;
    for (const json& spent : roles) all += spent.value(count, int64_t{0});
    sum[count] = all;
  }
  sum["tokens"] = sum["prompt_tokens"].get<int64_t>() + sum["completion_tokens"].get<int64_t>();
  double dollars = 0;
  bool estimated = false;
  for (const json& spent : roles) {
    dollars += spent.value("dollars", 0.0);
    estimated = estimated || spent.value("estimated", false);
  }
  sum["dollars"] = dollars;
  sum["estimated"] = estimated;
  return sum;
}

/// What Lean has checked; null while it is unknown. Results of older programs lack it.
json ChecksOf(const json& result, const std::vector<store::TheoremRow>& theorems) {
  if (json checks = Member(result, "checks"); !checks.is_null() || theorems.empty()) return checks;
  int64_t sum = 0;
  for (const store::TheoremRow& theorem : theorems) sum += theorem.checks;
  return sum;
}

/// As `zermelo prove --json` prints a theorem, as far as it is recorded. `verdict`: the fields of
/// its last event `proved` or `failed`, which are shown as they are: an older version may have
/// written them.
json TheoremJson(const store::TheoremRow& row, const json& verdict) {
  json object = engine::TheoremOf(row);
  object["status"] = row.status;
  object["message"] = row.message;
  object["axioms"] = Parsed(row.axioms);
  for (const char* not_recorded : {"proofs", "kernels"}) object.erase(not_recorded);
  for (const char* field : {"kernels", "from", "auxiliary", "roles"}) {
    json value = Member(verdict, field);
    if (value.is_array() && field == std::string_view("kernels"))
      value = engine::RecordedKernels(value);
    if (!value.is_null()) object[field] = std::move(value);
  }
  return object;
}

/// The last verdict on each theorem, by its number.
Result<std::map<int64_t, json>> VerdictsOf(store::Runs& runs, int64_t run) {
  const auto events = AllEvents(
      runs, run, {std::string(record::event::kProved), std::string(record::event::kFailed)});
  if (!events) return Fail(events.error());
  std::map<int64_t, json> verdicts;
  for (const store::Event& event : *events) {
    json fields = Parsed(event.fields);
    const json theorem = Member(fields, "theorem");
    if (theorem.is_number_integer()) verdicts[theorem.get<int64_t>()] = std::move(fields);
  }
  return verdicts;
}

void AddCall(json& object, const char* name, const std::string& text, size_t limit) {
  if (text.size() > limit) {
    object["cut"] = true;
  } else {
    object[name] = Parsed(text);
  }
}

}  // namespace

json Parsed(const std::string& text) {
  json value = core::JsonOrDiscarded(text);
  return value.is_discarded() ? json() : value;
}

Result<store::Run> FindRun(store::Runs& runs, int64_t id) {
  auto run = runs.Find(id);
  if (!run) return Fail(run.error());
  if (auto& found = *run) return *std::move(found);
  return Fail(core::ErrorCode::kUsage, fmt::format("there is no run {}", id),
              "list the runs with: zermelo runs");
}

Result<std::vector<store::Event>> AllEvents(store::Runs& runs, int64_t run,
                                            const std::vector<std::string>& kinds) {
  std::vector<store::Event> all;
  for (int64_t from = 0;;) {
    auto events = runs.Events(run, from, kEventsAtOnce, kinds);
    if (!events) return Fail(events.error());
    if (events->empty()) return all;
    from = events->back().seq + 1;
    std::move(events->begin(), events->end(), std::back_inserter(all));
  }
}

json SummaryJson(const store::Run& run) {
  const json result = Parsed(run.result);
  return {{"id", run.id},
          {"started", run.started},
          {"state", run.state},
          {"file", run.file},
          {"seconds", run.seconds},
          {"strategy", Member(Member(Parsed(run.request), "strategy"), "strategy")},
          {"dollars", Member(SpentOf(result), "dollars")},
          {"proved", Member(result, "proved")},
          {"theorems", Member(result, "theorems")}};
}

json ShownRequest(const store::Run& run) {
  json request = Parsed(run.request);
  if (request.is_object()) request.erase("imported");
  return request;
}

Result<json> RunJson(store::Runs& runs, const store::Run& run) {
  const auto theorems = runs.Theorems(run.id);
  if (!theorems) return Fail(theorems.error());
  const auto verdicts = VerdictsOf(runs, run.id);
  if (!verdicts) return Fail(verdicts.error());
  const auto kinds = runs.Kinds(run.id);
  if (!kinds) return Fail(kinds.error());
  const auto subgoals = AllEvents(runs, run.id, SubgoalEventKinds());
  if (!subgoals) return Fail(subgoals.error());
  const auto lemmas = AllEvents(runs, run.id, BlueprintEvents());
  if (!lemmas) return Fail(lemmas.error());
  json output = SummaryJson(run);
  output["program"] = run.program;
  output["lean"] = Parsed(run.toolchain);
  output["request"] = ShownRequest(run);
  output["results"] = json::array();
  for (const auto& theorem : *theorems) {
    const auto verdict = verdicts->find(theorem.position);
    const bool is_known = verdict != verdicts->end();
    output["results"].push_back(TheoremJson(theorem, is_known ? verdict->second : json()));
  }
  output["events"] = json::object();
  for (const auto& [kind, count] : *kinds) output["events"][kind] = count;
  output["subgoals"] = SubgoalsJson(*subgoals);
  output["blueprint"] = ReadBlueprint(*lemmas)["theorems"];
  const json result = Parsed(run.result);
  if (result.is_object()) output["roles"] = result.value("roles", json::object());
  output["spent"] = SpentOf(result);
  output["checks"] = ChecksOf(result, *theorems);
  output["lean_seconds"] = Member(result, "lean_seconds");
  output["lean_by_role"] = Member(result, "lean_by_role");
  return output;
}

namespace {

/// The goals of a new state, which are a list or, of rmaxts, one text.
syntax::ProofState StateOf(const json& event) {
  std::string text;
  const json goals = event.value("goals", json());
  if (goals.is_string()) text = goals.get<std::string>();
  for (const json& goal : goals.is_array() ? goals : json::array()) {
    if (goal.is_string()) text += goal.get<std::string>() + "\n\n";
  }
  return syntax::ParseProofState(text);
}

}  // namespace

/// Lean is asked for a theorem's goals before anything else.
void StepChanges::NoteRoot(const json& checked) {
  const json answer = checked.value("answer", json());
  const json diagnostics = answer.is_object() ? answer.value("diagnostics", json()) : json();
  for (const json& diagnostic : diagnostics.is_array() ? diagnostics : json::array()) {
    const auto found = diagnostic.is_object() ? diagnostic.find("message") : diagnostic.end();
    if (found == diagnostic.end() || !found->is_string()) continue;
    constexpr std::string_view kUnsolved = "unsolved goals\n";
    const auto message = found->get<std::string>();
    if (message.starts_with(kUnsolved))
      root_ = syntax::ParseProofState(message.substr(kUnsolved.size()));
  }
}

syntax::ProofState* StepChanges::ParentOf(const Node& node) {
  const auto known = states_.find(node);
  if (known != states_.end()) return &known->second;
  return node.second == 0 && root_ ? &*root_ : nullptr;
}

void StepChanges::AddTo(json& event) {
  const json& kind = event.at("kind");
  if (kind == record::event::kTheoremBegun) {
    states_.clear();
    root_.reset();
    next_check_is_of_root_ = true;
  }
  if (kind == record::event::kChecked && std::exchange(next_check_is_of_root_, false))
    NoteRoot(event);
  for (const auto& parts : {record::event::kSubgoal, record::event::kSketched,
                            record::event::kBlueprint, record::event::kRoundBegun}) {
    if (kind == parts) root_.reset();
  }
  if (kind != record::event::kNodeAdded) return;
  const auto number = [&](const char* name) {
    const auto found = event.find(name);
    const bool whole = found != event.end() && found->is_number_integer();
    return whole ? found->get<int64_t>() : -1;
  };
  syntax::ProofState state = StateOf(event);
  if (const auto* parent = ParentOf({number("tree"), number("parent")})) {
    event["change"] = syntax::ChangeJson(syntax::Compare(*parent, state), state);
  }
  states_[{number("tree"), number("node")}] = std::move(state);
}

namespace {

/// The part of an arm's score beside its mean reward w/n (docs/search.md); "inf" if the score is.
void AddBonus(json& arm) {
  const json score = Member(arm, "score"), reward = Member(arm, "w"), visits = Member(arm, "n");
  if (score.is_string()) arm["bonus"] = score;
  if (!score.is_number() || !reward.is_number() || !visits.is_number()) return;
  const auto n = visits.get<double>();
  arm["bonus"] = score.get<double>() - (n > 0 ? reward.get<double>() / n : 0);
}

json* ArrayIn(json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found != object.end() && found->is_array() ? &*found : nullptr;
}

void AddBonuses(json& step) {
  json* const arms = ArrayIn(step, "arms");
  if (arms == nullptr) return;
  for (json& arm : *arms) AddBonus(arm);
}

}  // namespace

json EventJson(const store::Event& event, size_t limit) {
  json object = Parsed(event.fields);
  if (!object.is_object()) object = json::object();
  object["seq"] = event.seq;
  object["at"] = event.at;
  object["kind"] = event.kind;
  if (event.kind == record::event::kNodeAdded && object.contains("goals")) {
    object["structured"] = json::array();
    for (const syntax::Goal& goal : StateOf(object).goals) {
      object["structured"].push_back(syntax::GoalJson(goal));
    }
  }
  if (event.kind == record::event::kSelected) {  // traced: among all nodes, or at those of a path
    AddBonuses(object);
    if (json* const path = ArrayIn(object, "path"); path != nullptr) {
      for (json& step : *path) AddBonuses(step);
    }
  }
  if (event.call) {
    object["model"] = event.call->model;
    AddCall(object, "request", event.call->request, limit);
    AddCall(object, "answer", event.call->reply, limit);
  } else if (!event.answer.empty()) {
    AddCall(object, "answer", event.answer, limit);
  }
  return object;
}

}  // namespace zermelo::view
