// For tests only: a run database with invented events.
#pragma once

#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#include "store/database.h"
#include "store/runs.h"

namespace zermelo::view::testing {

class Recorded {
 public:
  /// Creates the database with run 1, which is open.
  explicit Recorded(const std::filesystem::path& path)
      : database_(std::move(*store::Database::Open(path, store::Access::kCreate))),
        runs_(*database_) {
    store::Run run;
    run.started = "2026-01-01T00:00:00Z";
    run.file = "/a/Sum.lean";
    run.toolchain = "{}";
    run.request = R"({"strategy": {"strategy": "rmaxts"}})";
    EXPECT_TRUE(runs_.Add(run));
  }

  /// Appends an event with a node, and an answer if it is not empty.
  void Append(const std::string& kind, int node, const std::string& answer = "") {
    store::Event event;
    event.seq = next_++;
    event.at = 0.5;
    event.kind = kind;
    event.fields = R"({"node":)" + std::to_string(node) + "}";
    event.answer = answer;
    EXPECT_TRUE(runs_.Append(1, {event}, 0.5));
  }

  void Finish() { EXPECT_TRUE(runs_.Finish(1, {}, R"({"proved": 0, "theorems": 0})", true)); }

 private:
  std::unique_ptr<store::Database> database_;
  store::Runs runs_;
  int64_t next_ = 0;
};

}  // namespace zermelo::view::testing
