#include "eval/report/summary.h"

#include <gmock/gmock.h>

namespace zermelo::eval {
namespace {

using ::testing::IsEmpty;

/// Three problems, of which `a` and `b` are solved; a reasoner and a prover were called.
class RoleCurvesTest : public ::testing::Test {
 protected:
  RoleCurvesTest() {
    for (const char* name : {"a", "b", "c"}) {
      Problem problem;
      problem.name = name;
      manifest.problems.push_back(problem);
    }
    manifest.models = "gemini, goedel";
    Add("a", 7, {.reasoner = 1, .prover = 4});
    Add("b", 30, {.reasoner = 5, .prover = 4});
    Add("c", std::nullopt, {.reasoner = 9, .prover = 9});
  }

  struct Calls {
    int64_t reasoner = 0, prover = 0;
  };
  static ModelUse Use(const char* role, int64_t calls) {
    return {.role = role,
            .spent = {.calls = calls, .prompt_tokens = 10 * calls, .completion_tokens = calls}};
  }
  /// `checks`: until the proof; nullopt: there is none.
  void Add(const std::string& name, std::optional<int64_t> checks, Calls calls) {
    ProblemResult result;
    result.problem = name;
    result.attempts = 1;
    result.models["gemini"] = Use("reasoner", calls.reasoner);
    result.models["goedel"] = Use("prover", calls.prover);
    if (checks) {
      result.proved = 1;
      result.outcome = ProblemStatus::kProved;
      result.to_proof = result.cost;
      result.checks_to_proof = checks;
      result.models_to_proof = result.models;
    }
    results[ResultKey(name, 1)] = result;
  }
  /// The curves of summary.json.
  nlohmann::json Curves() const { return LongJson(Summarise(manifest, results, 1)).at("curves"); }

  Manifest manifest;
  Results results;
};

nlohmann::json Points(const std::vector<std::pair<double, double>>& points) { return points; }

TEST_F(RoleCurvesTest, EachRoleHasItsCallsAndTokensAndTheSumIsLast) {
  const auto roles = Curves().at("roles");
  ASSERT_EQ(roles.size(), 3U);
  EXPECT_EQ(roles[0].at("role"), "prover");
  EXPECT_EQ(roles[0].at("calls"), Points({{4, 2.0 / 3}}));
  EXPECT_EQ(roles[1].at("role"), "reasoner");
  EXPECT_EQ(roles[1].at("calls"), Points({{1, 1.0 / 3}, {5, 2.0 / 3}}));
  EXPECT_EQ(roles[1].at("tokens"), Points({{11, 1.0 / 3}, {55, 2.0 / 3}}));
  EXPECT_EQ(roles[2].at("role"), "all roles");
  EXPECT_EQ(roles[2].at("calls"), Points({{5, 1.0 / 3}, {9, 2.0 / 3}}));
}

TEST_F(RoleCurvesTest, TheReasonerOfThePaperIsAllButTheProver) {  // figure 3 (1)
  for (auto& [key, result] : results) {
    result.models["gemini judge"] = Use("judge", 2);
    if (result.models_to_proof) result.models_to_proof = result.models;
  }
  const auto roles = Curves().at("roles");
  ASSERT_EQ(roles.size(), 5U);
  EXPECT_EQ(roles[3].at("role"), "all but the prover");
  EXPECT_EQ(roles[3].at("calls"), Points({{3, 1.0 / 3}, {7, 2.0 / 3}}));
  EXPECT_EQ(roles[3].at("tokens"), Points({{33, 1.0 / 3}, {77, 2.0 / 3}}));
  EXPECT_EQ(roles[4].at("role"), "all roles");
}

TEST_F(RoleCurvesTest, LeanChecksHaveACurve) {
  EXPECT_EQ(Curves().at("checks"), Points({{7, 1.0 / 3}, {30, 2.0 / 3}}));
}

TEST_F(RoleCurvesTest, LeanIsSummedByRoleOverTheResultsThatHaveIt) {
  const auto lean = [this] {
    return LongJson(Summarise(manifest, results, 1)).at("lean_by_role").dump();
  };
  EXPECT_EQ(lean(), "{}") << "of an older version";
  results.at(ResultKey("a", 1)).lean_by_role = {{"prover", {.checks = 2, .lean_seconds = 1.5}}};
  results.at(ResultKey("b", 1)).lean_by_role = {{"file", {.checks = 1, .lean_seconds = 0.5}},
                                                {"prover", {.checks = 3, .lean_seconds = 1}}};
  EXPECT_EQ(lean(),
            R"({"file":{"checks":1,"lean_seconds":0.5},"prover":{"checks":5,"lean_seconds":2.5}})");
}

TEST_F(RoleCurvesTest, CallsAfterTheFirstProofDoNotCount) {
  results.at(ResultKey("a", 1)).models["gemini"].spent.calls = 100;  // --all-attempts
  EXPECT_EQ(Curves().at("roles")[1].at("calls"), Points({{1, 1.0 / 3}, {5, 2.0 / 3}}));
}

TEST_F(RoleCurvesTest, AProofThatNeededNoCallOfARoleCostsNothingThere) {
  results.at(ResultKey("a", 1)).models_to_proof->erase("goedel");
  EXPECT_EQ(Curves().at("roles")[0].at("calls"), Points({{0, 1.0 / 3}, {4, 2.0 / 3}}));
}

TEST_F(RoleCurvesTest, OneRoleHasNoSum) {
  for (auto& [key, result] : results) {
    result.models.erase("goedel");
    if (result.models_to_proof) result.models_to_proof->erase("goedel");
  }
  EXPECT_EQ(Curves().at("roles").size(), 1U);
}

TEST_F(RoleCurvesTest, ResultsOfAnOlderVersionHaveNone) {
  auto line = nlohmann::json(results.at(ResultKey("a", 1)));
  line.erase("models_to_proof");
  line.erase("checks_to_proof");
  line.erase("lean_by_role");
  const auto read = ResultFromJson(line);
  ASSERT_TRUE(read);
  results.at(ResultKey("a", 1)) = *read;
  EXPECT_THAT(Curves().at("roles"), IsEmpty());
  EXPECT_THAT(Curves().at("checks"), IsEmpty());
}

}  // namespace
}  // namespace zermelo::eval
