// Compiled candidates that only a kernel can refuse, as no honest Lean would write them, each
// beside an honest one that differs from it in one place.
#include "trust/kernels/second_kernel.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "kernel/files/ndjson.h"
#include "kernel/testing/olean_declarations.h"
#include "kernel/testing/olean_writer.h"
#include "trust/verdict.h"

namespace zermelo::trust {
namespace {

namespace fs = std::filesystem;
using kernel::OleanFormat;
using kernel::OleanWriter;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Word = OleanWriter::Word;
using Declared = std::vector<OleanWriter::Declared>;

constexpr OleanFormat kFormat64 = {true, 2, true};
constexpr uint64_t kPublic = 0x10000, kPrivate = 0x8000000;

Word Prop(OleanWriter& w) { return w.Sort(OleanWriter::Box(0)); }
Word Type(OleanWriter& w) { return w.Sort(w.LevelSucc(OleanWriter::Box(0))); }
Word Type1(OleanWriter& w) { return w.Sort(w.LevelSucc(w.LevelSucc(OleanWriter::Box(0)))); }
Word P(OleanWriter& w) { return w.Const("P"); }
Word Q(OleanWriter& w) { return w.Const("Q"); }
Word ProofOfP(OleanWriter& w) { return w.Const("p"); }
OleanWriter::Declared Theorem(OleanWriter& w, const char* name, Word type, Word value) {
  return {name, w.Theorem(name, type, value)};
}
OleanWriter::Declared Definition(OleanWriter& w, const char* name, Word type, Word value,
                                 char safety = 1) {
  return {name, w.Definition(name, type, value, safety)};
}

// The library: P is true and Q is not.
//       def P : Prop := ∀ a : Prop, a → a
//       def Q : Prop := ∀ a : Prop, a
//       theorem p : P
//       theorem P.eq_1 : P
//       axiom sorryAx.{u} : (α : Sort u) → Prop → α
//       axiom Lean.reduceBool : Prop → Prop
Declared Library_(OleanWriter& w) {
  const Word a = w.BVar(0);
  const Word p = w.Forall(Prop(w), w.Forall(a, w.BVar(1)));
  const Word proof = w.Lambda(Prop(w), w.Lambda(a, a));
  const Word sorry = w.Forall(w.Sort(w.LevelParam(w.Name("u"))), w.Forall(Prop(w), w.BVar(1)));
  return {Definition(w, "P", Prop(w), p),
          Definition(w, "Q", Prop(w), w.Forall(Prop(w), a)),
          Theorem(w, "p", P(w), proof),
          Theorem(w, "P.eq_1", P(w), proof),
          {"sorryAx", w.Constant(0, "sorryAx", sorry, {}, {"\0", 1}, {"u"})},
          {"Lean.reduceBool", w.Axiom("Lean.reduceBool", w.Forall(Prop(w), Prop(w)))}};
}

class OneModule : public ::testing::Test {
 protected:
  OneModule() : folder_(*core::TemporaryFolder::Create("second_kernel")) {
    Write("Init.olean", {}, Library_);
    Write("original.olean", {"Init"}, [](OleanWriter& w) {
      const Word sorry = w.App(w.App(w.Const("sorryAx", {OleanWriter::Box(0)}), P(w)), P(w));
      return Declared{Theorem(w, "t", P(w), sorry)};
    });
    request_.original = folder_.path() / "original.olean";
    request_.candidate = folder_.path() / "candidate.olean";
  }

  using Content = std::function<Declared(OleanWriter&)>;

  void Write(const std::string& file, const std::vector<std::string>& imports,
             const Content& content, uint64_t base = kPublic) {
    OleanWriter w(kFormat64, base);
    const Declared constants = content(w);
    std::ofstream(folder_.path() / file, std::ios::binary)
        << w.Finish(w.Module(imports, constants));
  }

  // The original's theorem with its proof, and this.
  static Content WithProof(const Content& more) {
    return [more](OleanWriter& w) {
      Declared all = more(w);
      all.push_back(Theorem(w, "t", P(w), ProofOfP(w)));
      return all;
    };
  }

  void Candidate(const Content& more) { Write("candidate.olean", {"Init"}, WithProof(more)); }

  core::Result<Verdict> Judged() {
    Library library({folder_.path()});
    return Judge(request_, library);
  }

  // "kernel_rejected: …", "accepted by Zermelo's kernel", "accepted by no kernel".
  std::string Outcome_() {
    const auto verdict = Judged();
    if (!verdict) return "error: " + verdict.error().message;
    if (!verdict->accepted) {
      const auto& reasons =
          verdict->reasons.empty() ? verdict->targets[0].reasons : verdict->reasons;
      return std::string(Name(reasons.at(0).code)) + ": " + reasons[0].message;
    }
    const bool judged = verdict->kernel && verdict->kernel->outcome == Decision::kAccepted;
    return "accepted by " + (judged ? DisplayName(*verdict->kernel) : "no kernel");
  }

  core::TemporaryFolder folder_;
  JudgeRequest request_;
};

// One constant or several that a module declares beside the theorem.
struct Case {
  const char* name;
  const char* why;  // in the reason
  Declared (*attack)(OleanWriter&);
  Declared (*honest)(OleanWriter&);
};

// An inductive type `Two` with the constructors a and b, and what may be wrong about it.
struct Lies {
  bool swapped_rules = false;
  bool k = false;
  bool missing_rule = false;
  uint64_t minors = 2;
  uint64_t fields = 0;
  bool constructor_of_p = false;
  bool negative = false;  // b : (Two → Q) → Two
  bool in_prop = false;   // Two : Prop, but its recursor goes into every sort
  bool motive_of_p = false;
};

Declared Two(OleanWriter& w, const Lies& lies) {
  const auto two = [&] { return w.Const("Two"); };
  const Word u = w.LevelParam(w.Name("u"));
  const Word motive = w.Forall(lies.motive_of_p ? P(w) : two(), w.Sort(u));
  const auto of = [&](uint64_t variable, Word value) { return w.App(w.BVar(variable), value); };
  const Word recursor = w.Forall(
      motive, w.Forall(of(0, w.Const("Two.a")),
                       w.Forall(of(1, w.Const("Two.b")), w.Forall(two(), of(3, w.BVar(0))))));
  const auto rule = [&](const char* constructor, uint64_t minor) {
    const Word body = w.Lambda(motive, w.Lambda(of(0, w.Const("Two.a")),
                                                w.Lambda(of(1, w.Const("Two.b")), w.BVar(minor))));
    return w.Constructor(0, {w.Name(constructor), OleanWriter::Box(lies.fields), body});
  };
  std::vector<Word> rules = {rule("Two.a", lies.swapped_rules ? 0 : 1)};
  if (!lies.missing_rule) rules.push_back(rule("Two.b", lies.swapped_rules ? 1 : 0));
  const auto box = [](uint64_t number) { return OleanWriter::Box(number); };
  const Word all = w.List({w.Name("Two")});
  const auto constructor = [&](const char* name, uint64_t index, Word type) {
    return OleanWriter::Declared{
        name, w.Constant(6, name, type, {w.Name("Two"), box(index), box(0), box(0)}, {"\0", 1})};
  };
  const Word b = lies.negative ? w.Forall(w.Forall(two(), Q(w)), two()) : two();
  return {
      {"Two", w.Constant(5, "Two", lies.in_prop ? Prop(w) : Type(w),
                         {box(0), box(0), all, w.List({w.Name("Two.a"), w.Name("Two.b")}), box(0)},
                         {"\0\0\0", 3})},
      constructor("Two.a", 0, lies.constructor_of_p ? P(w) : two()),
      constructor("Two.b", 1, b),
      {"Two.rec", w.Constant(7, "Two.rec", recursor,
                             {all, box(0), box(0), box(1), box(lies.minors), w.List(rules)},
                             {lies.k ? "\1\0" : "\0\0", 2}, {"u"})}};
}

Declared HonestTwo(OleanWriter& w) { return Two(w, {}); }

const Case kCases[] = {
    {"AValueOfAnotherType", "does not have the declared type",
     [](OleanWriter& w) { return Declared{Theorem(w, "l", Q(w), ProofOfP(w))}; },
     [](OleanWriter& w) { return Declared{Theorem(w, "l", P(w), ProofOfP(w))}; }},
    {"ADefinitionOfAnotherType", "does not have the declared type",
     [](OleanWriter& w) { return Declared{Definition(w, "d", P(w), P(w))}; },
     [](OleanWriter& w) { return Declared{Definition(w, "d", Prop(w), P(w))}; }},
    {"TypeInType", "does not have the declared type",
     [](OleanWriter& w) { return Declared{Definition(w, "d", Type(w), Type(w))}; },
     [](OleanWriter& w) { return Declared{Definition(w, "d", Type1(w), Type(w))}; }},
    {"AFunctionTypeInTooSmallAUniverse", "does not have the declared type",
     [](OleanWriter& w) { return Declared{Definition(w, "d", Prop(w), w.Forall(P(w), Type(w)))}; },
     [](OleanWriter& w) {
       return Declared{Definition(w, "d", Type1(w), w.Forall(P(w), Type(w)))};
     }},
    {"APropositionOverAllPropositionsIsOne", "does not have the declared type",
     [](OleanWriter& w) {
       return Declared{Definition(w, "d", Prop(w), w.Forall(Prop(w), Prop(w)))};
     },
     [](OleanWriter& w) { return Declared{Definition(w, "d", Prop(w), w.Forall(Prop(w), P(w)))}; }},
    {"ATheoremThatIsNoProposition", "not a proposition",
     [](OleanWriter& w) { return Declared{Theorem(w, "l", Prop(w), P(w))}; },
     [](OleanWriter& w) { return Declared{Definition(w, "l", Prop(w), P(w))}; }},
    {"AnArgumentOfAnotherType", "",
     [](OleanWriter& w) {
       return Declared{Theorem(w, "l", Q(w), w.App(w.App(ProofOfP(w), Q(w)), ProofOfP(w)))};
     },
     [](OleanWriter& w) {
       return Declared{Theorem(w, "l", P(w), w.App(w.App(ProofOfP(w), P(w)), ProofOfP(w)))};
     }},
    {"ALetOfAnotherType", "",
     [](OleanWriter& w) {
       return Declared{Theorem(w, "l", Q(w), w.Let(Q(w), ProofOfP(w), w.BVar(0)))};
     },
     [](OleanWriter& w) {
       return Declared{Theorem(w, "l", P(w), w.Let(P(w), ProofOfP(w), w.BVar(0)))};
     }},
    {"AFunctionThatIsNone", "",
     [](OleanWriter& w) { return Declared{Definition(w, "d", Prop(w), w.App(P(w), ProofOfP(w)))}; },
     [](OleanWriter& w) {
       return Declared{Definition(w, "d", Prop(w), w.App(w.Lambda(P(w), P(w)), ProofOfP(w)))};
     }},
    {"AProjectionOfWhatIsNoStructure", "",
     [](OleanWriter& w) { return Declared{Theorem(w, "l", Q(w), w.Proj("P", 0, ProofOfP(w)))}; },
     [](OleanWriter& w) { return Declared{Theorem(w, "l", P(w), ProofOfP(w))}; }},
    {"ABoundVariableWithoutABinder", "no binder",
     [](OleanWriter& w) { return Declared{Theorem(w, "l", Q(w), w.BVar(0))}; },
     [](OleanWriter& w) {
       return Declared{Theorem(w, "l", w.Forall(P(w), P(w)), w.Lambda(P(w), w.BVar(0)))};
     }},
    {"AFreeVariable", "free variable",
     [](OleanWriter& w) { return Declared{Theorem(w, "l", Q(w), w.Expr(1, {w.Name("x")}))}; },
     [](OleanWriter& w) { return Declared{Theorem(w, "l", P(w), w.MData(ProofOfP(w)))}; }},
    {"AnUndeclaredUniverse", "",
     [](OleanWriter& w) {
       const Word v = w.Sort(w.LevelParam(w.Name("v")));
       return Declared{
           {"d", w.Constant(1, "d", w.Forall(v, Type(w)),
                            {w.Lambda(v, Prop(w)), OleanWriter::Box(1), w.List({w.Name("d")})},
                            {"\1", 1}, {"u"})}};
     },
     [](OleanWriter& w) {
       const Word u = w.Sort(w.LevelParam(w.Name("u")));
       return Declared{
           {"d", w.Constant(1, "d", w.Forall(u, Type(w)),
                            {w.Lambda(u, Prop(w)), OleanWriter::Box(1), w.List({w.Name("d")})},
                            {"\1", 1}, {"u"})}};
     }},
    {"AUniverseParameterTwice", "twice",
     [](OleanWriter& w) {
       return Declared{
           {"d", w.Constant(1, "d", Prop(w), {P(w), OleanWriter::Box(1), w.List({w.Name("d")})},
                            {"\1", 1}, {"u", "u"})}};
     },
     [](OleanWriter& w) {
       return Declared{
           {"d", w.Constant(1, "d", Prop(w), {P(w), OleanWriter::Box(1), w.List({w.Name("d")})},
                            {"\1", 1}, {"u", "v"})}};
     }},
    {"TooManyUniverses", "",
     [](OleanWriter& w) {
       return Declared{Theorem(w, "l", P(w), w.Const("p", {OleanWriter::Box(0)}))};
     },
     [](OleanWriter& w) { return Declared{Theorem(w, "l", P(w), w.Const("p"))}; }},
    {"AConstantThatNobodyDeclares", "",
     [](OleanWriter& w) { return Declared{Theorem(w, "l", Q(w), w.Const("nowhere"))}; },
     [](OleanWriter& w) { return Declared{Theorem(w, "l", P(w), w.Const("P.eq_1"))}; }},
    {"TheoremsThatProveEachOther", "depends on itself",
     [](OleanWriter& w) {
       return Declared{Theorem(w, "l", Q(w), w.Const("m")), Theorem(w, "m", Q(w), w.Const("l"))};
     },
     [](OleanWriter& w) {
       return Declared{Theorem(w, "l", P(w), w.Const("m")), Theorem(w, "m", P(w), ProofOfP(w))};
     }},
    {"ATheoremThatMentionsWhatIsUnsafe", "",
     [](OleanWriter& w) {
       return Declared{Definition(w, "u", Q(w), w.Const("u"), 0),
                       Theorem(w, "l", Q(w), w.Const("u"))};
     },
     [](OleanWriter& w) {
       return Declared{Definition(w, "u", Q(w), w.Const("u"), 0),
                       Theorem(w, "l", P(w), ProofOfP(w))};
     }},
    {"ATheoremThatMentionsWhatIsPartial", "",
     [](OleanWriter& w) {
       return Declared{Definition(w, "u", Q(w), w.Const("u"), 2),
                       Theorem(w, "l", Q(w), w.Const("u"))};
     },
     [](OleanWriter& w) {
       return Declared{Definition(w, "u", Q(w), w.Const("u"), 2),
                       Theorem(w, "l", P(w), ProofOfP(w))};
     }},
    {"AGeneratedNameOfAnImportWithAnotherStatement", "declares it differently",
     [](OleanWriter& w) {
       return Declared{Theorem(w, "P.eq_1", w.Forall(P(w), P(w)), w.Lambda(P(w), w.BVar(0)))};
     },
     [](OleanWriter& w) { return Declared{Theorem(w, "P.eq_1", P(w), ProofOfP(w))}; }},
    {"RecursorRulesThatAreSwapped", "",
     [](OleanWriter& w) { return Two(w, {.swapped_rules = true}); }, HonestTwo},
    {"ARecursorWithoutARule", "", [](OleanWriter& w) { return Two(w, {.missing_rule = true}); },
     HonestTwo},
    {"ARecursorThatSaysK", "", [](OleanWriter& w) { return Two(w, {.k = true}); }, HonestTwo},
    {"ARecursorWithAnotherNumberOfCases", "", [](OleanWriter& w) { return Two(w, {.minors = 1}); },
     HonestTwo},
    {"ARecursorRuleWithFieldsThatAreNot", "", [](OleanWriter& w) { return Two(w, {.fields = 1}); },
     HonestTwo},
    {"ARecursorOfAnotherType", "", [](OleanWriter& w) { return Two(w, {.motive_of_p = true}); },
     HonestTwo},
    {"AConstructorOfAnotherType", "",
     [](OleanWriter& w) { return Two(w, {.constructor_of_p = true}); }, HonestTwo},
    {"AConstructorThatIsNotPositive", "", [](OleanWriter& w) { return Two(w, {.negative = true}); },
     HonestTwo},
    {"APropositionThatEliminatesIntoAllSorts", "",
     [](OleanWriter& w) { return Two(w, {.in_prop = true}); }, HonestTwo},
    {"AConstructorWithoutItsType", "no inductive type",
     [](OleanWriter& w) {
       Declared two = Two(w, {});
       return Declared{two[1]};
     },
     HonestTwo},
};

class Attacks : public OneModule, public ::testing::WithParamInterface<Case> {};

TEST_P(Attacks, IsRefused) {
  Candidate(GetParam().attack);
  const std::string outcome = Outcome_();
  EXPECT_THAT(outcome, ::testing::StartsWith("kernel_rejected: Zermelo's kernel rejects `"));
  EXPECT_THAT(outcome, HasSubstr(GetParam().why));
  request_.kernel = KernelUse::kOff;  // no other check would have seen it
  EXPECT_EQ(Outcome_(), "accepted by no kernel");
}

TEST_P(Attacks, HasAnHonestTwin) {
  Candidate(GetParam().honest);
  EXPECT_EQ(Outcome_(), "accepted by Zermelo's kernel");
}

INSTANTIATE_TEST_SUITE_P(SecondKernel, Attacks, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

// The kernel's attacks by export, compiled: recursors, universes, inductive types, projections,
// literals, eta, quotients.
const fs::path kExports = fs::path(ZERMELO_SOURCE_DIR) / "src/kernel/testdata/ndjson";

std::vector<std::string> Exports() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kExports / "attacks"))
    if (entry.path().stem() != "name_twice") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

class ExportedAttacks : public OneModule, public ::testing::WithParamInterface<std::string> {
 protected:
  void CandidateOf(const char* folder) {
    const auto text = core::ReadTextFile(kExports / folder / (GetParam() + ".ndjson"));
    ASSERT_TRUE(text);
    kernel::Terms terms;
    kernel::Environment environment(terms);
    ASSERT_EQ(kernel::ReadNdjson(*text, &environment).outcome, Decision::kAccepted);
    Candidate([&](OleanWriter& w) {
      Declared declared = kernel::WriteDeclarations(w, environment);
      std::erase_if(declared, [](const auto& it) { return it.name == "P" || it.name == "p"; });
      return declared;  // P and p are the library's
    });
  }
};

TEST_P(ExportedAttacks, AreRefusedAsModules) {
  CandidateOf("attacks");
  EXPECT_THAT(Outcome_(), ::testing::StartsWith("kernel_rejected: Zermelo's kernel rejects `"));
  request_.kernel = KernelUse::kOff;
  EXPECT_EQ(Outcome_(), "accepted by no kernel");
}

TEST_P(ExportedAttacks, HaveAnHonestTwinAsModules) {
  CandidateOf("honest");
  EXPECT_EQ(Outcome_(), "accepted by Zermelo's kernel");
}

INSTANTIATE_TEST_SUITE_P(SecondKernel, ExportedAttacks, ::testing::ValuesIn(Exports()),
                         [](const auto& info) { return info.param; });

TEST_F(OneModule, TheTheoremItselfIsJudgedToo) {
  Write("candidate.olean", {"Init"},
        [](OleanWriter& w) { return Declared{Theorem(w, "t", P(w), Q(w))}; });
  EXPECT_THAT(Outcome_(), HasSubstr("rejects `t`: its value does not have the declared type"));
}

TEST_F(OneModule, ANameDeclaredTwiceIsNoModule) {
  Candidate([](OleanWriter& w) {
    return Declared{Theorem(w, "l", P(w), ProofOfP(w)), Theorem(w, "l", Q(w), ProofOfP(w))};
  });
  EXPECT_THAT(Outcome_(), HasSubstr("candidate_unreadable"));
}

// Parts that others import: X.olean beside X.olean.private.
class Parts : public OneModule {
 protected:
  std::string With(const Content& part) {
    Write("candidate.olean.private", {"Init"}, WithProof([](OleanWriter& w) {
            return Declared{Definition(w, "d", Prop(w), P(w)),
                            Definition(w, "f", P(w), w.Const("f"), 2)};
          }),
          kPrivate);
    Write("candidate.olean", {"Init"}, part);
    return Outcome_();
  }
};

TEST_F(Parts, StubsAndRepetitionsAreHonest) {
  EXPECT_EQ(With([](OleanWriter& w) {
              return Declared{{"t", w.Axiom("t", P(w))}, Definition(w, "d", Prop(w), P(w))};
            }),
            "accepted by Zermelo's kernel");
}

TEST_F(Parts, AStubThatLiesIsRefused) {
  EXPECT_THAT(With([](OleanWriter& w) {
                return Declared{{"t", w.Axiom("t", Q(w))}};
              }),
              HasSubstr("parts_differ: The compiled candidate contradicts itself about `t`"));
}

TEST_F(Parts, AnotherValueIsRefused) {
  EXPECT_THAT(With([](OleanWriter& w) { return Declared{Definition(w, "d", Prop(w), Q(w))}; }),
              HasSubstr("parts_differ"));
}

TEST_F(Parts, AStubOfAPartialDefinitionIsRefused) {
  EXPECT_THAT(With([](OleanWriter& w) {
                return Declared{{"f", w.Axiom("f", P(w))}};
              }),
              HasSubstr("hides that it is partial"));
}

TEST_F(Parts, ANameThatIsOnlyThereIsRefused) {
  EXPECT_THAT(With([](OleanWriter& w) {
                return Declared{{"c", w.Axiom("c", Q(w))}};
              }),
              HasSubstr("`c`: only the public part of the module declares it"));
}

// What this kernel refuses to judge: whether compiled code makes P of P.
OleanWriter::Declared Compiled(OleanWriter& w) {
  return Theorem(w, "compiled", w.App(w.Const("Lean.reduceBool"), P(w)), ProofOfP(w));
}

class Declined : public OneModule {
 protected:
  Declined() {
    Candidate([](OleanWriter& w) { return Declared{Compiled(w)}; });
  }
};

TEST_F(Declined, RestsOnTheCompilationAlone) {
  const auto verdict = Judged();
  ASSERT_TRUE(verdict);
  EXPECT_TRUE(verdict->accepted);
  ASSERT_TRUE(verdict->kernel);
  EXPECT_EQ(verdict->kernel->kernel, "zermelo");
  EXPECT_EQ(verdict->kernel->outcome, Decision::kDeclined);
  EXPECT_EQ(verdict->kernel->declaration, "compiled");
  EXPECT_THAT(verdict->kernel->reason, HasSubstr("compiled code"));
}

TEST_F(Declined, IsRefusedIfTheKernelIsRequired) {
  request_.kernel = KernelUse::kRequired;
  EXPECT_THAT(Outcome_(), HasSubstr("kernel_declined"));
  Candidate([](OleanWriter&) { return Declared{}; });
  EXPECT_EQ(Outcome_(), "accepted by Zermelo's kernel");
}

TEST_F(Declined, DoesNotHideWhatIsRejected) {
  Candidate([](OleanWriter& w) {
    return Declared{Compiled(w), Theorem(w, "z", Q(w), ProofOfP(w))};
  });
  EXPECT_THAT(Outcome_(), HasSubstr("kernel_rejected: Zermelo's kernel rejects `z`"));
}

// Lean computes with such names, whatever they are.
TEST_F(Declined, CannotBeLeftToOthersIfTheCandidateDeclaresAnOperationThatTheyKnowByName) {
  const auto operation = [](OleanWriter& w) {
    return Definition(w, "Nat.gcd", w.Forall(Prop(w), Prop(w)), w.Lambda(Prop(w), w.BVar(0)));
  };
  Candidate([&](OleanWriter& w) { return Declared{operation(w), Compiled(w)}; });
  EXPECT_THAT(Outcome_(), AllOf(HasSubstr("kernel_declined"), HasSubstr("`Nat.gcd`")));
  Write("Init.olean", {}, [&](OleanWriter& w) {
    Declared all = Library_(w);
    all.push_back(operation(w));
    return all;
  });
  Candidate([](OleanWriter& w) { return Declared{Compiled(w)}; });
  EXPECT_EQ(Outcome_(), "accepted by no kernel");
}

// The library must be the one that was hashed.
TEST_F(OneModule, ALibraryThatChangesIsAnError) {
  Candidate([](OleanWriter&) { return Declared{}; });
  Library library({folder_.path()});
  ASSERT_TRUE(library.ClosureOf({"Init"}));
  ASSERT_TRUE(Judge(request_, library));
  const auto changed = [&](const Content& content) {
    Write("Init.olean", {}, content);
    const auto verdict = Judge(request_, library);
    EXPECT_FALSE(verdict);
    EXPECT_EQ(verdict.error().code, core::ErrorCode::kEnvironment);
    EXPECT_THAT(verdict.error().message, HasSubstr("Init changed"));
  };
  changed([](OleanWriter& w) {
    Declared all = Library_(w);
    all.push_back(Theorem(w, "more", Q(w), ProofOfP(w)));
    return all;
  });
  Write("Init.olean", {}, Library_);
  EXPECT_TRUE(Judge(request_, library));  // the same bytes again
}

TEST_F(OneModule, AnImportMustHaveBeenHashedBefore) {
  Candidate([](OleanWriter&) { return Declared{}; });
  request_.hashed_before = 0;
  const auto verdict = Judged();
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, core::ErrorCode::kEnvironment);
  request_.hashed_before = 1;
  EXPECT_TRUE(Judged());
}

TEST_F(OneModule, AModuleThatNowLiesInAnotherFolderIsAChange) {
  Candidate([](OleanWriter&) { return Declared{}; });
  const fs::path first = folder_.path() / "first";
  Library library({first, folder_.path()});
  ASSERT_TRUE(library.ClosureOf({"Init"}));
  fs::create_directory(first);
  fs::copy_file(folder_.path() / "Init.olean", first / "Init.olean");
  EXPECT_FALSE(Judge(request_, library));
}

}  // namespace
}  // namespace zermelo::trust
