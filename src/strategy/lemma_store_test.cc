#include "strategy/lemma_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::strategy {
namespace {

using ::testing::ElementsAre;

ProvedLemma Proved(const std::string& name, const std::string& proof,
                   std::vector<std::string> uses = {}) {
  ProvedLemma lemma;
  lemma.name = name;
  lemma.key = DeclarationKey("theorem", ": p " + name);
  lemma.head = "theorem " + name + " : p " + name;
  lemma.value = " := by\n  exact " + proof + "\n";
  lemma.uses = std::move(uses);
  return lemma;
}

TEST(LemmaStoreTest, NameIsStoredOnceAndTheFirstProofOfAStatementIsFound) {
  LemmaStore store;
  EXPECT_TRUE(store.Add(Proved("a", "x")));
  EXPECT_FALSE(store.Add(Proved("a", "y"))) << "the name is taken";
  ProvedLemma same = Proved("b", "z");
  same.key = DeclarationKey("lemma", ":  p  a -- the same");
  EXPECT_TRUE(store.Add(std::move(same)));
  EXPECT_EQ(store.FindKey(DeclarationKey("theorem", ": p\na"))->name, "a");
  EXPECT_EQ(store.FindKey(DeclarationKey("theorem", ": p b")), nullptr);
  EXPECT_EQ(store.FindKey(DeclarationKey("def", ": p a")), nullptr) << "a definition is none";
  EXPECT_EQ(store.all().size(), 2U);
}

TEST(LemmaStoreTest, FreeNamesAreNeitherReservedNorLemmasNorAmongOthers) {
  LemmaStore store({"t_h1"});
  store.Reserve("t_h1_2");
  store.Add(Proved("t_h1_3", "x"));
  EXPECT_EQ(store.FreeName("t_h1", {"t_h1_4"}), "t_h1_5");
  EXPECT_EQ(store.FreeName("t_h2"), "t_h2");
}

TEST(LemmaStoreTest, StatementHasTheNameThatWasPlannedForItUntilItIsProved) {
  LemmaStore store;
  const std::string key = DeclarationKey("theorem", ": p a");
  EXPECT_EQ(store.NameOf(key), "");
  store.Reserve("planned", key);
  store.Reserve("again", key);
  EXPECT_EQ(store.NameOf(key), "planned");
  EXPECT_TRUE(store.IsReserved("again"));
  store.Add(Proved("a", "x"));
  EXPECT_EQ(store.NameOf(key), "a");
}

TEST(LemmaStoreTest, RenamedLemmaDeclaresTheOtherName) {
  const ProvedLemma copy = Proved("a", "x").Renamed("b", "lemma b : p a");
  EXPECT_EQ(copy.name, "b");
  EXPECT_EQ(copy.key, DeclarationKey("theorem", ": p a"));
  EXPECT_EQ(copy.Text(), "lemma b : p a := by\n  exact x\n");
  ProvedLemma wrapped = Proved("a", "x");
  wrapped.before = "open Nat in\n";
  EXPECT_EQ(wrapped.Renamed("b", "lemma b : p a").Text(),
            "open Nat in\nlemma b : p a := by\n  exact x\n");
}

TEST(LemmaStoreTest, LemmasThatCodeMentionsTransitivelyComeInTheOrderOfTheProofs) {
  LemmaStore store;
  store.Add(Proved("a", "x"));
  store.Add(Proved("unused", "x"));
  store.Add(Proved("b", "a"));
  std::vector<std::string> names;
  for (const ProvedLemma* lemma : store.MentionedIn("exact b.symm")) names.push_back(lemma->name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(store.MentionedIn("exact c").empty());
}

TEST(LemmaStoreTest, StitchedHasEachLemmaOnceAndAfterTheLemmasItUses) {
  LemmaStore store;
  store.Add(Proved("a", "x"));
  store.Add(Proved("b", "y", {"a"}));
  store.Add(Proved("c", "z", {"b", "a"}));
  EXPECT_EQ(store.Stitched({"c", "b"}),
            "theorem a : p a := by\n  exact x\n\n"
            "theorem b : p b := by\n  exact y\n\n"
            "theorem c : p c := by\n  exact z\n");
  EXPECT_EQ(store.Stitched({}), "");
}

TEST(LemmaStoreTest, StatementsAreHeadsAndWholeDefinitions) {
  LemmaStore store;
  store.Add(Proved("a", "x"));
  ProvedLemma definition;
  definition.name = "two";
  definition.head = "def two : Nat := 2";
  store.Add(std::move(definition));
  EXPECT_EQ(store.Statements(), "theorem a : p a\ndef two : Nat := 2\n");
  EXPECT_FALSE(store.all()[0].IsDefinition());
  EXPECT_TRUE(store.all()[1].IsDefinition());
}

}  // namespace
}  // namespace zermelo::strategy
