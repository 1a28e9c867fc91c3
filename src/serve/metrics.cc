#include "serve/metrics.h"

#include <fmt/format.h>
#include <iterator>
#include <limits>

namespace zermelo::serve {

namespace {

class Text {
 public:
  void Metric(const char* name, const char* type, const char* help) {
    name_ = name;
    Add("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  template <class Number>
  void Value(const std::string& labels, Number value) {
    Add("{}{} {}\n", name_, labels.empty() ? "" : "{" + labels + "}", value);
  }
  template <class Number>
  void Single(const char* name, const char* type, const char* help, Number value) {
    Metric(name, type, help);
    Value("", value);
  }
  /// `labels` is empty or ends with a comma.
  void Values(const std::string& labels, const Histogram& histogram) {
    uint64_t below = 0;
    for (size_t i = 0; i < Histogram::kBounds.size(); ++i) {
      below += histogram.in_bucket(i);
      Add("{}_bucket{{{}le=\"{}\"}} {}\n", name_, labels, Histogram::kBounds[i], below);
    }
    Add("{}_bucket{{{}le=\"+Inf\"}} {}\n", name_, labels, histogram.count());
    const std::string all = labels.empty() ? "" : "{" + labels.substr(0, labels.size() - 1) + "}";
    Add("{}_sum{} {}\n{}_count{} {}\n", name_, all, histogram.sum(), name_, all, histogram.count());
  }
  std::string Take() { return std::move(text_); }

 private:
  template <class... Values>
  void Add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }

  std::string name_;
  std::string text_;
};

/// A label's value may contain anything.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

/// Nothing where all workers are on this machine.
void PlaceMetrics(const lean::Pool& pool, Text& text) {
  if (pool.places().empty()) return;
  text.Single("zermelo_checks_moved_total", "counter",
              "Checks moved elsewhere because their worker's place had failed.",
              pool.stats().moved);
  text.Metric("zermelo_place_workers", "gauge", "Maximum number of Lean workers, by place.");
  for (const auto& place : pool.places()) {
    text.Value("place=" + Quoted(place->place()->name), place->place()->workers);
  }
  text.Metric("zermelo_place_up", "gauge",
              "1 if the place works, 0 from a failure until it works again.");
  for (const auto& place : pool.places()) {
    text.Value("place=" + Quoted(place->place()->name), place->trouble().empty() ? 1 : 0);
  }
  text.Metric("zermelo_place_failures_total", "counter", "Failures of a place.");
  for (const auto& place : pool.places()) {
    text.Value("place=" + Quoted(place->place()->name), place->failures());
  }
}

}  // namespace

std::string PrometheusText(const RequestMetrics& requests, const Verifier& verifier) {
  const lean::Pool& pool = verifier.pool();
  const lean::Pool& own = verifier.own_process_pool();
  const lean::PoolStats& stats = pool.stats();
  Text text;
  text.Single("zermelo_queue_length", "gauge", "Checks accepted and not yet answered.",
              verifier.accepted());
  text.Single("zermelo_queue_limit", "gauge", "Maximum number of checks accepted at once.",
              verifier.options().queue);
  text.Single("zermelo_checks_waiting", "gauge", "Checks waiting for a worker.",
              pool.waiting() + own.waiting());
  text.Single("zermelo_workers", "gauge", "Maximum number of Lean workers.",
              pool.size() + own.size());
  text.Single("zermelo_workers_busy", "gauge", "Lean workers running a check.",
              pool.busy() + own.busy());
  text.Single("zermelo_workers_started_total", "counter", "Lean workers started.",
              stats.started + own.stats().started);
  text.Single("zermelo_worker_crashes_total", "counter", "Lean workers that crashed in a check.",
              stats.crashes + own.stats().crashes);
  text.Single("zermelo_worker_resident_bytes", "gauge",
              "Resident memory of the Lean workers on this machine.",
              pool.ResidentBytes() + own.ResidentBytes());
  const auto limit = pool.options().max_total_bytes;
  text.Single("zermelo_worker_memory_limit_bytes", "gauge",
              "Limit for the resident memory of all shared workers; -1: none.",
              limit == std::numeric_limits<uint64_t>::max() ? -1.0 : static_cast<double>(limit));
  text.Single("zermelo_worker_memory_limit_each_bytes", "gauge",
              "Limit for the resident memory of each Lean process.",
              pool.options().worker.max_resident_bytes);
  text.Single("zermelo_workers_evicted_total", "counter",
              "Lean workers stopped because of the memory limit for all of them.", stats.evicted);
  text.Single("zermelo_spare_workers", "gauge", "Spare Lean workers with loaded imports.",
              pool.spares());
  text.Single("zermelo_spare_workers_used_total", "counter",
              "Spare Lean workers that took the place of another.", stats.spares_used);
  PlaceMetrics(pool, text);
  text.Metric("zermelo_checks_total", "counter", "Checks answered, by verdict.");
  for (size_t i = 0; i < kOutcomes; ++i) {
    const auto outcome = static_cast<VerificationStatus>(i);
    text.Value(fmt::format("verdict=\"{}\"", Name(outcome)), verifier.checks(outcome));
  }
  text.Single("zermelo_text_bytes_total", "counter", "Bytes of checked texts.", stats.text_bytes);
  text.Single("zermelo_reused_bytes_total", "counter",
              "Bytes of checked texts that a worker had already elaborated.", stats.reused_bytes);
  const double bytes = static_cast<double>(stats.text_bytes);
  text.Single("zermelo_prefix_reuse_ratio", "gauge", "Fraction of reused bytes since the start.",
              bytes == 0 ? 0 : static_cast<double>(stats.reused_bytes) / bytes);
  text.Metric("zermelo_check_seconds", "histogram", "Time that Lean took for a check.");
  text.Values("", verifier.check_seconds());
  text.Metric("zermelo_requests_total", "counter", "HTTP requests answered, by path and status.");
  for (const auto& [key, count] : requests.requests) {
    text.Value(fmt::format("path=\"{}\",status=\"{}\"", key.first, key.second), count);
  }
  text.Metric("zermelo_request_seconds", "histogram", "Time from a request to its response.");
  for (const auto& [path, histogram] : requests.seconds) {
    text.Values(fmt::format("path=\"{}\",", path), histogram);
  }
  return text.Take();
}

}  // namespace zermelo::serve
