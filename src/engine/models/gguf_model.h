// A GGUF file as a model: requests to llama.cpp's own server, which runs for it.
#pragma once

#include <memory>
#include <string>

#include "engine/models/llama_server.h"
#include "llm/client_config.h"
#include "llm/http/http_client.h"
#include "llm/model.h"

namespace zermelo::engine {

class GgufModel final : public llm::Model {
 public:
  /// `http` must outlive the model. `client`: how the server is asked; its endpoint's URL and key
  /// are set here, and requests beyond the server's slots wait here.
  GgufModel(llm::HttpClient& http, std::shared_ptr<LlamaServer> server, llm::ClientConfig client);
  ~GgufModel() override;

  /// Starts the server first if it does not run. Errors of LlamaServer::Load, and of llm::Client.
  core::Task<core::Result<llm::Reply>> Generate(llm::Request request,
                                                llm::CallContext context) override;
  const std::string& name() const override { return config_.name; }
  const std::shared_ptr<LlamaServer>& server() const { return server_; }

 private:
  core::Status Connect();

  llm::HttpClient& http_;
  const std::shared_ptr<LlamaServer> server_;
  const llm::ClientConfig config_;
  LlamaServer::Address address_;        // of the client
  std::shared_ptr<llm::Model> client_;  // calls in progress own it, too
};

}  // namespace zermelo::engine
