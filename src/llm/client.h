// A model behind an OpenAI-compatible HTTP interface.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "llm/client_config.h"
#include "llm/http/http_client.h"
#include "llm/model.h"
#include "llm/reply_parser.h"

namespace zermelo::llm {

/// Sends a call as one HTTP request, or as one request per completion if a server cannot return
/// several or if completions are to be stopped one by one. Retries failed requests (retry.h), on
/// another endpoint if there is one. A completion that has begun is never requested again: if its
/// stream breaks or the deadline passes, the reply contains it as kBroken. With a seed, completion
/// i uses seed + i, however the call is split.
class Client final : public Model, public Embedder {
 public:
  /// `http` must outlive the client. kUsage: no endpoint, an invalid URL or header, or an
  /// environment variable that is not set; kInput: ca_file cannot be read.
  static core::Result<std::unique_ptr<Client>> Create(HttpClient& http, ClientConfig config);
  ~Client() override;

  core::Task<core::Result<Reply>> Generate(Request request, CallContext context) override;
  core::Task<core::Result<Embeddings>> Embed(std::vector<std::string> texts,
                                             CallContext context) override;
  const std::string& name() const override;

  /// The models that an endpoint lists. Sends one request, without retries and outside of all
  /// limits: for diagnosing a configuration.
  core::Task<core::Result<std::vector<ListedModel>>> ListModels(size_t endpoint,
                                                                CallContext context);

 private:
  struct Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace zermelo::llm
