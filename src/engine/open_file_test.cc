#include "engine/open_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/testing/testing.h"

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

TEST(OpenFileAbove, AFieldIsAnOpenTheoremOnlyOfWhatTheTextNames) {
  OpenFile file(
      "theorem Near.symm (h : Near a b) : Near b a := by sorry\n"
      "theorem other (h : a = b) : b = a := h.symm\n"
      "theorem near (h : Near a b) : Near b a := h.symm\n"
      "theorem last : 1 = 1 := by sorry\n");
  ASSERT_TRUE(file.FindTargets({}));
  EXPECT_THAT(OpenAbove(file, 1), ElementsAre("Near.symm", "near"));
}

/// Reports an error where `bad` is in the text, and each `sorry`.
class ErrorAtBad : public lean::Checker {
 public:
  core::Task<core::Result<lean::CheckResult>> Check(lean::CheckRequest request) override {
    lean::CheckResult result;
    const core::LineIndex lines(request.text);
    const auto report = [&](std::string_view word, lean::Severity severity, const char* message) {
      const size_t at = request.text.find(word);
      if (at == std::string::npos) return;
      result.diagnostics.push_back({.severity = severity,
                                    .begin = syntax::PositionAt(lines, at),
                                    .end = syntax::PositionAt(lines, at + word.size()),
                                    .message = message});
    };
    report("bad", lean::Severity::kError, "unknown identifier");
    report("sorry", lean::Severity::kWarning, "declaration uses `sorry`");
    co_return result;
  }
  size_t size() const override { return 1; }
  uint64_t checks() const override { return 0; }
};

TEST(OpenFileErrors, TakeOnlyTheirOwnCommandOutOfTheFile) {
  const std::string
      before = "def f : Nat := 0\n",
      after =
          "namespace A\nopen Nat\nvariable (n : Nat)\ntheorem t : n + f = n := by sorry\nend A\n";
  for (const std::string command : {"open bad\n", "variable (x : Nat)\n  (y : bad)\n"}) {
    OpenFile file(before + command + after);
    ASSERT_TRUE(file.FindTargets({}));
    boost::asio::io_context io;
    ErrorAtBad checker;
    ASSERT_TRUE(core::testing::Await(io, file.Read(checker, 1, lean::Toolchain())));
    std::string blanked = command;
    for (char& c : blanked) c = c == '\n' ? c : ' ';
    EXPECT_EQ(file.clean_text(), before + blanked + after);
    EXPECT_EQ(file.targets().at(0).result.status, TheoremStatus::kUnproved);
  }
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
