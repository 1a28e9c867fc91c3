#include "trust/verdict.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "kernel/testing/olean_writer.h"

namespace zermelo::trust {
namespace {

namespace fs = std::filesystem;
using kernel::OleanFormat;
using kernel::OleanWriter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Word = OleanWriter::Word;
using Declared = std::vector<OleanWriter::Declared>;

constexpr OleanFormat kFormat = {true, 2, true};

// A library of one module `Init`, an original and a candidate, written with OleanWriter. The
// original is
//       def d : Nat := zero
//       theorem t : P d := sorryAx (P d) true
class Judging : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("judging_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    OleanWriter w(kFormat);
    Declared constants;
    for (const char* name : {"propext", "sorryAx", "Lean.ofReduceBool", "Evil.axiom", "stripped",
                             "_private.Init.0.propext", "_private.Init.0.own"}) {
      constants.push_back({name, w.Axiom(name, w.Const("True"))});
    }
    for (const char* name : {"Nat", "zero", "one", "P", "True", "proof", "Init.t"}) {
      constants.push_back({name, w.Definition(name, w.Sort(w.Box(0)), w.Sort(w.Box(0)))});
    }
    const Word hidden =
        w.Constructor(0, {w.Name("Lean.privateConstKindsExt"),
                          w.Array({w.Constructor(0, {w.Name("stripped"), w.Box(1)})})});
    Write("Init.olean", w.Finish(w.Module({}, constants, {hidden}, true)));
    Write("Other.olean", w.Finish(w.Module({}, {})));
    WriteModule("original.olean", [](OleanWriter& m) {
      return Declared{{"d", D(m)}, {"t", m.Theorem("t", Statement(m), Sorry(m))}};
    });
  }
  void TearDown() override { fs::remove_all(folder_); }

  static Word D(OleanWriter& w) { return w.Definition("d", w.Const("Nat"), w.Const("zero")); }
  static Word Statement(OleanWriter& w) { return w.App(w.Const("P"), w.Const("d")); }
  static Word Sorry(OleanWriter& w) {
    return w.App(w.App(w.Const("sorryAx", {w.Box(0)}), Statement(w)), w.Const("True"));
  }

  void Write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }

  void WriteModule(const std::string& file, const std::function<Declared(OleanWriter&)>& fill,
                   const std::vector<std::string>& imports = {"Init"},
                   const std::function<std::vector<Word>(OleanWriter&)>& entries = nullptr) {
    OleanWriter w(kFormat);
    const Declared declared = fill(w);
    const auto words = entries ? entries(w) : std::vector<Word>{};
    Write(file, w.Finish(w.Module(imports, declared, words)));
  }

  // A candidate with d as in the original, t with this value, and more.
  void Candidate(const std::function<Word(OleanWriter&)>& value,
                 const std::function<Declared(OleanWriter&)>& more = nullptr) {
    WriteModule("candidate.olean", [&](OleanWriter& w) {
      Declared all = more ? more(w) : Declared{};
      all.push_back({"d", D(w)});
      all.push_back({"t", w.Theorem("t", Statement(w), value(w))});
      return all;
    });
  }

  Verdict Judged() {
    Library library({folder_});
    request_.original = folder_ / "original.olean";
    request_.candidate = folder_ / "candidate.olean";
    request_.kernel =
        KernelUse::kOff;  // these modules are about names; second_kernel_test has others
    auto verdict = Judge(request_, library);
    EXPECT_TRUE(verdict) << verdict.error().message;
    return *std::move(verdict);
  }

  static std::set<std::string> Codes(const Verdict& verdict) {
    std::set<std::string> codes;
    for (const Reason& reason : verdict.reasons) codes.insert(Name(reason.code));
    for (const TargetVerdict& target : verdict.targets) {
      for (const Reason& reason : target.reasons) codes.insert(Name(reason.code));
    }
    return codes;
  }

  void ExpectRejected(const char* code) {
    const Verdict verdict = Judged();
    EXPECT_FALSE(verdict.accepted);
    EXPECT_TRUE(Codes(verdict).contains(code)) << ::testing::PrintToString(Codes(verdict));
  }

  fs::path folder_;
  JudgeRequest request_;
};

Word Proof(OleanWriter& w) { return w.Const("proof"); }

TEST_F(Judging, AcceptsAProof) {
  Candidate(Proof);
  const Verdict verdict = Judged();
  EXPECT_TRUE(verdict.accepted);
  ASSERT_EQ(verdict.targets.size(), 1U);
  EXPECT_EQ(verdict.targets[0].name, "t");
  EXPECT_THAT(verdict.targets[0].axioms, IsEmpty());
  EXPECT_EQ(verdict.library_modules, 1U);
  EXPECT_EQ(verdict.library_fingerprint.size(), 64U);
}

TEST_F(Judging, ListsAllowedAxiomsReachedThroughLemmas) {
  Candidate([](OleanWriter& w) { return w.Const("lemma"); },
            [](OleanWriter& w) {
              return Declared{{"lemma", w.Theorem("lemma", Statement(w), w.Const("propext"))}};
            });
  const Verdict verdict = Judged();
  EXPECT_TRUE(verdict.accepted);
  EXPECT_THAT(verdict.targets[0].axioms, ElementsAre("propext"));
}

TEST_F(Judging, TheoremsOfTheLibraryAreNotAxioms) {
  Candidate([](OleanWriter& w) { return w.Const("stripped"); });
  EXPECT_TRUE(Judged().accepted);
}

TEST_F(Judging, RejectsSorryInALemma) {
  Candidate([](OleanWriter& w) { return w.Const("lemma"); },
            [](OleanWriter& w) {
              return Declared{{"lemma", w.Theorem("lemma", Statement(w), Sorry(w))}};
            });
  ExpectRejected("uses_sorry");
}

TEST_F(Judging, RejectsSorryInAnyAddition) {
  for (const char* name : {"lemma", "_lemma", "lemma.eq_1"}) {
    Candidate(Proof, [&](OleanWriter& w) {
      return Declared{{name, w.Theorem(name, Statement(w), Sorry(w))}};
    });
    ExpectRejected("uses_sorry");
  }
}

TEST_F(Judging, GeneratedPartsOfAnOpenDeclarationMayBeOpen) {
  const auto with = [&](const char* file, const std::function<Word(OleanWriter&)>& proof,
                        bool equation) {
    WriteModule(file, [&](OleanWriter& w) {
      Declared all{{"f", w.Definition("f", w.Const("P"), Sorry(w))},
                   {"t", w.Theorem("t", w.Const("P"), proof(w))}};
      if (equation) all.push_back({"f.eq_1", w.Theorem("f.eq_1", Sorry(w), w.Const("P"))});
      return all;
    });
  };
  request_.targets = {"t"};
  with("original.olean", Sorry, false);
  with("candidate.olean", Proof, true);
  EXPECT_TRUE(Judged().accepted);
}

TEST_F(Judging, AllOpenTheoremsAreTargetsOnRequest) {
  const auto with = [&](const char* file, const std::function<Word(OleanWriter&)>& proof) {
    WriteModule(file, [&](OleanWriter& w) {
      return Declared{{"hidden", w.Theorem("hidden", w.Const("P"), Sorry(w))},
                      {"hidden._proof_1", w.Theorem("hidden._proof_1", w.Const("P"), Sorry(w))},
                      {"data", w.Definition("data", w.Const("P"), Sorry(w))},
                      {"d", D(w)},
                      {"t", w.Theorem("t", w.Const("P"), proof(w))}};
    });
  };
  with("original.olean", Sorry);
  with("candidate.olean", Proof);
  request_.targets = {"t"};
  EXPECT_TRUE(Judged().accepted);
  request_.all_open_theorems = true;
  const Verdict verdict = Judged();
  EXPECT_FALSE(verdict.accepted);
  ASSERT_EQ(verdict.targets.size(), 2U);
  EXPECT_TRUE(verdict.targets[0].accepted);
  EXPECT_EQ(verdict.targets[1].name, "hidden");
  EXPECT_EQ(Codes(verdict), std::set<std::string>{"uses_sorry"});
}

TEST_F(Judging, RejectsAxioms) {
  Candidate([](OleanWriter& w) { return w.Const("Evil.axiom"); });
  ExpectRejected("axiom_not_allowed");
  Candidate([](OleanWriter& w) { return w.Const("Lean.ofReduceBool"); });
  ExpectRejected("native_code");
  // Even one that nothing uses, and one that has the name of an allowed one.
  Candidate(Proof, [](OleanWriter& w) { return Declared{{"c", w.Axiom("c", w.Const("True"))}}; });
  ExpectRejected("new_axiom");
  Candidate([](OleanWriter& w) { return w.Const("propext"); },
            [](OleanWriter& w) {
              return Declared{{"propext", w.Axiom("propext", w.Const("P"))}};
            });
  ExpectRejected("new_axiom");
  ExpectRejected("shadows_import");
}

TEST_F(Judging, RejectsAnAxiomInPlaceOfTheTheorem) {
  WriteModule("candidate.olean", [](OleanWriter& w) {
    return Declared{{"d", D(w)}, {"t", w.Axiom("t", Statement(w))}};
  });
  ExpectRejected("kind_changed");
}

TEST_F(Judging, RejectsAMissingTheorem) {
  WriteModule("candidate.olean", [](OleanWriter& w) { return Declared{{"d", D(w)}}; });
  ExpectRejected("theorem_missing");
}

TEST_F(Judging, RejectsAnotherStatement) {
  WriteModule("candidate.olean", [](OleanWriter& w) {
    return Declared{{"d", D(w)},
                    {"t", w.Theorem("t", w.App(w.Const("P"), w.Const("zero")), Proof(w))}};
  });
  ExpectRejected("type_changed");
}

TEST_F(Judging, RejectsTheSameStatementAboutAnotherDefinition) {
  WriteModule("candidate.olean", [](OleanWriter& w) {
    return Declared{{"d", w.Definition("d", w.Const("Nat"), w.Const("one"))},
                    {"t", w.Theorem("t", Statement(w), Proof(w))}};
  });
  ExpectRejected("value_changed");
  ExpectRejected("dependency_changed");
}

TEST_F(Judging, RejectsUniversesThatChanged) {
  WriteModule("candidate.olean", [](OleanWriter& w) {
    const Word t = w.Constant(2, "t", Statement(w), {Proof(w), w.List({w.Name("t")})}, {}, {"u"});
    return Declared{{"d", D(w)}, {"t", t}};
  });
  ExpectRejected("universes_changed");
}

TEST_F(Judging, RejectsOtherImports) {
  const auto fill = [](OleanWriter& w) {
    return Declared{{"d", D(w)}, {"t", w.Theorem("t", Statement(w), Proof(w))}};
  };
  WriteModule("candidate.olean", fill, {"Init", "Other"});
  ExpectRejected("imports_changed");
  request_.allow_more_imports = true;
  EXPECT_TRUE(Judged().accepted);
  WriteModule("candidate.olean", fill, {"Other"});
  ExpectRejected("imports_changed");
}

TEST_F(Judging, RejectsUnsafeAndPartialConstantsThatAreUsed) {
  const auto with = [&](char safety) {
    Candidate([](OleanWriter& w) { return w.Const("u"); },
              [=](OleanWriter& w) {
                return Declared{{"u", w.Definition("u", w.Const("Nat"), w.Const("zero"), safety)}};
              });
  };
  with(0);
  ExpectRejected("unsafe_constant");
  with(2);
  ExpectRejected("partial_constant");
}

TEST_F(Judging, PartialDefinitionsMustBeInTheOriginal) {
  const auto opaque = [](OleanWriter& w) {
    const Word p =
        w.Constant(3, "p", w.Const("Nat"), {w.Const("zero"), w.List({w.Name("p")})}, {"\0", 1});
    const Word code = w.Definition("p._unsafe_rec", w.Const("Nat"), w.Const("p._unsafe_rec"), 0);
    return Declared{{"p", p}, {"p._unsafe_rec", code}};
  };
  Candidate([](OleanWriter& w) { return w.Const("p"); }, opaque);
  ExpectRejected("partial_constant");
  WriteModule("original.olean", [&](OleanWriter& w) {
    Declared all = opaque(w);
    all.push_back({"d", D(w)});
    all.push_back({"t", w.Theorem("t", Statement(w), Sorry(w))});
    return all;
  });
  EXPECT_TRUE(Judged().accepted);
}

TEST_F(Judging, PrivateNamesAreComparedAcrossModuleNames) {
  const auto with = [&](const char* file, const std::string& prefix, const char* value,
                        bool proved) {
    WriteModule(file, [&](OleanWriter& w) {
      const Word type = w.App(w.Const("P"), w.Const(prefix + "e"));
      return Declared{{prefix + "e", w.Definition(prefix + "e", w.Const("Nat"), w.Const(value))},
                      {prefix + "t", w.Theorem(prefix + "t", type, proved ? Proof(w) : Sorry(w))}};
    });
  };
  request_.targets = {"t"};
  with("original.olean", "_private.A.0.", "zero", false);
  with("candidate.olean", "_private.B.0.", "zero", true);
  EXPECT_TRUE(Judged().accepted);
  with("candidate.olean", "_private.B.0.", "one", true);
  ExpectRejected("value_changed");
}

TEST_F(Judging, RejectsAProofThatUsesItself) {
  Candidate([](OleanWriter& w) { return w.Const("t"); });
  ExpectRejected("circular_proof");
  Candidate([](OleanWriter& w) { return w.Const("a"); },
            [](OleanWriter& w) {
              return Declared{{"a", w.Theorem("a", Statement(w), w.Const("b"))},
                              {"b", w.Theorem("b", Statement(w), w.Const("a"))}};
            });
  ExpectRejected("circular_proof");
}

TEST_F(Judging, RejectsUndeclaredConstants) {
  Candidate([](OleanWriter& w) { return w.Const("nowhere"); });
  ExpectRejected("unknown_constant");
}

TEST_F(Judging, RejectsFreeVariables) {
  Candidate([](OleanWriter& w) { return w.BVar(0); });
  ExpectRejected("malformed_constant");
  Candidate([](OleanWriter& w) { return w.Expr(1, {w.Name("x")}); });
  ExpectRejected("malformed_constant");
}

TEST_F(Judging, RejectsCodeAttributesOnWhatIsUsed) {
  const auto with = [&](const char* extension, const char* subject) {
    WriteModule(
        "candidate.olean",
        [](OleanWriter& w) {
          return Declared{{"d", D(w)}, {"t", w.Theorem("t", Statement(w), Proof(w))}};
        },
        {"Init"},
        [&](OleanWriter& w) {
          const Word entry = w.Constructor(0, {w.Name(subject), w.Name("unused")});
          return std::vector<Word>{w.Constructor(0, {w.Name(extension), w.Array({entry})})};
        });
  };
  with("Lean.Compiler.implementedByAttr", "d");
  ExpectRejected("implemented_by");
  with("Lean.externAttr", "d");
  ExpectRejected("extern");
  with("Lean.Compiler.CSimp.ext", "proof");
  ExpectRejected("csimp");
  with("Lean.Compiler.implementedByAttr", "elsewhere");
  EXPECT_TRUE(Judged().accepted);
  for (const char* extension : {"Lean.regularInitAttr", "Lean.builtinInitAttr"}) {
    with(extension, "elsewhere");  // runs, whatever the proof uses
    ExpectRejected("meta_program");
  }
}

TEST_F(Judging, AuxiliaryDeclarationsAreComparedByContent) {
  const auto with = [&](const char* file, const char* auxiliary, const char* content) {
    WriteModule(file, [=](OleanWriter& w) {
      const Word e = w.Definition("e", w.Const("Nat"), w.Const(auxiliary));
      return Declared{{auxiliary, w.Definition(auxiliary, w.Const("Nat"), w.Const(content))},
                      {"e", e},
                      {"t", w.Theorem("t", w.App(w.Const("P"), w.Const("e")), Proof(w))}};
    });
  };
  request_.targets = {"t"};
  with("original.olean", "e.match_1", "zero");
  with("candidate.olean", "other.match_2", "zero");
  EXPECT_TRUE(Judged().accepted);
  with("candidate.olean", "e.match_1", "one");
  ExpectRejected("dependency_changed");
  with("candidate.olean", "mine", "zero");
  ExpectRejected("value_changed");
}

TEST_F(Judging, AuxiliaryAxiomsAreNotInterchangeable) {
  const auto with = [&](const char* file, const char* mentioned) {
    WriteModule(file, [=](OleanWriter& w) {
      return Declared{{"_x", w.Axiom("_x", w.Const("Nat"))},
                      {"_y", w.Axiom("_y", w.Const("Nat"))},
                      {"t", w.Theorem("t", w.App(w.Const("P"), w.Const(mentioned)), Proof(w))}};
    });
  };
  request_.targets = {"t"};
  request_.allow_axioms_of_original = true;
  with("original.olean", "_x");
  with("candidate.olean", "_x");
  EXPECT_TRUE(Judged().accepted);
  with("candidate.olean", "_y");
  EXPECT_FALSE(Judged().accepted);
}

TEST_F(Judging, WhatLiteralsAbbreviateIsDeclaredByBothOrNone) {
  const auto with = [&](const char* file, const Declared& more, OleanWriter& w) {
    Declared all = more;
    const Word statement = w.App(w.Const("P"), w.StringLiteral("a"));
    all.push_back({"t", w.Theorem("t", statement, Proof(w))});
    Write(file, w.Finish(w.Module({"Init"}, all)));
  };
  request_.targets = {"t"};
  OleanWriter original(kFormat), candidate(kFormat), other(kFormat);
  with("original.olean", {}, original);
  with("candidate.olean", {}, candidate);
  EXPECT_TRUE(Judged().accepted);
  const Word maker = other.Definition("String.ofList", other.Const("Nat"), other.Const("zero"));
  with("candidate.olean", {{"String.ofList", maker}}, other);
  EXPECT_FALSE(Judged().accepted);
}

TEST_F(Judging, AProofSorryInsideADefinitionMayBeFilled) {
  const auto with = [&](const char* file, const std::function<Word(OleanWriter&)>& value) {
    WriteModule(file, [&](OleanWriter& w) {
      return Declared{{"i", w.Definition("i", w.Const("Nat"), w.App(w.Const("P"), value(w)))}};
    });
  };
  const auto sorry_of = [](OleanWriter& w, Word level, const char* type) {
    return w.App(w.App(w.Const("sorryAx", {level}), w.Const(type)), w.Const("True"));
  };
  with("candidate.olean", Proof);
  with("original.olean", [&](OleanWriter& w) { return sorry_of(w, w.Box(0), "True"); });
  EXPECT_TRUE(Judged().accepted);
  // Data is not a proof: another number is another definition.
  with("original.olean", [&](OleanWriter& w) { return sorry_of(w, w.LevelSucc(w.Box(0)), "Nat"); });
  ExpectRejected("value_changed");
}

TEST_F(Judging, AnAuxiliaryTheoremMadeOfASorryMayTakeOtherArguments) {
  const auto with = [&](const char* file, const char* type, bool open) {
    WriteModule(file, [&](OleanWriter& w) {
      const Word call = w.App(w.Const("i._proof_1"), w.Const("zero"));
      const Word value = open ? call : w.App(call, w.Const("one"));
      return Declared{
          {"i._proof_1", w.Theorem("i._proof_1", w.Const(type), open ? Sorry(w) : Proof(w))},
          {"i", w.Definition("i", w.Const("Nat"), w.App(w.Const("P"), value))}};
    });
  };
  request_.targets = {"i"};
  with("original.olean", "True", true);
  with("candidate.olean", "P", false);
  EXPECT_TRUE(Judged().accepted);
  // Without the sorry it is part of the definition.
  with("original.olean", "True", false);
  with("candidate.olean", "P", false);
  ExpectRejected("dependency_changed");
}

TEST_F(Judging, UnknownTargetsAreRejected) {
  Candidate(Proof);
  request_.targets = {"t", "nothing"};
  const Verdict verdict = Judged();
  EXPECT_FALSE(verdict.accepted);
  EXPECT_TRUE(verdict.targets[0].accepted);
  EXPECT_FALSE(verdict.targets[1].accepted);
  EXPECT_EQ(Codes(verdict), std::set<std::string>{"target_unknown"});
}

TEST_F(Judging, AxiomsOfTheOriginalOnlyIfAllowed) {
  WriteModule("original.olean", [](OleanWriter& w) {
    return Declared{{"given", w.Axiom("given", w.Const("True"))},
                    {"d", D(w)},
                    {"t", w.Theorem("t", Statement(w), Sorry(w))}};
  });
  Candidate([](OleanWriter& w) { return w.Const("given"); },
            [](OleanWriter& w) {
              return Declared{{"given", w.Axiom("given", w.Const("True"))}};
            });
  ExpectRejected("axiom_not_allowed");
  request_.allowed_axioms = {"given"};
  EXPECT_TRUE(Judged().accepted);
  request_.allowed_axioms = {};
  request_.allow_axioms_of_original = true;
  EXPECT_TRUE(Judged().accepted);
  Candidate([](OleanWriter& w) { return w.Const("given"); },
            [](OleanWriter& w) {
              return Declared{{"given", w.Axiom("given", w.Const("P"))}};
            });
  ExpectRejected("new_axiom");
}

TEST_F(Judging, APrivateAxiomIsNotTheStandardOneThatItPrintsAs) {
  Candidate([](OleanWriter& w) { return w.Const("_private.Init.0.propext"); });
  ExpectRejected("axiom_not_allowed");
  EXPECT_THAT(Judged().targets[0].axioms, ElementsAre("_private.Init.0.propext"));
  Candidate([](OleanWriter& w) { return w.Const("_private.Init.0.own"); });
  ExpectRejected("axiom_not_allowed");
  request_.allowed_axioms = {"own"};  // Lean makes what a plain file declares private
  EXPECT_TRUE(Judged().accepted);
}

TEST_F(Judging, WhichAxiomsAreAllowedCanBeChosen) {
  Candidate([](OleanWriter& w) { return w.Const("Evil.axiom"); });
  request_.allowed_axioms = {"Evil.axiom"};
  EXPECT_TRUE(Judged().accepted);
  Candidate([](OleanWriter& w) { return w.Const("propext"); });
  ExpectRejected("axiom_not_allowed");
  Candidate(Sorry);
  request_.allowed_axioms = {"sorryAx"};
  ExpectRejected("uses_sorry");
}

TEST_F(Judging, AxiomsThatTheStatementMentionsAreAllowed) {
  const auto with = [&](const char* file, const std::function<Word(OleanWriter&)>& proof) {
    WriteModule(file, [&](OleanWriter& w) {
      return Declared{{"B", w.Axiom("B", w.Const("True"))},
                      {"b", w.Axiom("b", w.Const("B"))},
                      {"t", w.Theorem("t", w.App(w.Const("P"), w.Const("B")), proof(w))}};
    });
  };
  with("original.olean", Sorry);
  with("candidate.olean", [](OleanWriter& w) { return w.Const("B"); });
  const Verdict verdict = Judged();
  EXPECT_TRUE(verdict.accepted);
  EXPECT_THAT(verdict.targets[0].axioms, ElementsAre("B"));
  with("candidate.olean", [](OleanWriter& w) { return w.Const("b"); });
  ExpectRejected("axiom_not_allowed");
}

TEST_F(Judging, ProvedDeclarationsMustNotDependOnANewSorry) {
  const auto with = [&](const char* file, const std::function<Word(OleanWriter&)>& helper,
                        const std::function<Word(OleanWriter&)>& proof) {
    WriteModule(file, [&](OleanWriter& w) {
      return Declared{{"h", w.Theorem("h", w.Const("True"), w.Const("h._proof_1"))},
                      {"h._proof_1", w.Theorem("h._proof_1", w.Const("True"), helper(w))},
                      {"t", w.Theorem("t", w.Const("P"), proof(w))}};
    });
  };
  with("original.olean", Proof, Sorry);
  with("candidate.olean", Sorry, Proof);
  ExpectRejected("uses_sorry");
  request_.targets = {"t"};
  with("original.olean", Sorry, Sorry);
  EXPECT_TRUE(Judged().accepted);
}

TEST_F(Judging, NamesTheOpenTheoremsThatAProofNeeds) {
  const auto with = [&](const char* file, const char* statement,
                        const std::function<Word(OleanWriter&)>& lemma,
                        const std::function<Word(OleanWriter&)>& proof) {
    WriteModule(file, [&](OleanWriter& w) {
      return Declared{{"d", D(w)},
                      {"open", w.Theorem("open", w.Const(statement), Sorry(w))},
                      {"lemma", w.Theorem("lemma", w.Const("P"), lemma(w))},
                      {"t", w.Theorem("t", w.Const("P"), proof(w))}};
    });
  };
  const auto open = [](OleanWriter& w) { return w.Const("open"); };
  const auto lemma = [](OleanWriter& w) { return w.Const("lemma"); };
  const auto both = [](OleanWriter& w) { return w.App(w.Const("open"), Sorry(w)); };
  request_.targets = {"t"};
  with("original.olean", "True", open, Sorry);

  with("candidate.olean", "True", open, open);
  Verdict verdict = Judged();
  EXPECT_FALSE(verdict.accepted);
  EXPECT_EQ(Codes(verdict), std::set<std::string>{"uses_sorry"});
  EXPECT_THAT(verdict.targets[0].from, ElementsAre("open"));
  EXPECT_TRUE(verdict.targets[0].otherwise_complete);
  with("candidate.olean", "True", open, lemma);  // by way of a theorem that has a proof
  EXPECT_THAT(Judged().targets[0].from, ElementsAre("open"));

  with("candidate.olean", "True", open, both);  // and a `sorry` of its own
  EXPECT_THAT(Judged().targets[0].from, ElementsAre("open"));
  EXPECT_FALSE(Judged().targets[0].otherwise_complete);
  with("candidate.olean", "P", open, open);  // `open` states something else
  EXPECT_THAT(Judged().targets[0].from, IsEmpty());
  with("candidate.olean", "True", open, Proof);
  EXPECT_TRUE(Judged().accepted);
}

TEST_F(Judging, RejectsProgramsThatRunInsideLean) {
  const auto adds = [&](const char* type) {
    Candidate(Proof, [&](OleanWriter& w) {
      const Word made = w.Forall(w.Const("Nat"), w.Const(type));
      return Declared{{"m", w.Definition("m", made, w.Const("Nat"))}};
    });
  };
  for (const char* type :
       {"Lean.Elab.Tactic.TacticM", "Lean.Ident", "Lean.Syntax", "Lean.MacroM"}) {
    adds(type);
    ExpectRejected("meta_program");
  }
  adds("Lean.Meta.Simp.Config");
  EXPECT_TRUE(Judged().accepted);
  adds("Lean.Grind.Ring");
  EXPECT_TRUE(Judged().accepted);
  const auto computes_with = [&](const char* name) {
    Candidate(Proof, [&](OleanWriter& w) {
      return Declared{{"m", w.Definition("m", w.Const("Nat"), w.Const(name))}};
    });
  };
  for (const char* name :
       {"IO.print", "runST", "Void.mk", "Lean.Meta.inferType", "Lean.Elab.Tactic.elabSimpConfig"}) {
    computes_with(name);
    ExpectRejected("meta_program");
  }
  for (const char* name : {"Lean.Meta.EtaStructMode.all", "Lean.Meta.Simp.Config.mk", "STx.x"}) {
    computes_with(name);
    EXPECT_TRUE(Judged().accepted) << name;
  }
  // What a macro leaves behind; the source rules have judged it.
  Candidate(Proof, [&](OleanWriter& w) {
    return Declared{{"m", w.Definition("m", w.Const("Lean.Macro"), w.Const("Nat"))}};
  });
  EXPECT_TRUE(Judged().accepted);
}

TEST_F(Judging, RejectsAddedDefinitionsThatRestOnAnOpenTheorem) {
  const auto write = [&](const char* file, bool defines, Word (*proof)(OleanWriter&)) {
    WriteModule(file, [&](OleanWriter& w) {
      Declared all = {{"d", D(w)},
                      {"open", w.Theorem("open", Statement(w), Sorry(w))},
                      {"via", w.Theorem("via", Statement(w), w.Const("open"))},
                      {"t", w.Theorem("t", Statement(w), proof(w))}};
      if (defines) all.push_back({"m", w.Definition("m", w.Const("Nat"), w.Const("via"))});
      return all;
    });
  };
  request_.targets = {"t"};
  write("original.olean", false, Sorry);
  write("candidate.olean", false, Proof);
  EXPECT_TRUE(Judged().accepted);
  write("candidate.olean", true, Proof);
  ExpectRejected("uses_sorry");
  write("original.olean", true, Sorry);
  EXPECT_TRUE(Judged().accepted);
}

TEST_F(Judging, ADamagedCandidateIsAVerdictAndADamagedOriginalAnError) {
  Candidate(Proof);
  fs::resize_file(folder_ / "candidate.olean", 300);
  ExpectRejected("candidate_unreadable");
  Candidate(Proof);
  fs::resize_file(folder_ / "original.olean", 300);
  Library library({folder_});
  EXPECT_FALSE(Judge(request_, library));
}

TEST_F(Judging, ALibraryFileThatIsMissingIsAnError) {
  Candidate(Proof);
  Judged();
  Library library({folder_ / "nowhere"});
  const auto verdict = Judge(request_, library);
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, core::ErrorCode::kEnvironment);
  EXPECT_THAT(verdict.error().message, HasSubstr("Init"));
}

TEST_F(Judging, AnImportThatACandidateMadeUpIsAVerdict) {
  WriteModule("candidate.olean",
              [](OleanWriter& w) {
                return Declared{{"d", D(w)}, {"t", w.Theorem("t", Statement(w), Proof(w))}};
              },
              {"Init", "Nowhere"});
  const Verdict verdict = Judged();
  EXPECT_EQ(Codes(verdict), std::set<std::string>{"imports_changed"});
  EXPECT_EQ(verdict.targets.size(), 1U);
  request_.allow_more_imports = true;
  Library library({folder_});
  EXPECT_FALSE(Judge(request_, library));
}

// Files that the embedded Lean wrote, judged against its library.
class JudgingRealFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(library_folder_ / "Init.olean"))
      GTEST_SKIP() << "the embedded Lean is not installed";
  }

  core::Result<Verdict> Judged(const char* candidate, std::vector<std::string> targets = {}) {
    const fs::path data = fs::path(ZERMELO_SOURCE_DIR) / "src/trust/testdata";
    JudgeRequest request;
    request.original = data / "original.olean";
    request.candidate = data / candidate;
    request.targets = std::move(targets);
    Library library({library_folder_});
    return Judge(request, library);
  }

  const fs::path library_folder_ = fs::path(ZERMELO_SOURCE_DIR) / "embedded/build/lib/lean";
};

TEST_F(JudgingRealFiles, AcceptsHelpersNotationsMacrosAndInstances) {
  const auto verdict = Judged("honest.olean", {"two", "half", ":7"});
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_TRUE(verdict->accepted);
}

TEST_F(JudgingRealFiles, RejectsNativeDecide) {
  const auto verdict = Judged("native.olean");
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_FALSE(verdict->accepted);
  ASSERT_EQ(verdict->targets.size(), 2U);
  EXPECT_EQ(verdict->targets[0].name, "half");
  ASSERT_EQ(verdict->targets[0].reasons.size(), 1U);
  EXPECT_EQ(verdict->targets[0].reasons[0].code, ReasonCode::kNativeCode);
  EXPECT_TRUE(verdict->targets[1].accepted);
}

TEST_F(JudgingRealFiles, RejectsTheOriginalItself) {
  const auto verdict = Judged("original.olean");
  ASSERT_TRUE(verdict) << verdict.error().message;
  for (const TargetVerdict& target : verdict->targets) {
    ASSERT_EQ(target.reasons.size(), 1U);
    EXPECT_EQ(target.reasons[0].code, ReasonCode::kUsesSorry);
  }
}

TEST(Reasons, EveryCodeHasOneNameAndAMeaning) {
  std::set<std::string> names;
  for (int code = 1; code <= static_cast<int>(ReasonCode::kImportAdded); ++code) {
    const std::string name = Name(static_cast<ReasonCode>(code));
    EXPECT_NE(name, "") << code;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_EQ(names.size(), ReasonTable().size());
}

}  // namespace
}  // namespace zermelo::trust
