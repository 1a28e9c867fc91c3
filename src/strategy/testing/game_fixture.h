// For tests only: fixtures for strategies that play fake_lean.py's game.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "core/testing/testing.h"
#include "lean/pool.h"
#include "lean/testing/fake_lean.h"
#include "strategy/strategy.h"
#include "strategy/testing/scripted_policies.h"

namespace zermelo::strategy::testing {

/// Keeps events in memory; records nothing else.
class MemoryJournal : public record::Journal {
 public:
  struct Event {
    std::string kind;
    nlohmann::json fields;
  };
  void Append(std::string_view kind, nlohmann::json fields) override {
    events.push_back({std::string(kind), std::move(fields)});
  }
  bool tracing() const override { return true; }
  core::Task<core::Result<nlohmann::json>> Perform(record::ExternalCall call) override {
    co_return co_await call.perform();
  }
  bool performs_elsewhere() const override { return false; }
  std::unique_ptr<record::Alarm> SetAlarm(core::Duration, std::function<void()>) override {
    return std::make_unique<NoAlarm>();
  }
  double elapsed() const override { return 0; }

  std::vector<nlohmann::json> Of(std::string_view kind) const {
    std::vector<nlohmann::json> found;
    for (const Event& event : events) {
      if (event.kind == kind) found.push_back(event.fields);
    }
    return found;
  }
  std::string Dump() const {
    std::string dump;
    for (const Event& event : events) dump += event.kind + " " + event.fields.dump() + "\n";
    return dump;
  }

  std::vector<Event> events;

 private:
  class NoAlarm : public record::Alarm {};
};

/// Passes checks on and keeps their roles and texts.
class RoleWatcher : public lean::Checker {
 public:
  explicit RoleWatcher(lean::Checker& inner) : inner_(inner) {}
  core::Task<core::Result<lean::CheckResult>> Check(lean::CheckRequest request) override {
    seen.push_back(request.roles);
    texts.push_back(request.text);
    return inner_.Check(std::move(request));
  }
  size_t size() const override { return inner_.size(); }
  uint64_t checks() const override { return inner_.checks(); }

  /// "2 prover, 1 sketcher": how many checks each role has had; those of several have all of them.
  std::string Summary() const {
    std::map<std::string, size_t> counts;
    for (const auto& roles : seen) ++counts[fmt::format("{}", fmt::join(roles, "+"))];
    std::string summary;
    for (const auto& [roles, count] : counts) {
      summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", count, roles);
    }
    return summary;
  }

  std::vector<std::vector<std::string>> seen;
  std::vector<std::string> texts;

 private:
  lean::Checker& inner_;
};

class GameTest : public ::testing::Test {
 protected:
  GameTest() { limits.deadline = core::testing::Generous(); }
  ~GameTest() override {
    pool.reset();
    core::testing::RunOut(io);
  }
  Services ServicesWith(policy::Policy* steps, policy::CompletionPolicy* completions) {
    return {.checker = watched, .steps = steps, .completions = completions, .all = all};
  }
  static Problem ProblemOf(int number) {
    return {.site = lean::testing::GameSite(number),
            .goals = {"n : Nat\n⊢ " + std::to_string(number)},
            .context = {}};
  }

  boost::asio::io_context io;
  const core::TemporaryFolder folder =
      std::move(*core::TemporaryFolder::Create("zermelo-strategy-"));
  std::unique_ptr<lean::Pool> pool =
      std::make_unique<lean::Pool>(io.get_executor(), lean::testing::FakeToolchain(folder.path()),
                                   lean::PoolOptions{.workers = 1});
  RoleWatcher watched{*pool};
  Limits limits;
  bool all = false;
};

}  // namespace zermelo::strategy::testing
