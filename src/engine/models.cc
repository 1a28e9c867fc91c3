#include "engine/models.h"

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "core/names.h"
#include "engine/recorded_model.h"
#include "engine/stored_call_log.h"
#include "llm/client.h"
#include "llm/format.h"
#include "llm/http_client.h"
#include "llm/record.h"
#include "policy/configured.h"
#include "store/database.h"

namespace zermelo::engine {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

namespace {

/// What the server calls it.
std::string ServerName(const core::ModelConfig& model) {
  return model.model.empty() ? model.name : model.model;
}

Result<llm::ClientConfig> ClientConfigOf(const core::ModelConfig& model) {
  const auto dialect = llm::ParseDialect(model.dialect);
  if (!dialect) return Fail(dialect.error());
  llm::ClientConfig client;
  client.name = model.name;
  for (const std::string& url : model.endpoints) {
    llm::EndpointConfig endpoint;
    endpoint.url = url;
    endpoint.model = ServerName(model);
    endpoint.dialect = *dialect;
    endpoint.key_variable = model.key_env;
    for (const auto& [name, value] : model.headers) {
      endpoint.headers.push_back(name + ": " + value);
    }
    endpoint.limits.concurrency = model.limits.concurrency;
    endpoint.limits.requests_per_minute = model.limits.requests_per_minute.value_or(0);
    endpoint.limits.tokens_per_minute = model.limits.tokens_per_minute.value_or(0);
    endpoint.timeouts.first_byte = core::FromSeconds(model.limits.timeout);
    client.endpoints.push_back(std::move(endpoint));
  }
  return client;
}

/// What was said now, else what is configured.
llm::BudgetLimits Over(const llm::BudgetLimits& said, llm::BudgetLimits configured) {
  if (said.samples) configured.samples = said.samples;
  if (said.tokens) configured.tokens = said.tokens;
  if (said.dollars) configured.dollars = said.dollars;
  return configured;
}

Result<core::ModelConfig> FindModel(const core::Config& config, const std::string& name) {
  if (const auto found = config.models.find(name); found != config.models.end()) {
    return found->second;
  }
  std::vector<std::string> names;
  for (const auto& [known, model] : config.models) names.push_back(known);
  if (names.empty()) {
    return Fail(
        ErrorCode::kUsage, "no model is configured",
        "write a [models." + name + "] section with an endpoint and a format into zermelo.toml");
  }
  const std::string nearest = core::DidYouMean(name, names);
  return Fail(ErrorCode::kUsage, "there is no model '" + name + "' in the configuration",
              nearest.empty() ? fmt::format("there are: {}", fmt::join(names, ", ")) : nearest);
}

/// Gives every call a seed of its own: the n-th call with the same prompt always has the same.
class SeedingModel : public llm::Model {
 public:
  SeedingModel(llm::Model& inner, uint64_t seed) : inner_(inner), seed_(seed) {}
  Task<Result<llm::Reply>> Generate(llm::Request request, llm::CallContext context) override {
    if (!request.sampling.seed) {
      uint64_t& next = next_[PromptText(request)];
      request.sampling.seed = seed_ + next;
      next += static_cast<uint64_t>(request.sampling.n);
    }
    co_return co_await inner_.Generate(std::move(request), std::move(context));
  }
  const std::string& name() const override { return inner_.name(); }

 private:
  static std::string PromptText(const llm::Request& request) {
    if (const auto* text = std::get_if<std::string>(&request.prompt)) return *text;
    std::string text;
    for (const auto& message : std::get<std::vector<llm::Message>>(request.prompt)) {
      text += message.role + '\n' + message.content + '\n';
    }
    return text;
  }

  llm::Model& inner_;
  const uint64_t seed_;
  std::map<std::string, uint64_t> next_;  // by prompt
};

}  // namespace

struct Models::Impl {
  Impl(const core::Executor& executor, const ModelsRequest& request) : http(executor) {
    const core::Executor work = request.journal != nullptr ? request.journal->executor() : executor;
    budget = std::make_unique<llm::Budget>(
        work, Over(request.budget, llm::LimitsOf(request.config.budget)),
        llm::ModelBudgetsOf(request.config));
  }

  core::Status OpenLogs(const ModelsRequest& request) {
    const auto open = [](const std::filesystem::path& path, store::Access access,
                         std::unique_ptr<store::Database>& database,
                         std::unique_ptr<StoredCallLog>& log) -> core::Status {
      if (path.empty()) return {};
      auto opened = store::Database::Open(path, access);
      if (!opened) return Fail(opened.error());
      database = std::move(*opened);
      log = std::make_unique<StoredCallLog>(*database);
      return {};
    };
    if (auto ok = open(request.record, store::Access::kCreate, record_database, record_log); !ok) {
      return ok;
    }
    return open(request.replay, store::Access::kReadOnly, replay_database, replay_log);
  }

  /// The model with its decorators, innermost first: the record stands next to the client, the
  /// budget outside of it, so that answers from a cache cost nothing.
  Result<llm::Model*> Build(const core::ModelConfig& config, const ModelsRequest& request) {
    const std::string settings = ServerName(config) + " " + config.dialect;
    llm::Model* model = nullptr;
    const auto add = [&](std::unique_ptr<llm::Model> next) {
      models.push_back(std::move(next));
      model = models.back().get();
    };
    if (replay_log) {
      add(llm::MakeReplayingModel(config.name, *replay_log, settings));
    } else {
      auto client_config = ClientConfigOf(config);
      if (!client_config) return Fail(client_config.error());
      auto client = llm::Client::Create(http, std::move(*client_config));
      if (!client) return Fail(client.error());
      add(std::move(*client));
    }
    if (record_log && request.cache) {
      add(llm::MakeCachingModel(*model, *record_log, settings));
    } else if (record_log) {
      add(llm::MakeRecordingModel(*model, *record_log, settings));
    }
    // What stands outside of the journal is done again when a run is resumed, and so comes out as
    // it was: seeds, what is spent, shares of ensembles.
    if (request.journal != nullptr) add(MakeRecordedModel(*model, *request.journal, settings));
    if (request.seed) add(std::make_unique<SeedingModel>(*model, *request.seed));
    add(budget->Limit(*model));
    return model;
  }

  /// All models propose tactics beside the built-in policy; some can write whole proofs.
  core::Status MakePolicies(const std::vector<core::ModelConfig>& configs,
                            const llm::Formats& formats, const ModelsRequest& request) {
    std::vector<policy::ConfiguredModel> all, of_proofs;
    for (const core::ModelConfig& config : configs) {
      auto model = Build(config, request);
      if (!model) return Fail(model.error());
      bool tactics = true;
      for (const core::FormatShare& share : config.formats) {
        const auto format = llm::FindFormat(formats, share.format);
        if (!format) return Fail(format.error());
        tactics = tactics && format->reply == llm::ReplyKind::kTactic;
      }
      policy::ConfiguredModel configured;
      configured.config = config;
      configured.model = *model;
      if (!tactics) of_proofs.push_back(configured);
      all.push_back(std::move(configured));
    }
    auto made = policy::MakeStepEnsemble(all, formats, request.samples_per_state, request.builtin);
    if (!made) return Fail(made.error());
    if (!(*made)->empty()) steps = std::move(*made);
    if (of_proofs.empty()) return {};
    auto ensemble = policy::MakeCompletionEnsemble(of_proofs, formats);
    if (!ensemble) return Fail(ensemble.error());
    completions = std::move(*ensemble);
    return {};
  }

  llm::HttpClient http;
  std::unique_ptr<store::Database> record_database, replay_database;
  std::unique_ptr<StoredCallLog> record_log, replay_log;
  std::unique_ptr<llm::Budget> budget;
  std::vector<std::unique_ptr<llm::Model>> models;  // each asks one before it
  std::unique_ptr<policy::Policy> steps;
  std::unique_ptr<policy::CompletionPolicy> completions;
};

Models::Models(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Models::~Models() = default;

Result<std::unique_ptr<Models>> Models::Create(const core::Executor& executor,
                                               ModelsRequest request) {
  const auto folder = llm::PromptFolder();
  if (folder.empty()) {
    return Fail(ErrorCode::kEnvironment, "the folder with the prompt formats is missing",
                "set ZERMELO_PROMPTS to the `prompts` folder of the installation");
  }
  const auto formats = llm::LoadFormats(folder);
  if (!formats) return Fail(formats.error());
  auto impl = std::make_unique<Impl>(executor, request);
  if (auto opened = impl->OpenLogs(request); !opened) return Fail(opened.error());
  std::vector<core::ModelConfig> configs;
  for (const std::string& name : request.names) {
    auto model = FindModel(request.config, name);
    if (!model) return Fail(model.error());
    configs.push_back(std::move(*model));
  }
  if (auto made = impl->MakePolicies(configs, *formats, request); !made) return Fail(made.error());
  return std::unique_ptr<Models>(new Models(std::move(impl)));
}

policy::Policy* Models::steps() { return impl_->steps.get(); }
policy::CompletionPolicy* Models::completions() { return impl_->completions.get(); }
const llm::Budget& Models::budget() const { return *impl_->budget; }

namespace {

/// Lists the models of a server and asks ours for one token; says what is wrong in words.
Task<ModelExamination> ExamineOne(llm::HttpClient& http, core::ModelConfig config) {
  ModelExamination result;
  result.name = config.name;
  auto client_config = ClientConfigOf(config);
  if (!client_config) {
    result.found = client_config.error().message;
    result.advice = client_config.error().hint;
    co_return result;
  }
  client_config->retry.max_failures = 1;
  auto client = llm::Client::Create(http, std::move(*client_config));
  if (!client) {
    result.found = client.error().message;
    result.advice = client.error().hint;
    co_return result;
  }
  const std::string server_name = ServerName(config);
  std::string others;
  bool listed = false;
  for (size_t i = 0; i < config.endpoints.size(); ++i) {
    llm::CallContext context;
    context.deadline = core::Deadline::After(std::chrono::seconds(15));
    const auto names = co_await (*client)->ListModels(i, std::move(context));
    if (!names) continue;  // not every server has a list; the token tells more
    for (const std::string& name : *names) {
      listed = listed || name == server_name;
      others += (others.empty() ? "" : ", ") + name;
    }
  }
  llm::Request request;
  std::vector<llm::Message> messages(1);
  messages[0].role = "user";
  messages[0].content = "1 + 1 =";
  request.prompt = std::move(messages);
  request.sampling.max_tokens = 1;
  request.sampling.temperature = 0;
  llm::CallContext context;
  context.deadline = core::Deadline::After(std::chrono::seconds(60));
  const auto started = core::Clock::now();
  const auto reply = co_await (*client)->Generate(std::move(request), std::move(context));
  const double seconds = core::Seconds(core::Clock::now() - started);
  if (reply) {
    result.works = true;
    result.found = fmt::format("answers in {:.2f} s; {} at {}", seconds, server_name,
                               fmt::join(config.endpoints, ", "));
    co_return result;
  }
  result.found = reply.error().message;
  result.advice = reply.error().hint;
  if (!listed && !others.empty()) {
    result.advice = "the server has: " + others + "; say which with `model = \"…\"`";
  }
  if (result.advice.empty()) result.advice = "see that the server runs and that its URL is right";
  co_return result;
}

}  // namespace

Task<std::vector<ModelExamination>> Examine(core::Config config) {
  llm::HttpClient http(co_await boost::asio::this_coro::executor);
  std::vector<ModelExamination> found;
  for (const auto& [name, model] : config.models) {
    found.push_back(co_await ExamineOne(http, model));
  }
  co_return found;
}

}  // namespace zermelo::engine
