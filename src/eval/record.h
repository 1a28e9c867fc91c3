// The records of an evaluation: one per problem and run, and one about the evaluation.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/fields.h"
#include "eval/problem.h"
#include "lean/use_by_role.h"
#include "llm/budget.h"

namespace zermelo::eval {

struct Cost {
  double seconds = 0;   // of search, without verification
  int64_t samples = 0;  // generations; without a model, candidates that Lean tried
  int64_t tokens = 0;   // of prompts and answers
  double dollars = 0;
  Cost& operator+=(const Cost& other);
  bool operator==(const Cost&) const = default;
};
void Fields(auto& field, Cost& cost) {
  field("seconds", cost.seconds);
  field("samples", cost.samples);
  field("tokens", cost.tokens);
  field("money", cost.dollars);
}

/// The use of one model.
struct ModelUse {
  std::string role;  // "prover" (whole proofs), "tactics", …
  llm::Spending spent;
  ModelUse& operator+=(const ModelUse& other);
  bool operator==(const ModelUse&) const = default;
};
void Fields(auto& field, ModelUse& use) {
  field("role", use.role);
  Fields(field, use.spent, "money");
}

enum class ProblemStatus {
  kProved,         // trust accepted the proof
  kUnproved,       // the budget ran out
  kInvalid,        // the statement does not elaborate on this Lean
  kUnverified,     // Lean could not judge; a resumed evaluation tries again
  kDisproved,      // trust accepted a proof of the negation (RunnerOptions::or_disprove)
  kContradiction,  // it accepted both, so something is wrong with Lean or with Zermelo
};
const char* Name(ProblemStatus outcome);  // "proved", "unproved", …
void to_json(nlohmann::json& name, ProblemStatus outcome);
void from_json(const nlohmann::json& name,
               ProblemStatus& outcome);  // throws nlohmann::json::exception

/// The result of the search for a proof of one statement.
struct SearchResult {
  ProblemStatus outcome = ProblemStatus::kUnproved;
  std::string proof;    // tactics of the first proof; empty unless proved
  std::string message;  // why there is no proof
  std::vector<std::string> axioms;
  std::optional<std::vector<std::string>> kernels;  // that accepted the proof
  size_t attempts = 0;                              // completed
  Cost cost;                                        // of all attempts
};
void Fields(auto& field, SearchResult& result) {
  field("outcome", result.outcome);
  field("proof", result.proof);
  field("message", result.message);
  field("axioms", result.axioms);
  field("kernels", result.kernels);
  field("attempts", result.attempts);
  field("cost", result.cost);
}

/// Of a problem's negation.
struct NegationResult : SearchResult {
  std::string statement;  // without a proof; empty: there is none, and `message` says why
};
void Fields(auto& field, NegationResult& negation) {
  Fields(field, static_cast<SearchResult&>(negation));
  field("statement", negation.statement);
}

/// One problem in one run: a line of results.jsonl. `cost` includes the negation's.
struct ProblemResult : SearchResult {
  std::string problem;
  size_t run = 1;                          // from 1
  std::optional<std::string> verdict;      // in the words of engine::Outcome
  std::string sha256;                      // of the problem's text
  size_t proved = 0;                       // completed attempts with an accepted proof
  std::string attempt;                     // the tactics of the best attempt, unless proved
  std::optional<NegationResult> negation;  // with --or-disprove
  std::optional<Cost> to_proof;            // spent until the first proof was found
  std::optional<int64_t> checks_to_proof;  // Lean checks of the searches until then
  std::optional<std::map<std::string, ModelUse>> models_to_proof;  // `models` until then
  std::map<std::string, ModelUse> models;                          // by name
  std::optional<lean::UseByRole> lean_by_role;                     // of all attempts
  uint64_t seed = 0;                                               // of the first attempt
  std::string ended;                                               // UTC, "2026-08-01T12:00:00Z"
  bool finished() const { return outcome != ProblemStatus::kUnverified; }
};
void Fields(auto& field, ProblemResult& result) {
  Fields(field, static_cast<SearchResult&>(result));
  field("problem", result.problem);
  field("run", result.run);
  field("verdict", result.verdict);
  field("sha256", result.sha256);
  field("proved", result.proved);
  field("attempt", result.attempt);
  field("negation", result.negation);
  field("to_proof", result.to_proof);
  field("checks_to_proof", result.checks_to_proof);
  field("models_to_proof", result.models_to_proof);
  field("models", result.models);
  field("lean_by_role", result.lean_by_role);
  field("seed", result.seed);
  field("ended", result.ended);
}

/// A line of results.jsonl, without its end. `negation` is left out unless it was searched for.
std::string ResultLine(const ProblemResult& result);

/// Adds the result for the negation to that for the statement. A statement that is proved and
/// disproved is a contradiction and counts as neither: both proofs are kept, but none is counted.
void AddNegation(NegationResult negation, ProblemResult& result);

/// What an evaluation keeps of a proof besides its result.
struct ProofFiles {
  std::string text;        // the problem's file with the proof; empty: there is none
  nlohmann::json receipt;  // of the verdict on it (engine/receipt/receipt.h)
};

/// kInput: a field is missing or has the wrong type.
core::Result<ProblemResult> ResultFromJson(const nlohmann::json& json);

/// eval.json: the problems, and everything needed to run them again.
struct Manifest {
  nlohmann::json setup;       // versions, commit, toolchain, machine, command, dataset
  nlohmann::json parameters;  // must be equal for results to be combined
  size_t runs = 1;
  size_t shard = 0, shards = 1;
  std::string models;             // "kimina", "" for the built-in policy alone
  bool independent = false;       // attempts are independent, and all of them are made
  std::vector<Problem> problems;  // of this shard
};
void Fields(auto& field, Manifest& manifest) {
  field("setup", manifest.setup);
  field("parameters", manifest.parameters);
  field("runs", manifest.runs);
  field("shard", manifest.shard);
  field("shards", manifest.shards);
  field("models", manifest.models);
  field("independent_attempts", manifest.independent);
  field("problems", manifest.problems);
}

core::Result<Manifest> ManifestFromJson(const nlohmann::json& json);

/// The current time in UTC, "2026-08-01T12:00:00Z".
std::string UtcNow();

}  // namespace zermelo::eval
