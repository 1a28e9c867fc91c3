#include "lean/states/state_protocol.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace zermelo::lean {
namespace {

using nlohmann::json;

const char* const kRun = R"({
  "steps": [{"from": [0, 2], "to": [0, 9], "state": 4, "goals": ["⊢ p"], "cut": false, "elaborated": true,
             "aborted": false, "notes": [{"severity": 2, "from": [0, 2], "to": [0, 3], "text": "unused"}]},
            {"from": [1, 2], "to": [1, 5], "state": null, "goals": null, "cut": false, "elaborated": false,
             "aborted": true, "notes": [{"severity": 1, "from": [1, 4], "to": [1, 5], "text": "no"},
                       {"severity": 1, "from": [1, 3], "to": [1, 5], "text": "first"}]}],
  "syntax": [], "state": 4, "goals": ["⊢ p"], "sorry": false, "holes": false})";

TEST(StateProtocol, ARunHasItsStepsWithStatesAndMessages) {
  const auto run = ParseStateRun(json::parse(kRun));
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->steps.size(), 2U);
  EXPECT_EQ(run->steps[0].state, 4U);
  EXPECT_EQ(run->steps[0].goals, std::vector<std::string>{"⊢ p"});
  EXPECT_TRUE(run->steps[0].elaborated);
  EXPECT_FALSE(run->steps[0].aborted);
  EXPECT_TRUE(run->steps[1].aborted);
  EXPECT_FALSE(run->steps[1].state);
  EXPECT_EQ(run->steps[1].messages.at(0).begin, (Position{1, 4}));
  EXPECT_EQ(run->state, 4U);
}

TEST(StateProtocol, TheFirstErrorIsTheFirstInTheText) {
  const auto run = ParseStateRun(json::parse(kRun));
  ASSERT_NE(run->FirstError(), nullptr);
  EXPECT_EQ(run->FirstError()->message, "first");
}

TEST(StateProtocol, AWarningIsNoError) {
  json answer = json::parse(kRun);
  answer["steps"].erase(1);
  EXPECT_EQ(ParseStateRun(answer)->FirstError(), nullptr);
}

TEST(StateProtocol, OnlyAProofWithoutErrorsSorriesAndHolesIsClosed) {
  json closed = json::parse(kRun);
  closed["steps"].erase(1);
  closed["goals"] = json::array();
  EXPECT_TRUE(ParseStateRun(closed)->Closed());
  for (const char* flag : {"sorry", "holes"}) {
    json other = closed;
    other[flag] = true;
    EXPECT_FALSE(ParseStateRun(other)->Closed()) << flag;
  }
  json with_error = closed;
  with_error["syntax"] = json::parse(kRun)["steps"][1]["notes"];
  EXPECT_FALSE(ParseStateRun(with_error)->Closed());
  json failed = closed;
  failed["steps"][0]["state"] = nullptr;
  EXPECT_FALSE(ParseStateRun(failed)->Closed());
  json open = closed;
  open["goals"] = {"⊢ p"};
  EXPECT_FALSE(ParseStateRun(open)->Closed());
}

TEST(StateProtocol, AnythingElseIsRefused) {
  const json good = json::parse(kRun);
  for (const auto& [key, value] : good.items()) {
    for (const json& wrong :
         {json(), json(-1), json(1.5), json("text"), json::object(), json{-1}}) {
      json answer = good;
      answer[key] = wrong;
      EXPECT_FALSE(ParseStateRun(answer)) << key << " " << wrong;
    }
    json answer = good;
    answer.erase(key);
    EXPECT_FALSE(ParseStateRun(answer)) << key;
  }
  for (const auto& [key, value] : good["steps"][1].items()) {
    json answer = good;
    answer["steps"][1].erase(key);
    EXPECT_EQ(ParseStateRun(answer).has_value(), key == "goals") << key;
  }
  for (const char* severity : {"0", "4", "-1", "\"1\""}) {
    json answer = good;
    answer["steps"][1]["notes"][0]["severity"] = json::parse(severity);
    EXPECT_FALSE(ParseStateRun(answer)) << severity;
  }
  EXPECT_FALSE(ParseOpenedHole(json::parse(R"({"state": -1, "goals": []})")));
  EXPECT_FALSE(ParseOpenedHole(json::parse(R"({"state": 1, "goals": [2]})")));
  EXPECT_FALSE(ParseOpenedHole(json::parse("[]")));
}

}  // namespace
}  // namespace zermelo::lean
