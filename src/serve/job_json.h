// Proof jobs as JSON: those of coding agents (docs/mcp.md) and those that the page starts
// (docs/page.md).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace zermelo::serve {

/// What a search within this process reports until it has ended.
struct JobSearch {
  std::string phase;   // "proving t (1 of 2)"
  std::string trying;  // a tactic; may be empty
  size_t found = 0;    // proofs, not yet verified
  size_t open = 0;     // searches that ended without one
};

struct JobState {
  std::string job;  // its handle
  enum class Stage : uint8_t { kQueued, kRunning, kCancelled, kFailed, kFinished };
  Stage stage = Stage::kQueued;  // kFinished: proved or not
  double seconds = 0;            // since it was requested, until it ended
  std::string file;              // empty: a text that was sent
  std::optional<int64_t> run;    // its number in the run database, once it is recorded
  std::string message;           // why it failed
  std::optional<JobSearch> search;
};

/// {"job", "state", "seconds", "file", "run", "message"[, "phase"[, "trying"], "found", "open"]};
/// "run" may be null.
void to_json(nlohmann::json& json, const JobState& job);

}  // namespace zermelo::serve
