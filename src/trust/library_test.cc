#include "trust/library.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "core/file.h"
#include "kernel/testing/olean_writer.h"
#include "trust/testing/module_file.h"
#include "trust/verdict.h"

namespace zermelo::trust {
namespace {

namespace fs = std::filesystem;
using kernel::OleanWriter;
using testing::Declared;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Word = OleanWriter::Word;

// Init declares what Lean declares. Open proves `helper` with a sorry, Mid proves `lemma` by it,
// and Other, which imports neither, proves another `helper` without one. The original imports Mid
// and has a sorry in its only theorem, `t`.
class ImportedAxiomsTest : public ::testing::Test {
 protected:
  ImportedAxiomsTest() : folder_(*core::TemporaryFolder::Create("imported_axioms")) {
    Write("Init", {}, [](OleanWriter& w) {
      Declared all;
      for (const char* name :
           {"sorryAx", "Lean.ofReduceBool", "Lean.trustCompiler", "Lean.reduceBool", "propext"}) {
        all.push_back({name, w.Axiom(name, w.Sort(w.Box(0)))});
      }
      all.push_back({"True", w.Definition("True", w.Sort(w.Box(0)), w.Sort(w.Box(0)))});
      return all;
    });
    Write("Open", {"Init"}, Proof("helper", "sorryAx"));
    Write("Mid", {"Open"}, Proof("lemma", "helper"));
    Write("Other", {"Init"}, Proof("helper", "propext"));
    Write("High", {"Other"}, Proof("other", "helper"));
    Original({"Mid"}, "True");
  }

  static testing::Content Proof(std::string name, std::string by, std::string type = "True") {
    return [=](OleanWriter& w) {
      return Declared{{name, w.Theorem(name, w.Const(type), w.Const(by))}};
    };
  }

  void Write(const std::string& module, const std::vector<std::string>& imports,
             const testing::Content& content, const std::vector<std::string>& stripped = {}) {
    testing::WriteModule(folder_.path() / (module + ".olean"), imports, content, stripped);
  }
  void Original(const std::vector<std::string>& imports, const std::string& type) {
    imports_ = imports;
    type_ = type;
    Write("original", imports, Proof("t", "sorryAx", type));
  }

  std::vector<std::string> AxiomsOf(const std::string& module, const std::string& constant) {
    const auto closure = library_.Closure({module});
    EXPECT_TRUE(closure);
    const auto axioms = library_.Axioms(*closure);
    EXPECT_TRUE(axioms) << axioms.error().message;
    return (*axioms)->Of(constant);
  }

  // Of a candidate that proves `t` by this constant.
  TargetVerdict Judged(const std::string& by) {
    Write("candidate", imports_, Proof("t", by, type_));
    request_.original = folder_.path() / "original.olean";
    request_.candidate = folder_.path() / "candidate.olean";
    request_.kernel = KernelUse::kOff;  // these terms have no sensible types
    Library library({folder_.path()});
    auto verdict = Judge(request_, library);
    EXPECT_TRUE(verdict) << verdict.error().message;
    EXPECT_THAT(verdict->reasons, IsEmpty());
    return verdict->targets.at(0);
  }

  core::TemporaryFolder folder_;
  Library library_{{folder_.path()}};
  std::vector<std::string> imports_;
  std::string type_;
  JudgeRequest request_;
};

TEST_F(ImportedAxiomsTest, AreFoundThroughOtherModules) {
  EXPECT_THAT(AxiomsOf("Mid", "helper"), ElementsAre("sorryAx"));
  EXPECT_THAT(AxiomsOf("Mid", "lemma"), ElementsAre("sorryAx"));
  EXPECT_THAT(AxiomsOf("Mid", "True"), IsEmpty());
}

TEST_F(ImportedAxiomsTest, AreThoseOfTheModulesAskedAbout) {
  EXPECT_THAT(AxiomsOf("Mid", "helper"), ElementsAre("sorryAx"));
  EXPECT_THAT(AxiomsOf("High", "helper"), IsEmpty());
  EXPECT_THAT(AxiomsOf("High", "other"), IsEmpty());
}

TEST_F(ImportedAxiomsTest, DoNotCountWhatStandsForAHiddenProof) {
  Write("Hidden", {"Init"},
        [](OleanWriter& w) {
          return Declared{{"helper", w.Axiom("helper", w.Const("True"))}};
        },
        {"helper"});
  Write("User", {"Hidden"}, Proof("user", "helper"));
  EXPECT_THAT(AxiomsOf("User", "user"), IsEmpty());
}

TEST_F(ImportedAxiomsTest, OfAProjectItselfCount) {
  Write("Own", {"Init"}, [](OleanWriter& w) {
    return Declared{{"Own.ax", w.Axiom("Own.ax", w.Const("True"))}};
  });
  Write("User", {"Own"}, Proof("user", "Own.ax"));
  EXPECT_THAT(AxiomsOf("User", "user"), ElementsAre("Own.ax"));
}

TEST_F(ImportedAxiomsTest, AreKeptForManyClosures) {
  for (int i = 0; i < 100; ++i) {
    const std::string module = "M" + std::to_string(i);
    Write(module, {"Mid"}, Proof("m", "lemma"));
    EXPECT_THAT(AxiomsOf(module, "m"), ElementsAre("sorryAx"));
  }
}

TEST_F(ImportedAxiomsTest, MakeAProofOneFromTheImportedTheorem) {
  const TargetVerdict target = Judged("lemma");
  EXPECT_FALSE(target.accepted);
  ASSERT_EQ(target.reasons.size(), 1U);
  EXPECT_EQ(target.reasons[0].code, ReasonCode::kUsesSorry);
  EXPECT_THAT(target.reasons[0].message, HasSubstr("the imported `lemma` rests on it"));
  EXPECT_THAT(target.axioms, ElementsAre("sorryAx"));
  EXPECT_THAT(target.from, ElementsAre("lemma"));
  EXPECT_TRUE(target.otherwise_complete);
}

TEST_F(ImportedAxiomsTest, MustBeAllowedUnlessTheStatementRestsOnThem) {
  Write("Own", {"Init"}, [](OleanWriter& w) {
    return Declared{{"Own.ax", w.Axiom("Own.ax", w.Const("True"))}};
  });
  Write("Mid", {"Own"}, [](OleanWriter& w) {
    return Declared{{"P", w.Definition("P", w.Sort(w.Box(0)), w.Const("Own.ax"))},
                    {"lemma", w.Theorem("lemma", w.Const("True"), w.Const("Own.ax"))}};
  });
  EXPECT_EQ(Judged("lemma").reasons.at(0).code, ReasonCode::kAxiomNotAllowed);
  request_.allowed_axioms.emplace_back("Own.ax");
  EXPECT_TRUE(Judged("lemma").accepted);
  request_.allowed_axioms = StandardAxioms();
  Original({"Mid"}, "P");
  EXPECT_TRUE(Judged("lemma").accepted);
}

TEST_F(ImportedAxiomsTest, ThatTrustCompiledCodeAreNamedOnce) {
  Write("Mid", {"Init"}, [](OleanWriter& w) {
    const Word both = w.App(w.Const("Lean.ofReduceBool"), w.Const("Lean.reduceBool"));
    return Declared{{"lemma", w.Theorem("lemma", w.Const("True"), both)}};
  });
  const TargetVerdict target = Judged("lemma");
  ASSERT_EQ(target.reasons.size(), 1U);
  EXPECT_EQ(target.reasons[0].code, ReasonCode::kNativeCode);
  request_.allowed_axioms.emplace_back("Lean.ofReduceBool");
  EXPECT_TRUE(Judged("lemma").accepted);
}

TEST(ImportedAxiomsOfLean, AreNone) {
  const fs::path folder = fs::path(ZERMELO_SOURCE_DIR) / "embedded/build/lib/lean";
  if (!fs::exists(folder / "Init.olean")) GTEST_SKIP() << "the embedded Lean is not installed";
  Library library({folder});
  const auto closure = library.Closure({"Init", "Std", "Lean"});
  ASSERT_TRUE(closure);
  const auto axioms = library.Axioms(*closure);
  ASSERT_TRUE(axioms) << axioms.error().message;
  EXPECT_TRUE((*axioms)->empty());
}

}  // namespace
}  // namespace zermelo::trust
