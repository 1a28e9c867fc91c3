// Converts the steps of a search into the text of a proof.
#pragma once

#include <string>
#include <vector>

namespace zermelo::strategy {

/// One tactic and the number of goals that it made of the first goal (0: it closed the goal).
struct ProofStep {
  std::string tactic;
  size_t goals_left = 0;
};

/// The tactics one below the other, as Lean ran them.
std::string FlatText(const std::vector<ProofStep>& steps);

/// FlatText indented by two, every line ending in a newline (format of
/// policy::CompletionInput::prefix).
std::string IndentedText(const std::vector<ProofStep>& steps);

/// The same proof in idiomatic layout: a `·` block for each goal of a step that left several, and
/// `have h : p := by` followed by its proof for a step `have h : p := ?_`.
std::string LaidOutText(const std::vector<ProofStep>& steps);

}  // namespace zermelo::strategy
