// From the steps of a search to the text of a proof.
#pragma once

#include <string>
#include <vector>

namespace zermelo::strategy {

/// One tactic and how many goals it made of the first goal (0: it closed it).
struct ProofStep {
  std::string tactic;
  size_t goals_left = 0;
};

/// The tactics one below the other, as Lean ran them.
std::string FlatText(const std::vector<ProofStep>& steps);

/// The same indented by two, each line ended, as prompts want it (llm::PromptInput::prefix).
std::string IndentedText(const std::vector<ProofStep>& steps);

/// The same proof with a `·` block for every goal of a step that left several, and
/// `have h : p := by` with its proof for a step `have h : p := ?_`.
std::string LaidOutText(const std::vector<ProofStep>& steps);

}  // namespace zermelo::strategy
