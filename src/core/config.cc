#include "core/config.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <toml++/toml.h>

#include "core/files/file.h"
#include "core/names.h"
#include "core/text.h"

namespace zermelo::core {
namespace {

struct Problem {
  size_t line = 0;
  std::string message;
  std::string hint;
};

size_t LineOf(const toml::node& node) { return node.source().begin.line; }

/// "a string", "a table", …
std::string Describe(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "true or false";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::table:
      return "a table";
    default:
      return "a date or time";
  }
}

/// Reads the known keys of a table one by one and keeps the topmost problem. `Finish` reports the
/// keys that were not read.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string place, std::optional<Problem>& problem)
      : table_(table), place_(std::move(place)), problem_(problem) {}

  const toml::node* Take(const std::string& key) {
    known_.push_back(key);
    return table_.get(key);
  }

  void Text(const std::string& key, std::string* out) {
    const toml::node* node = Take(key);
    if (node == nullptr) return;
    if (!node->is_string()) return WrongType(*node, key, "a string");
    *out = node->as_string()->get();
    if (out->empty()) Report(*node, fmt::format("`{}` is empty", key));
  }

  template <class T>
  void Number(const std::string& key, T least, T most, std::optional<T>* out) {
    T value{};
    if (ReadNumber(key, least, most, &value)) *out = value;
  }
  template <class T>
  void Number(const std::string& key, T least, T most, T* out) {
    T value{};
    if (ReadNumber(key, least, most, &value)) *out = value;
  }

  /// Passes a reader for a subtable to `read`.
  template <class Read>
  void Table(const std::string& key, Read read) {
    const toml::node* node = Take(key);
    if (node == nullptr) return;
    if (!node->is_table()) return WrongType(*node, key, "a table");
    TableReader reader(*node->as_table(), place_.empty() ? key : place_ + "." + key, problem_);
    read(reader);
    reader.Finish();
  }

  /// Passes every entry to `read`, for a table whose keys are the user's names.
  template <class Read>
  void Each(Read read) {
    for (const auto& [key, node] : table_) {
      known_.emplace_back(key.str());
      read(std::string(key.str()), node);
    }
  }

  void Finish() {
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
      const std::string where = place_.empty() ? "" : fmt::format(" in [{}]", place_);
      Set({key.source().begin.line, fmt::format("there is no key `{}`{}", name, where),
           IsSecret(name) ? kSecretHint : DidYouMean(name, known_)});
    }
  }

  void Report(const toml::node& node, std::string message, std::string hint = "") {
    Set({LineOf(node), std::move(message), std::move(hint)});
  }
  void WrongType(const toml::node& node, const std::string& key, const char* wanted) {
    Report(node, fmt::format("`{}` must be {}, not {}", key, wanted, Describe(node)));
  }

  static constexpr const char* kSecretHint =
      "API keys do not belong in files: name the environment variable with key_env = \"NAME\"";

 private:
  static bool IsSecret(const std::string& name) {
    return name.find("key") != std::string::npos || name.find("token") == 0 ||
           name.find("secret") != std::string::npos || name.find("password") != std::string::npos;
  }

  template <class T>
  bool ReadNumber(const std::string& key, T least, T most, T* out) {
    const toml::node* node = Take(key);
    if (node == nullptr) return false;
    constexpr bool kWhole = std::is_integral_v<T>;
    if (kWhole ? !node->is_integer() : !node->is_number()) {
      WrongType(*node, key, kWhole ? "a whole number" : "a number");
      return false;
    }
    const double value = node->value<double>().value_or(std::nan(""));
    if (!(value >= static_cast<double>(least) && value <= static_cast<double>(most))) {
      Report(*node, fmt::format("`{}` must be from {} to {}", key, least, most));
      return false;
    }
    if constexpr (kWhole) {
      *out = static_cast<T>(node->as_integer()->get());
    } else {
      *out = value;
    }
    return true;
  }

  /// Keeps the topmost problem: tables are not visited in file order.
  void Set(Problem problem) {
    if (!problem_ || problem.line < problem_->line) problem_ = std::move(problem);
  }

  const toml::table& table_;
  const std::string place_;
  std::optional<Problem>& problem_;
  std::vector<std::string> known_;
};

constexpr int64_t kMany = 1'000'000'000'000;
constexpr double kMaxDollars = 1e9;

void ReadBudget(TableReader& reader, BudgetConfig* budget) {
  reader.Number<int64_t>("samples", 0, kMany, &budget->samples);
  reader.Number<int64_t>("tokens", 0, kMany, &budget->tokens);
  reader.Number<double>("dollars", 0, kMaxDollars, &budget->dollars);
}

void ReadEndpoint(TableReader& reader, const toml::node& node, ModelConfig* model) {
  if (!node.is_string()) return reader.WrongType(node, "endpoint", "a string");
  const std::string& url = node.as_string()->get();
  const size_t host = url.find("://");
  const bool is_http = url.starts_with("http://") || url.starts_with("https://");
  if (!is_http || host + 3 == url.size()) {
    return reader.Report(node, "`endpoint` must be a URL that begins with http:// or https://");
  }
  if (url.substr(0, url.find('/', host + 3)).find('@') != std::string::npos) {
    return reader.Report(node, "`endpoint` contains a user name or password",
                         TableReader::kSecretHint);
  }
  model->endpoints.push_back(url);
}

void ReadEndpoints(TableReader& reader, const toml::node& place, ModelConfig* model) {
  const toml::node* one = reader.Take("endpoint");
  const toml::node* list = reader.Take("endpoints");
  std::string path;
  reader.Text("path", &path);
  model->path = path;
  if (!path.empty() && (one != nullptr || list != nullptr)) {
    reader.Report(place, fmt::format("[models.{}] has a path and an endpoint", model->name),
                  "give either a `path` or an endpoint");
  }
  if (one != nullptr) ReadEndpoint(reader, *one, model);
  if (list != nullptr) {
    if (!list->is_array()) return reader.WrongType(*list, "endpoints", "a list");
    for (const auto& node : *list->as_array()) ReadEndpoint(reader, node, model);
  }
  const bool said_none = list != nullptr && list->is_array() && list->as_array()->empty();
  if (path.empty() && one == nullptr && (list == nullptr || said_none)) {
    reader.Report(place, fmt::format("[models.{}] has no endpoint", model->name),
                  "add endpoint = \"http://localhost:8000/v1\"");
  }
}

void ReadFormats(TableReader& reader, const toml::node& place, ModelConfig* model) {
  std::string one;
  reader.Text("format", &one);
  if (!one.empty()) model->formats.push_back({one, 1});
  reader.Table("formats", [&](TableReader& formats) {
    formats.Each([&](const std::string& name, const toml::node& node) {
      const double weight = node.value<double>().value_or(0);
      if (!(weight > 0) || !std::isfinite(weight)) {
        return formats.Report(node,
                              fmt::format("the share of `{}` must be a number above 0", name));
      }
      model->formats.push_back({name, weight});
    });
    if (!one.empty()) reader.Report(place, "`format` and `formats` exclude each other");
  });
}

void ReadKey(TableReader& reader, ModelConfig* model) {
  reader.Text("key_env", &model->key_env);
  const toml::node* node = reader.Take("key_env");
  const bool is_name = std::all_of(model->key_env.begin(), model->key_env.end(), [](char c) {
    return std::isupper(static_cast<unsigned char>(c)) != 0 ||
           std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
  if (node != nullptr && !is_name) {
    model->key_env.clear();  // it may be the key itself
    reader.Report(*node,
                  "`key_env` must be the name of an environment variable, such as PROVER_KEY",
                  TableReader::kSecretHint);
  }
}

void ReadModel(TableReader& reader, const toml::node& place, ModelConfig* model) {
  ReadEndpoints(reader, place, model);
  ReadFormats(reader, place, model);
  ReadKey(reader, model);
  model->model = model->name;
  reader.Text("model", &model->model);
  reader.Text("dialect", &model->dialect);
  reader.Text("ca_file", &model->ca_file);
  reader.Number("weight", 1e-6, 1e6, &model->weight);
  reader.Table("headers", [&](TableReader& headers) {
    headers.Each([&](const std::string& name, const toml::node& node) {
      if (!node.is_string()) return headers.WrongType(node, name, "a string");
      const std::string lower = InLowerCase(name);
      if (lower == "authorization" || lower == "x-api-key" || lower == "api-key") {
        return headers.Report(node, fmt::format("`{}` is a secret", name),
                              TableReader::kSecretHint);
      }
      const std::string& value = node.as_string()->get();
      if ((name + value).find_first_of("\r\n") != std::string::npos) {
        return headers.Report(node, "a header must be one line");
      }
      model->headers[name] = value;
    });
  });
  reader.Table("sampling", [&](TableReader& sampling) {
    sampling.Number("temperature", 0.0, 2.0, &model->sampling.temperature);
    sampling.Number("top_p", 1e-6, 1.0, &model->sampling.top_p);
    sampling.Number("max_tokens", 1, 1 << 24, &model->sampling.max_tokens);
  });
  reader.Table("price", [&](TableReader& price) {
    price.Number("prompt", 0.0, kMaxDollars, &model->price.prompt);
    price.Number("cached_prompt", 0.0, kMaxDollars, &model->price.cached_prompt);
    price.Number("completion", 0.0, kMaxDollars, &model->price.completion);
  });
  reader.Table("budget", [&](TableReader& budget) { ReadBudget(budget, &model->budget); });
  reader.Table("limits", [&](TableReader& limits) {
    limits.Number("concurrency", 1, 100'000, &model->limits.concurrency);
    limits.Number<int64_t>("requests_per_minute", 1, kMany, &model->limits.requests_per_minute);
    limits.Number<int64_t>("tokens_per_minute", 1, kMany, &model->limits.tokens_per_minute);
    limits.Number("timeout", 0.001, 86'400.0, &model->limits.timeout);
  });
}

void ReadSetting(TableReader& reader, const std::string& name, const toml::node& node,
                 std::vector<StrategySetting>* settings) {
  StrategySetting setting{.name = name, .value = "", .line = LineOf(node)};
  if (node.is_string()) {
    setting.value = node.as_string()->get();
  } else if (node.is_boolean()) {
    setting.value = node.as_boolean()->get() ? "true" : "false";
  } else if (node.is_integer()) {
    setting.value = fmt::format("{}", node.as_integer()->get());
  } else if (node.is_floating_point()) {
    setting.value = fmt::format("{}", node.as_floating_point()->get());
  } else {
    return reader.WrongType(node, name, "a number, a word, true or false");
  }
  settings->push_back(std::move(setting));
}

void ReadStrategy(TableReader& reader, std::vector<StrategySetting>* settings) {
  reader.Each([&](const std::string& key, const toml::node& node) {
    if (!node.is_table()) return ReadSetting(reader, key, node, settings);
    reader.Table(key, [&](TableReader& section) {
      section.Each([&](const std::string& inner, const toml::node& value) {
        ReadSetting(section, key + "." + inner, value, settings);
      });
    });
  });
  std::stable_sort(settings->begin(), settings->end(),
                   [](const auto& a, const auto& b) { return a.line < b.line; });
}

void ReadRole(TableReader& reader, const std::string& role, const toml::node& node,
              std::vector<RoleConfig>* roles) {
  RoleConfig config{.role = role, .models = {}, .line = LineOf(node)};
  if (node.is_string()) config.models.push_back(node.as_string()->get());
  if (const toml::array* list = node.as_array()) {
    for (const auto& model : *list) {
      if (!model.is_string()) return reader.WrongType(model, role, "a list of models");
      config.models.push_back(model.as_string()->get());
    }
  } else if (!node.is_string()) {
    return reader.WrongType(node, role, "a model or a list of models");
  }
  if (config.models.empty()) return reader.Report(node, fmt::format("`{}` has no model", role));
  roles->push_back(std::move(config));
}

void ReadTrust(TableReader& reader, TrustConfig* trust) {
  const toml::node* node = reader.Take("axioms");
  if (node == nullptr) return;
  if (!node->is_array()) return reader.WrongType(*node, "axioms", "a list");
  trust->axioms.emplace();
  for (const auto& name : *node->as_array()) {
    if (!name.is_string()) return reader.Report(name, "`axioms` must be a list of names");
    trust->axioms->push_back(name.as_string()->get());
  }
}

void ReadLearning(TableReader& reader, LearningConfig* learning) {
  const toml::node* node = reader.Take("enabled");
  if (node == nullptr) return;
  if (!node->is_boolean()) return reader.WrongType(*node, "enabled", "true or false");
  learning->enabled = node->as_boolean()->get();
}

void ReadLean(TableReader& reader, LeanConfig* lean) {
  const toml::node* node = reader.Take("states");
  if (node == nullptr) return;
  constexpr const char* kWanted = "\"on\", \"auto\" or \"off\"";
  if (!node->is_string()) return reader.WrongType(*node, "states", kWanted);
  lean->states = node->as_string()->get();
  if (lean->states != "on" && lean->states != "auto" && lean->states != "off") {
    reader.Report(*node, fmt::format("`states` must be {}, not \"{}\"", kWanted, lean->states));
  }
}

/// The words of a launcher's command.
void ReadLaunch(TableReader& reader, const toml::node& place, std::vector<std::string>* launch) {
  const toml::node* node = reader.Take("launch");
  if (node == nullptr) {
    return reader.Report(place, "[[workers]] has no `launch`",
                         R"(add the launcher's command: launch = ["ssh", "node7"])");
  }
  if (!node->is_array()) return reader.WrongType(*node, "launch", "a list of words");
  for (const auto& word : *node->as_array()) {
    if (!word.is_string()) return reader.WrongType(word, "launch", "a list of words");
    launch->push_back(word.as_string()->get());
  }
  // `env`, which finds the launcher, would take such a first word for a variable.
  if (launch->empty() || launch->front().empty() || launch->front().find_first_of("=-") == 0 ||
      launch->front().find('=') != std::string::npos) {
    reader.Report(*node, "`launch` must begin with a program");
  }
}

WorkersConfig ReadWorkers(TableReader& reader, const toml::node& place) {
  WorkersConfig workers;
  ReadLaunch(reader, place, &workers.launch);
  reader.Number<int64_t>("count", 1, 4096, &workers.count);
  reader.Text("program", &workers.program);
  // ssh passes it to a shell.
  const bool plain = std::all_of(workers.program.begin(), workers.program.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("/._-+~").find(c) != std::string_view::npos;
  });
  if (!plain) reader.Report(*reader.Take("program"), "`program` must be a path without spaces");
  std::string project;
  std::string lean;
  reader.Text("project", &project);
  reader.Text("lean", &lean);
  workers.project = project;
  workers.lean = lean;
  reader.Number("memory_gb", 0.1, 1e6, &workers.memory_gb);
  reader.Number("silence", 1.0, 3600.0, &workers.silence);
  return workers;
}

void ReadAllWorkers(TableReader& top, std::optional<Problem>& problem,
                    std::vector<WorkersConfig>* all) {
  const toml::node* node = top.Take("workers");
  if (node == nullptr) return;
  if (!node->is_array_of_tables()) {
    return top.Report(*node, "`workers` must be a list of tables", "begin each with [[workers]]");
  }
  for (const auto& entry : *node->as_array()) {
    TableReader reader(*entry.as_table(), "[workers]", problem);
    all->push_back(ReadWorkers(reader, entry));
    reader.Finish();
  }
}

Config ReadDocument(const toml::table& document, std::optional<Problem>& problem) {
  Config config;
  TableReader top(document, "", problem);
  top.Table("budget", [&](TableReader& budget) { ReadBudget(budget, &config.budget); });
  top.Table("strategy", [&](TableReader& reader) { ReadStrategy(reader, &config.strategy); });
  top.Table("roles", [&](TableReader& roles) {
    roles.Each([&](const std::string& role, const toml::node& node) {
      ReadRole(roles, role, node, &config.roles);
    });
  });
  top.Table("trust", [&](TableReader& trust) { ReadTrust(trust, &config.trust); });
  top.Table("learning", [&](TableReader& learning) { ReadLearning(learning, &config.learning); });
  top.Table("lean", [&](TableReader& lean) { ReadLean(lean, &config.lean); });
  ReadAllWorkers(top, problem, &config.workers);
  top.Table("models", [&](TableReader& models) {
    models.Each([&](const std::string& name, const toml::node& node) {
      if (!node.is_table()) return models.WrongType(node, name, "a table");
      ModelConfig model;
      model.name = name;
      TableReader reader(*node.as_table(), "models." + name, problem);
      ReadModel(reader, node, &model);
      reader.Finish();
      config.models.emplace(name, std::move(model));
    });
  });
  top.Finish();
  return config;
}

}  // namespace

void to_json(nlohmann::json& json, const ModelConfig& model) {
  auto formats = nlohmann::json::object();
  for (const FormatShare& share : model.formats) formats[share.format] = share.weight;
  json = {{"model", model.model.empty() ? model.name : model.model},
          {"endpoints", model.endpoints},
          {"dialect", model.dialect},
          {"formats", std::move(formats)},
          {"weight", model.weight},
          {"sampling", model.sampling},
          {"dollars_per_million_tokens", model.price}};
  if (!model.path.empty()) json["path"] = model.path.string();
}

Result<Config> ParseConfig(const std::filesystem::path& file, std::string_view text) {
  std::optional<Problem> problem;
  Config config;
  try {
    config = ReadDocument(toml::parse(text), problem);
  } catch (const toml::parse_error& e) {
    problem = Problem{e.source().begin.line, std::string(e.description()), ""};
  }
  if (!problem) return config;
  return Fail(ErrorCode::kUsage,
              fmt::format("{}:{}: {}", file.string(), problem->line, problem->message),
              problem->hint);
}

Result<Config> ReadConfig(const std::filesystem::path& file) {
  const auto text = ReadTextFile(file, 1U << 20U);
  if (!text) return Fail(text.error());
  auto config = ParseConfig(file, *text);
  if (!config) return config;
  for (auto& [name, model] : config->models) {
    if (!model.path.empty()) model.path = file.parent_path() / model.path;  // as it is if absolute
  }
  return config;
}

}  // namespace zermelo::core
