#include "view/blueprint.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "core/json.h"
#include "strategy/lemma_store.h"
#include "syntax/declarations.h"
#include "view/subgoal_tree.h"

namespace zermelo::view {

using nlohmann::json;

namespace {

std::string Text(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

json* FindLemma(json& theorem, const std::string& name) {
  for (json& lemma : theorem["lemmas"]) {
    if (Text(lemma, "name") == name) return &lemma;
  }
  return nullptr;
}

class Reader {
 public:
  json Run(const std::vector<store::Event>& events) {
    for (const store::Event& event : events) {
      const json fields = core::JsonOrDiscarded(event.fields);
      if (!fields.is_object()) continue;
      if (event.kind == event::kTheoremBegun) {
        Begin(fields);
      } else if (theorems_.empty()) {
        continue;
      } else if (event.kind == event::kBlueprint) {
        Change(fields);
      } else if (event.kind == event::kLemmaProved) {
        Prove(fields);
      } else if (event.kind == event::kSketched) {
        Sketch(fields);
      }
    }
    json blueprint;
    blueprint["theorems"] = json::array();
    for (json& theorem : theorems_) {
      if (theorem["lemmas"].empty()) continue;
      NameDependencies(theorem);
      blueprint["theorems"].push_back(std::move(theorem));
    }
    return blueprint;
  }

 private:
  void Begin(const json& fields) {
    json theorem;
    theorem["name"] = fields.value("name", json());
    theorem["line"] = fields.value("line", json());
    theorem["lemmas"] = json::array();
    theorem["sketches"] = json::array();
    theorems_.push_back(std::move(theorem));
  }

  void Change(const json& fields) {
    json& lemmas = theorems_.back()["lemmas"];
    const auto same = std::find_if(lemmas.begin(), lemmas.end(), [&](const json& lemma) {
      return lemma.contains("lemma") && lemma["lemma"] == fields.value("lemma", json());
    });
    if (same != lemmas.end()) {
      *same = fields;
    } else {
      lemmas.push_back(fields);
    }
  }

  /// Adds a lemma that an agent proved outside of any plan.
  void Prove(const json& fields) {
    const std::string name = Text(fields, "name");
    if (name.empty() || FindLemma(theorems_.back(), name) != nullptr) return;
    json lemma;
    for (const char* field : {"name", "statement", "by", "proof"}) {
      if (fields.contains(field)) lemma[field] = fields[field];
    }
    lemma["status"] = "proved";
    theorems_.back()["lemmas"].push_back(std::move(lemma));
  }

  void Sketch(const json& fields) {
    json sketch;
    for (const char* field : {"attempt", "structure", "quality", "reward", "problem"}) {
      if (fields.contains(field)) sketch[field] = fields[field];
    }
    sketch["lemmas"] = fields.value("lemmas", json::array()).size();
    for (const json& lemma : theorems_.back()["lemmas"]) {
      if (lemma.value("lemma", json()) == fields.value("lemma", json()))
        sketch["of"] = lemma["name"];
    }
    theorems_.back()["sketches"].push_back(std::move(sketch));
  }

  /// Replaces the numbers of the plan by names, and adds the lemmas that a proof mentions.
  static void NameDependencies(json& theorem) {
    std::map<std::string, std::string> names;  // by number, as text
    for (const json& lemma : theorem["lemmas"]) {
      if (lemma.contains("lemma")) names[lemma["lemma"].dump()] = Text(lemma, "name");
    }
    for (json& lemma : theorem["lemmas"]) {
      json depends = json::array();
      for (const json& number : lemma.value("depends", json::array())) {
        const auto known = names.find(number.dump());
        if (known != names.end()) depends.push_back(known->second);
      }
      const std::string proof = Text(lemma, "proof");
      for (const json& other : theorem["lemmas"]) {
        const std::string name = Text(other, "name");
        const bool told = std::find(depends.begin(), depends.end(), name) != depends.end();
        if (told || proof.empty() || name == Text(lemma, "name")) continue;
        if (strategy::Mentions(proof, name)) depends.push_back(name);
      }
      lemma["depends"] = std::move(depends);
      lemma.erase("lemma");
    }
  }

  std::vector<json> theorems_;
};

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\l";
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

const char* ColorOf(const std::string& status) {
  if (status == "proved") return "#b7e4c7";
  if (status == "false") return "#f4b6b6";
  if (status == "proving") return "#bcd7f5";
  return status == "too_hard" ? "#f3dca6" : "#ffffff";
}

}  // namespace

std::vector<std::string> BlueprintEvents() {
  return {std::string(event::kTheoremBegun), std::string(event::kBlueprint),
          std::string(event::kLemmaProved), std::string(event::kSketched)};
}

json ReadBlueprint(const std::vector<store::Event>& events) { return Reader().Run(events); }

std::string BlueprintDot(const json& blueprint) {
  std::string dot =
      "digraph blueprint {\n  rankdir=BT;\n"
      "  node [shape=box, style=\"rounded,filled\", fontname=\"monospace\", fontsize=10];\n";
  size_t number = 0;
  for (const json& theorem : blueprint.at("theorems")) {
    const std::string prefix = fmt::format("t{}/", number++);
    for (const json& lemma : theorem.at("lemmas")) {
      const std::string name = Text(lemma, "name"), status = Text(lemma, "status");
      const std::string label = fmt::format("{} {} ({})\n{}\n", MarkOf(status, "○"), name, status,
                                            Text(lemma, "statement"));
      dot += fmt::format("  {} [label={}, fillcolor=\"{}\"];\n", Quoted(prefix + name),
                         Quoted(label), ColorOf(status));
      for (const json& needed : lemma.at("depends")) {
        dot += fmt::format("  {} -> {};\n", Quoted(prefix + needed.get<std::string>()),
                           Quoted(prefix + name));
      }
    }
  }
  return dot + "}\n";
}

std::string BlueprintText(const json& blueprint) {
  std::string text;
  for (const json& theorem : blueprint.at("theorems")) {
    for (const json& lemma : theorem.at("lemmas")) {
      const size_t depth = lemma.value("depth", size_t{1});
      text += fmt::format("{}{} {}  {}", std::string(2 * depth, ' '),
                          MarkOf(Text(lemma, "status"), "○"), Text(lemma, "name"),
                          Text(lemma, "status"));
      if (lemma.contains("by")) text += fmt::format(", by {}", Text(lemma, "by"));
      if (lemma.value("tokens", 0) > 0) {
        text += fmt::format(", {} calls, {} tokens", lemma["calls"].dump(), lemma["tokens"].dump());
      }
      std::string needs;
      for (const json& needed : lemma.at("depends")) {
        needs.append(needs.empty() ? "; from " : ", ").append(needed.get<std::string>());
      }
      const std::string reason = Text(lemma, "reason");
      text += needs + (reason.empty() ? "" : ": " + reason.substr(0, reason.find('\n'))) + "\n";
    }
    for (const json& sketch : theorem.at("sketches")) {
      const std::string problem = Text(sketch, "problem");
      text += fmt::format("  sketch {} of {}: {} lemmas, quality {:.2f}, reward {}{}\n",
                          sketch.value("attempt", 0), Text(sketch, "of"), sketch["lemmas"].dump(),
                          sketch.value("quality", 0.0), sketch.value("reward", 0),
                          problem.empty() ? "" : ": " + problem.substr(0, problem.find('\n')));
    }
  }
  return text;
}

}  // namespace zermelo::view
