#include "engine/models/gguf_model.h"

#include <algorithm>
#include <utility>

#include "llm/client.h"

namespace zermelo::engine {

using core::Fail;
using core::Result;
using core::Task;

namespace {

// Of one request: the server is on this machine, so a failure is not the network's.
constexpr int kMaxFailures = 3;

}  // namespace

GgufModel::GgufModel(llm::HttpClient& http, std::shared_ptr<LlamaServer> server,
                     llm::ClientConfig client)
    : http_(http), server_(std::move(server)), config_(std::move(client)) {}

GgufModel::~GgufModel() = default;

/// Makes a client for the server as it runs now.
core::Status GgufModel::Connect() {
  if (client_ && address_ == server_->address()) return {};
  address_ = server_->address();
  llm::ClientConfig client = config_;
  client.retry.max_failures = kMaxFailures;
  llm::EndpointConfig& endpoint = client.endpoints.front();
  endpoint.url = address_.url + "/v1";
  endpoint.headers.push_back("Authorization: Bearer " + address_.key);
  endpoint.direct = true;
  endpoint.limits.concurrency = std::min(endpoint.limits.concurrency, address_.slots);
  auto made = llm::Client::Create(http_, std::move(client));
  if (!made) return Fail(made.error());
  client_ = *std::move(made);
  return {};
}

Task<Result<llm::Reply>> GgufModel::Generate(llm::Request request, llm::CallContext context) {
  const auto loaded = co_await server_->Load(context.deadline, context.cancellation);
  if (!loaded) co_return Fail(loaded.error());
  if (const auto connected = Connect(); !connected) co_return Fail(connected.error());
  const std::shared_ptr<llm::Model> client = client_;
  co_return co_await client->Generate(std::move(request), std::move(context));
}

}  // namespace zermelo::engine
