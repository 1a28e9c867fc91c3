#include "view/run_json.h"

#include <gtest/gtest.h>
#include <memory>

#include "core/files/file.h"
#include "store/database.h"

namespace zermelo::view {
namespace {

using nlohmann::json;

TEST(RunJsonTest, ASummaryNamesStrategyAndCost) {
  store::Run run;
  run.request = R"({"strategy": {"strategy": "rmaxts"}})";
  run.result =
      R"({"proved": 1, "theorems": 2, "roles": {"a": {"dollars": 1.5}, "b": {"dollars": 2}}})";
  const json summary = SummaryJson(run);
  EXPECT_EQ(summary["strategy"], "rmaxts");
  EXPECT_EQ(summary["dollars"], 3.5);
  EXPECT_EQ(summary["proved"], 1);
}

TEST(RunJsonTest, WhatIsUnknownIsNull) {
  store::Run run;
  run.request = "not JSON";
  const json summary = SummaryJson(run);
  for (const char* field : {"strategy", "dollars", "proved", "theorems"}) {
    EXPECT_TRUE(summary[field].is_null()) << field;
  }
}

/// A database with one open run.
class StoredRunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store::Run run;
    run.started = "2026-01-01T00:00:00Z";
    ASSERT_TRUE(runs.Add(run));
  }
  json Shown() { return RunJson(runs, FindRun(runs, 1).value()).value(); }

  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  const std::unique_ptr<store::Database> database =
      std::move(*store::Database::Open(folder.path() / "runs.db", store::Access::kCreate));
  store::Runs runs{*database};
};

TEST_F(StoredRunTest, CostsAreShownWhileTheRunGoesOn) {
  EXPECT_FALSE(Shown().contains("roles"));
  EXPECT_TRUE(Shown()["spent"].is_null());
  EXPECT_TRUE(Shown()["checks"].is_null());
  EXPECT_TRUE(Shown()["lean_seconds"].is_null());
  EXPECT_TRUE(Shown()["lean_by_role"].is_null());
  std::vector<store::Event> events(1);
  events[0].kind = "checked";
  ASSERT_TRUE(runs.Append(1, events, 0.5, R"({"checks": 7, "lean_seconds": 2.5,
      "lean_by_role": {"prover": {"checks": 7, "lean_seconds": 2.5}},
      "roles": {"judge": {"calls": 2, "samples": 3, "prompt_tokens": 40, "dollars": 0.25},
                "prover": {"samples": 5, "completion_tokens": 7, "dollars": 0.5,
                           "estimated": true}}})"));
  const json shown = Shown();
  EXPECT_EQ(shown["state"], "open");
  EXPECT_EQ(shown["roles"]["judge"]["calls"], 2);
  EXPECT_EQ(shown["dollars"], 0.75);
  EXPECT_EQ(shown["spent"], json::parse(R"({"calls": 2, "samples": 8, "prompt_tokens": 40,
      "completion_tokens": 7, "tokens": 47, "dollars": 0.75, "estimated": true})"));
  EXPECT_EQ(shown["checks"], 7);
  EXPECT_EQ(shown["lean_seconds"], 2.5);
  EXPECT_EQ(shown["lean_by_role"]["prover"]["checks"], 7);
  EXPECT_TRUE(shown["proved"].is_null());
}

TEST_F(StoredRunTest, ChecksOfARunOfAnOlderProgramAreThoseOfItsTheorems) {
  std::vector<store::TheoremRow> rows(2);
  rows[0].checks = 3;
  rows[1].position = 1;
  rows[1].checks = 4;
  ASSERT_TRUE(runs.Finish(1, rows, R"({"proved": 1, "theorems": 2})", true));
  EXPECT_EQ(Shown()["checks"], 7);
  EXPECT_TRUE(Shown()["lean_seconds"].is_null());
  EXPECT_TRUE(Shown()["lean_by_role"].is_null());
}

TEST_F(StoredRunTest, AResultHasWhatTheLastVerdictSays) {
  std::vector<store::Event> events(2);
  events[0].kind = "failed";
  events[0].fields = R"({"theorem": 0, "name": "t"})";
  events[1].seq = 1;
  events[1].kind = "proved";
  events[1].fields = R"({"theorem": 0, "auxiliary": "theorem a : True := trivial\n",
      "kernels": [{"kernel": "lean", "verdict": "accepted"},
                  {"kernel": "zermelo", "verdict": "accepted"}]})";
  ASSERT_TRUE(runs.Append(1, events, 0.5));
  std::vector<store::TheoremRow> rows(2);
  rows[0].name = "t";
  rows[0].status = "proved";
  rows[0].proof = "exact a";
  rows[0].axioms = "[]";
  rows[1].position = 1;
  rows[1].name = "u";
  rows[1].status = "unproved";
  rows[1].message = "no proof";
  ASSERT_TRUE(runs.Finish(1, rows, R"({"proved": 1, "theorems": 2})", true));
  const json results = Shown()["results"];
  EXPECT_EQ(results[0]["outcome"], "accepted");
  EXPECT_EQ(results[0]["auxiliary"], "theorem a : True := trivial\n");
  EXPECT_EQ(results[0]["kernels"][0]["kernel"], "zermelo");
  EXPECT_EQ(results[0]["message"], "");
  EXPECT_EQ(results[1]["outcome"], "open");
  EXPECT_FALSE(results[1].contains("kernels")) << "there is no verdict on it";
  EXPECT_EQ(results[1]["message"], "no proof");
}

TEST(RunJsonTest, LongAnswersAreLeftOut) {
  store::Event event;
  event.kind = "checked";
  event.fields = R"({"act": 3})";
  event.answer = R"({"verdict": "accepted"})";
  EXPECT_EQ(EventJson(event)["answer"]["verdict"], "accepted");
  const json brief = EventJson(event, 10);
  EXPECT_FALSE(brief.contains("answer"));
  EXPECT_EQ(brief["cut"], true);
  EXPECT_EQ(brief["act"], 3);
}

TEST(RunJsonTest, TheBonusOfAnArmIsWhatItsScoreHasBesideItsMean) {
  store::Event event;
  event.kind = "selected";
  event.fields = R"({"path": [{"node": 0, "arms": [
      {"arm": null, "w": 1.5, "n": 2, "score": 1.25}, {"arm": 1, "w": 0, "n": 0, "score": "inf"},
      {"arm": 2, "w": 0, "n": 0, "score": 0.5}]}]})";
  const json arms = EventJson(event)["path"][0]["arms"];
  EXPECT_EQ(arms[0]["bonus"], 0.5);
  EXPECT_EQ(arms[1]["bonus"], "inf");
  EXPECT_EQ(arms[2]["bonus"], 0.5) << "a prior's, where there are no visits";
  event.fields = R"({"node": 1, "arms": [{"arm": 1, "w": 1, "n": 4, "score": 1}, 7, {}]})";
  const json open = EventJson(event)["arms"];
  EXPECT_EQ(open[0]["bonus"], 0.75);
  EXPECT_EQ(open[1], 7);
  EXPECT_EQ(open[2], json::object());
  event.fields = R"({"node": 1, "arms": 3, "path": [3, {"arms": [null]}]})";
  EXPECT_EQ(EventJson(event)["arms"], 3) << "what another program wrote is left as it is";
}

json NewState(int node, int parent, json goals) {
  store::Event event;
  event.kind = "node_added";
  json fields;
  fields["node"] = node;
  fields["parent"] = parent;
  fields["goals"] = std::move(goals);
  event.fields = fields.dump();
  return EventJson(event);
}

TEST(RunJsonTest, ANewStateHasItsGoalsAsParts) {
  const json list = NewState(1, 0, json::array({"n : Nat\n⊢ n = n", "case b\n⊢ p"}));
  EXPECT_EQ(list["structured"], json::parse(R"([
      {"hypotheses": [{"names": ["n"], "type": "Nat"}], "target": "n = n"},
      {"hypotheses": [], "target": "p", "case": "b"}])"));
  EXPECT_EQ(NewState(1, 0, "n : Nat\n⊢ n = n\n\ncase b\n⊢ p")["structured"], list["structured"]);
  EXPECT_EQ(NewState(1, 0, 7)["structured"], json::array());
}

TEST(RunJsonTest, AStepSaysWhatItChanged) {
  StepChanges changes;
  json first = NewState(1, 0, json::array({"⊢ p → q"}));
  json second = NewState(2, 1, json::array({"h : p\n⊢ q"}));
  changes.AddTo(first);
  changes.AddTo(second);
  EXPECT_FALSE(first.contains("change"));
  EXPECT_EQ(second["change"]["goals"][0]["added"],
            json::parse(R"([{"names": ["h"], "type": "p"}])"));
  store::Event next;
  next.kind = "theorem_begun";
  json begun = EventJson(next);
  changes.AddTo(begun);
  json other = NewState(2, 1, json::array({"⊢ r"}));
  changes.AddTo(other);
  EXPECT_FALSE(other.contains("change")) << "numbers begin anew with each theorem";
}

json Passed(StepChanges& changes, const char* kind, const char* answer = "") {
  store::Event event;
  event.kind = kind;
  event.answer = answer;
  json object = EventJson(event);
  changes.AddTo(object);
  return object;
}

TEST(RunJsonTest, TheFirstStepOfASearchSaysWhatItChangedInTheTheorem) {
  const char* root = R"({"diagnostics": [{"message": "unsolved goals\nq : Prop\n⊢ p → q"}]})";
  StepChanges changes;
  Passed(changes, "theorem_begun");
  Passed(changes, "checked", root);
  Passed(changes, "checked", R"({"diagnostics": [{"message": "unsolved goals\n⊢ other"}]})");
  json first = NewState(1, 0, json::array({"q : Prop\nh : p\n⊢ q"}));
  changes.AddTo(first);
  ASSERT_TRUE(first.contains("change"));
  EXPECT_EQ(first["change"]["goals"][0]["added"],
            json::parse(R"([{"names": ["h"], "type": "p"}])"));
  Passed(changes, "theorem_begun");
  json unknown = NewState(1, 0, json::array({"⊢ q"}));
  changes.AddTo(unknown);
  EXPECT_FALSE(unknown.contains("change")) << "the goals of this theorem are not in the record";
  Passed(changes, "theorem_begun");
  Passed(changes, "checked", root);
  Passed(changes, "subgoal");
  json of_part = NewState(1, 0, json::array({"⊢ q"}));
  changes.AddTo(of_part);
  EXPECT_FALSE(of_part.contains("change")) << "it may be a step in a part of the theorem";
}

}  // namespace
}  // namespace zermelo::view
