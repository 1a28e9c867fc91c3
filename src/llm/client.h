// A model behind OpenAI's HTTP interface.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "llm/client_config.h"
#include "llm/http_client.h"
#include "llm/model.h"
#include "llm/reply_parser.h"

namespace zermelo::llm {

/// Sends a call as one HTTP request, or as one for each completion where the server cannot give
/// several or where they can be stopped one by one; asks again what failed (retry.h), elsewhere if
/// there is an elsewhere. A completion that has begun is never asked for again: when its stream
/// breaks, or the deadline passes, it is in the reply as kBroken. With a seed, completion i is that
/// of seed + i, however the call was split.
class Client final : public Model, public Embedder {
 public:
  /// `http` must outlive the client. kUsage: no endpoint, a bad URL, a header that is none, an
  /// environment variable that is not set; kInput: ca_file cannot be read.
  static core::Result<std::unique_ptr<Client>> Create(HttpClient& http, ClientConfig config);
  ~Client() override;

  core::Task<core::Result<Reply>> Generate(Request request, CallContext context) override;
  core::Task<core::Result<Embeddings>> Embed(std::vector<std::string> texts,
                                             CallContext context) override;
  const std::string& name() const override;

  /// The models that an endpoint says it has. Asked once, outside of all limits: for
  /// telling what is wrong with a configuration.
  core::Task<core::Result<std::vector<ListedModel>>> ListModels(size_t endpoint,
                                                                CallContext context);

 private:
  struct Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace zermelo::llm
