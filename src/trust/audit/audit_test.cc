#include "trust/audit/audit.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/testing/olean_writer.h"
#include "trust/audit/baseline.h"
#include "trust/verdict.h"

namespace zermelo::trust {
namespace {

namespace fs = std::filesystem;
using kernel::OleanFormat;
using kernel::OleanWriter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
using Word = OleanWriter::Word;
using Declared = std::vector<OleanWriter::Declared>;

// A library of one module `Init`, and modules of a project, written with OleanWriter in both widths
// of pointers.
class Auditing : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("auditing_" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "library");
    Write("library/Init.olean", {}, [](OleanWriter& w) {
      Declared constants;
      for (const char* name : {"propext", "sorryAx", "Lean.ofReduceBool", "Classical.choice"})
        constants.push_back({name, w.Axiom(name, w.Const("True"))});
      for (const char* name : {"True", "proof", "Inhabited.default"})
        constants.push_back({name, w.Definition(name, w.Sort(w.Box(0)), w.Sort(w.Box(0)))});
      constants.push_back(
          {"extensional", w.Theorem("extensional", w.Const("True"), w.Const("propext"))});
      constants.push_back(
          {"em", w.Theorem("em", w.Const("True"),
                           w.App(w.Const("Classical.choice"), w.Const("extensional")))});
      return constants;
    });
  }
  void TearDown() override { fs::remove_all(folder_); }

  void Write(const std::string& file, const std::vector<std::string>& imports,
             const std::function<Declared(OleanWriter&)>& fill,
             const std::function<std::vector<Word>(OleanWriter&)>& entries = nullptr) {
    OleanWriter w({GetParam(), 2, true});
    const Declared declared = fill(w);
    const auto words = entries ? entries(w) : std::vector<Word>{};
    std::ofstream(folder_ / file, std::ios::binary) << w.Finish(w.Module(imports, declared, words));
  }

  void Module(const std::string& name, const std::vector<std::string>& imports,
              const std::function<Declared(OleanWriter&)>& fill,
              const std::function<std::vector<Word>(OleanWriter&)>& entries = nullptr) {
    Write(name + ".olean", imports, fill, entries);
    request_.files.push_back({name, folder_ / (name + ".olean")});
  }

  core::Result<AuditReport> Run() {
    request_.search_path = {folder_ / "library"};
    request_.allowed_axioms = StandardAxioms();
    return Audit(request_);
  }

  std::vector<std::string> Findings() {
    const auto report = Run();
    EXPECT_TRUE(report) << report.error().message;
    std::vector<std::string> lines;
    for (const AuditFinding& f : report->findings) {
      lines.push_back(f.declaration + " " + Name(f.kind) +
                      (f.detail.empty() ? "" : " " + f.detail));
    }
    return lines;
  }

  static Word Theorem(OleanWriter& w, const std::string& name, const std::string& uses) {
    return w.Theorem(name, w.Const("True"), w.Const(uses));
  }

  fs::path folder_;
  AuditRequest request_;
};

INSTANTIATE_TEST_SUITE_P(Widths, Auditing, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Wide" : "Narrow"; });

TEST_P(Auditing, AxiomsComeThroughImportsAndModulesOfTheProject) {
  Module("B", {"A"}, [](OleanWriter& w) { return Declared{{"b", Theorem(w, "b", "a")}}; });
  Module("A", {"Init"}, [](OleanWriter& w) { return Declared{{"a", Theorem(w, "a", "em")}}; });
  const auto report = Run();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->findings, IsEmpty());
  EXPECT_THAT(report->axioms, ElementsAre(Pair("Classical.choice", 2), Pair("propext", 2)));
  ASSERT_EQ(report->declarations.size(), 2U);
  EXPECT_THAT(report->declarations[1].axioms, ElementsAre("Classical.choice", "propext"));
  EXPECT_EQ(report->modules, 2U);
  EXPECT_EQ(report->imported_modules, 1U);
}

TEST_P(Auditing, AHoleIsReportedWhereItIsAndWhereItIsUsed) {
  Module("A", {"Init"}, [](OleanWriter& w) {
    return Declared{{"uses", Theorem(w, "uses", "hole")}, {"hole", Theorem(w, "hole", "sorryAx")}};
  });
  EXPECT_THAT(Findings(), ElementsAre("hole sorry", "uses uses_sorry"));
}

TEST_P(Auditing, AnAxiomOfTheProjectIsReportedWithItsUsers) {
  Module("A", {"Init"}, [](OleanWriter& w) {
    return Declared{{"magic", w.Axiom("magic", w.Const("True"))}, {"t", Theorem(w, "t", "magic")}};
  });
  EXPECT_THAT(Findings(), ElementsAre("magic axiom", "t uses_axiom magic"));
}

TEST_P(Auditing, NativeCodeIsKnownByTheAxiomsOfOldAndNewLeans) {
  Module("A", {"Init"}, [](OleanWriter& w) {
    const char* made = "t._native.native_decide.ax_1_2";
    return Declared{{"old", Theorem(w, "old", "Lean.ofReduceBool")},
                    {made, w.Axiom(made, w.Const("True"))},
                    {"t", Theorem(w, "t", made)},
                    {"u", Theorem(w, "u", "t")}};
  });
  EXPECT_THAT(Findings(), UnorderedElementsAre("old native_code Lean.ofReduceBool",
                                               "t native_code t", "u native_code t"));
}

TEST_P(Auditing, WhoUsesATypeUsesItsConstructors) {
  Module("A", {"Init"}, [](OleanWriter& w) {
    const Word sort = w.Sort(w.Box(0));
    return Declared{
        {"user", w.Definition("user", sort, w.Const("T"))},
        {"magic", w.Axiom("magic", w.Const("True"))},
        {"T",
         w.Constant(5, "T", sort,
                    {w.Box(0), w.Box(0), w.List({w.Name("T")}), w.List({w.Name("T.mk")}), w.Box(0)},
                    std::string(3, '\0'))},
        {"T.mk", w.Constant(6, "T.mk", w.Forall(w.Const("magic"), w.Const("T")),
                            {w.Name("T"), w.Box(0), w.Box(0), w.Box(1)}, std::string(1, '\0'))}};
  });
  EXPECT_THAT(Findings(), UnorderedElementsAre("magic axiom", "T uses_axiom magic",
                                               "T.mk uses_axiom magic", "user uses_axiom magic"));
}

TEST_P(Auditing, ConstantsThatUseEachOtherHaveTheSameAxioms) {
  Module("A", {"Init"}, [](OleanWriter& w) {
    const Word type = w.Const("True");
    return Declared{{"a", w.Definition("a", type, w.Const("b"), 0)},
                    {"b", w.Definition("b", type, w.App(w.Const("a"), w.Const("c")), 0)},
                    {"c", w.Definition("c", type, w.App(w.Const("b"), w.Const("magic")), 0)},
                    {"magic", w.Axiom("magic", type)}};
  });
  EXPECT_THAT(Findings(),
              UnorderedElementsAre("a uses_axiom magic", "a unsafe", "b uses_axiom magic",
                                   "b unsafe", "c uses_axiom magic", "c unsafe", "magic axiom"));
}

TEST_P(Auditing, CodeThatIsNotWhatTheKernelSeesIsReported) {
  const auto opaque = [](OleanWriter& w, const char* name, Word value) {
    return OleanWriter::Declared{
        name, w.Constant(3, name, w.Const("True"), {value, w.List({w.Name(name)})}, {"\0", 1})};
  };
  Module(
      "A", {"Init"},
      [&](OleanWriter& w) {
        return Declared{{"f", w.Definition("f", w.Const("True"), w.Const("proof"))},
                        {"fast", w.Definition("fast", w.Const("True"), w.Const("proof"))},
                        {"loop._unsafe_rec",
                         w.Definition("loop._unsafe_rec", w.Const("True"), w.Const("proof"), 2)},
                        opaque(w, "loop", w.Const("proof")),
                        opaque(w, "known", w.Const("proof")),
                        opaque(w, "any", w.App(w.Const("Inhabited.default"), w.Const("True")))};
      },
      [](OleanWriter& w) {
        return std::vector{
            w.Constructor(0, {w.Name("Lean.Compiler.implementedByAttr"),
                              w.Array({w.Constructor(0, {w.Name("f"), w.Name("fast")})})}),
            w.Constructor(0, {w.Name("Lean.externAttr"),
                              w.Array({w.Constructor(0, {w.Name("fast"), w.Box(0)})})})};
      });
  EXPECT_THAT(Findings(), UnorderedElementsAre("any opaque", "f implemented_by fast", "fast extern",
                                               "loop partial"));
}

TEST_P(Auditing, AMissingImportIsAnErrorOfTheEnvironment) {
  Module("A", {"Gone"}, [](OleanWriter&) { return Declared{}; });
  const auto report = Run();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, core::ErrorCode::kEnvironment);
  EXPECT_THAT(report.error().message, HasSubstr("Gone"));
}

TEST_P(Auditing, MalformedModulesAreErrors) {
  Module("A", {"A"}, [](OleanWriter&) { return Declared{}; });
  EXPECT_THAT(Run().error().message, HasSubstr("imports itself"));
  request_.files.clear();
  Module("B", {"Init"}, [](OleanWriter& w) {
    return Declared{{"a", Theorem(w, "a", "em")}, {"a", Theorem(w, "a", "em")}};
  });
  EXPECT_THAT(Run().error().message, HasSubstr("declared twice"));
  request_.files.clear();
  Module("C", {"Init"}, [](OleanWriter& w) {
    return Declared{{"a", w.Theorem("a", w.Const("True"), w.Name("proof"))}};
  });
  EXPECT_EQ(Run().error().code, core::ErrorCode::kInput);
}

TEST(AuditBaseline, TellsWhatIsNewAndWhatIsGone) {
  const AuditFinding old{"a", FindingKind::kSorry, "", "", "A", 3};
  const AuditFinding kept{"b", FindingKind::kUsesAxiom, "magic", "M", "A", 4};
  const AuditFinding fresh{"c", FindingKind::kNativeCode, "c", "", "A", 5};
  const auto baseline = ReadBaseline(BaselineText({old, kept}));
  ASSERT_TRUE(baseline) << baseline.error().message;
  AuditFinding moved = kept;
  moved.module = "B";
  moved.line = 40;
  const AuditChanges changes = CompareFindings(*baseline, {moved, fresh});
  EXPECT_THAT(changes.added, ElementsAre(fresh));
  EXPECT_THAT(changes.gone, ElementsAre(old));
}

TEST_P(Auditing, AnAxiomThatStatesSomethingElseIsNewAndItsUsersInTheProjectAreNot) {
  const auto audited = [this](const char* stated, bool more) {
    request_.files.clear();
    Module("A", {"Init"}, [&](OleanWriter& w) {
      Declared constants;
      if (more) constants.push_back({"first", w.Axiom("first", w.Const("proof"))});
      const Word type = w.Forall(w.Const("True"), w.Const(stated));
      constants.push_back({"magic", w.Axiom("magic", type)});
      constants.push_back({"t", Theorem(w, "t", "magic")});
      return constants;
    });
    return Run()->findings;
  };
  const auto before = audited("True", false);
  ASSERT_EQ(before.size(), 2U);
  EXPECT_EQ(before[0].statement.size(), 32U);
  EXPECT_EQ(before[1].statement, "");
  const auto baseline = ReadBaseline(BaselineText(before));
  ASSERT_TRUE(baseline) << baseline.error().message;
  const AuditChanges changes = CompareFindings(*baseline, audited("proof", false));
  ASSERT_EQ(changes.added.size(), 1U);
  EXPECT_EQ(changes.added[0].declaration, "magic");
  ASSERT_EQ(changes.gone.size(), 1U);
  EXPECT_TRUE(changes.gone[0].IsAboutTheSame(changes.added[0]));
  // Other terms of the file do not matter.
  const AuditChanges more = CompareFindings(*baseline, audited("True", true));
  ASSERT_EQ(more.added.size(), 1U);
  EXPECT_EQ(more.added[0].declaration, "first");
  EXPECT_THAT(more.gone, IsEmpty());
}

TEST_P(Auditing, TheUseOfAnImportedAxiomIsNewWhenTheAxiomStatesSomethingElse) {
  const auto audited = [this](const char* stated) {
    Write("library/Package.olean", {"Init"}, [&](OleanWriter& w) {
      return Declared{{"foreign", w.Axiom("foreign", w.Const(stated))}};
    });
    request_.files.clear();
    Module("A", {"Package"}, [](OleanWriter& w) {
      return Declared{{"t", Theorem(w, "t", "foreign")}};
    });
    return Run()->findings;
  };
  const auto before = audited("True");
  EXPECT_THAT(CompareFindings(before, audited("True")).added, IsEmpty());
  const AuditChanges changes = CompareFindings(before, audited("proof"));
  ASSERT_EQ(changes.added.size(), 1U);
  EXPECT_EQ(changes.added[0].detail, "foreign");
}

TEST_P(Auditing, OfTwoImportedAxiomsWithOneNameEachIsNoticed) {
  const auto audited = [this](const char* stated) {
    const auto axiom = [&](const std::string& package, const char* type) {
      Write("library/" + package + ".olean", {"Init"}, [&](OleanWriter& w) {
        return Declared{{"foreign", w.Axiom("foreign", w.Const(type))}};
      });
    };
    axiom("One", stated);
    axiom("Two", "True");
    request_.files.clear();
    Module("A", {"Two"}, [](OleanWriter& w) {
      return Declared{{"s", w.Axiom("s", w.Const("True"))}};
    });
    Module("B", {"One"}, [](OleanWriter& w) {
      return Declared{{"u", w.Axiom("u", w.Const("True"))}};
    });
    Module("C", {"Two"}, [](OleanWriter& w) {
      return Declared{{"v", w.Axiom("v", w.Const("True"))}};
    });
    Module("D", {"One"}, [](OleanWriter& w) {
      return Declared{{"t", Theorem(w, "t", "foreign")}};
    });
    return Run()->findings;
  };
  const auto before = audited("True");
  const AuditChanges changes = CompareFindings(before, audited("proof"));
  ASSERT_EQ(changes.added.size(), 1U);
  EXPECT_EQ(changes.added[0].declaration, "t");
}

TEST(AuditBaseline, RefusesWhatItDoesNotKnow) {
  EXPECT_TRUE(ReadBaseline(BaselineText({})));
  EXPECT_FALSE(ReadBaseline("[]"));
  const std::string deep(200'000, '[');
  const auto read = ReadBaseline(R"({"version": 2, "findings": [)" + deep);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("nested more than 64 deep"));
  EXPECT_FALSE(ReadBaseline(R"({"version": 3, "findings": []})"));
  EXPECT_FALSE(
      ReadBaseline(R"({"version": 2, "findings": [{"declaration": "a", "finding": "x"}]})"));
  const auto older = ReadBaseline(R"({"version": 1, "findings": []})");
  ASSERT_FALSE(older);
  EXPECT_THAT(older.error().message, HasSubstr("version 1, which does not say what the axioms"));
  EXPECT_THAT(older.error().hint, HasSubstr("--write-baseline"));
}

}  // namespace
}  // namespace zermelo::trust
