#include "eval/record.h"

#include <chrono>
#include <ctime>
#include <fmt/chrono.h>

#include "core/json.h"

namespace zermelo::eval {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

void to_json(json& name, ProblemStatus outcome) { name = Name(outcome); }

void from_json(const json& name, ProblemStatus& outcome) {
  for (const ProblemStatus one :
       {ProblemStatus::kProved, ProblemStatus::kUnproved, ProblemStatus::kInvalid,
        ProblemStatus::kUnverified, ProblemStatus::kDisproved, ProblemStatus::kContradiction}) {
    outcome = one;
    if (name == Name(one)) return;
  }
  throw json::other_error::create(501, "there is no outcome " + name.get<std::string>(), nullptr);
}

Cost& Cost::operator+=(const Cost& other) {
  seconds += other.seconds;
  samples += other.samples;
  tokens += other.tokens;
  dollars += other.dollars;
  return *this;
}

ModelUse& ModelUse::operator+=(const ModelUse& other) {
  if (role.empty()) role = other.role;
  spent += other.spent;
  return *this;
}

const char* Name(ProblemStatus outcome) {
  switch (outcome) {
    case ProblemStatus::kProved:
      return "proved";
    case ProblemStatus::kUnproved:
      return "unproved";
    case ProblemStatus::kInvalid:
      return "invalid";
    case ProblemStatus::kUnverified:
      return "unverified";
    case ProblemStatus::kDisproved:
      return "disproved";
    case ProblemStatus::kContradiction:
      return "contradiction";
  }
  return "unverified";
}

std::string ResultLine(const ProblemResult& result) {
  json line = result;
  if (!result.negation) line.erase("negation");
  // Foreign text can hold bytes that are not UTF-8.
  return core::Dump(line);
}

void AddNegation(NegationResult negation, ProblemResult& result) {
  const bool proved = result.outcome == ProblemStatus::kProved;
  const bool disproved = negation.outcome == ProblemStatus::kProved;
  if (proved && disproved) {
    result.outcome = ProblemStatus::kContradiction;
    result.proved = 0;
    result.to_proof.reset();
    result.checks_to_proof.reset();
    result.models_to_proof.reset();
    result.message =
        "CONTRADICTION: the statement and its negation were both accepted; something is wrong with "
        "this Lean or with Zermelo";
  } else if (disproved) {
    result.outcome = ProblemStatus::kDisproved;
    result.message = "the statement is false: its negation is proved";
  } else if (!proved && negation.outcome == ProblemStatus::kUnverified) {
    result.outcome = ProblemStatus::kUnverified;
    result.message = negation.message;
  }
  result.cost += negation.cost;
  result.negation = std::move(negation);
}

Result<ProblemResult> ResultFromJson(const json& json) {
  try {
    auto result = json.get<ProblemResult>();
    if (result.run == 0 || result.proved > result.attempts ||
        (result.outcome == ProblemStatus::kProved) != (result.proved > 0)) {
      return Fail(ErrorCode::kInput, "the counts contradict each other");
    }
    return result;
  } catch (const json::exception& error) {
    return Fail(ErrorCode::kInput, error.what());
  }
}

Result<Manifest> ManifestFromJson(const json& json) {
  try {
    auto manifest = json.get<Manifest>();
    if (!manifest.setup.is_object() || !manifest.parameters.is_object()) {
      return Fail(ErrorCode::kInput, "`setup` and `parameters` must be objects");
    }
    return manifest;
  } catch (const json::exception& error) {
    return Fail(ErrorCode::kInput, error.what());
  }
}

std::string UtcNow() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace zermelo::eval
