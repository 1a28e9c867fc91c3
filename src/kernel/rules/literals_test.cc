// Literals and the arithmetic on them: what is computed, and what must be known for it.
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/testing/check_fixture.h"

namespace zermelo::kernel {
namespace {

using testing::CheckTest;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TestEnvironment;

TEST_F(CheckTest, LiteralsAreConstructors) {
  env_.AddPrelude();
  context_ = "(n : Nat) -> ";
  Equal("Nat", "Nat.add n 2", "Nat.succ (Nat.succ n)");
}

TEST_F(CheckTest, ZeroIsALiteral) {
  env_.AddPrelude();
  Equal("Nat", "Nat.zero", "0");
}

TEST_F(CheckTest, LargeNumbersAreComputed) {
  env_.AddPrelude();
  Equal("Nat", "Nat.add 1000000000000000000 9000000000000000000", "10000000000000000000");
}

TEST_F(CheckTest, LargeNumbersThatDiffer) {
  env_.AddPrelude();
  Different("Nat", "Nat.add 1000000000000000000 9000000000000000000", "10000000000000000001");
}

// Lean computes by name; here, a constant must satisfy the equations. Source: lean4lean,
// Primitive.lean.
TEST_F(CheckTest, ArithmeticIsNotComputedForAnotherFunctionOfThatName) {
  env_.Add(testing::NatText()).Add(testing::EqText());
  env_.Define("Nat.add", "Nat -> Nat -> Nat", "fun (a b : Nat) => 0");
  Claim("Nat", "Nat.add 1 1", "2");
  Refuses(Decision::kDeclined, "does not recognize");
}

void AddImportedNatAndEq(TestEnvironment& env) {
  env.From(Origin::kTrusted).Add(testing::NatText()).Add(testing::EqText()).From(Origin::kChecked);
}

TEST_F(CheckTest, TheDefinitionOfATrustedConstantIsComparedToo) {
  for (const bool usual : {true, false}) {
    TestEnvironment env;
    AddImportedNatAndEq(env);
    Declaration add = env.Named("Nat.add", "Nat -> Nat -> Nat");
    const std::string other = "fun (a b : Nat) => a";
    const std::string successors =
        "fun (a b : Nat) => Nat.rec.{1} (fun (n : Nat) => Nat) a (fun (n h : Nat) => Nat.succ h) b";
    add.info = Definition{env.Term(usual ? successors : other)};
    env.Add(add, Origin::kTrusted);
    env.Prove("claim", "Eq.{1} Nat (Nat.add 12 1000000000000000000) 1000000000000000012",
              "Eq.refl.{1} Nat 1000000000000000012");
    const CheckReport verdict = env.Judge();
    EXPECT_EQ(verdict.outcome, usual ? Decision::kAccepted : Decision::kDeclined)
        << env.Print(verdict);
  }
}

// A declaration of an import whose value or proof was not read.
Declaration Stub(TestEnvironment& env, const std::string& name, const std::string& type) {
  Declaration stub = env.Named(name, type);
  stub.info = Axiom{.is_stub = true};
  return stub;
}

TEST_F(CheckTest, AnOperationThatHidesAPartIsNotComputed) {
  AddImportedNatAndEq(env_);
  env_.Add(Stub(env_, "hidden", "Nat -> Nat -> Nat"), Origin::kTrusted);
  Declaration mul = env_.Named("Nat.mul", "Nat -> Nat -> Nat");
  mul.info = Definition{env_.Term("fun (a b : Nat) => hidden a b")};
  env_.Add(mul, Origin::kTrusted);
  Claim("Nat", "Nat.mul 12 10", "120");
  Refuses(Decision::kDeclined, "does not recognize");
}

TEST_F(CheckTest, ArithmeticOfAnAxiomIsNotComputed) {
  env_.AddPrelude().Axiom("Nat.land", "Nat -> Nat -> Nat");
  Claim("Nat", "Nat.land 12 10", "8");
  Refuses(Decision::kDeclined, "does not recognize");
}

TEST_F(CheckTest, ArithmeticOfAnotherFunctionOfThatNameIsItsOwn) {
  env_.Add(testing::NatText()).Add(testing::EqText());
  env_.Define("Nat.add", "Nat -> Nat -> Nat", "fun (a b : Nat) => 0");
  Equal("Nat", "Nat.add 1 1", "0");
}

// Nat.sub 0 1 is 1 here. Without the shortcut for Nat.sub, the type of T is Prop, so that all its
// terms are equal, and Nat.pred seems to satisfy the equations; with it, T is a type, and all is
// well-typed.
TEST_F(CheckTest, WhatComesAfterAnOperationDoesNotVerifyIt) {
  const std::string m = "(fun (a : Nat) => Nat -> Nat)";
  const std::string c = "(Nat.rec.{1} (fun (a : Nat) => Nat) 1 (fun (k ih : Nat) => 1))";
  const std::string s = "(fun (k : Nat) (ih : Nat -> Nat) (z : Nat) => k)";
  const std::string stuck = "Nat.rec.{1} " + m + " " + c + " " + s;
  env_.AddPrelude();
  env_.Define("Nat.sub", "Nat -> Nat -> Nat",
              "fun (x y : Nat) => Nat.rec.{1} (fun (a : Nat) => Nat) x (fun (k ih : Nat) => " +
                  stuck + " ih 0) y");
  env_.Define("D", "Nat -> Type 2",
              "fun (n : Nat) => Nat.rec.{4} (fun (m : Nat) => Type 2) "
              "(Prod.{2,2} (Sort 2) (Sort 2)) "
              "(fun (k : Nat) (ih : Type 2) => Prod.{1,2} (Sort 1) (Sort 2)) n");
  env_.Define("T",
              "#Prod.0 (Nat.rec.{3} D (Prod.mk.{2,2} (Sort 2) (Sort 2) (Sort 1) (Sort 1)) "
              "(fun (k : Nat) (ih : D k) => Prod.mk.{1,2} (Sort 1) (Sort 2) (Sort 0) (Sort 1)) "
              "(Nat.sub 0 1))",
              "Nat");
  env_.Define("t", "T", "Nat.zero");
  env_.Define("Nat.pred", "Nat -> Nat",
              "fun (n : Nat) => Nat.rec.{1} " + m + " (fun (z : Nat) => t) " + s + " n 0");
  env_.Prove("lemma", "(n : Nat) -> Eq.{1} Nat (Nat.sub n 1) (" + stuck + " n 0)",
             "fun (n : Nat) => Eq.refl.{1} Nat (Nat.sub n 1)");
  env_.Prove("bad", "Eq.{1} Nat 0 1", "lemma 0");
  for (const Order order : {Order::kAsAdded, Order::kByDependence}) {
    EXPECT_NE(env_.Judge(order).outcome, Decision::kAccepted);
  }
}

struct Statement {
  std::string name, type;
};

Statement AboutNat(const std::string& name, const std::string& variables, const std::string& left,
                   const std::string& right) {
  return {"Nat." + name, "(" + variables + " : Nat) -> Eq.{1} Nat (" + left + ") (" + right + ")"};
}

// What Lean's library proves of the operations that do not reduce; each is needed.
std::vector<Statement> TheoremsAboutOperations() {
  std::vector<Statement> all = {
      AboutNat("div_add_mod", "m n", "Nat.add (Nat.mul n (Nat.div m n)) (Nat.mod m n)", "m"),
      {"Nat.mod_lt", "(x y : Nat) -> Nat.le 1 y -> Nat.le (Nat.succ (Nat.mod x y)) y"},
      AboutNat("div_zero", "x", "Nat.div x 0", "0"),
      AboutNat("mod_zero", "x", "Nat.mod x 0", "x"),
      AboutNat("gcd_zero_left", "y", "Nat.gcd 0 y", "y"),
      AboutNat("gcd_rec", "m n", "Nat.gcd m n", "Nat.gcd (Nat.mod n m) m")};
  for (const auto& [f, name, with_zero, with_itself] :
       {std::array{"Nat.land", "and", "0", "x"}, std::array{"Nat.lor", "or", "x", "x"},
        std::array{"Nat.xor", "xor", "x", "0"}}) {
    const auto of = [f = std::string(f)](const std::string& a, const std::string& b) {
      return f + " (" + a + ") (" + b + ")";
    };
    const std::string n = name;
    all.push_back(AboutNat("zero_" + n, "x", of("0", "x"), with_zero));
    all.push_back(AboutNat(n + "_zero", "x", of("x", "0"), with_zero));
    all.push_back(AboutNat(n + "_self", "x", of("x", "x"), with_itself));
    all.push_back(AboutNat(n + "_div_two", "a b", "Nat.div (" + of("a", "b") + ") 2",
                           of("Nat.div a 2", "Nat.div b 2")));
    all.push_back(AboutNat(n + "_mod_two_pow", "a b n",
                           "Nat.mod (" + of("a", "b") + ") (Nat.pow 2 n)",
                           of("Nat.mod a (Nat.pow 2 n)", "Nat.mod b (Nat.pow 2 n)")));
  }
  return all;
}

std::string Recursion(const std::string& at_zero, const std::string& next) {
  return "fun (a b : Nat) => Nat.rec.{1} (fun (n : Nat) => Nat) (" + at_zero +
         ") (fun (n h : Nat) => " + next + ") b";
}

// An import: Lean's operations, where their definitions are known, and stubs otherwise; and these
// theorems about them.
void AddImportedOperations(TestEnvironment& env, const std::vector<Statement>& theorems) {
  AddImportedNatAndEq(env);
  env.From(Origin::kTrusted)
      .Add({.types = {{"Nat.le",
                       "Nat -> Nat -> Prop",
                       {{"Nat.le.refl", "(n : Nat) -> Nat.le n n"},
                        {"Nat.le.step", "(n m : Nat) -> Nat.le n m -> Nat.le n (Nat.succ m)"}},
                       1}},
            .parameters = 1,
            .recursive = true});
  const auto define = [&](const std::string& name, const std::string& value) {
    env.Define("Nat." + name, "Nat -> Nat -> Nat", value);
  };
  env.Define("Nat.pred", "Nat -> Nat",
             "fun (n : Nat) => Nat.rec.{1} (fun (n : Nat) => Nat) 0 (fun (n h : Nat) => n) n");
  define("add", Recursion("a", "Nat.succ h"));
  define("sub", Recursion("a", "Nat.pred h"));
  define("mul", Recursion("0", "Nat.add h a"));
  define("pow", Recursion("1", "Nat.mul h a"));
  for (const char* name : {"div", "mod", "gcd", "land", "lor", "xor"})
    env.Add(Stub(env, std::string("Nat.") + name, "Nat -> Nat -> Nat"));
  define("shiftRight", Recursion("a", "Nat.div h 2"));
  env.Define("Nat.shiftLeft", "Nat -> Nat -> Nat",
             "fun (a b : Nat) => Nat.rec.{1} (fun (n : Nat) => Nat -> Nat) (fun (a : Nat) => a) "
             "(fun (n : Nat) (h : Nat -> Nat) (a : Nat) => h (Nat.mul 2 a)) b a");
  for (const auto& [name, type] : theorems) env.Add(Stub(env, name, type));
  env.From(Origin::kChecked);
}

constexpr struct {
  const char *name, *result;
} kOfHundredAndTwelve[] = {
    {"add", "112"},     {"sub", "88"}, {"mul", "1200"}, {"div", "8"},   {"mod", "4"},
    {"gcd", "4"},       {"land", "4"}, {"lor", "108"},  {"xor", "104"}, {"shiftLeft", "409600"},
    {"shiftRight", "0"}};

void ClaimOperation(TestEnvironment& env, const std::string& name, const std::string& result) {
  env.Prove(name + ".claim", "Eq.{1} Nat (Nat." + name + " 100 12) " + result,
            "Eq.refl.{1} Nat " + result);
}

TEST_F(CheckTest, OperationsAreComputed) {
  AddImportedOperations(env_, TheoremsAboutOperations());
  for (const auto& [name, result] : kOfHundredAndTwelve) ClaimOperation(env_, name, result);
  Accepts();
}

// Which of the operations are computed after an import with these theorems.
std::string Computed(const std::vector<Statement>& theorems, Origin origin = Origin::kTrusted,
                     bool assumed = false) {
  std::string computed;
  for (const auto& [name, result] : kOfHundredAndTwelve) {
    TestEnvironment env;
    AddImportedOperations(env, {});
    for (const auto& [theorem, type] : theorems) {
      Declaration stub = Stub(env, theorem, type);
      if (assumed) stub.info = Axiom{};
      env.Add(stub, origin);
    }
    ClaimOperation(env, name, result);
    if (env.Judge().outcome == Decision::kAccepted) computed += std::string(name) + " ";
  }
  return computed;
}

TEST_F(CheckTest, AnOperationThatDoesNotReduceIsComputedIfTheImportProvesWhatItIs) {
  const std::string reducing = "add sub mul shiftLeft ";
  const auto all = TheoremsAboutOperations();
  EXPECT_EQ(Computed({}), reducing);
  EXPECT_EQ(Computed({all.begin(), all.begin() + 4}), "add sub mul div mod shiftLeft shiftRight ");
  EXPECT_EQ(Computed({all.begin(), all.begin() + 6}),
            "add sub mul div mod gcd shiftLeft shiftRight ");
  EXPECT_EQ(Computed(all, Origin::kTrusted, true), reducing) << "axioms";
  EXPECT_EQ(Computed(all, Origin::kChecked), reducing) << "of the file under check";
}

TEST_F(CheckTest, EachTheoremAboutAnOperationIsNeeded) {
  const auto all = TheoremsAboutOperations();
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string of = i < 4 ? "div" : i < 6 ? "gcd" : i < 11 ? "land" : i < 16 ? "lor" : "xor";
    for (const bool is_missing : {true, false}) {
      auto theorems = all;
      if (is_missing) {
        theorems.erase(theorems.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        theorems[i].type = "(x : Nat) -> Eq.{1} Nat x x";
      }
      EXPECT_THAT(Computed(theorems), Not(HasSubstr(of))) << all[i].name;
    }
  }
}

// Its remainders have no bound, so 7 % 3 may be 7.
TEST_F(CheckTest, DivisionNeedsTheUsualOrder) {
  AddImportedNatAndEq(env_);
  env_.From(Origin::kTrusted)
      .Add({.types = {{"Nat.le",
                       "Nat -> Nat -> Prop",
                       {{"Nat.le.refl", "(n m : Nat) -> Nat.le n m"}},
                       1}},
            .parameters = 1});
  env_.Define("Nat.add", "Nat -> Nat -> Nat", Recursion("a", "Nat.succ h"));
  env_.Define("Nat.mul", "Nat -> Nat -> Nat", Recursion("0", "Nat.add h a"));
  for (const char* name : {"Nat.div", "Nat.mod"}) env_.Add(Stub(env_, name, "Nat -> Nat -> Nat"));
  for (const auto& [name, type] : TheoremsAboutOperations())
    if (name.find("div_") != std::string::npos || name.find("mod_") != std::string::npos)
      if (name.find("two") == std::string::npos) env_.Add(Stub(env_, name, type));
  env_.From(Origin::kChecked);
  Claim("Nat", "Nat.mod 7 3", "1");
  Refuses(Decision::kDeclined, "does not recognize");
}

TEST_F(CheckTest, DivisionByZeroIsZeroAndItsRemainderTheNumber) {
  AddImportedOperations(env_, TheoremsAboutOperations());
  env_.Prove("div", "Eq.{1} Nat (Nat.div 5 0) 0", "Eq.refl.{1} Nat 0");
  env_.Prove("mod", "Eq.{1} Nat (Nat.mod 5 0) 5", "Eq.refl.{1} Nat 5");
  env_.Prove("sub", "Eq.{1} Nat (Nat.sub 5 7) 0", "Eq.refl.{1} Nat 0");
  Accepts();
}

TEST_F(CheckTest, NumbersOfMegabytesAreDeclined) {
  AddImportedOperations(env_, {});
  Claim("Nat", "Nat.pow 1000000000000 10000000", "0");
  Refuses(Decision::kDeclined, "more than 8 MB");
}

TEST_F(CheckTest, LiteralsNeedTheUsualNat) {
  env_.Axiom("Nat", "Type").Define("bad", "Nat", "2");
  Rejects("Nat is not declared as usual");
}

TEST_F(CheckTest, StringsNeedTheirPrelude) {
  env_.AddPrelude().Axiom("String", "Type").Define("bad", "String", "\"a\"");
  Rejects("String is not declared as usual");
}

// One constructor; `before`: the parameters, as binders and as arguments; `fields`: likewise.
struct Text {
  std::string binders, arguments;
};
testing::InductiveText OneConstructor(const std::string& name, const std::string& constructor,
                                      const std::string& sort, const Text& before,
                                      const Text& fields) {
  const std::string type = name + " " + before.arguments;
  const std::string made = constructor + " " + before.arguments + " " + fields.arguments;
  const std::string to =
      sort == "Prop" ? "Prop" : "Sort u";  // here, no proposition is a subsingleton
  const std::string all = before.binders + "(motive : " + type + " -> " + to +
                          ") (make : " + fields.binders + " -> motive (" + made + ")) ";
  const std::string arrow = before.binders.empty() ? "" : before.binders + " -> ";
  testing::InductiveText text;
  text.types = {
      {name, arrow + sort, {{constructor, before.binders + fields.binders + " -> " + type}}}};
  if (sort != "Prop") text.rec_level_params = {"u"};
  text.recs = {{name + ".rec",
                all + "(t : " + type + ") -> motive t",
                {{constructor, "fun " + all + fields.binders + " => make " + fields.arguments}}}};
  text.parameters = before.binders.empty() ? 0 : 1;
  return text;
}

TEST_F(CheckTest, TheTypesOfWhatALiteralAbbreviatesDependOnNoCharacter) {
  env_.AddPrelude()
      .Define("Char", "Type", "Nat")
      .Define("F", "Nat -> Type", "fun (n : Nat) => Nat");
  env_.Define("Char.ofNat", "(n : Nat) -> F n", "fun (n : Nat) => n");
  env_.Define("String", "Type", "Nat");
  env_.Define("String.ofList", "List.{0} Char -> String", "fun (l : List.{0} Char) => 0");
  env_.Define("bad", "String", "\"a\"");
  Rejects("String is not declared as usual");
}

TEST_F(CheckTest, BeforeStringsAreMadeOfListsTheyAreUnknownOnesOfATypeThatHasSome) {
  env_.AddPrelude();
  env_.Add(OneConstructor("Bytes", "Bytes.mk", "Type", {}, {"(l : List.{0} Nat)", "l"}));
  env_.Add(OneConstructor("Valid", "Valid.intro", "Prop", {"(b : Bytes)", "b"},
                          {"(l : List.{0} Nat) (e : Eq.{1} Bytes b (Bytes.mk l))", "l e"}));
  env_.Add(
      OneConstructor("String", "String.ofBytes", "Type", {}, {"(b : Bytes) (v : Valid b)", "b v"}));
  env_.Define("text", "String", "\"a\"");
  Accepts();
  Different("String", "\"a\"", "\"b\"");
}

TEST_F(CheckTest, NothingThatALiteralAbbreviatesRestsOnIt) {
  env_.AddPrelude()
      .Define("Char", "Type", "Nat")
      .Define("Char.ofNat", "Nat -> Char", "fun (n : Nat) => n");
  env_.Define("String", "Type", "Empty").Define("bad", "String", "\"a\"");
  env_.Define("String.ofList", "List.{0} Char -> String", "fun (l : List.{0} Char) => bad");
  Rejects("String is not declared as usual");
}

TEST_F(CheckTest, NorDoTheListsOfALiteral) {
  env_.Add(testing::NatText());
  env_.Add(testing::InductiveText{
      .types = {{"Empty", "Type", {}}},
      .rec_level_params = {"u"},
      .recs = {{"Empty.rec", "(motive : Empty -> Sort u) (t : Empty) -> motive t"}}});
  env_.Define("Char", "Type", "Nat").Define("Char.ofNat", "Nat -> Char", "fun (n : Nat) => n");
  env_.Define("String", "Type", "Empty")
      .Define("List.{u}", "Type u -> Type", "fun (A : Type u) => Empty");
  env_.Define("String.ofList", "List.{0} Char -> String", "fun (l : List.{0} Char) => l");
  env_.Define("bad", "String", "\"a\"");
  env_.Define("List.nil.{u}", "(A : Type u) -> List.{u} A", "fun (A : Type u) => bad");
  env_.Define("List.cons.{u}", "(A : Type u) -> A -> List.{u} A -> List.{u} A",
              "fun (A : Type u) (a : A) (l : List.{u} A) => l");
  for (const Order order : {Order::kAsAdded, Order::kByDependence}) {
    const CheckReport verdict = env_.Judge(order);
    EXPECT_EQ(verdict.outcome, Decision::kRejected) << env_.Print(verdict);
  }
}

TEST_F(CheckTest, AnEmptyStringTypeHasNoLiterals) {
  env_.AddPrelude();
  env_.Add(OneConstructor("String", "String.ofEmpty", "Type", {}, {"(e : Empty)", "e"}));
  env_.Define("bad", "String", "\"a\"");
  Rejects("String is not declared as usual");
}

TEST_F(CheckTest, StringsAreListsOfCharacters) {
  env_.AddPrelude().Axiom("Char", "Type").Axiom("Char.ofNat", "Nat -> Char");
  env_.Axiom("String", "Type").Axiom("String.ofList", "List.{0} Char -> String");
  Equal("String", "\"a\"",
        "String.ofList (List.cons.{0} Char (Char.ofNat 97) (List.nil.{0} Char))");
}

TEST_F(CheckTest, StringsThatDiffer) {
  env_.AddPrelude().Axiom("Char", "Type").Axiom("Char.ofNat", "Nat -> Char");
  env_.Axiom("String", "Type").Axiom("String.ofList", "List.{0} Char -> String");
  Different("String", "\"a\"", "\"b\"");
}

}  // namespace
}  // namespace zermelo::kernel
