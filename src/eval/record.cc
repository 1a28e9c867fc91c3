#include "eval/record.h"

#include <chrono>
#include <ctime>
#include <fmt/chrono.h>

namespace zermelo::eval {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

json ToJson(const Cost& cost) {
  return {{"seconds", cost.seconds},
          {"samples", cost.samples},
          {"tokens", cost.tokens},
          {"money", cost.dollars}};
}

Cost CostFrom(const json& json) {
  return {.seconds = json.at("seconds").get<double>(),
          .samples = json.at("samples").get<int64_t>(),
          .tokens = json.at("tokens").get<int64_t>(),
          .dollars = json.at("money").get<double>()};
}

json ToJson(const ModelUse& use) {
  return {{"role", use.role},
          {"calls", use.calls},
          {"samples", use.samples},
          {"prompt_tokens", use.prompt_tokens},
          {"completion_tokens", use.completion_tokens},
          {"money", use.dollars},
          {"estimated", use.estimated}};
}

ModelUse UseFrom(const json& json) {
  return {.role = json.at("role").get<std::string>(),
          .calls = json.at("calls").get<int64_t>(),
          .samples = json.at("samples").get<int64_t>(),
          .prompt_tokens = json.at("prompt_tokens").get<int64_t>(),
          .completion_tokens = json.at("completion_tokens").get<int64_t>(),
          .dollars = json.at("money").get<double>(),
          .estimated = json.at("estimated").get<bool>()};
}

Outcome OutcomeFrom(const std::string& name) {
  for (const Outcome outcome :
       {Outcome::kProved, Outcome::kUnproved, Outcome::kInvalid, Outcome::kUnverified}) {
    if (name == Name(outcome)) return outcome;
  }
  throw json::other_error::create(501, "there is no outcome " + name, nullptr);
}

json ToJson(const Problem& problem) {
  return {{"name", problem.name},
          {"split", problem.split},
          {"category", problem.category},
          {"theorem", problem.theorem},
          {"header", problem.header},
          {"statement", problem.statement},
          {"trailer", problem.trailer},
          {"informal", problem.informal},
          {"lean", problem.lean},
          {"source",
           {{"file", problem.source.file},
            {"line", problem.source.line},
            {"sha256", problem.source.sha256}}}};
}

Problem ProblemFrom(const json& json) {
  Problem problem;
  problem.name = json.at("name").get<std::string>();
  problem.split = json.at("split").get<std::string>();
  problem.category = json.at("category").get<std::string>();
  problem.theorem = json.at("theorem").get<std::string>();
  problem.header = json.at("header").get<std::string>();
  problem.statement = json.at("statement").get<std::string>();
  problem.trailer = json.at("trailer").get<std::string>();
  problem.informal = json.at("informal").get<std::string>();
  problem.lean = json.at("lean").get<std::string>();
  problem.source.file = json.at("source").at("file").get<std::string>();
  problem.source.line = json.at("source").at("line").get<size_t>();
  problem.source.sha256 = json.at("source").at("sha256").get<std::string>();
  return problem;
}

}  // namespace

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

json ToJson(const ProblemResult& result) {
  json models = json::object();
  for (const auto& [name, use] : result.models) models[name] = ToJson(use);
  return {{"problem", result.problem},
          {"run", result.run},
          {"outcome", Name(result.outcome)},
          {"sha256", result.sha256},
          {"attempts", result.attempts},
          {"proved", result.proved},
          {"proof", result.proof},
          {"attempt", result.attempt},
          {"message", result.message},
          {"axioms", result.axioms},
          {"cost", ToJson(result.cost)},
          {"to_proof", result.to_proof ? ToJson(*result.to_proof) : json()},
          {"models", std::move(models)},
          {"seed", result.seed},
          {"ended", result.ended}};
}

Result<ProblemResult> ResultFromJson(const json& json) {
  try {
    ProblemResult result;
    result.problem = json.at("problem").get<std::string>();
    result.run = json.at("run").get<size_t>();
    result.outcome = OutcomeFrom(json.at("outcome").get<std::string>());
    result.sha256 = json.at("sha256").get<std::string>();
    result.attempts = json.at("attempts").get<size_t>();
    result.proved = json.at("proved").get<size_t>();
    result.proof = json.at("proof").get<std::string>();
    result.attempt = json.at("attempt").get<std::string>();
    result.message = json.at("message").get<std::string>();
    result.axioms = json.at("axioms").get<std::vector<std::string>>();
    result.cost = CostFrom(json.at("cost"));
    if (!json.at("to_proof").is_null()) result.to_proof = CostFrom(json.at("to_proof"));
    for (const auto& [name, use] : json.at("models").items()) result.models[name] = UseFrom(use);
    result.seed = json.at("seed").get<uint64_t>();
    result.ended = json.at("ended").get<std::string>();
    if (result.run == 0 || result.proved > result.attempts ||
        (result.outcome == Outcome::kProved) != (result.proved > 0)) {
      return Fail(ErrorCode::kInput, "the counts contradict each other");
    }
    return result;
  } catch (const json::exception& error) {
    return Fail(ErrorCode::kInput, error.what());
  }
}

json ToJson(const Manifest& manifest) {
  json problems = json::array();
  for (const Problem& problem : manifest.problems) problems.push_back(ToJson(problem));
  return {{"setup", manifest.setup},
          {"parameters", manifest.parameters},
          {"runs", manifest.runs},
          {"shard", manifest.shard},
          {"shards", manifest.shards},
          {"models", manifest.models},
          {"independent_attempts", manifest.independent},
          {"problems", std::move(problems)}};
}

Result<Manifest> ManifestFromJson(const json& json) {
  try {
    Manifest manifest;
    manifest.setup = json.at("setup");
    manifest.parameters = json.at("parameters");
    manifest.runs = json.at("runs").get<size_t>();
    manifest.shard = json.at("shard").get<size_t>();
    manifest.shards = json.at("shards").get<size_t>();
    manifest.models = json.at("models").get<std::string>();
    manifest.independent = json.at("independent_attempts").get<bool>();
    for (const auto& problem : json.at("problems")) {
      manifest.problems.push_back(ProblemFrom(problem));
    }
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
