// How to reach a model: plain values, independent of the configuration file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "llm/dialect.h"
#include "llm/http/http_client.h"
#include "llm/http/retry.h"

namespace zermelo::llm {

/// The rate limits of a server. 0: no limit.
struct EndpointLimits {
  int concurrency = 64;             // concurrent HTTP requests
  int64_t requests_per_minute = 0;  // in any 60 seconds
  /// In any 60 seconds; prompt + n * max_tokens is counted until the usage is known.
  int64_t tokens_per_minute = 0;
  bool operator==(const EndpointLimits&) const = default;
};

/// A server that offers the model.
struct EndpointConfig {
  std::string url;    // including the API version: "http://127.0.0.1:8000/v1"
  std::string model;  // the model's name on this server
  DialectKind dialect = DialectKind::kGeneric;
  std::string key_variable;          // environment variable with the API key; empty: no key
  std::vector<std::string> headers;  // "Name: value"; ${VARIABLE} is replaced from the environment
  std::string ca_file;               // PEM, trusted certificate authorities; empty: the system's
  bool direct = false;               // through no proxy
  std::string extra_body;            // JSON object merged into each request; null removes a field
  EndpointLimits limits;
  HttpTimeouts timeouts;
};

struct ClientConfig {
  std::string name;                       // Model::name
  std::vector<EndpointConfig> endpoints;  // equivalent servers; at least one
  RetryPolicy retry;
  bool stream = true;  // needed to stop early and to keep partial replies of broken connections
  size_t max_embedding_batch = 64;  // texts per request
  size_t max_reply_bytes = 64U << 20U;
};

}  // namespace zermelo::llm
