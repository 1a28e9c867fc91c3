#include "engine/acceptance/kernels.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "lean/versions.h"
#include "trust/native_code.h"
#include "trust/source/source_rules.h"
#include "trust/source/source_tokens.h"

namespace zermelo::engine {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using trust::Decision;
using Kernels = std::vector<trust::KernelVerdict>;

const Kernels kAccepted = {{"zermelo", Decision::kAccepted, "", ""}};
const Kernels kDeclined = {{"zermelo", Decision::kDeclined, "t", "the time is over"}};

/// Whether the rules for the text or for axioms refuse a name or an option.
bool IsRefused(const lean::Interface& interface) {
  const bool option = interface.kind == lean::InterfaceKind::kOption;
  const std::string text = (option ? "set_option " : "def f := ") + std::string(interface.name);
  const trust::SourceTokens original("", trust::SourceTokens::Part::kCode),
      candidate(text, trust::SourceTokens::Part::kCode);
  return trust::IsNativeAxiom(interface.example) ||
         !trust::CheckSource(original.tokens(), candidate.tokens()).empty();
}

TEST(Kernels, WhatTheMatrixOfVersionsCallsRefusedIsRefused) {
  size_t refused = 0;
  for (const lean::Interface& interface : lean::Interfaces()) {
    if (interface.use.find("refused") == std::string_view::npos) continue;
    EXPECT_TRUE(IsRefused(interface)) << interface.name;
    ++refused;
  }
  EXPECT_EQ(refused, 5U);
}

TEST(Kernels, AVerdictNamesThoseThatAccepted) {
  EXPECT_EQ(KernelsLine(kAccepted), "accepted by Zermelo's kernel");
  Kernels others = kAccepted;
  others.push_back({"lean-replay", Decision::kAccepted, "", "", "4.35.0"});
  others.push_back({"lean4lean", Decision::kAccepted, "", "", "4.35.0"});
  others.push_back({"nanoda", Decision::kDeclined, "", "it crashed", "4.35.0"});
  others.push_back({"con-ron", Decision::kAccepted, "", "", "4.35.0"});
  EXPECT_EQ(KernelsLine(others),
            "accepted by Zermelo's kernel, Lean's kernel (replay), lean4lean and con-ron; declined "
            "by nanoda: it crashed");
  EXPECT_EQ(KernelsLine({{"nanoda", Decision::kRejected, "", "no", "4.35.0"}}),
            "rejected by nanoda: no");
  EXPECT_THAT(AcceptingKernels(others),
              ElementsAre("zermelo", "lean-replay", "lean4lean", "con-ron"));
  EXPECT_THAT(AcceptingKernels(kDeclined), IsEmpty());
}

TEST(Kernels, AVerdictSaysThatOnlyTheCompilationAccepts) {
  EXPECT_EQ(KernelsLine({}),
            "no independent kernel has accepted it, only the Lean that compiled it");
  EXPECT_EQ(KernelsLine(kDeclined),
            "no independent kernel has accepted it, only the Lean that compiled it; declined by "
            "Zermelo's kernel: `t`: the time is over");
}

TEST(Kernels, ACompilationInAnOldRecordIsNoKernel) {
  const auto old = nlohmann::json::parse(
      R"([{"kernel": "lean", "verdict": "accepted"}, {"kernel": "zermelo"}, 7])");
  EXPECT_EQ(RecordedKernels(old).dump(), R"([{"kernel":"zermelo"},7])");
}

TEST(Kernels, JsonSaysWhyAKernelDidNotAccept) {
  EXPECT_EQ(KernelsJson(kDeclined).dump(),
            R"([{"declaration":"t","kernel":"zermelo","reason":"the time is over",)"
            R"("verdict":"declined"}])");
}

TEST(Kernels, ALeanWithoutItsKernelDisagreesWithNone) {
  const Kernels rejected = {{"zermelo", Decision::kRejected, "t", "no"}};
  Kernels both = kAccepted;
  both.push_back({"nanoda", Decision::kRejected, "t", "no", "4.35.0"});
  EXPECT_FALSE(Disagree(kAccepted, true));
  EXPECT_FALSE(Disagree(kDeclined, true));
  EXPECT_TRUE(Disagree(rejected, true));
  EXPECT_FALSE(Disagree(rejected, false)) << "the candidate switched Lean's kernel off";
  EXPECT_TRUE(Disagree(both, false)) << "but not nanoda's";
}

class Disagreements : public ::testing::Test {
 protected:
  Disagreements() : folder_(*core::TemporaryFolder::Create("disagreements")) {
    ::setenv("XDG_STATE_HOME", folder_.path().c_str(), 1);
    std::ofstream(folder_.path() / "X.olean") << "public";
    std::ofstream(folder_.path() / "X.olean.private") << "private";
  }
  ~Disagreements() override { ::unsetenv("XDG_STATE_HOME"); }

  core::TemporaryFolder folder_;
};

TEST_F(Disagreements, BothTextsAndAllPartsAreKept) {
  const auto kept =
      Keep({"theorem t : P := sorry", "theorem t : P := p", folder_.path() / "X.olean"});
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(*core::ReadTextFile(*kept / "Original.lean"), "theorem t : P := sorry");
  EXPECT_EQ(*core::ReadTextFile(*kept / "Candidate.lean"), "theorem t : P := p");
  EXPECT_EQ(*core::ReadTextFile(*kept / "Candidate.olean"), "public");
  EXPECT_EQ(*core::ReadTextFile(*kept / "Candidate.olean.private"), "private");
  EXPECT_FALSE(fs::exists(*kept / "Candidate.olean.server"));
}

TEST_F(Disagreements, TheSameIsKeptOnceAndNoMoreThanTwentyAre) {
  const auto keep = [&](const std::string& candidate) {
    return Keep({"original", candidate, folder_.path() / "X.olean"});
  };
  EXPECT_EQ(*keep("0"), *keep("0"));
  for (int i = 1; i < 20; ++i) EXPECT_TRUE(keep(std::to_string(i)));
  const auto one_more = keep("20");
  ASSERT_FALSE(one_more);
  EXPECT_THAT(one_more.error().message, HasSubstr("twenty"));
}

}  // namespace
}  // namespace zermelo::engine
