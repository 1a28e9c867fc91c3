// What models wrote in a run, for training on the replies that led to proofs.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "data/material.h"
#include "store/runs.h"

namespace zermelo::data {

/// Reads the events of one run in order, then sorts what they contain by theorem.
class ModelTexts {
 public:
  /// The kinds of events that Use reads.
  static std::vector<std::string> Kinds();
  /// `fields`: of the event. `theorem`: which theorem of the run is being searched for. May throw
  /// nlohmann::json::exception.
  void Use(const store::Event& event, const nlohmann::json& fields, int64_t theorem);

  struct Wanted {
    const Origin& origin;
    int64_t position = 0;   // in the run
    std::string proof;      // that was accepted; empty: none
    bool only_hole = true;  // of its declaration: what models were told is about all of it
  };
  /// Adds the replies and conversations that contain the proof, and the sketches and guides of the
  /// theorem.
  void Collect(const Wanted& wanted, Material& material) const;

 private:
  struct Reply {
    std::string model, text, reasoning;
    std::string key;  // TokenKey of the text
    std::variant<std::string, std::vector<llm::Message>> prompt;
  };
  struct Sketch {
    int64_t theorem = 0;
    size_t reply = 0;  // index
    double reward = 0;
    nlohmann::json rubric;
  };
  struct Dialogue {
    int64_t theorem = 0;
    std::vector<llm::Message> messages;
    bool was_cut = false;  // the model saw only a part
  };

  struct Told {
    int64_t theorem = 0;
    std::string words, notes;  // as in Guide
    bool operator==(const Told&) const = default;
  };

  void AddReplies(const store::ModelCall& call);
  void AddGuide(Told told);
  void AddSketch(const nlohmann::json& fields, int64_t theorem);
  static bool Shows(const Reply& reply, const std::string& statement);

  std::vector<Reply> replies_;
  std::map<std::string, size_t> by_text_;  // the last reply with a text
  std::vector<Sketch> sketches_;
  std::vector<Told> told_;
  using Speaker = std::pair<std::string, std::string>;  // task and trajectory
  std::map<std::pair<int64_t, Speaker>, Dialogue> dialogues_;
};

}  // namespace zermelo::data
