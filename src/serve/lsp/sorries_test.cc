#include "serve/lsp/sorries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::serve::lsp {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kTheoremOne = "theorem one : 1 = 1 := by\n  sorry\n";
const std::string kTheoremTwo = "theorem two : 2 = 2 := by\n  sorry\n";
const std::string kConjunction =
    "theorem both : a ∧ b := by\n  constructor\n  · sorry\n  · have h : b := by sorry\n    exact "
    "h\n";

Sorry Nth(const std::string& text, size_t n) { return FindSorries(text).at(n).id; }
FoundProof ProofOf(const std::string& text, size_t n, const std::string& tactics,
                   const std::string& auxiliary = "") {
  return {Nth(text, n), FindSorries(text).at(n).name, tactics, auxiliary};
}
/// The text with the proof, or "dropped".
std::string Placed(const std::string& text, const FoundProof& proof) {
  const Placement placement = PlaceProofs(text, {proof});
  return placement.placed.empty() ? "dropped" : WithEdits(text, placement.edits);
}

TEST(Sorries, AreNamedAsResultsNameThem) {
  std::vector<std::string> names;
  for (const auto& place : FindSorries(kTheoremOne + kConjunction)) names.push_back(place.name);
  EXPECT_EQ(names, (std::vector<std::string>{"one", "both", "both.h"}));
}

TEST(Sorries, ThoseThatAreDataCannotBeSelected) {
  EXPECT_THAT(FindSorries("def d : Nat := sorry\n"), IsEmpty());
}

TEST(PlaceProofs, AnEditReplacesNoMoreThanTheSorry) {
  const Placement placement = PlaceProofs(kTheoremOne, {ProofOf(kTheoremOne, 0, "rfl")});
  const size_t at = kTheoremOne.find("sorry");
  EXPECT_EQ(placement.edits, (std::vector<Edit>{{at, at + 5, "rfl"}}));
}

TEST(PlaceProofs, AProofMovesWithItsTheorem) {
  const FoundProof proof = ProofOf(kTheoremOne, 0, "rfl");
  const std::string proved = "theorem one : 1 = 1 := by\n  rfl\n";
  EXPECT_EQ(Placed("-- ∀\n\n" + kTheoremTwo + kTheoremOne, proof),
            "-- ∀\n\n" + kTheoremTwo + proved);
  EXPECT_EQ(Placed(kTheoremOne + kTheoremTwo, proof), proved + kTheoremTwo);
}

TEST(PlaceProofs, AProofIsDroppedIfItsTheoremHasChanged) {
  const FoundProof proof = ProofOf(kTheoremOne + kTheoremTwo, 0, "rfl");
  EXPECT_EQ(Placed("theorem one : 1 = 3 := by\n  sorry\n" + kTheoremTwo, proof), "dropped");
  EXPECT_EQ(Placed("theorem one : 1 = 1 := by\n  simp\n  sorry\n", proof), "dropped");
  EXPECT_EQ(Placed("theorem one : 1 = 1 := by\n  rfl\n", proof), "dropped");
  EXPECT_EQ(Placed(kTheoremTwo, proof), "dropped");
  EXPECT_EQ(Placed("", proof), "dropped");
}

TEST(PlaceProofs, AProofIsDroppedIfItsTheoremIsInAnotherNamespace) {
  EXPECT_EQ(Placed("namespace N\n" + kTheoremOne + "end N\n", ProofOf(kTheoremOne, 0, "rfl")),
            "dropped");
}

TEST(PlaceProofs, EqualExamplesAreToldApartByTheirOrder) {
  const std::string same = "example : p := by\n  sorry\n";
  const FoundProof second = ProofOf(same + kTheoremOne + same, 2, "rfl");
  EXPECT_EQ(Placed(same + kTheoremOne + kTheoremTwo + same, second),
            same + kTheoremOne + kTheoremTwo + "example : p := by\n  rfl\n");
  EXPECT_EQ(Placed(same + same + same, second), "dropped") << "nobody knows which it is";
  EXPECT_EQ(Placed(same, second), "dropped");
}

TEST(PlaceProofs, SeveralProofsAndTheirLemmasGiveDisjointEdits) {
  const std::string text = kTheoremOne + "\n" + kConjunction;
  const Placement placement =
      PlaceProofs(text, {ProofOf(text, 2, "exact hb\n", "theorem aux : b := hb\n"),
                         ProofOf(text, 0, "first\n| rfl\n| simp"), ProofOf(text, 1, "exact ha")});
  EXPECT_THAT(placement.placed, SizeIs(3));
  for (size_t i = 1; i < placement.edits.size(); ++i) {
    EXPECT_LE(placement.edits[i - 1].end, placement.edits[i].begin);
  }
  EXPECT_EQ(WithEdits(text, placement.edits),
            "theorem one : 1 = 1 := by\n  first\n  | rfl\n  | simp\n\n"
            "theorem aux : b := hb\n\n"
            "theorem both : a ∧ b := by\n  constructor\n  · exact ha\n"
            "  · have h : b := by\n      exact hb\n    exact h\n");
}

TEST(PlaceProofs, WindowsLineBreaksAreKept) {
  const std::string text = "theorem t : p := by\r\n  sorry\r\n";
  EXPECT_EQ(Placed(text, ProofOf(text, 0, "a\nb")), "theorem t : p := by\r\n  a\r\n  b\r\n");
}

TEST(PlaceProofs, ATermGetsABy) {
  const std::string text = "theorem t : p ∧ q := ⟨sorry, sorry⟩\n";
  const Placement placement =
      PlaceProofs(text, {ProofOf(text, 0, "exact hp"), ProofOf(text, 1, "exact hq")});
  EXPECT_EQ(FindSorries(WithEdits(text, placement.edits)).size(), 0u)
      << WithEdits(text, placement.edits);
}

TEST(MovesOf, ASorryIsFollowedThroughTheProofOfAnother) {
  const std::string text = kTheoremOne + kConjunction;
  const Placement placement = PlaceProofs(text, {ProofOf(text, 1, "exact ha")});
  const std::string after = WithEdits(text, placement.edits);
  EXPECT_EQ(MovesOf(text, placement.edits),
            (std::vector<Move>{{Nth(text, 0), Nth(after, 0)}, {Nth(text, 2), Nth(after, 1)}}));
  EXPECT_NE(Nth(text, 2), Nth(after, 1));
}

TEST(MovesOf, ATwinIsFollowedWhenTheOtherIsProved) {
  const std::string same = "example : p := by\n  sorry\n";
  const Placement placement = PlaceProofs(same + same, {ProofOf(same + same, 0, "rfl")});
  EXPECT_EQ(MovesOf(same + same, placement.edits),
            (std::vector<Move>{{Nth(same + same, 1), Nth(same, 0)}}));
}

TEST(Select, TheNameDecidesIfTheTextHasMoved) {
  const std::string text = kTheoremTwo + kTheoremOne;
  const auto places = FindSorries(text);
  const size_t in_two = text.find("sorry");
  EXPECT_EQ(Select(places, text, {in_two + 2, std::nullopt})->name, "two");
  EXPECT_EQ(Select(places, text, {in_two, "one"})->name, "one") << "a lens of an earlier version";
  EXPECT_EQ(Select(places, text, {in_two, "three"}), nullptr);
}

TEST(Select, WithoutANameTheLineOrTheTheoremMustHaveOnlyOne) {
  const std::string text = kTheoremOne + kConjunction + "theorem t : p ∧ q := ⟨sorry, sorry⟩\n";
  const auto places = FindSorries(text);
  const auto at = [&](const std::string& words) {
    return Select(places, text, {text.find(words), std::nullopt});
  };
  EXPECT_EQ(at("theorem one")->name, "one");
  EXPECT_EQ(at("have h")->name, "both.h");
  EXPECT_EQ(at("theorem both"), nullptr);
  EXPECT_EQ(at("⟨"), nullptr);
  EXPECT_NE(at("sorry⟩"), nullptr);
}

}  // namespace
}  // namespace zermelo::serve::lsp
