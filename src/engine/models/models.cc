#include "engine/models/models.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "core/names.h"
#include "decoder/local_model.h"
#include "engine/models/chat_role.h"
#include "engine/models/gguf_model.h"
#include "llm/client.h"
#include "llm/http/http_client.h"
#include "llm/prompt/format.h"
#include "llm/seeding_model.h"
#include "policy/configured.h"
#include "record/call_store.h"
#include "record/recorded_calls.h"
#include "strategy/registry.h"

namespace zermelo::engine {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

namespace {

/// The name of the model on its server.
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
    endpoint.ca_file = model.ca_file;
    for (const auto& [name, value] : model.headers) {
      endpoint.headers.push_back(fmt::format("{}: {}", name, value));
    }
    endpoint.limits.concurrency = model.limits.concurrency;
    endpoint.limits.requests_per_minute = model.limits.requests_per_minute.value_or(0);
    endpoint.limits.tokens_per_minute = model.limits.tokens_per_minute.value_or(0);
    endpoint.timeouts.first_byte = core::FromSeconds(model.limits.timeout);
    client.endpoints.push_back(std::move(endpoint));
  }
  return client;
}

/// Whether the model runs in this process.
bool IsFolder(const core::ModelConfig& model) { return !model.path.empty() && !IsGguf(model.path); }

/// The longest completion that is requested of a model.
int MaxTokensOf(const core::ModelConfig& model, const llm::Formats& formats) {
  if (model.sampling.max_tokens) return *model.sampling.max_tokens;
  int most = 0;
  for (const core::FormatShare& share : model.formats) {
    const auto format = llm::FindFormat(formats, share.format);
    const std::optional<int> tokens = format ? format->sampling.max_tokens : std::nullopt;
    most = std::max(most, tokens.value_or(llm::kDefaultMaxTokens));
  }
  return most;
}

/// A model whose path is a GGUF file.
Result<std::unique_ptr<GgufModel>> ServedFrom(llm::HttpClient& http, const core::ModelConfig& model,
                                              const llm::Formats& formats) {
  core::ModelConfig served = model;
  served.dialect = "llamacpp";
  served.endpoints = {"http://127.0.0.1"};
  auto client = ClientConfigOf(served);
  if (!client) return Fail(client.error());
  auto server = LlamaServer::Of(http.executor(), model.path);
  if (!server) return Fail(server.error());
  (*server)->Expect(MaxTokensOf(model, formats));
  return std::make_unique<GgufModel>(http, *std::move(server), std::move(*client));
}

/// The requested limits; unset ones are as configured.
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
  names.reserve(config.models.size());
  for (const auto& [known, model] : config.models) names.push_back(known);
  if (names.empty()) {
    return Fail(
        ErrorCode::kUsage, "no model is configured",
        "add a [models." + name + "] section with an endpoint and a format to zermelo.toml");
  }
  const std::string nearest = core::DidYouMean(name, names);
  return Fail(ErrorCode::kUsage, "there is no model '" + name + "' in the configuration",
              nearest.empty() ? fmt::format("configured: {}", fmt::join(names, ", ")) : nearest);
}

/// A configured model that has at least one prompt format.
Result<core::ModelConfig> FindPromptedModel(const core::Config& config, const std::string& name) {
  auto model = FindModel(config, name);
  if (!model || !model->formats.empty()) return model;
  return Fail(ErrorCode::kUsage,
              "[models." + name + "] has no format, so it can only compute embeddings",
              "use format = \"chat\" for any chat model, or another format from prompts/");
}

/// Checks that `[roles]` names known roles, and models with prompt formats.
core::Status CheckRoles(const core::Config& config) {
  const std::vector<std::string> known = strategy::NamesOfRoles();
  for (const core::RoleConfig& role : config.roles) {
    if (std::ranges::find(known, role.role) == known.end()) {
      const std::string nearest = core::DidYouMean(role.role, known);
      return Fail(ErrorCode::kUsage,
                  fmt::format("zermelo.toml, line {}: there is no role `{}`", role.line, role.role),
                  nearest.empty() ? fmt::format("roles: {}", fmt::join(known, ", ")) : nearest);
    }
    for (const std::string& name : role.models) {
      const auto model = FindPromptedModel(config, name);
      if (model) continue;
      return Fail(ErrorCode::kUsage,
                  fmt::format("zermelo.toml, line {}: {}", role.line, model.error().message),
                  model.error().hint);
    }
  }
  return {};
}

}  // namespace

Result<llm::ClientConfig> ClientConfigFor(const core::Config& config, const std::string& name) {
  const auto model = FindModel(config, name);
  if (!model) return Fail(model.error());
  return ClientConfigOf(*model);
}

struct Models::Impl {
  Impl(const core::Executor& executor, const ModelsRequest& request, llm::Formats formats)
      : executor(executor), http(executor), formats(std::move(formats)) {
    const core::Executor work = request.journal != nullptr ? request.journal->executor() : executor;
    budget = std::make_unique<llm::Budget>(work, Over(request.budget, request.config.budget),
                                           llm::ModelBudgetsOf(request.config));
  }

  core::Status OpenStores(const ModelsRequest& request) {
    const auto open = [](const std::filesystem::path& path, record::StoreMode mode,
                         std::unique_ptr<record::CallStore>& calls) -> core::Status {
      if (path.empty()) return {};
      auto opened = record::CallStore::Open(path, mode);
      if (!opened) return Fail(opened.error());
      calls = std::move(*opened);
      return {};
    };
    const auto mode = request.cache ? record::StoreMode::kCache : record::StoreMode::kRecord;
    if (auto ok = open(request.record, mode, recording); !ok) return ok;
    return open(request.replay, record::StoreMode::kReplay, replaying);
  }

  llm::Model* Keep(std::unique_ptr<llm::Model> model) {
    models.push_back(std::move(model));
    return models.back().get();
  }

  /// The model as one role uses it: with the budget around it.
  Result<llm::Model*> InRole(const core::ModelConfig& config, std::string_view role,
                             const ModelsRequest& request) {
    auto& model = built[config.name];
    if (model == nullptr) {
      auto made = Build(config, request);
      if (!made) return made;
      model = *made;
    }
    return Keep(budget->Limit(*model, std::string(role)));
  }

  /// The model with its decorators, innermost first. The record wraps the client, and the budget
  /// wraps both (InRole), so that cached answers cost nothing.
  Result<llm::Model*> Build(const core::ModelConfig& config, const ModelsRequest& request) {
    const std::string settings = ServerName(config) + " " + config.dialect;
    llm::Model* model = nullptr;
    const auto add = [&](std::unique_ptr<llm::Model> next) { model = Keep(std::move(next)); };
    if (replaying) {
      add(record::MakeReplayed(config.name, *replaying, settings));
    } else if (IsFolder(config)) {
      auto local = decoder::LocalModel::Load(executor, config.name, config.path);
      if (!local) return Fail(local.error());
      add(std::move(*local));
    } else if (!config.path.empty()) {
      auto served = ServedFrom(http, config, formats);
      if (!served) return Fail(served.error());
      const std::shared_ptr<LlamaServer>& server = (*served)->server();
      if (std::ranges::find(servers, server) == servers.end()) servers.push_back(server);
      add(std::move(*served));
    } else {
      auto client_config = ClientConfigOf(config);
      if (!client_config) return Fail(client_config.error());
      auto client = llm::Client::Create(http, std::move(*client_config));
      if (!client) return Fail(client.error());
      add(std::move(*client));
    }
    if (recording) add(record::MakeRecorded(*model, *recording, settings));
    // Decorators outside of the journal run again when a run is resumed, with the same results:
    // seeds, spending, shares of ensembles.
    if (request.journal != nullptr) add(record::MakeRecorded(*model, *request.journal, settings));
    if (request.seed) add(std::make_unique<llm::SeedingModel>(*model, *request.seed));
    return model;
  }

  Result<std::vector<policy::ConfiguredModel>> InRole(const std::vector<core::ModelConfig>& configs,
                                                      std::string_view role,
                                                      const ModelsRequest& request) {
    std::vector<policy::ConfiguredModel> configured;
    configured.reserve(configs.size());
    for (const core::ModelConfig& config : configs) {
      auto model = InRole(config, role, request);
      if (!model) return Fail(model.error());
      configured.push_back({.config = config, .model = *model});
    }
    return configured;
  }

  /// All models propose tactics alongside the built-in policy; some also write whole proofs.
  core::Status MakePolicies(const std::vector<core::ModelConfig>& configs,
                            const llm::Formats& formats, const ModelsRequest& request) {
    const auto all = InRole(configs, strategy::role::kTactics, request);
    if (!all) return Fail(all.error());
    auto made = policy::MakeStepEnsemble(*all, formats, request.samples_per_state, request.builtin,
                                         request.seed.value_or(0), request.without);
    if (!made) return Fail(made.error());
    if (!(*made)->empty()) steps = std::move(*made);
    std::vector<core::ModelConfig> of_proofs;
    for (const core::ModelConfig& config : configs) {
      bool tactics = true;
      for (const core::FormatShare& share : config.formats) {
        const auto format = llm::FindFormat(formats, share.format);
        if (!format) return Fail(format.error());
        tactics = tactics && format->reply == llm::ReplyKind::kTactic;
      }
      if (!tactics) of_proofs.push_back(config);
    }
    if (of_proofs.empty()) return {};
    const auto provers = InRole(of_proofs, strategy::role::kProver, request);
    if (!provers) return Fail(provers.error());
    auto ensemble = policy::MakeCompletionEnsemble(*provers, formats, request.seed.value_or(0));
    if (!ensemble) return Fail(ensemble.error());
    completions = std::move(*ensemble);
    return {};
  }

  /// The names of the models configured for a role; may be empty.
  static std::vector<std::string> ModelsOfRole(const core::Config& config, std::string_view role) {
    const auto found = std::ranges::find(config.roles, role, &core::RoleConfig::role);
    return found == config.roles.end() ? std::vector<std::string>() : found->models;
  }

  core::Status MakeRoles(const std::vector<core::ModelConfig>& given, const llm::Formats& formats,
                         const ModelsRequest& request) {
    for (const std::string& role : strategy::NamesOfRoles()) {
      std::vector<std::string> names = ModelsOfRole(request.config, role);
      if (role == strategy::role::kProver) {
        if (auto made = MakeProvers(names, formats, request); !made) return made;
        continue;
      }
      if (names.empty()) names = ModelsOfRole(request.config, strategy::role::kReasoner);
      if (auto made = MakeChat(role, names, given, formats, request); !made) return made;
    }
    return {};
  }

  core::Status MakeProvers(const std::vector<std::string>& names, const llm::Formats& formats,
                           const ModelsRequest& request) {
    if (names.empty()) return {};
    std::vector<core::ModelConfig> configs;
    for (const std::string& name : names) {
      auto config = FindPromptedModel(request.config, name);
      if (!config) return Fail(config.error());
      configs.push_back(std::move(*config));
    }
    const auto provers = InRole(configs, strategy::role::kProver, request);
    if (!provers) return Fail(provers.error());
    auto ensemble = policy::MakeCompletionEnsemble(*provers, formats, request.seed.value_or(0));
    if (!ensemble) return Fail(ensemble.error());
    role_provers = std::move(*ensemble);
    return {};
  }

  /// `given`: the models to use if `names` is empty; the first one with a chat format is taken, or
  /// else the first folder, whose model chats, too, but is seldom meant to.
  core::Status MakeChat(std::string_view role, const std::vector<std::string>& names,
                        const std::vector<core::ModelConfig>& given, const llm::Formats& formats,
                        const ModelsRequest& request) {
    std::vector<ChatMember> members;
    const auto add = [&](const core::ModelConfig& config) -> Result<bool> {
      const auto sampling = ChatSampling(config, formats);
      if (!sampling) return Fail(sampling.error());
      if (!*sampling) return false;
      auto model = InRole(config, role, request);
      if (!model) return Fail(model.error());
      members.push_back({.model = *model, .sampling = **sampling, .weight = config.weight});
      return true;
    };
    for (const std::string& name : names) {
      const auto config = FindPromptedModel(request.config, name);
      if (!config) return Fail(config.error());
      const auto added = add(*config);
      if (!added) return Fail(added.error());
      if (*added) continue;
      return Fail(
          ErrorCode::kUsage,
          fmt::format("{} cannot be the {}: its formats complete text but do not chat", name, role),
          "give it a format with `kind: chat`, such as format = \"chat\"");
    }
    for (const bool is_folder : {false, true}) {
      for (const core::ModelConfig& config : given) {
        if (!members.empty()) break;
        if (IsFolder(config) != is_folder) continue;
        if (const auto added = add(config); !added) return Fail(added.error());
      }
    }
    if (!members.empty()) chats[std::string(role)] = MakeChatRole(std::move(members));
    return {};
  }

  core::Executor executor;  // of calls to models
  llm::HttpClient http;
  const llm::Formats formats;
  std::vector<std::shared_ptr<LlamaServer>> servers;  // of GGUF files
  std::unique_ptr<record::CallStore> recording, replaying;
  std::unique_ptr<llm::Budget> budget;
  std::vector<std::unique_ptr<llm::Model>> models;  // decorators come after what they wrap
  std::map<std::string, llm::Model*> built;         // of `models`, by name, without budget
  std::map<std::string, std::unique_ptr<llm::Model>, std::less<>> chats;  // by role
  std::unique_ptr<policy::CompletionEnsemble> role_provers;               // of [roles]
  std::unique_ptr<policy::EnsemblePolicy> steps;
  std::unique_ptr<policy::CompletionEnsemble> completions;
};

Models::Models(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Models::~Models() = default;

Result<std::unique_ptr<Models>> Models::Create(const core::Executor& executor,
                                               const ModelsRequest& request) {
  const auto folder = llm::PromptFolder();
  if (folder.empty()) {
    return Fail(ErrorCode::kEnvironment, "the folder with the prompt formats is missing",
                "set ZERMELO_PROMPTS to the `prompts` folder of the installation");
  }
  const auto formats = llm::LoadFormats(folder);
  if (!formats) return Fail(formats.error());
  auto impl = std::make_unique<Impl>(executor, request, *formats);
  if (auto opened = impl->OpenStores(request); !opened) return Fail(opened.error());
  std::vector<core::ModelConfig> configs;
  configs.reserve(request.names.size());
  for (const std::string& name : request.names) {
    auto model = FindPromptedModel(request.config, name);
    if (!model) return Fail(model.error());
    configs.push_back(std::move(*model));
  }
  if (!configs.empty()) {
    if (auto made = impl->MakePolicies(configs, *formats, request); !made) {
      return Fail(made.error());
    }
  }
  if (auto known = CheckRoles(request.config); !known) return Fail(known.error());
  if (request.roles) {
    if (auto made = impl->MakeRoles(configs, *formats, request); !made) return Fail(made.error());
  }
  return std::unique_ptr<Models>(new Models(std::move(impl)));
}

policy::Policy* Models::steps() { return impl_->steps.get(); }
policy::CompletionPolicy* Models::completions() { return impl_->completions.get(); }
llm::Model* Models::chat(std::string_view role) {
  const auto found = impl_->chats.find(role);
  return found == impl_->chats.end() ? nullptr : found->second.get();
}
policy::CompletionPolicy* Models::prover(std::string_view role) {
  if (role != strategy::role::kProver) return nullptr;
  return impl_->role_provers ? impl_->role_provers.get() : impl_->completions.get();
}
const llm::Budget& Models::budget() const { return *impl_->budget; }

std::vector<std::shared_ptr<LlamaServer>> Models::servers() const { return impl_->servers; }

Task<core::Status> Models::Load(std::function<void(const LlamaServer&)> waiting,
                                core::Cancellation& cancellation) {
  constexpr core::Duration kStep = std::chrono::seconds(1);
  for (const auto& server : impl_->servers) {  // all load at the same time
    const auto begun =
        co_await server->Load(core::Deadline::After(core::Duration::zero()), &cancellation);
    if (!begun && begun.error().code != ErrorCode::kTimeout) co_return begun;
  }
  for (const auto& server : impl_->servers) {
    for (;;) {
      const auto loaded = co_await server->Load(core::Deadline::After(kStep), &cancellation);
      if (loaded) break;
      if (loaded.error().code != ErrorCode::kTimeout) co_return loaded;
      waiting(*server);
    }
  }
  co_return core::Status();
}

std::vector<policy::MemberReport> Models::members() const {
  std::vector<policy::MemberReport> members;
  if (impl_->steps) members = impl_->steps->reports();
  std::vector<policy::MemberReport> of_proofs;
  if (impl_->completions) of_proofs = impl_->completions->reports();
  if (impl_->role_provers) of_proofs = impl_->role_provers->reports();
  for (const policy::MemberReport& report : of_proofs) {
    const auto same = std::find_if(members.begin(), members.end(),
                                   [&](const auto& member) { return member.name == report.name; });
    if (same == members.end()) {
      members.push_back(report);
      continue;
    }
    if (report.spending.samples > same->spending.samples) same->share = report.share;
    same->spending += report.spending;
    same->proposed += report.proposed;
    same->succeeded += report.succeeded;
    same->failures += report.failures;
    if (!report.last_error.empty()) same->last_error = report.last_error;
  }
  return members;
}

namespace {

constexpr int64_t kPromptTokens = 500;  // roughly what a theorem with its header needs

/// A small request with the same path and fields as the requests of a run.
llm::Request ProbeRequest(const llm::Format& format) {
  llm::Request request;
  if (format.kind == llm::PromptKind::kCompletion) {
    request.prompt = "1 + 1 =";
  } else {
    std::vector<llm::Message> messages(1);
    messages[0].role = "user";
    messages[0].content = "1 + 1 =";
    request.prompt = std::move(messages);
  }
  request.sampling.max_tokens = 1;
  request.sampling.seed = 1;
  request.sampling.logprobs = format.reply == llm::ReplyKind::kTactic;
  request.sampling.stop = format.sampling.stop;
  return request;
}

struct Listing {
  std::string names;
  bool has_ours = false;
  int64_t context = 0;  // of ours, in tokens; 0: unknown
};

/// The server's list of models; empty if the server has no list.
Task<Listing> ListOf(llm::Client& client, const std::string& ours) {
  llm::CallContext context;
  context.deadline = core::Deadline::After(std::chrono::seconds(15));
  const auto models = co_await client.ListModels(0, std::move(context));
  Listing listing;
  if (!models) co_return listing;
  for (const llm::ListedModel& model : *models) {
    listing.names += (listing.names.empty() ? "" : ", ") + model.id;
    if (model.id != ours) continue;
    listing.has_ours = true;
    listing.context = model.context;
  }
  co_return listing;
}

/// Sets `result` to the problem of an answer, if there is one.
void JudgeProbe(const llm::Reply& reply, const Listing& listing, int max_tokens,
                ModelExamination& result) {
  constexpr int64_t kTooMany = 8;
  if (!reply.usage.estimated && reply.usage.completion_tokens > kTooMany) {
    result.works = false;
    result.found = fmt::format("answered with {} tokens although one was requested",
                               reply.usage.completion_tokens);
    result.advice = "the server ignores max_tokens; check its `dialect`";
  } else if (listing.context > 0 && max_tokens + kPromptTokens > listing.context) {
    result.works = false;
    result.found = fmt::format("its context of {} tokens is too small for max_tokens = {}",
                               listing.context, max_tokens);
    result.advice = "lower max_tokens in its `sampling`, or start the server with a larger context";
  }
}

void Describe(const core::Error& error, ModelExamination& result) {
  result.found = error.message;
  result.advice = error.hint;
}

/// Lists the models of one endpoint and requests one token from ours; describes any problem.
Task<ModelExamination> ExamineEndpoint(llm::HttpClient& http, core::ModelConfig config,
                                       llm::Format format) {
  ModelExamination result;
  result.name = config.name;
  auto client_config = ClientConfigOf(config);
  if (!client_config) {
    Describe(client_config.error(), result);
    co_return result;
  }
  client_config->retry.max_failures = 1;
  auto client = llm::Client::Create(http, std::move(*client_config));
  if (!client) {
    Describe(client.error(), result);
    co_return result;
  }
  const Listing listing = co_await ListOf(**client, ServerName(config));
  llm::CallContext context;
  context.deadline = core::Deadline::After(std::chrono::seconds(60));
  const auto started = core::Clock::now();
  const auto reply = co_await (*client)->Generate(ProbeRequest(format), std::move(context));
  if (reply) {
    result.works = true;
    result.found =
        fmt::format("{} at {} answers in {:.2f} s", ServerName(config), config.endpoints.front(),
                    core::Seconds(core::Clock::now() - started));
    const auto& max_tokens =
        config.sampling.max_tokens ? config.sampling.max_tokens : format.sampling.max_tokens;
    JudgeProbe(*reply, listing, max_tokens.value_or(llm::kDefaultMaxTokens), result);
    co_return result;
  }
  Describe(reply.error(), result);
  if (!listing.has_ours && !listing.names.empty()) {
    result.advice = "the server has: " + listing.names + "; choose one with `model = \"…\"`";
  }
  if (result.advice.empty())
    result.advice = "check that the server is running and that its URL is right";
  co_return result;
}

llm::Formats OnlyFormat(const llm::Format& format) { return {{format.name, format}}; }

/// Requests one token from a model that needs no endpoint.
Task<ModelExamination> ExamineFile(llm::HttpClient& http, core::ModelConfig config,
                                   llm::Format format) {
  ModelExamination result;
  result.name = config.name;
  llm::CallContext context;
  context.deadline = core::Deadline::After(std::chrono::seconds(60));
  std::unique_ptr<llm::Model> model;
  if (IsFolder(config)) {
    auto local = decoder::LocalModel::Load(http.executor(), config.name, config.path);
    if (!local) {
      Describe(local.error(), result);
      co_return result;
    }
    model = *std::move(local);
  } else {
    auto served = ServedFrom(http, config, OnlyFormat(format));
    if (!served) {
      Describe(served.error(), result);
      co_return result;
    }
    context.deadline = core::Deadline::After(std::chrono::minutes(10));  // for a large file
    model = *std::move(served);
  }
  const auto started = core::Clock::now();
  const auto reply = co_await model->Generate(ProbeRequest(format), std::move(context));
  if (!reply) {
    Describe(reply.error(), result);
    co_return result;
  }
  result.works = true;
  result.found = fmt::format("{} answers in {:.2f} s", config.path.string(),
                             core::Seconds(core::Clock::now() - started));
  co_return result;
}

/// Examines a model's folder or all of its endpoints: returns the first problem, or that all work.
Task<ModelExamination> ExamineModel(llm::HttpClient& http, core::ModelConfig config,
                                    const Result<llm::Formats>& formats) {
  ModelExamination all;
  all.name = config.name;
  if (config.formats.empty()) {
    all.works = true;
    all.found = "has no format, so it only computes embeddings (for `zermelo index`)";
  }
  for (const core::FormatShare& share : config.formats) {
    const auto format = formats ? llm::FindFormat(*formats, share.format)
                                : Result<llm::Format>(Fail(formats.error()));
    if (!format) {
      all.found = format.error().message;
      all.advice = format.error().hint;
      co_return all;
    }
    if (!config.path.empty()) {
      all = co_await ExamineFile(http, config, *format);
      if (!all.works) co_return all;
    }
    for (const std::string& url : config.endpoints) {
      core::ModelConfig one = config;
      one.endpoints.assign(1, url);
      ModelExamination examined = co_await ExamineEndpoint(http, std::move(one), *format);
      if (!examined.works) co_return examined;
      if (&share == &config.formats.front()) {
        all.found += (all.found.empty() ? "" : "; ") + examined.found;
      }
    }
  }
  all.works = true;
  co_return all;
}

}  // namespace

Task<std::vector<ModelExamination>> Examine(core::Config config) {
  llm::HttpClient http(co_await boost::asio::this_coro::executor);
  const auto formats = llm::LoadFormats(llm::PromptFolder());
  std::vector<ModelExamination> found;
  found.reserve(config.models.size());
  for (const auto& [name, model] : config.models) {
    found.push_back(co_await ExamineModel(http, model, formats));
  }
  co_return found;
}

}  // namespace zermelo::engine
