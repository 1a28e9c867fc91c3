#include "trust/library.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "core/files/file.h"
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
      for (const char* name : {"sorryAx", "Lean.trustCompiler", "propext"})
        all.push_back({name, w.Axiom(name, w.Sort(w.Box(0)))});
      all.push_back({"Lean.reduceBool", w.Theorem("Lean.reduceBool", w.Sort(w.Box(0)),
                                                  w.Const("Lean.trustCompiler"))});
      all.push_back(
          {"Lean.ofReduceBool", w.Axiom("Lean.ofReduceBool", w.Const("Lean.reduceBool"))});
      all.push_back({"True", w.Definition("True", w.Sort(w.Box(0)), w.Sort(w.Box(0)))});
      return all;
    });
    Write("Open", {"Init"}, Proof("helper", "sorryAx"));
    Write("Umbrella", {"Open"}, [](OleanWriter&) { return Declared{}; });
    Write("Mid", {"Umbrella"}, Proof("lemma", "helper"));
    Write("Other", {"Init"}, Proof("helper", "propext"));
    Write("High", {"Other"}, Proof("other", "helper"));
    Original({"Mid"}, "True");
  }

  static testing::Content Proof(const std::string& name, const std::string& by,
                                const std::string& type = "True") {
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
    const auto closure = library_.ClosureOf({module});
    EXPECT_TRUE(closure);
    const auto axioms = library_.Axioms(**closure);
    EXPECT_TRUE(axioms) << axioms.error().message;
    std::vector<std::string> names;
    for (const ImportedAxiom& axiom : (*axioms)->Of(constant)) names.push_back(axiom.full);
    return names;
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

TEST_F(ImportedAxiomsTest, OfOneDeclarationByNativeDecideAreAllowedByOneOfTheirNames) {
  const std::string axiom = "d._native.native_decide.ax_1_1";
  Write("Mid", {"Init"}, [&](OleanWriter& w) {
    return Declared{{axiom, w.Axiom(axiom, w.Const("True"))},
                    {"lemma", w.Theorem("lemma", w.Const("True"), w.Const(axiom))}};
  });
  const TargetVerdict target = Judged("lemma");
  EXPECT_THAT(target.axioms, ElementsAre("d._native.native_decide"));
  EXPECT_EQ(target.reasons.at(0).code, ReasonCode::kNativeCode);
  request_.allowed_axioms.push_back(axiom);
  EXPECT_TRUE(Judged("lemma").accepted);
}

// Two private axioms that print alike are two axioms.
TEST_F(ImportedAxiomsTest, AreKnownByTheirFullNames) {
  Write("Own", {"Init"}, [](OleanWriter& w) {
    return Declared{{"_private.Own.0.ax", w.Axiom("_private.Own.0.ax", w.Const("True"))},
                    {"P", w.Definition("P", w.Sort(w.Box(0)), w.Const("_private.Own.0.ax"))}};
  });
  Write("Mid", {"Own"}, [](OleanWriter& w) {
    return Declared{{"_private.Mid.0.ax", w.Axiom("_private.Mid.0.ax", w.Const("True"))},
                    {"lemma", w.Theorem("lemma", w.Const("True"), w.Const("_private.Mid.0.ax"))}};
  });
  Original({"Mid"}, "P");
  EXPECT_EQ(Judged("lemma").reasons.at(0).code, ReasonCode::kAxiomNotAllowed);
  request_.allowed_axioms.emplace_back("ax");  // Lean makes what a plain file declares private
  EXPECT_TRUE(Judged("lemma").accepted);
}

TEST_F(ImportedAxiomsTest, ThatTheStatementMentionsAreAllowed) {
  Write("Mid", {"Init"}, [](OleanWriter& w) {
    return Declared{{"Own.ax", w.Axiom("Own.ax", w.Const("True"))}};
  });
  EXPECT_EQ(Judged("Own.ax").reasons.at(0).code, ReasonCode::kAxiomNotAllowed);
  Original({"Mid"}, "Own.ax");
  EXPECT_TRUE(Judged("Own.ax").accepted);
}

TEST_F(ImportedAxiomsTest, AreFoundWhereAPartRefersToThePartBeforeIt) {
  OleanWriter w(kernel::OleanFormat{true, 2, true}, 0x10000);
  const auto sorry = w.Const("sorryAx");
  const Word type = w.Const("True");
  const std::string first = w.Finish(w.Module({"Init"}, {{"f", w.Definition("f", type, sorry)}}));
  OleanWriter server(kernel::OleanFormat{true, 2, true}, 0x20000);
  const std::string second = server.Finish(server.Module({"Init"}, {}));
  OleanWriter last(kernel::OleanFormat{true, 2, true}, 0x30000);
  const std::string third =
      last.Finish(last.Module({"Init"}, {{"f", last.Definition("f", type, sorry)}}));
  ASSERT_EQ(third.find("sorryAx"), third.npos);
  const fs::path file = folder_.path() / "Parts.olean";
  ASSERT_TRUE(core::WriteFileAtomically(file, first));
  ASSERT_TRUE(core::WriteFileAtomically(file.string() + ".server", second));
  ASSERT_TRUE(core::WriteFileAtomically(file.string() + ".private", third));
  EXPECT_THAT(AxiomsOf("Parts", "f"), ElementsAre("sorryAx"));
}

TEST(ImportedAxiomsOfLean, AreNone) {
  const fs::path folder = fs::path(ZERMELO_SOURCE_DIR) / "embedded/build/lib/lean";
  if (!fs::exists(folder / "Init.olean")) GTEST_SKIP() << "the embedded Lean is not installed";
  Library library({folder});
  const auto closure = library.ClosureOf({"Init", "Std", "Lean"});
  ASSERT_TRUE(closure);
  const auto axioms = library.Axioms(**closure);
  ASSERT_TRUE(axioms) << axioms.error().message;
  EXPECT_TRUE((*axioms)->empty());
}

}  // namespace
}  // namespace zermelo::trust
