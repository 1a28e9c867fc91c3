#include "view/subgoal_tree.h"

#include <fmt/format.h>
#include <map>

#include "core/json.h"
#include "core/text.h"
#include "record/events.h"

namespace zermelo::view {

namespace event = record::event;
using nlohmann::json;

namespace {

constexpr size_t kShownCodePoints = 100;
constexpr size_t kDeepest = 128;  // decompositions do not nest deeper

struct Node;

/// One sketch that divides a theorem into subgoals.
struct Division {
  size_t attempt = 0, refinement = 0;
  std::string refused;  // why it was given up; empty if it was not
  std::vector<size_t> subgoals;
};

struct Node {
  size_t depth = 0;
  std::string name, statement;
  std::string state = "open";
  std::string why;
  json used;  // null: not recorded
  std::vector<Division> divisions;
};

using Tree = std::map<size_t, Node>;

/// Adds an event to the tree. Throws json::exception.
void Apply(const std::string& kind, const json& fields, Tree& tree) {
  const size_t number = fields.at("node");
  if (kind == event::kSubgoal) {
    Node node;
    node.depth = fields.at("depth");
    node.name = fields.at("name");
    node.statement = fields.at("statement");
    const json& parent = fields.at("parent");
    if (!tree.try_emplace(number, std::move(node)).second || parent.is_null()) return;
    const auto above = tree.find(parent.get<size_t>());
    if (above == tree.end() || above->first >= number || above->second.divisions.empty()) return;
    above->second.divisions.back().subgoals.push_back(number);
    return;
  }
  const auto found = tree.find(number);
  if (found == tree.end()) return;
  Node& node = found->second;
  if (kind == event::kSubgoalState) {
    node.state = fields.at("state");
    node.why = fields.at("why");
  } else if (kind == event::kSubgoalUsed) {
    node.used = fields;
    node.used.erase("node");
  } else if (kind == event::kSketch) {
    Division division;
    division.attempt = fields.at("attempt");
    division.refinement = fields.at("refinement");
    node.divisions.push_back(std::move(division));
  } else {
    const bool of_none = node.divisions.empty() || !node.divisions.back().refused.empty();
    if (of_none) node.divisions.emplace_back();
    node.divisions.back().refused = fmt::format("{}: {}", fields.at("step").get<std::string>(),
                                                fields.at("why").get<std::string>());
  }
}

/// One tree per theorem that has subgoals.
std::vector<Tree> TreesOf(const std::vector<store::Event>& events) {
  std::vector<Tree> trees;
  for (const store::Event& event : events) {
    if (event.kind == event::kTheoremBegun || trees.empty()) trees.emplace_back();
    if (event.kind == event::kTheoremBegun) continue;
    try {
      Apply(event.kind, core::JsonOrDiscarded(event.fields), trees.back());
    } catch (const json::exception&) {
      continue;  // written by another version
    }
  }
  std::erase_if(trees, [](const Tree& tree) { return tree.size() < 2; });
  return trees;
}

/// The text on one line, cut at kShownCodePoints.
std::string OneLine(std::string_view text) {
  std::string line;
  size_t points = 0;
  for (size_t at = 0; at < text.size(); ++points) {
    if (points == kShownCodePoints) return line + " …";
    const size_t length = std::max<size_t>(core::DecodeUtf8(text, at).length, 1);
    const bool blank = text[at] == '\n' || text[at] == '\t' || text[at] == '\r';
    line += blank ? std::string_view(" ") : text.substr(at, length);
    at += length;
  }
  return line;
}

void Draw(const Tree& tree, size_t number, size_t indent, std::string& out) {
  const auto found = tree.find(number);
  if (found == tree.end() || indent > 4 * kDeepest) return;
  const Node& node = found->second;
  const std::string blanks(indent, ' ');
  out += fmt::format("{}{} {} {}", blanks, MarkOf(node.state, "–"), node.name,
                     OneLine(node.statement));
  out += fmt::format("  [{}{}{}]\n", node.state, node.why.empty() ? "" : ": ", OneLine(node.why));
  for (const Division& division : node.divisions) {
    out += fmt::format("{}  sketch", blanks);
    if (division.attempt > 0) out += fmt::format(" {}", division.attempt);
    if (division.refinement > 0) out += fmt::format(", refinement {}", division.refinement);
    if (!division.refused.empty()) out += fmt::format(" refused, {}", OneLine(division.refused));
    out += '\n';
    for (const size_t subgoal : division.subgoals) Draw(tree, subgoal, indent + 4, out);
  }
}

json ToJson(const Tree& tree, size_t number, size_t depth = 0) {
  const auto found = tree.find(number);
  if (found == tree.end() || depth > kDeepest) return json();
  const Node& node = found->second;
  json sketches = json::array();
  for (const Division& division : node.divisions) {
    json subgoals = json::array();
    for (const size_t subgoal : division.subgoals)
      subgoals.push_back(ToJson(tree, subgoal, depth + 1));
    sketches.push_back({{"attempt", division.attempt},
                        {"refinement", division.refinement},
                        {"refused", division.refused},
                        {"subgoals", std::move(subgoals)}});
  }
  return {{"name", node.name},
          {"statement", node.statement},
          {"state", node.state},
          {"why", node.why},
          {"depth", node.depth},
          {"used", node.used},
          {"sketches", std::move(sketches)}};
}

}  // namespace

const char* MarkOf(const std::string& state, const char* open) {
  if (state == "proved") return "✓";
  if (state == "false") return "✗";
  return state == "proving" || state == "divided" ? "…" : open;
}

std::vector<std::string> SubgoalEventKinds() {
  std::vector<std::string> kinds;
  for (const auto kind : {event::kTheoremBegun, event::kSubgoal, event::kSubgoalState,
                          event::kSubgoalUsed, event::kSketch, event::kSketchRefused}) {
    kinds.emplace_back(kind);
  }
  return kinds;
}

std::string DrawSubgoals(const std::vector<store::Event>& events) {
  std::string out;
  for (const Tree& tree : TreesOf(events)) Draw(tree, 0, 0, out);
  return out;
}

json SubgoalsJson(const std::vector<store::Event>& events) {
  json trees = json::array();
  for (const Tree& tree : TreesOf(events)) trees.push_back(ToJson(tree, 0));
  return trees;
}

}  // namespace zermelo::view
