#include "trust/kernels/imports_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "kernel/testing/olean_writer.h"
#include "trust/library.h"
#include "trust/testing/module_file.h"

namespace zermelo::trust {
namespace {

using kernel::OleanWriter;
using ::testing::HasSubstr;
using Word = OleanWriter::Word;
using testing::Declared;

class CheckedImports : public ::testing::Test {
 protected:
  using Content = testing::Content;

  CheckedImports() : folder_(*core::TemporaryFolder::Create("imports_check")) {
    Write("Candidate", {"High"}, [](OleanWriter&) { return Declared{}; });
    Write("High", {"Low"}, [](OleanWriter& w) {
      return Declared{{"q", w.Theorem("q", w.Const("P"), w.Const("p"))}};
    });
    WriteLow(true);
    request_.module = folder_.path() / "Candidate.olean";
    request_.search_path = {folder_.path()};
    request_.threads = 2;
  }

  // def P : Prop := ∀ a : Prop, a → a;  theorem p : P. Without a proof, only the axiom that a
  // public part has instead.
  void WriteLow(bool has_proof) {
    const Content content = [&](OleanWriter& w) {
      const Word prop = w.Sort(OleanWriter::Box(0)), a = w.BVar(0);
      const Word p = w.Forall(prop, w.Forall(a, w.BVar(1)));
      const Word proof = w.Lambda(prop, w.Lambda(a, a));
      return Declared{
          {"P", w.Definition("P", prop, p)},
          {"p", has_proof ? w.Theorem("p", w.Const("P"), proof) : w.Axiom("p", w.Const("P"))}};
    };
    Write("Low", {}, content,
          has_proof ? std::vector<std::string>() : std::vector{std::string("p")});
  }

  // `stripped`: theorems that the file says it has as axioms only because it is a public part.
  void Write(const std::string& module, const std::vector<std::string>& imports,
             const Content& content, const std::vector<std::string>& stripped = {}) {
    testing::WriteModule(folder_.path() / (module + ".olean"), imports, content, stripped);
  }

  core::Result<ImportsVerdict> Judged() {
    Library library({folder_.path()});
    const auto closure = library.ClosureOf({"High"});
    if (!closure) return core::Fail(closure.error());
    request_.modules = (*closure)->modules.size();
    request_.fingerprint = (*closure)->sha256;
    return JudgeImports(request_);
  }

  core::TemporaryFolder folder_;
  ImportsRequest request_;
};

TEST_F(CheckedImports, AreAllDeclarationsOfAllModules) {
  const auto verdict = Judged();
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->outcome, Decision::kAccepted) << verdict->reason;
  EXPECT_EQ(verdict->checked, 3U);
  EXPECT_TRUE(verdict->axioms.empty());
  EXPECT_EQ(Summary(*verdict), "accepted all 3 declarations");
}

TEST_F(CheckedImports, AreRejectedForOneThatTheCandidateDoesNotMention) {
  Write("High", {"Low"}, [](OleanWriter& w) {
    return Declared{{"a", w.Theorem("a", w.Const("P"), w.Const("p"))},
                    {"b", w.Theorem("b", w.Const("P"), w.Const("P"))}};
  });
  const auto verdict = Judged();
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->outcome, Decision::kRejected);
  EXPECT_EQ(verdict->declaration, "b");
  EXPECT_EQ(verdict->checked, 3U);
  EXPECT_EQ(verdict->refused, 1U);
  EXPECT_THAT(Summary(*verdict), HasSubstr("accepted 3 declarations; not accepted: 1, first `b`"));
}

TEST_F(CheckedImports, AreDeclinedWhereOnlyThePublicPartsAreThere) {
  WriteLow(false);
  const auto verdict = Judged();
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->outcome, Decision::kDeclined);
  EXPECT_EQ(verdict->checked, 2U);
  EXPECT_EQ(verdict->hidden, 1U);
  EXPECT_TRUE(verdict->axioms.empty());  // what stands for a theorem is none
  EXPECT_EQ(verdict->refused, 0U);
  EXPECT_THAT(Summary(*verdict), HasSubstr("only its public parts: 1"));
}

TEST_F(CheckedImports, AreRejectedForWhatRestsOnNothingHidden) {
  WriteLow(false);
  Write("High", {"Low"}, [](OleanWriter& w) {
    return Declared{{"a", w.Theorem("a", w.Const("hidden"), w.Const("p"))},
                    {"b", w.Theorem("b", w.Const("P"), w.Const("P"))}};
  });
  const auto verdict = Judged();
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->outcome, Decision::kRejected);
  EXPECT_EQ(verdict->declaration, "b");
}

TEST_F(CheckedImports, NameTheirAxioms) {
  Write("High", {"Low"}, [](OleanWriter& w) {
    return Declared{{"q", w.Axiom("q", w.Const("P"))}};
  });
  const auto verdict = Judged();
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->outcome, Decision::kAccepted) << verdict->reason;
  EXPECT_THAT(verdict->axioms, ::testing::ElementsAre("q"));
}

TEST_F(CheckedImports, AreThoseThatTheVerdictNames) {
  ASSERT_TRUE(Judged());
  WriteLow(false);
  const auto verdict = JudgeImports(request_);
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, core::ErrorCode::kEnvironment);
}

TEST_F(CheckedImports, AreNotCheckedFurtherWhenStopped) {
  const std::atomic<bool> stop = true;
  request_.stop = &stop;
  const auto verdict = Judged();
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, core::ErrorCode::kCancelled);
}

}  // namespace
}  // namespace zermelo::trust
