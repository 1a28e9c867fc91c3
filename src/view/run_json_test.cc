#include "view/run_json.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace zermelo::view
