#include "syntax/goal/goal_json.h"

#include <nlohmann/json.hpp>

namespace zermelo::syntax {

using nlohmann::json;

namespace {

json HypothesisJson(const Hypothesis& hypothesis) {
  json written;
  written["names"] = hypothesis.names;
  written["type"] = hypothesis.type;
  if (!hypothesis.value.empty()) written["value"] = hypothesis.value;
  return written;
}

json HypothesesJson(const std::vector<Hypothesis>& hypotheses) {
  json list = json::array();
  for (const Hypothesis& hypothesis : hypotheses) list.push_back(HypothesisJson(hypothesis));
  return list;
}

}  // namespace

json GoalJson(const Goal& goal) {
  json written;
  if (!goal.tag.empty()) written["case"] = goal.tag;
  written["hypotheses"] = HypothesesJson(goal.hypotheses);
  written["target"] = goal.target;
  if (goal.conv) written["conv"] = true;
  return written;
}

json ChangeJson(const StateChange& change, const ProofState& after) {
  json goals = json::array();
  for (const GoalChange& goal : change.goals) {
    json written;
    written["before"] = goal.before;
    written["after"] = goal.after;
    if (!goal.added.empty()) written["added"] = HypothesesJson(goal.added);
    if (!goal.removed.empty()) written["removed"] = HypothesesJson(goal.removed);
    for (const ChangedHypothesis& changed : goal.changed) {
      json both;
      both["before"] = HypothesisJson(changed.before);
      both["after"] = HypothesisJson(changed.after);
      written["changed"].push_back(std::move(both));
    }
    if (goal.target_changed) written["target"] = after.goals.at(goal.after).target;
    goals.push_back(std::move(written));
  }
  json written;
  written["closed"] = change.closed;
  written["goals"] = std::move(goals);
  return written;
}

}  // namespace zermelo::syntax
