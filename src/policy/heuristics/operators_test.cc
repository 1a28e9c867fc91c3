#include "policy/heuristics/operators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "syntax/file.h"

namespace zermelo::policy {
namespace {

/// Of the last instance of a file.
std::string TermsOf(const std::string& text) {
  const auto constants = syntax::ConstantsOf(syntax::File(text));
  const auto unfolding = UnfoldingOf(constants.back(), constants);
  return unfolding ? unfolding->terms : "";
}

const std::string kPoint =
    "structure Point where\n  x : Int\ndef Point.add (p q : Point) : Point := ⟨p.x + q.x⟩\n"
    "def Point.le (p q : Point) : Prop := p.x ≤ q.x\n";

TEST(Operators, AFunctionOfTheFile) {
  const std::string equation = "show ∀ a b : Point, a + b = Point.add a b from fun _ _ => rfl";
  EXPECT_EQ(TermsOf(kPoint + "instance : Add Point := ⟨Point.add⟩\n"), equation);
  EXPECT_EQ(TermsOf(kPoint + "instance : Add Point where\n  add := Point.add\n"), equation);
  EXPECT_EQ(TermsOf(kPoint + "namespace Point\ninstance : Add Point := { add := add }\n"),
            equation);
  EXPECT_EQ(TermsOf(kPoint + "instance : LE Point := ⟨Point.le⟩\n"),
            "show ∀ a b : Point, (a ≤ b) = Point.le a b from fun _ _ => rfl");
}

TEST(Operators, NamesOfANamespace) {
  const std::string file =
      "namespace Foo\nstructure P where\n  x : Int\ndef plus (p q : P) : P := ⟨p.x + q.x⟩\n";
  EXPECT_EQ(TermsOf(file + "instance : Add P := ⟨plus⟩\n"),
            "show ∀ a b : Foo.P, a + b = Foo.plus a b from fun _ _ => rfl");
  EXPECT_EQ(TermsOf(file + "instance : Add (Option P) := ⟨fun a b => a⟩\n"), "HAdd.hAdd, Add.add");
}

TEST(Operators, AFunctionThatIsWrittenOut) {
  EXPECT_EQ(TermsOf(kPoint + "instance : Neg Point := ⟨fun p => ⟨-p.x⟩⟩\n"),
            "show ∀ a : Point, -a = (fun p => ⟨-p.x⟩ : Point → Point) a from fun _ => rfl");
  EXPECT_EQ(TermsOf(kPoint + "instance : Mul Point where\n  mul p q := ⟨p.x * q.x⟩\n"),
            "show ∀ a b : Point, a * b = (fun p q => ⟨p.x * q.x⟩ : Point → Point → Point) a b "
            "from fun _ _ => rfl");
}

TEST(Operators, OthersByTheLibrary) {
  const std::string library = "HAdd.hAdd, Add.add";
  for (const char* instance : {
           "instance [Add α] : Add (V α) := ⟨V.add⟩\n",
           "instance : Add Point where\n  add\n    | ⟨a⟩, ⟨b⟩ => ⟨a + b⟩\n",
           "instance : Add Point := by exact ⟨Point.add⟩\n",
           "namespace Point\ninstance : Add Point := ⟨fun p q => add q p⟩\n",  // another `add`
                                                                               // elsewhere
           "instance : Add Point := ⟨⟩\n",
       }) {
    EXPECT_EQ(TermsOf(kPoint + instance), library) << instance;
  }
  EXPECT_EQ(TermsOf(kPoint + "instance : Inhabited Point := ⟨⟨0⟩⟩\n"), "");
}

TEST(Operators, GrindUsesEquationsFromLeftToRight) {
  EXPECT_EQ(WithDirections("simp [show ∀ a : T, -a = f a from h]"),
            "simp [show ∀ a : T, -a = f a from h]");
  EXPECT_EQ(WithDirections("grind [f, show ∀ a : T, -a = f a from h, g]; simp [show ∀ a]"),
            "grind [f, = show ∀ a : T, -a = f a from h, g]; simp [show ∀ a]");
  EXPECT_EQ(WithDirections("grind [show ∀ a"), "grind [= show ∀ a");
}

}  // namespace
}  // namespace zermelo::policy
