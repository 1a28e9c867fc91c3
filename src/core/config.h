// zermelo.toml as plain values. The names of dialects, formats, roles and strategy settings are not
// checked here: core does not know them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/fields.h"

namespace zermelo::core {

/// Unset values default to those of the model's prompt format.
struct SamplingConfig {
  std::optional<double> temperature;  // 0 to 2
  std::optional<double> top_p;        // above 0, to 1
  std::optional<int> max_tokens;      // of one completion
  bool operator==(const SamplingConfig&) const = default;
};
void Fields(auto& field, SamplingConfig& sampling) {
  field("temperature", sampling.temperature);
  field("top_p", sampling.top_p);
  field("max_tokens", sampling.max_tokens);
}

/// Dollars per million tokens.
struct PriceConfig {
  double prompt = 0;
  std::optional<double> cached_prompt;  // unset: same as `prompt`
  double completion = 0;
  bool operator==(const PriceConfig&) const = default;
};
void Fields(auto& field, PriceConfig& price) {
  field("prompt", price.prompt);
  field("cached_prompt", price.cached_prompt);
  field("completion", price.completion);
}

/// Spending limits; unset: no limit.
struct BudgetConfig {
  std::optional<int64_t> samples;
  std::optional<int64_t> tokens;
  std::optional<double> dollars;
  bool operator==(const BudgetConfig&) const = default;
};
void Fields(auto& field, BudgetConfig& budget) {
  field("samples", budget.samples);
  field("tokens", budget.tokens);
  field("dollars", budget.dollars);
}

/// Request limits of a model server.
struct LimitConfig {
  int concurrency = 32;                        // requests in flight per endpoint
  std::optional<int64_t> requests_per_minute;  // unset: no limit
  std::optional<int64_t> tokens_per_minute;
  double timeout = 600;  // seconds for one request
  bool operator==(const LimitConfig&) const = default;
};

/// A prompt format of a model, and its relative share of the model's samples.
struct FormatShare {
  std::string format;
  double weight = 1;
  bool operator==(const FormatShare&) const = default;
};

/// `[models.NAME]`
struct ModelConfig {
  std::string name;                    // NAME
  std::vector<std::string> endpoints;  // `endpoint` or `endpoints`: base URLs; none with `path`
  std::filesystem::path path;          // GGUF file, or folder of a small model; none: empty
  std::string model;                   // its name on the server; unset: NAME
  std::string dialect = "generic";
  std::vector<FormatShare> formats;  // `format = "f"` or `formats = { f = 1, g = 3 }`
  double weight = 1;                 // relative share among the models
  std::string key_env;               // environment variable that holds the API key; empty: no key
  std::string ca_file;               // PEM file with CAs to trust besides the system's; empty: none
  std::map<std::string, std::string> headers;  // additional HTTP headers
  SamplingConfig sampling;
  PriceConfig price;
  BudgetConfig budget;
  LimitConfig limits;
  bool operator==(const ModelConfig&) const = default;
};
/// What answers and their costs depend on; no headers, and nothing about keys.
void to_json(nlohmann::json& json, const ModelConfig& model);

/// An entry of `[strategy]` or of one of its subtables.
struct StrategySetting {
  std::string name;   // "name", "rmaxts.workers"
  std::string value;  // as text: "16", "true", "ducb"
  size_t line = 0;    // in the file
  bool operator==(const StrategySetting&) const = default;
};

/// An entry of `[roles]`: the models that play a role. The engine knows the roles.
struct RoleConfig {
  std::string role;
  std::vector<std::string> models;  // names of `models`, at least one
  size_t line = 0;                  // in the file
  bool operator==(const RoleConfig&) const = default;
};

/// `[trust]`
struct TrustConfig {
  std::optional<std::vector<std::string>> axioms;  // allowed in proofs; unset: Lean's three
  bool operator==(const TrustConfig&) const = default;
};

/// `[learning]`
struct LearningConfig {
  bool enabled = true;  // proofs that were found are learned from
  bool operator==(const LearningConfig&) const = default;
};

/// `[lean]`
struct LeanConfig {
  std::string states = "off";  // whether the state server is used: "on", "auto" or "off"
  bool operator==(const LeanConfig&) const = default;
};

/// An entry of `[[workers]]`: Lean workers elsewhere, behind a launcher.
struct WorkersConfig {
  std::vector<std::string> launch;  // the launcher's command; that of the far side is appended
  int64_t count = 1;                // of workers
  std::string program = "zermelo";  // the program there
  std::filesystem::path project;    // folder there; empty: the same path as here
  std::filesystem::path lean;       // as --lean, there; empty: found there as here
  std::optional<double> memory_gb;  // limit of each Lean there, in 10^9 bytes; unset: as here
  double silence = 15;              // seconds without a message after which a worker is lost
  bool operator==(const WorkersConfig&) const = default;
};

struct Config {
  std::map<std::string, ModelConfig> models;
  BudgetConfig budget;                    // `[budget]`: for all models together
  TrustConfig trust;                      // `[trust]`
  LearningConfig learning;                // `[learning]`
  LeanConfig lean;                        // `[lean]`
  std::vector<WorkersConfig> workers;     // `[[workers]]`, in file order
  std::vector<RoleConfig> roles;          // `[roles]`, in alphabetical order
  std::vector<StrategySetting> strategy;  // in file order; the engine knows the names
  bool operator==(const Config&) const = default;
};

/// Parses the text of a zermelo.toml; `file` is only used in messages. kUsage, with file and line
/// of the topmost problem: a syntax error, an unknown key (the hint names the nearest known one), a
/// value of the wrong type or out of range, or a secret.
Result<Config> ParseConfig(const std::filesystem::path& file, std::string_view text);

/// Reads and parses a file of at most 1 MiB; paths of models become relative to its folder. kInput
/// as ReadTextFile, kUsage as ParseConfig.
Result<Config> ReadConfig(const std::filesystem::path& file);

}  // namespace zermelo::core
