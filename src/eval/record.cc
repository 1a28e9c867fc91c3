#include "eval/record.h"

#include <chrono>
#include <ctime>
#include <fmt/chrono.h>

#include "core/json_fields.h"

namespace zermelo::eval {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

void Fields(auto& field, Cost& cost) {
  field("seconds", cost.seconds);
  field("samples", cost.samples);
  field("tokens", cost.tokens);
  field("money", cost.dollars);
}

void Fields(auto& field, ModelUse& use) {
  field("role", use.role);
  field("calls", use.calls);
  field("samples", use.samples);
  field("prompt_tokens", use.prompt_tokens);
  field("completion_tokens", use.completion_tokens);
  field("money", use.dollars);
  field("estimated", use.estimated);
}

void Fields(auto& field, Source& source) {
  field("file", source.file);
  field("line", source.line);
  field("sha256", source.sha256);
}

void Fields(auto& field, Problem& problem) {
  field("name", problem.name);
  field("split", problem.split);
  field("category", problem.category);
  field("theorem", problem.theorem);
  field("header", problem.header);
  field("statement", problem.statement);
  field("trailer", problem.trailer);
  field("informal", problem.informal);
  field("lean", problem.lean);
  field("source", problem.source);
}

void Fields(auto& field, ProblemResult& result) {
  field("problem", result.problem);
  field("run", result.run);
  field("outcome", result.outcome);
  field("sha256", result.sha256);
  field("attempts", result.attempts);
  field("proved", result.proved);
  field("proof", result.proof);
  field("attempt", result.attempt);
  field("message", result.message);
  field("axioms", result.axioms);
  field("cost", result.cost);
  field("to_proof", result.to_proof);
  field("models", result.models);
  field("seed", result.seed);
  field("ended", result.ended);
}

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

static void to_json(json& name, Outcome outcome) { name = Name(outcome); }

static void from_json(const json& name, Outcome& outcome) {
  for (const Outcome one :
       {Outcome::kProved, Outcome::kUnproved, Outcome::kInvalid, Outcome::kUnverified}) {
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
  calls += other.calls;
  samples += other.samples;
  prompt_tokens += other.prompt_tokens;
  completion_tokens += other.completion_tokens;
  dollars += other.dollars;
  estimated = estimated || other.estimated;
  return *this;
}

const char* Name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kProved:
      return "proved";
    case Outcome::kUnproved:
      return "unproved";
    case Outcome::kInvalid:
      return "invalid";
    case Outcome::kUnverified:
      return "unverified";
  }
  return "unverified";
}

json ToJson(const ProblemResult& result) { return result; }

Result<ProblemResult> ResultFromJson(const json& json) {
  try {
    auto result = json.get<ProblemResult>();
    if (result.run == 0 || result.proved > result.attempts ||
        (result.outcome == Outcome::kProved) != (result.proved > 0)) {
      return Fail(ErrorCode::kInput, "the counts contradict each other");
    }
    return result;
  } catch (const json::exception& error) {
    return Fail(ErrorCode::kInput, error.what());
  }
}

json ToJson(const Manifest& manifest) { return manifest; }

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
