#include <gtest/gtest.h>
#include <map>

#include "retrieve/ranking/fusion.h"
#include "retrieve/ranking/goal_symbols.h"
#include "retrieve/ranking/symbol_ranking.h"

namespace zermelo::retrieve {
namespace {

constexpr uint32_t kRelevant = Theorems::kRelevant;

Theorems Make(const std::vector<std::vector<uint32_t>>& symbols) {
  Theorems theorems;
  int64_t id = 100;
  for (std::vector<uint32_t> of : symbols) {
    for (uint32_t& symbol : of) symbol |= kRelevant;
    theorems.Append(id++, of);
  }
  return theorems;
}

std::vector<int64_t> Ids(const Ranking& ranking) {
  std::vector<int64_t> ids;
  for (const auto& [id, score] : ranking) ids.push_back(id);
  return ids;
}

TEST(Mepo, ScoreIsTheWeightOfSharedSymbolsOverSharedPlusMissing) {
  // Without rarity, M = 2 (two shared symbols) and one is missing: 2/3 ≥ 0.6.
  SymbolRankings rankings(Make({{0, 1, 2}, {0, 3, 4}}), 5, {});
  const auto ranking =
      rankings.Mepo({0, 1}, 10, {.pass = 0.6, .convergence = 2.4, .rarity = false});
  ASSERT_EQ(ranking.size(), 1U);
  EXPECT_EQ(ranking[0].first, 100);
  EXPECT_NEAR(ranking[0].second, 2.0 / 3, 1e-6);
}

TEST(Mepo, RareSymbolsWeighMore) {
  // Symbol 1 occurs once, so its weight is 1 + 2/(0+1) = 3; symbol 0 occurs twice: 1 + 2/(1+1) = 2.
  SymbolRankings rankings(Make({{0, 1, 2}, {0, 3}}), 4, {});
  const auto ranking = rankings.Mepo({0, 1}, 10);
  ASSERT_GE(ranking.size(), 2U);
  EXPECT_EQ(ranking[0].first, 100);
  EXPECT_NEAR(ranking[0].second, 5.0 / 6, 1e-6);
  EXPECT_NEAR(ranking[1].second, 2.0 / 3, 1e-6);
}

TEST(Mepo, AcceptedTheoremsMakeTheirSymbolsRelevant) {
  // 101 shares no symbol with the goal but all with 100.
  SymbolRankings rankings(Make({{0, 1}, {1}, {2, 3}}), 4, {});
  EXPECT_EQ(Ids(rankings.Mepo({0}, 10)), (std::vector<int64_t>{100, 101}));
}

TEST(Mepo, StopsAtTheLimit) {
  SymbolRankings rankings(Make({{0}, {0}, {0}, {0}}), 1, {});
  EXPECT_EQ(rankings.Mepo({0}, 3).size(), 3U);
  EXPECT_TRUE(rankings.Mepo({}, 3).empty());
}

TEST(Sine, RareSymbolsTriggerTheirTheorems) {
  // Symbol 0 is in every theorem, so a theorem is indexed under it only if its rarest symbol is at
  // least a third as frequent.
  SymbolRankings rankings(Make({{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0}}), 5, {});
  EXPECT_EQ(Ids(rankings.Sine({1}, 10)).front(), 100);
  EXPECT_EQ(Ids(rankings.Sine({0}, 10)).front(), 104);
}

TEST(Sine, DeniedSymbolsTriggerNothing) {
  SymbolRankings rankings(Make({{0}}), 1, {0});
  EXPECT_TRUE(rankings.Sine({0}, 10).empty());
}

TEST(Sine, AcceptedTheoremsTriggerFurtherOnes) {
  SymbolRankings rankings(Make({{0, 1}, {1, 2}}), 3, {});
  const auto ranking = rankings.Sine({0}, 10);
  EXPECT_EQ(Ids(ranking), (std::vector<int64_t>{100, 101}));
  EXPECT_GT(ranking[0].second, ranking[1].second);
}

TEST(Sine, AcceptsEachTheoremOnce) {
  SymbolRankings rankings(Make({{0, 1}}), 2, {});
  EXPECT_EQ(rankings.Sine({0, 1}, 10).size(), 1U);
}

TEST(SymbolRankings, ContainingRequiresAllSymbols) {
  const SymbolRankings rankings(Make({{0, 1, 2}, {0, 1}, {0}}), 3, {});
  EXPECT_EQ(rankings.Containing({0, 1}), (std::vector<int64_t>{101, 100}));
  EXPECT_EQ(rankings.Containing({1, 1}), (std::vector<int64_t>{101, 100}));
}

TEST(Fusion, SumsReciprocalRanks) {
  const Ranking a = {{1, 9.0}, {2, 8.0}};
  const Ranking b = {{2, 0.5}, {3, 0.4}};
  const auto fused = Fuse({{&a, 1}, {&b, 2}}, 10);
  EXPECT_EQ(Ids(fused), (std::vector<int64_t>{2, 3, 1}));
  EXPECT_NEAR(fused[0].second, 1.0 / 62 + 2.0 / 61, 1e-9);
  EXPECT_EQ(Fuse({{&a, 1}, {&b, 1}}, 1).size(), 1U);
}

class FakeSymbols : public SymbolTable {
 public:
  explicit FakeSymbols(std::vector<std::string> names) : names_(std::move(names)) {}
  std::vector<Symbol> FindByName(const std::string& name) override {
    return Matching([&](const std::string& n) { return n == name; });
  }
  std::vector<Symbol> EndingIn(const std::string& last) override {
    return Matching([&](const std::string& n) { return n == last || n.ends_with("." + last); });
  }
  std::vector<std::string> NamesOf(const std::vector<uint32_t>& ids) const {
    std::vector<std::string> names;
    for (const uint32_t id : ids) names.push_back(names_[id]);
    return names;
  }

 private:
  template <class F>
  std::vector<Symbol> Matching(F matches) const {
    std::vector<Symbol> symbols;
    for (uint32_t i = 0; i < names_.size(); ++i) {
      if (matches(names_[i])) symbols.push_back({names_[i], i});
    }
    return symbols;
  }
  std::vector<std::string> names_;
};

std::vector<std::string> SymbolsIn(const std::string& text) {
  FakeSymbols table({"Nat", "Eq", "HAdd.hAdd", "HSub.hSub", "Neg.neg", "List", "List.length",
                     "Array.length", "Nat.gcd", "Int.gcd", "OfNat.ofNat", "GetElem.getElem", "Int",
                     "HPow.hPow", "Exists"});
  std::vector<std::string> names;
  for (const auto& symbol : GoalSymbols(text, table)) names.push_back(symbol.name);
  return names;
}

TEST(GoalSymbols, FindsNotationsAndNames) {
  EXPECT_EQ(SymbolsIn("n m : Nat\n⊢ n + m = m + n"),
            (std::vector<std::string>{"Nat", "HAdd.hAdd", "Eq"}));
}

TEST(GoalSymbols, AllFunctionsOfAChainAreFound) {
  EXPECT_EQ(SymbolsIn("xs : List\n⊢ xs.tail.length.gcd"),
            (std::vector<std::string>{"List", "List.length", "Nat.gcd", "Int.gcd"}));
}

TEST(GoalSymbols, MinusHasTwoMeanings) {
  EXPECT_EQ(SymbolsIn("a - b"), (std::vector<std::string>{"HSub.hSub"}));
  EXPECT_EQ(SymbolsIn("a✝¹ - b✝"), (std::vector<std::string>{"HSub.hSub"}));
  EXPECT_EQ(SymbolsIn("= -b"), (std::vector<std::string>{"Eq", "Neg.neg"}));
}

TEST(GoalSymbols, AFieldBelongsToANamespaceInTheText) {
  EXPECT_EQ(SymbolsIn("l : List Nat ⊢ l.length = 0"),
            (std::vector<std::string>{"List", "Nat", "Eq", "OfNat.ofNat", "List.length"}));
}

TEST(GoalSymbols, OpenNamespacesAreGuessedFromTheText) {
  EXPECT_EQ(SymbolsIn("a : Nat ⊢ gcd a a"), (std::vector<std::string>{"Nat", "Nat.gcd"}));
}

TEST(GoalSymbols, IndexingLettersAndPowers) {
  EXPECT_EQ(SymbolsIn("∃ x : ℕ, xs[x]"),
            (std::vector<std::string>{"Exists", "Nat", "GetElem.getElem"}));
  EXPECT_EQ(SymbolsIn("x^2"), (std::vector<std::string>{"HPow.hPow", "OfNat.ofNat"}));
}

TEST(GoalSymbols, AcceptsAnyText) {
  EXPECT_TRUE(SymbolsIn("\xff\xfe ((( ]] «").empty());
  EXPECT_TRUE(SymbolsIn(std::string(100'000, '(')).empty());
}

}  // namespace
}  // namespace zermelo::retrieve
