// What other kernels get is what was judged, and complete.
#include "trust/kernels/candidate_export.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "kernel/files/check_file.h"
#include "kernel/testing/olean_writer.h"
#include "trust/testing/module_file.h"
#include "trust/verdict.h"

namespace zermelo::trust {
namespace {

using kernel::OleanWriter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Word = OleanWriter::Word;
using testing::Declared;

class CandidateExports : public ::testing::Test {
 protected:
  using Content = testing::Content;

  CandidateExports() : folder_(*core::TemporaryFolder::Create("candidate_export")) {
    // def P : Prop := ∀ a : Prop, a → a;  theorem p : P
    Write("Init.olean", {}, [](OleanWriter& w) {
      const Word a = w.BVar(0);
      const Word p = w.Forall(Prop(w), w.Forall(a, w.BVar(1)));
      return Declared{{"P", w.Definition("P", Prop(w), p)},
                      {"p", w.Theorem("p", w.Const("P"), w.Lambda(Prop(w), w.Lambda(a, a)))},
                      {"unused", w.Axiom("unused", Prop(w))}};
    });
    Candidate("p");
    request_.original = request_.candidate = folder_.path() / "candidate.olean";
    request_.targets = {"t"};
  }

  static Word Prop(OleanWriter& w) { return w.Sort(OleanWriter::Box(0)); }

  // theorem t : P := PROOF
  void Candidate(const char* proof) {
    Write("candidate.olean", {"Init"}, [proof](OleanWriter& w) {
      return Declared{{"t", w.Theorem("t", w.Const("P"), w.Const(proof))}};
    });
  }

  // `stripped`: what the file says that it has as an axiom only because it is a public part.
  void Write(const std::string& file, const std::vector<std::string>& imports,
             const Content& content, const std::vector<std::string>& stripped = {}) {
    testing::WriteModule(folder_.path() / file, imports, content, stripped);
  }

  // Into text_ and hidden_.
  core::Status Export() {
    Library library({folder_.path()});
    auto judging = Judging::Begin(request_, library);
    if (!judging) return core::Fail(judging.error());
    const auto content = judging->Export();
    if (auto read = content->Read(library); !read) return read;
    hidden_ = content->Write([&](std::string_view line) { text_ += line; });
    return {};
  }

  kernel::FileReport Checked() {
    const auto file = folder_.path() / "x.ndjson";
    std::ofstream(file) << text_;
    kernel::FileCheckRequest request;
    request.files.push_back({"", file});
    auto report = kernel::CheckFiles(request);
    EXPECT_TRUE(report) << report.error().message;
    return *std::move(report);
  }

  core::TemporaryFolder folder_;
  JudgeRequest request_;
  std::string text_;
  std::vector<std::string> hidden_;
};

TEST_F(CandidateExports, HaveTheImportedProofsThatTheyRestOnAndNothingElse) {
  ASSERT_TRUE(Export());
  EXPECT_THAT(hidden_, ElementsAre());
  const kernel::FileReport report = Checked();
  EXPECT_EQ(report.verdict.outcome, Decision::kAccepted) << report.verdict.reason;
  EXPECT_EQ(report.declarations, 3U);
  EXPECT_EQ(report.imported, 0U) << "all of it can be checked without the library";
  EXPECT_THAT(text_, Not(HasSubstr("\"axiom\"")));
  EXPECT_THAT(text_, Not(HasSubstr("unused")));
}

TEST_F(CandidateExports, SayWhatTheLibraryHides) {
  Candidate("hidden");
  ASSERT_TRUE(Export());
  EXPECT_THAT(hidden_, ElementsAre("hidden"));
}

TEST_F(CandidateExports, SayWhichImportedProofsAreStripped) {
  Candidate("p");
  Write("Init.olean", {},
        [](OleanWriter& w) {
          return Declared{{"P", w.Axiom("P", Prop(w))},
                          {"p", w.Axiom("p", w.Const("P"))},
                          {"unused", w.Axiom("unused", Prop(w))}};
        },
        {"p", "unused"});
  ASSERT_TRUE(Export());
  EXPECT_THAT(hidden_, ElementsAre("p")) << "`P` is an axiom, and nothing rests on `unused`";
}

TEST_F(CandidateExports, AreOfTheBytesThatWereJudged) {
  Library library({folder_.path()});
  request_.kernel = KernelUse::kOff;
  auto judging = Judging::Begin(request_, library);
  ASSERT_TRUE(judging);
  ASSERT_TRUE(judging->Finish(library));
  Write("Init.olean", {}, [](OleanWriter& w) {
    return Declared{{"P", w.Definition("P", Prop(w), Prop(w))}, {"p", w.Axiom("p", w.Const("P"))}};
  });
  const auto read = judging->Export()->Read(library);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, core::ErrorCode::kEnvironment);
}

TEST(KernelReasons, NameWhoRejectsAndWhoMustNotDecline) {
  const KernelVerdict rejects{"nanoda", Decision::kRejected, "", "no", "4.35.0"};
  const KernelVerdict declines{"zermelo", Decision::kDeclined, "t", "too long"};
  EXPECT_EQ(ReasonAgainst(rejects, KernelUse::kOff)->message,
            "nanoda rejects the compiled candidate: no.");
  EXPECT_EQ(ReasonAgainst(rejects, KernelUse::kOn)->code, ReasonCode::kKernelRejected);
  EXPECT_EQ(ReasonAgainst(declines, KernelUse::kOn), std::nullopt);
  EXPECT_EQ(ReasonAgainst(declines, KernelUse::kRequired)->message,
            "Zermelo's kernel, whose verdict is required, declines to judge `t`: too long.");
  EXPECT_EQ(ReasonAgainst({"zermelo", Decision::kAccepted, "", ""}, KernelUse::kRequired),
            std::nullopt);
  KernelVerdict own_numbers = declines;
  own_numbers.meant_by_name = "Nat.gcd";
  EXPECT_EQ(ReasonAgainst(own_numbers, KernelUse::kOn)->code, ReasonCode::kKernelDeclined);
  own_numbers.declines_only_the_original = true;
  EXPECT_EQ(ReasonAgainst(own_numbers, KernelUse::kOn), std::nullopt);
}

// For Lean's kernel, which has the imports.
TEST_F(CandidateExports, WithoutTheLibraryItHasTheCandidatesOwnConstants) {
  Library library({folder_.path()});
  auto judging = Judging::Begin(request_, library);
  ASSERT_TRUE(judging);
  judging->Export()->Write([&](std::string_view line) { text_ += line; });
  EXPECT_THAT(text_, ::testing::StartsWith("{\"imports\":[[\"Init\"]]}\n{\"meta\""));
  EXPECT_THAT(text_, HasSubstr("\"thm\""));
  EXPECT_THAT(text_, Not(HasSubstr("\"def\""))) << "`P` is imported";
}

}  // namespace
}  // namespace zermelo::trust
