// Metrics in Prometheus' text format (exposition format 0.0.4).
#pragma once

#include <map>
#include <string>
#include <utility>

#include "serve/histogram.h"
#include "serve/verifier.h"

namespace zermelo::serve {

/// Counts and durations of HTTP requests.
struct RequestMetrics {
  std::map<std::pair<std::string, int>, uint64_t> requests;  // by path and status
  std::map<std::string, Histogram> seconds;                  // by path

  void Add(const std::string& path, int status, double duration) {
    ++requests[{path, status}];
    seconds[path].Add(duration);
  }
};

/// All metrics of the service, for `GET /metrics`.
std::string PrometheusText(const RequestMetrics& requests, const Verifier& verifier);

}  // namespace zermelo::serve
