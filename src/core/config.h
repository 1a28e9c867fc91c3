// zermelo.toml as plain values. What a model's dialect or format is called is not checked here:
// core does not know them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace zermelo::core {

/// What is not said is what the model's prompt format says.
struct SamplingConfig {
  std::optional<double> temperature;  // 0 to 2
  std::optional<double> top_p;        // above 0, to 1
  std::optional<int> max_tokens;      // of one completion
  bool operator==(const SamplingConfig&) const = default;
};

/// Dollars per million tokens.
struct PriceConfig {
  double prompt = 0;
  std::optional<double> cached_prompt;  // not said: as `prompt`
  double completion = 0;
  bool operator==(const PriceConfig&) const = default;
};

/// What may be spent; not said: no limit.
struct BudgetConfig {
  std::optional<int64_t> samples;
  std::optional<int64_t> tokens;
  std::optional<double> dollars;
  bool operator==(const BudgetConfig&) const = default;
};

/// What a server takes.
struct LimitConfig {
  int concurrency = 32;                        // requests in flight at one endpoint
  std::optional<int64_t> requests_per_minute;  // not said: no limit
  std::optional<int64_t> tokens_per_minute;
  double timeout = 600;  // seconds for one request
  bool operator==(const LimitConfig&) const = default;
};

/// A model in one of its formats, and the share of its samples that are asked for in it.
struct FormatShare {
  std::string format;
  double weight = 1;
  bool operator==(const FormatShare&) const = default;
};

/// `[models.NAME]`
struct ModelConfig {
  std::string name;                    // NAME
  std::vector<std::string> endpoints;  // `endpoint` or `endpoints`: base URLs, at least one
  std::string model;                   // the server's name of it; not said: NAME
  std::string dialect = "generic";
  std::vector<FormatShare> formats;  // `format = "f"` or `formats = { f = 1, g = 3 }`
  double weight = 1;                 // its share beside other models
  std::string key_env;               // the environment variable with the key; empty: no key
  std::string ca_file;               // PEM: trusted beside the system's authorities; empty: none
  std::map<std::string, std::string> headers;  // extra ones
  SamplingConfig sampling;
  PriceConfig price;
  BudgetConfig budget;
  LimitConfig limits;
  bool operator==(const ModelConfig&) const = default;
};

/// An entry of `[strategy]` or of a table below it.
struct StrategySetting {
  std::string name;   // "name", "rmaxts.workers"
  std::string value;  // as text: "16", "true", "ducb"
  size_t line = 0;    // in the file
  bool operator==(const StrategySetting&) const = default;
};

/// An entry of `[roles]`: who is asked for something. The engine knows the roles.
struct RoleConfig {
  std::string role;
  std::vector<std::string> models;  // names of `models`, at least one
  size_t line = 0;                  // in the file
  bool operator==(const RoleConfig&) const = default;
};

/// `[trust]`
struct TrustConfig {
  std::optional<std::vector<std::string>> axioms;  // that proofs may use; not said: Lean's three
  bool operator==(const TrustConfig&) const = default;
};

struct Config {
  std::map<std::string, ModelConfig> models;
  BudgetConfig budget;                    // `[budget]`: of all models together
  TrustConfig trust;                      // `[trust]`
  std::vector<RoleConfig> roles;          // `[roles]`, in alphabetical order
  std::vector<StrategySetting> strategy;  // in the order of the file; the engine knows the names
  bool operator==(const Config&) const = default;
};

/// kUsage with file and line: a syntax error, a key that does not exist (with the nearest that
/// does), a value of the wrong type or out of range, a secret. `file` is for the message.
Result<Config> ParseConfig(const std::filesystem::path& file, std::string_view text);

/// Reads the file. kInput as ReadTextFile, kUsage as ParseConfig.
Result<Config> ReadConfig(const std::filesystem::path& file);

}  // namespace zermelo::core
