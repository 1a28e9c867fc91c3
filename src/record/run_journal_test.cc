#include "record/run_journal.h"

#include <boost/asio/this_coro.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/testing/testing.h"
#include "record/recorded_calls.h"

namespace zermelo::record {
namespace {

using core::ErrorCode;
using core::Result;
using core::Status;
using core::Task;
using core::testing::Await;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MemoryRecord : public RunRecord {
 public:
  Status Append(const std::vector<store::Event>& more, double now,
                const std::string& used_so_far) override {
    ++writes;
    if (fails) return core::Fail(ErrorCode::kEnvironment, "the disk is full");
    events.insert(events.end(), more.begin(), more.end());
    seconds = std::max(seconds, now);
    if (!used_so_far.empty()) used = used_so_far;
    return {};
  }
  Result<std::vector<store::Event>> Read(int64_t from, size_t count,
                                         const std::vector<std::string>& kinds) override {
    std::vector<store::Event> found;
    for (const store::Event& event : events) {
      const bool wanted =
          kinds.empty() || std::find(kinds.begin(), kinds.end(), event.kind) != kinds.end();
      if (event.seq >= from && wanted && found.size() < count) found.push_back(event);
    }
    return found;
  }
  Result<int64_t> Count() override { return static_cast<int64_t>(events.size()); }
  Result<double> Seconds() override { return seconds; }

  std::vector<std::string> Kinds() const {
    std::vector<std::string> kinds;
    for (const store::Event& event : events) kinds.push_back(event.kind);
    return kinds;
  }
  /// Drops all later events, as a kill does.
  void CutAfter(size_t count) { events.resize(count); }

  std::vector<store::Event> events;
  double seconds = 0;
  std::string used;
  int writes = 0;
  bool fails = false;
};

/// A work that requests numbers, one or several at a time, and notes the answers.
class RunJournalTest : public ::testing::Test {
 protected:
  using Work = std::function<Task<void>(RunJournal&)>;

  Status Run(const Work& work) {
    RunJournal journal(io.get_executor(), &record, options);
    now = &journal;
    return Await(io, journal.Run(work(journal)));
  }

  /// Requests an answer `value` that takes `delay`.
  Task<void> Ask(RunJournal& journal, std::string key, int value, core::Duration delay,
                 bool costly = false) {
    ExternalCall call;
    call.kind = kind;
    call.key = key;
    call.costly = costly;
    if (costly) call.model = "m";
    call.cancellation = &journal.cancellation();
    call.perform = [this, value, delay, cancellation = call.cancellation] {
      return Perform(value, delay, cancellation);
    };
    const auto answer = co_await journal.Perform(std::move(call));
    heard.push_back(key + (answer ? "=" + answer->dump() : ": " + answer.error().message));
  }
  /// A work that reports how many of its three calls have been answered.
  Task<void> ThreeCountedCalls(RunJournal& journal, bool interrupts) {
    answered = 0;
    journal.ReportUse([this] { return json{{"calls", answered}}; });
    for (int number = 0; number < 3; ++number) {
      co_await Ask(journal, "a", number, milliseconds(1), /*costly=*/true);
      ++answered;
      journal.Append("selected", json{{"node", number}});
      if (interrupts) journal.Interrupt();
    }
  }
  Task<json> Perform(int value, core::Duration delay, core::Cancellation* cancellation) {
    ++asked;
    if (during) during();
    core::Signal end(io.get_executor());
    const core::Cancellation::Subscription stop(*cancellation, [&] { end.Notify(); });
    co_await end.Wait(core::Deadline::After(delay));
    if (trouble) co_return ToJson(core::Error{ErrorCode::kEnvironment, trouble_is, ""});
    co_return value;
  }
  /// Three concurrent requests whose answers arrive in another order, then one more.
  Task<void> FourQuestions(RunJournal& journal) {
    core::TaskGroup group(co_await boost::asio::this_coro::executor);
    group.Spawn(Ask(journal, "a", 1, milliseconds(60)));
    group.Spawn(Ask(journal, "b", 2, milliseconds(5)));
    group.Spawn(Ask(journal, "c", 3, milliseconds(30)));
    co_await group.Join();
    journal.Append("selected", json{{"heard", heard.size()}});
    co_await Ask(journal, "d", 4, milliseconds(1));
  }

  using milliseconds = std::chrono::milliseconds;
  boost::asio::io_context io;
  MemoryRecord record;
  RunJournalOptions options;
  RunJournal* now = nullptr;
  int answered = 0;  // of ThreeCountedCalls
  std::vector<std::string> heard;
  int asked = 0;
  std::string kind = "checked";
  bool trouble = false;
  std::string trouble_is = "no Lean";
  std::function<void()> during;
};

TEST_F(RunJournalTest, AReplayDeliversTheSameAnswersInOrderAndPerformsNothing) {
  const auto work = [this](RunJournal& journal) { return FourQuestions(journal); };
  ASSERT_TRUE(Run(work));
  EXPECT_THAT(heard, ElementsAre("b=2", "c=3", "a=1", "d=4"));
  EXPECT_EQ(asked, 4);
  const auto before = heard;
  heard.clear();
  ASSERT_TRUE(Run(work));
  EXPECT_EQ(heard, before);
  EXPECT_EQ(asked, 4);
}

TEST_F(RunJournalTest, ARunContinuesWhereverTheRecordEnds) {
  const auto work = [this](RunJournal& journal) { return FourQuestions(journal); };
  ASSERT_TRUE(Run(work));
  const auto whole = record.events;
  for (size_t kept = 0; kept < whole.size(); ++kept) {
    record.events.assign(whole.begin(), whole.begin() + static_cast<long>(kept));
    heard.clear();
    asked = 0;
    ASSERT_TRUE(Run(work)) << kept;
    EXPECT_EQ(heard.size(), 4U);
    const auto answers = std::count_if(whole.begin(), whole.begin() + static_cast<long>(kept),
                                       [](const auto& e) { return e.kind == "checked"; });
    EXPECT_EQ(asked, 4 - answers);
  }
}

TEST_F(RunJournalTest, ADivergingDecisionIsAnErrorThatNamesIt) {
  const auto decide = [this](RunJournal& journal, int node) -> Task<void> {
    co_await Ask(journal, "a", 1, milliseconds(1));
    journal.Append("selected", json{{"node", node}});
    co_await Ask(journal, "b", 1, milliseconds(1));
  };
  ASSERT_TRUE(Run([&](RunJournal& journal) { return decide(journal, 1); }));
  const size_t recorded = record.events.size();
  const auto diverged = Run([&](RunJournal& journal) { return decide(journal, 2); });
  ASSERT_FALSE(diverged);
  EXPECT_EQ(diverged.error().code, ErrorCode::kInput);
  EXPECT_EQ(diverged.error().message,
            "the run cannot be resumed: event 1 was `selected` {\"node\":1}, but is now "
            "`selected` {\"node\":2}");
  EXPECT_EQ(record.events.size(), recorded) << "the record stays as it was";
}

TEST_F(RunJournalTest, OtherWordsForPeopleAreNoOtherDecision) {
  const auto end = [this](RunJournal& journal, const char* message, int checks) -> Task<void> {
    co_await Ask(journal, "a", 1, milliseconds(1));
    journal.Append("theorem_ended", json{{"message", message}, {"checks", checks}});
    co_await Ask(journal, "b", 1, milliseconds(1));
  };
  ASSERT_TRUE(Run([&](RunJournal& journal) { return end(journal, "no candidate proved it", 3); }));
  ASSERT_TRUE(Run([&](RunJournal& journal) { return end(journal, "every idea was tried", 3); }));
  EXPECT_EQ(asked, 2) << "it is replayed";
  EXPECT_FALSE(Run([&](RunJournal& journal) { return end(journal, "every idea was tried", 4); }));
}

TEST_F(RunJournalTest, ARecordOfAnOlderProgramLacksEventsOnWhichNothingDepends) {
  bool closes = false;
  const auto work = [&](RunJournal& journal) -> Task<void> {
    co_await Ask(journal, "a", 1, milliseconds(1));
    if (closes) journal.Append("node_closed", json{{"node", 1}});
    journal.Append("selected", json{{"node", 2}});
    co_await Ask(journal, "b", 2, milliseconds(1));
  };
  ASSERT_TRUE(Run(work));
  const auto of_an_older_program = record.Kinds();
  closes = true;
  ASSERT_TRUE(Run(work));
  EXPECT_EQ(asked, 2) << "it is replayed";
  auto kinds = record.Kinds();
  std::erase(kinds, "resumed");
  EXPECT_EQ(kinds, of_an_older_program);
  record.events.clear();
  ASSERT_TRUE(Run(work));
  EXPECT_THAT(record.Kinds(), ElementsAre("checked", "node_closed", "selected", "checked"));
  closes = false;
  EXPECT_FALSE(Run(work)) << "a decision of the record is no longer made";
}

TEST_F(RunJournalTest, ANewRequestInAReplayIsAnError) {
  ASSERT_TRUE(Run([&](RunJournal& j) { return Ask(j, "a", 1, milliseconds(1)); }));
  const auto other = Run([&](RunJournal& j) { return Ask(j, "b", 1, milliseconds(1)); });
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("no longer makes (checked a)"));
  EXPECT_EQ(asked, 1);
}

TEST_F(RunJournalTest, AWorkThatEndsBeforeItsRecordIsAnError) {
  ASSERT_TRUE(Run([&](RunJournal& j) { return Ask(j, "a", 1, milliseconds(1)); }));
  const auto less = Run([&](RunJournal&) -> Task<void> { co_return; });
  ASSERT_FALSE(less);
  EXPECT_THAT(less.error().message, HasSubstr("the record continues with `checked`"));
}

TEST_F(RunJournalTest, CostlyCallsAreDurableBeforeTheyBeginAndBeforeTheirAnswersAreDelivered) {
  options.max_delay = std::chrono::hours(1);
  std::vector<std::string> on_disk;
  during = [&] { on_disk = record.Kinds(); };
  ASSERT_TRUE(Run([&](RunJournal& journal) -> Task<void> {
    journal.Append("selected", json{{"node", 1}});
    co_await Ask(journal, "a", 1, milliseconds(1), /*costly=*/true);
    EXPECT_THAT(record.Kinds(), ElementsAre("selected", "checked"));
  }));
  EXPECT_THAT(on_disk, ElementsAre("selected"));
  EXPECT_EQ(record.writes, 2);
}

TEST_F(RunJournalTest, WhatTheWorkHasUsedIsWrittenWithItsEvents) {
  const auto work = [&](RunJournal& journal) { return ThreeCountedCalls(journal, false); };
  std::vector<std::string> on_disk;  // while a call is performed
  during = [&] { on_disk.push_back(record.used); };
  ASSERT_TRUE(Run(work));
  EXPECT_EQ(record.used, R"({"calls":3})");
  record.CutAfter(3);  // two answers
  ASSERT_TRUE(Run(work));
  EXPECT_EQ(record.used, R"({"calls":3})");
  EXPECT_THAT(on_disk, ElementsAre("", R"({"calls":1})", R"({"calls":2})", R"({"calls":2})"))
      << "what was replayed is included";
}

TEST_F(RunJournalTest, AnInterruptDuringTheReplayKeepsWhatTheWorkHadUsed) {
  bool interrupts = false;
  const auto work = [&](RunJournal& journal) -> Task<void> {
    co_await ThreeCountedCalls(journal, interrupts);
    EXPECT_EQ(journal.reports_use(), !interrupts);
  };
  ASSERT_TRUE(Run(work));
  EXPECT_EQ(record.used, R"({"calls":3})");
  interrupts = true;
  static_cast<void>(Run(work));
  EXPECT_EQ(asked, 3) << "it was interrupted in the replay";
  EXPECT_EQ(record.used, R"({"calls":3})");
}

TEST_F(RunJournalTest, EventsAreWrittenInBatches) {
  ASSERT_TRUE(Run([&](RunJournal& journal) -> Task<void> {
    for (int i = 0; i < 1000; ++i) journal.Append("selected", json{{"node", i}});
    co_return;
  }));
  EXPECT_EQ(record.events.size(), 1000U);
  EXPECT_LE(record.writes, 5);
}

TEST_F(RunJournalTest, AnAlarmIsReplayedAtTheSamePlace) {
  const auto work = [this](RunJournal& journal) -> Task<void> {
    bool rung = false;
    const auto alarm = journal.SetAlarm(milliseconds(25), [&rung] { rung = true; });
    int number = 0;
    while (!rung) {
      co_await Ask(journal, "a", number, milliseconds(4));
      ++number;
    }
  };
  ASSERT_TRUE(Run(work));
  const auto before = heard;
  const int asked_before = asked;
  EXPECT_GE(asked, 1);
  heard.clear();
  ASSERT_TRUE(Run(work));
  EXPECT_EQ(heard, before);
  EXPECT_EQ(asked, asked_before);
}

TEST_F(RunJournalTest, TimeUsedBeforeResumingCounts) {
  const auto work = [this](RunJournal& journal) -> Task<void> {
    const auto executor = co_await boost::asio::this_coro::executor;
    core::Signal end(executor);
    bool rung = false;
    const auto alarm = journal.SetAlarm(std::chrono::hours(2), [&rung, &end] {
      rung = true;
      end.Notify();
    });
    co_await Ask(journal, "a", 1, milliseconds(1));
    while (!rung) co_await end.Wait(core::Deadline());
  };
  record.events.push_back({.seq = 0, .at = 7199.9, .kind = "checked", .answer = "1"});
  record.events[0].fields = R"({"act":1,"key":"a"})";
  record.seconds = 7199.98;
  const auto started = core::Clock::now();
  ASSERT_TRUE(Run(work));
  EXPECT_LT(core::Seconds(core::Clock::now() - started), 5);
  EXPECT_EQ(asked, 0);
}

TEST_F(RunJournalTest, AnInterruptedRunResumesAsIfUninterrupted) {
  const auto work = [this](RunJournal& journal) { return FourQuestions(journal); };
  during = [&] {
    if (asked == 4) now->Interrupt();  // while d is in flight
  };
  ASSERT_TRUE(Run(work));
  const auto kinds = record.Kinds();
  EXPECT_THAT(kinds, ElementsAre("checked", "checked", "checked", "selected"));
  during = nullptr;
  heard.clear();
  ASSERT_TRUE(Run(work));
  EXPECT_EQ(asked, 5) << "only d again";
  EXPECT_EQ(heard.back(), "d=4");
}

/// Not ready the first time.
class CountingRunner : public lean::TacticRunner {
 public:
  Task<Result<Tried>> Try(lean::Trials trials) override {
    if (calls++ == 0) co_return std::nullopt;
    std::vector<lean::ProbeResult> results(trials.candidates.size());
    for (auto& result : results) result.outcome = lean::ProbeResult::Outcome::kClosed;
    co_return results;
  }
  int calls = 0;
};

TEST_F(RunJournalTest, TrialsOfTacticsAreReplayedWithoutTheirRunner) {
  CountingRunner runner;
  const auto work = [&](RunJournal& journal) -> Task<void> {
    const auto recorded = MakeRecorded(runner, journal);
    for (const std::string candidate : {"simp", "omega"}) {
      lean::Trials trials;
      trials.candidates.push_back(candidate);
      const auto tried = co_await recorded->Try(std::move(trials));
      heard.push_back(candidate + (tried && *tried ? " is tried" : " is not"));
    }
  };
  for (int execution = 0; execution < 2; ++execution) {
    heard.clear();
    ASSERT_TRUE(Run(work));
    EXPECT_THAT(heard, ElementsAre("simp is not", "omega is tried"));
  }
  EXPECT_EQ(runner.calls, 2);
  EXPECT_THAT(record.Kinds(), ::testing::Contains("tried").Times(2));
}

TEST_F(RunJournalTest, TheSuccessOfAnotherCallDoesNotHideAnError) {
  RunJournal journal(io.get_executor(), &record, options);
  const auto work = [this](RunJournal& own) -> Task<void> {
    trouble = true;
    kind = "retrieved";
    trouble_is = "no index";
    co_await Ask(own, "a", 1, milliseconds(1));
    kind = "checked";
    trouble_is = "no Lean";
    co_await Ask(own, "b", 2, milliseconds(1));
    trouble = false;
    kind = "retrieved";
    co_await Ask(own, "c", 3, milliseconds(1));
  };
  ASSERT_TRUE(Await(io, journal.Run(work(journal))));
  journal.RewindBefore({ErrorCode::kEnvironment, "no Lean", ""});
  EXPECT_EQ(record.Kinds().back(), "rewound");
  EXPECT_EQ(json::parse(record.events.back().fields)["to"], 1);
}

TEST_F(RunJournalTest, AnEarlierErrorOfAServiceDoesNotHideItsLastOne) {
  RunJournal journal(io.get_executor(), &record, options);
  const auto work = [this](RunJournal& own) -> Task<void> {
    trouble = true;
    trouble_is = "a prompt was refused";
    co_await Ask(own, "a", 1, milliseconds(1));
    trouble_is = "the server is gone";
    co_await Ask(own, "b", 2, milliseconds(1));
  };
  ASSERT_TRUE(Await(io, journal.Run(work(journal))));
  journal.RewindBefore({ErrorCode::kEnvironment, "the server is gone", ""});
  EXPECT_EQ(record.Kinds().back(), "rewound");
  EXPECT_EQ(json::parse(record.events.back().fields)["to"], 1);
}

TEST_F(RunJournalTest, AfterAnEnvironmentErrorARunIsRewoundToBeforeIt) {
  const auto work = [this](RunJournal& journal) -> Task<void> {
    co_await Ask(journal, "a", 1, milliseconds(1));
    trouble = asked == 1;
    co_await Ask(journal, "b", 2, milliseconds(1));
  };
  {
    RunJournal journal(io.get_executor(), &record, options);
    ASSERT_TRUE(Await(io, journal.Run(work(journal))));
    EXPECT_THAT(heard.back(), HasSubstr("environment"));
    journal.RewindBefore({ErrorCode::kTimeout, "something else", ""});
    EXPECT_NE(record.Kinds().back(), "rewound");
    journal.RewindBefore({ErrorCode::kEnvironment, "no Lean", ""});
  }
  EXPECT_EQ(record.Kinds().back(), "rewound");
  trouble = false;
  asked = 1;
  ASSERT_TRUE(Run([this](RunJournal& journal) -> Task<void> {
    co_await Ask(journal, "a", 1, milliseconds(1));
    co_await Ask(journal, "b", 2, milliseconds(1));
  }));
  EXPECT_EQ(heard.back(), "b=2");
  EXPECT_EQ(asked, 2) << "a was not requested again";
  heard.clear();
  ASSERT_TRUE(Run([this](RunJournal& journal) -> Task<void> {
    co_await Ask(journal, "a", 1, milliseconds(1));
    co_await Ask(journal, "b", 2, milliseconds(1));
  }));
  EXPECT_THAT(heard, ElementsAre("a=1", "b=2"));
  EXPECT_EQ(asked, 2);
}

TEST_F(RunJournalTest, WhenTheDiskIsFullTheRunContinuesAndReportsIt) {
  std::vector<std::string> told;
  options.on_lost_record = [&](const core::Error& error) { told.push_back(error.message); };
  record.fails = true;
  RunJournal journal(io.get_executor(), &record, options);
  ASSERT_TRUE(Await(io, journal.Run(FourQuestions(journal))));
  core::testing::RunOut(io);
  EXPECT_EQ(heard.size(), 4U);
  EXPECT_THAT(told, ElementsAre("the disk is full"));
}

TEST_F(RunJournalTest, ARunWorksWithoutARecord) {
  RunJournal journal(io.get_executor(), nullptr, options);
  ASSERT_TRUE(Await(io, journal.Run(FourQuestions(journal))));
  EXPECT_EQ(heard.size(), 4U);
}

TEST_F(RunJournalTest, AnExceptionInACallEndsTheRun) {
  during = [] { throw std::runtime_error("a bug"); };
  const auto ended = Run([this](RunJournal& j) { return Ask(j, "a", 1, milliseconds(1)); });
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kInternal);
}

}  // namespace
}  // namespace zermelo::record
