// What an evaluation leaves behind for each problem, and about itself.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "eval/problem.h"

namespace zermelo::eval {

struct Cost {
  double seconds = 0;   // of search; verification is not in it
  int64_t samples = 0;  // generations; without a model, candidates that Lean tried
  int64_t tokens = 0;   // of prompts and answers
  double dollars = 0;
  Cost& operator+=(const Cost& other);
  bool operator==(const Cost&) const = default;
};

/// What one model was asked for.
struct ModelUse {
  std::string role;  // what it is asked for: "prover" (whole proofs), "tactics", …
  int64_t calls = 0;
  int64_t samples = 0;
  int64_t prompt_tokens = 0;
  int64_t completion_tokens = 0;
  double dollars = 0;
  bool estimated = false;  // a server did not say how many tokens
  ModelUse& operator+=(const ModelUse& other);
  bool operator==(const ModelUse&) const = default;
};

enum class Outcome {
  kProved,      // trust accepted the proof
  kUnproved,    // the budget ended
  kInvalid,     // the statement does not elaborate on this Lean
  kUnverified,  // Lean could not judge; a resumed evaluation tries again
};
const char* Name(Outcome outcome);  // "proved", "unproved", "invalid", "unverified"

/// One problem in one run: a line of results.jsonl.
struct ProblemResult {
  std::string problem;
  size_t run = 1;  // from 1
  Outcome outcome = Outcome::kUnproved;
  std::string sha256;   // of the problem's text
  size_t attempts = 0;  // that ended
  size_t proved = 0;    // of those, with an accepted proof
  std::string proof;    // tactics of the first; empty unless proved
  std::string attempt;  // unless proved: the tactics that came furthest
  std::string message;  // why there is no proof
  std::vector<std::string> axioms;
  Cost cost;                               // of all attempts
  std::optional<Cost> to_proof;            // of what was spent until the first proof was found
  std::map<std::string, ModelUse> models;  // by name
  uint64_t seed = 0;                       // of the first attempt
  std::string ended;                       // UTC, "2026-08-01T12:00:00Z"
  bool finished() const { return outcome != Outcome::kUnverified; }
};

nlohmann::json ToJson(const ProblemResult& result);
/// kInput: a field is missing or of the wrong kind.
core::Result<ProblemResult> ResultFromJson(const nlohmann::json& json);

/// eval.json: which problems, and everything that it takes to run them again.
struct Manifest {
  nlohmann::json setup;       // versions, commit, toolchain, machine, command, dataset
  nlohmann::json parameters;  // what must be equal for results to belong together
  size_t runs = 1;
  size_t shard = 0, shards = 1;
  std::string models;             // "kimina", "" for the built-in policy alone
  bool independent = false;       // all attempts are made, and are independent of each other
  std::vector<Problem> problems;  // of this shard
};

nlohmann::json ToJson(const Manifest& manifest);
core::Result<Manifest> ManifestFromJson(const nlohmann::json& json);

/// The time now as UTC, "2026-08-01T12:00:00Z".
std::string UtcNow();

}  // namespace zermelo::eval
