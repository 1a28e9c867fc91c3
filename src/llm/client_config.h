// How a model is reached. Plain values; where they come from is not known here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "llm/dialect.h"
#include "llm/http_client.h"
#include "llm/retry.h"

namespace zermelo::llm {

/// What a server allows. 0: no limit.
struct EndpointLimits {
  int concurrency = 64;             // HTTP requests at a time
  int64_t requests_per_minute = 0;  // in any 60 seconds
  int64_t tokens_per_minute = 0;    // likewise; prompt and n * max_tokens until the usage is known
  bool operator==(const EndpointLimits&) const = default;
};

/// One server that has the model.
struct EndpointConfig {
  std::string url;    // with its version: "http://127.0.0.1:8000/v1"
  std::string model;  // the server's name for it
  DialectKind dialect = DialectKind::kGeneric;
  std::string key_variable;          // environment variable with the API key; empty: none is sent
  std::vector<std::string> headers;  // "Name: value"; ${VARIABLE} is taken from the environment
  std::string ca_file;               // PEM, beside HTTPS servers' own; empty: the system's
  std::string extra_body;            // JSON object merged over each request; null removes a field
  EndpointLimits limits;
  HttpTimeouts timeouts;
};

struct ClientConfig {
  std::string name;                       // Model::name
  std::vector<EndpointConfig> endpoints;  // of equal worth; at least one
  RetryPolicy retry;
  bool stream = true;  // needed for early stops, and to keep what arrived when a connection breaks
  size_t max_embedding_batch = 64;  // texts a request
  size_t max_reply_bytes = 64U << 20U;
};

}  // namespace zermelo::llm
