// A policy proposes tactics; it never calls Lean and never decides whether a proof is accepted.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "learn/knowledge.h"
#include "llm/budget.h"
#include "llm/model.h"
#include "retrieve/retriever.h"
#include "syntax/file_constants.h"
#include "syntax/goal/goal.h"
#include "syntax/theorem.h"

namespace zermelo::policy {

/// One tactic, or a few lines of tactics, to try on the first goal of a state.
struct Candidate {
  std::string tactic;    // may have several lines; indentation relative to column 0
  double cost = 1;       // search cost, >= 0: a negative log-probability, or on that scale
  bool closing = false;  // expected to close the goal or to fail
  std::string origin;    // the policy or heuristic that proposed it
  bool sampled = false;  // a model's sample
};

/// The number of premises that a step policy is given without effort.
inline constexpr size_t kPremises = 12;

/// The input of a step policy.
struct StepContext {
  syntax::ProofState state;                // all goals; candidates act on the first
  bool has_mathlib = false;                // Mathlib's tactics are available
  int depth = 0;                           // tactics so far
  size_t effort = 0;                       // how often everything proposed before has failed
  std::vector<std::string> premises;       // names of library theorems worth trying
  std::vector<retrieve::Premise> rules;    // theorems that rewrite a part of the first goal
  std::vector<std::string> definitions;    // of the library that the first goal names
  std::vector<std::string> namesakes;      // theorems named as this one, in other namespaces
  std::vector<learn::Suggestion> learned;  // tactics of similar goals, the most similar first
  /// What the file declares above the goal, in order; null: nothing. Theorems that are `open` must
  /// not be used.
  std::shared_ptr<const std::vector<syntax::FileConstant>> file;
  std::vector<std::string> imports;  // of the file, with Init unless it is a `prelude`
  learn::Source source;              // of the theorem; the place is the file
  syntax::Theorem theorem;
  std::string prefix;   // the tactics so far, as in CompletionInput
  std::string printed;  // the state as Lean prints it
};

/// A policy that never waits. Thread-compatible: calls on one object must not overlap.
class StepPolicy {
 public:
  virtual ~StepPolicy() = default;
  /// At most `n` candidates, cheapest first, without duplicates. Never fails; may be empty.
  virtual std::vector<Candidate> Propose(const StepContext& context, size_t n) = 0;
  /// See Policy.
  virtual bool wants_library() const { return false; }
  virtual size_t most_effort() const { return 0; }
};

struct Proposal {
  std::vector<Candidate> candidates;  // cheapest first, without duplicates; may be empty
  llm::Spending spending;             // the cost of the models that proposed them
  // What models returned, also what repeats another candidate or is no tactic: at least as many as
  // there are sampled candidates.
  size_t samples = 0;
};

/// A policy that may have to wait for a model. Calls on one object may overlap; it must outlive
/// them.
class Policy {
 public:
  virtual ~Policy() = default;
  /// Proposes about `n` candidates. Same errors as llm::Model::Generate; a budget that is used up
  /// is kCancelled.
  virtual core::Task<core::Result<Proposal>> Propose(StepContext context, size_t n,
                                                     llm::CallContext call) = 0;
  /// Whether it uses `premises` and `rules` of the library.
  virtual bool wants_library() const { return false; }
  /// The greatest `effort` for which it may propose more than for the one before.
  virtual size_t most_effort() const { return 0; }
  /// Reports that a candidate with this origin is part of a proof that Lean accepted.
  virtual void Succeeded(const std::string& /*origin*/) {}
};

/// Adapts a step policy to Policy.
std::unique_ptr<Policy> MakeImmediatePolicy(std::unique_ptr<StepPolicy> policy);

}  // namespace zermelo::policy
