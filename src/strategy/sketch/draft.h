// Sketches as a model writes them, and what Lean and a judge make of them (Seed-Prover 1.5, arXiv
// 2512.17260, section 3.3 and appendix B).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "strategy/sketch/plan.h"
#include "strategy/sketch/sketch.h"

namespace zermelo::strategy::sketch {

struct Draft {
  std::string reply;
  std::string code;  // in the reply; empty: none
  std::optional<Plan> plan;
  int structure = -1;  // S_FL: 1 when Lean accepts it but for its lemmas
  std::optional<Rubric> rubric;
  std::string problem;    // why it is not used; empty: it may be used
  bool unjudged = false;  // the judge has not said all that the reward needs

  double Quality() const;  // S_NL
  int Reward() const;      // equation 2
  /// The reward at best, had the judge said all that it has not said and, unless `checked`, Lean.
  int BestReward(bool checked) const;
};

/// {"reply", "structure", "problem", "lemmas", "quality", "reward"} and, if there are any, "code",
/// "unused" and "rubric".
nlohmann::json ToJson(const Draft& draft);

/// What a sketch is of.
struct DraftTask {
  Declared target;
  std::string words;                   // its proof in words
  std::string feedback;                // problems of an earlier sketch; empty: none
  std::vector<std::string> forbidden;  // as in ReadPlan
  size_t min_lemmas = 0;               // a sketch of fewer is not judged
};

/// Asks the models of `session` for sketches and for opinions on them. All calls on one executor;
/// they may overlap. The arguments must outlive it; the session needs the prompts of
/// prompts/sketch.
class Drafter {
 public:
  /// `header`: of the file. `known`: what precedes the statements.
  Drafter(Session& session, const std::string& header, const LemmaStore& known,
          const SketchParameters& parameters)
      : session_(session), header_(header), known_(known), parameters_(parameters) {}

  /// By role::kInformal; `reason`: what attempts to prove it have shown, or empty. Empty: no
  /// answer.
  core::Task<std::string> ProofInWords(std::string statement, std::string reason);
  /// By role::kSketcher, judged by Lean and role::kJudge.
  core::Task<Draft> Make(DraftTask task);

 private:
  core::Task<std::string> Ask(std::string_view role, std::string_view prompt,
                              llm::PromptTemplates::Values values);
  core::Task<void> JudgeStructure(Draft& draft);
  core::Task<void> JudgeLemmas(Draft& draft);
  core::Task<void> JudgeLemma(const std::string& definitions, PlannedLemma& lemma, Draft& draft);
  core::Task<void> GiveMarks(const DraftTask& task, Draft& draft);
  llm::PromptTemplates::Values ValuesFor(const std::string& statement) const;
  bool Goes() const { return session_.MayAsk(); }

  Session& session_;
  const std::string& header_;
  const LemmaStore& known_;
  const SketchParameters& parameters_;
};

}  // namespace zermelo::strategy::sketch
