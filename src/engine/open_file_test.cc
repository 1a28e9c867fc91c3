#include "engine/open_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kFile = R"(def f (n : Nat) : Nat := n
theorem done : f 0 = 0 := rfl
theorem gap (n : Nat) : f n = n := by sorry
theorem rests (n : Nat) : f (f n) = n := by rw [gap, gap]
theorem data : Nat := sorry
theorem last (n : Nat) : f n = f (f n) := by sorry
)";

/// The open ones above a target.
std::vector<std::string> OpenAbove(
    const OpenFile& file, size_t target,
    OpenFile::OpenTheorems theorems = OpenFile::OpenTheorems::kOpen) {
  std::vector<std::string> open;
  const auto above = file.Above(file.targets().at(target), theorems);
  for (const auto& constant : *above) {
    if (constant.open) open.push_back(constant.name);
  }
  return open;
}

TEST(OpenFileAbove, TheoremsWithoutProofsAndWhatUsesThemAreOpen) {
  OpenFile file(kFile);
  ASSERT_TRUE(file.FindTargets({}));
  const size_t last = file.targets().size() - 1;
  ASSERT_EQ(file.targets()[last].result.name, "last");
  EXPECT_THAT(OpenAbove(file, 0), IsEmpty());
  EXPECT_THAT(OpenAbove(file, last), ElementsAre("gap", "rests", "data"));
  EXPECT_THAT(OpenAbove(file, last, OpenFile::OpenTheorems::kAssumed), IsEmpty());
}

TEST(OpenFileAbove, AProofClosesATheoremUnlessItIsFromAnOpenOne) {
  OpenFile file(kFile);
  ASSERT_TRUE(file.FindTargets({"gap", "last"}));
  SetFrom({"lemma"}, &file.targets()[0].result);
  EXPECT_EQ(file.targets()[0].result.status, TheoremStatus::kProvedFrom);
  EXPECT_THAT(OpenAbove(file, 1), ElementsAre("gap", "rests", "data"));
  SetFrom({}, &file.targets()[0].result);
  EXPECT_EQ(file.targets()[0].result.status, TheoremStatus::kProved);
  EXPECT_EQ(file.targets()[0].result.message, "");
  EXPECT_THAT(OpenAbove(file, 1), ElementsAre("data"));
}

TEST(TheoremResults, TellACrashOfLeanFromAnErrorInTheFile) {
  TheoremResult theorem;
  EXPECT_EQ(nlohmann::json(theorem).at("outcome"), "open");
  theorem.status = TheoremStatus::kError;
  EXPECT_EQ(nlohmann::json(theorem).at("outcome"), "rejected");
  theorem.crashed = true;
  EXPECT_EQ(nlohmann::json(theorem).at("outcome"), "crashed");
}

TEST(TheoremResults, SayWhatTheyAreProvedFrom) {
  TheoremResult theorem;
  theorem.proof = "exact gap n";
  SetFrom({"gap", "rests"}, &theorem);
  const nlohmann::json json = theorem;
  EXPECT_EQ(json.at("status"), "proved_from");
  EXPECT_EQ(json.at("from"), nlohmann::json::array({"gap", "rests"}));
  EXPECT_EQ(json.at("message"), "proved from `gap`, `rests`, which have no proof yet");
}

}  // namespace
}  // namespace zermelo::engine
