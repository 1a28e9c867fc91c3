#include "engine/job/theorem_events.h"

#include <gtest/gtest.h>

namespace zermelo::engine {
namespace {

using nlohmann::json;

TheoremResult Proved() {
  TheoremResult theorem;
  theorem.name = "t";
  theorem.line = 3;
  theorem.status = TheoremStatus::kProved;
  theorem.proof = "simp";
  theorem.axioms = {"propext"};
  theorem.kernels = {{"zermelo", trust::Decision::kAccepted, "", ""}};
  theorem.checks = 5;
  theorem.samples = 7;
  return theorem;
}

// What is recorded must stay as it is: older versions read it, too.

TEST(TheoremEventsTest, OfAProvedTheorem) {
  const TheoremResult theorem = Proved();
  EXPECT_EQ(BegunFields(theorem).dump(), R"({"line":3,"name":"t"})");
  EXPECT_EQ(EndedFields(theorem).dump(),
            R"({"auxiliary":"","checks":5,"found":true,"message":"","proof":"simp","samples":7})");
  EXPECT_EQ(VerdictKind(theorem), "proved");
  EXPECT_EQ(VerdictFields(theorem).dump(),
            R"({"axioms":["propext"],"kernels":[{"kernel":"zermelo","verdict":"accepted"}],)"
            R"("name":"t","proof":"simp"})");
}

TEST(TheoremEventsTest, OfATheoremWithoutAProof) {
  TheoremResult theorem;
  theorem.name = "t";
  theorem.roles["prover"].calls = 1;
  EXPECT_EQ(EndedFields(theorem)["proof"], "");
  EXPECT_EQ(VerdictKind(theorem), "failed");
  json fields = VerdictFields(theorem);
  EXPECT_EQ(fields["roles"]["prover"]["calls"], 1);
  fields.erase("roles");
  EXPECT_EQ(fields.dump(), R"({"message":"","name":"t"})");
}

TEST(TheoremEventsTest, OfATheoremThatIsProvedFromAnother) {
  TheoremResult theorem = Proved();
  theorem.auxiliary = "lemma l : True := trivial";
  SetFrom({"gap"}, &theorem);
  const json fields = VerdictFields(theorem);
  EXPECT_EQ(VerdictKind(theorem), "failed");
  EXPECT_EQ(fields["proof"], "simp");
  EXPECT_EQ(fields["from"], json::array({"gap"}));
  EXPECT_EQ(fields["auxiliary"], "lemma l : True := trivial");
  EXPECT_EQ(fields["message"], "proved from `gap`, which has no proof yet");
  EXPECT_FALSE(fields.contains("axioms"));
  EXPECT_FALSE(fields.contains("kernels"));
}

}  // namespace
}  // namespace zermelo::engine
