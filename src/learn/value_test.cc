#include "learn/value.h"

#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

#include "core/files/file.h"
#include "learn/knowledge.h"

namespace zermelo::learn {
namespace {

/// Goals whose features make them easy or hard, in searches that give them up at random moments.
class Family {
 public:
  explicit Family(double spread, double mean = 0) : mean_(mean) {
    std::normal_distribution<double> effect;
    for (double& each : effects_) each = spread * effect(random_);
  }

  struct Goal {
    GoalOutcome outcome;
    double chance = 0;  // the true one
  };
  Goal Next() {
    Goal goal;
    double logit = mean_;
    for (int i = 0; i < 12; ++i) {
      const size_t kind = random_() % effects_.size();
      logit += effects_.at(kind);
      goal.outcome.features.push_back(static_cast<Feature>((kind + 1) * 2'654'435'761U));
    }
    std::ranges::sort(goal.outcome.features);
    goal.chance = 1 / (1 + std::exp(-logit));
    goal.outcome.head.goal = ++goals_;
    goal.outcome.head.theorem = 1 + goals_ / 10;
    const bool can_be_closed = std::uniform_real_distribution<double>(0, 1)(random_) < goal.chance;
    const auto closed_at = static_cast<uint32_t>(12 * (1 + random_() % 5));
    const auto given_up_at = static_cast<uint32_t>(12 * (1 + random_() % 8));
    goal.outcome.head.closed = can_be_closed && closed_at <= given_up_at;
    goal.outcome.head.tried = goal.outcome.head.closed ? closed_at : given_up_at;
    return goal;
  }
  std::vector<Goal> Next(size_t count) {
    std::vector<Goal> goals;
    for (size_t i = 0; i < count; ++i) goals.push_back(Next());
    return goals;
  }

 private:
  double mean_;
  std::array<double, 200> effects_{};
  uint64_t goals_ = 0;
  std::mt19937_64 random_{7};
};

/// Views of the goals, which must outlive them.
std::vector<EncodedOutcome> Views(const std::vector<Family::Goal>& goals) {
  std::vector<EncodedOutcome> views;
  for (const auto& goal : goals) views.push_back({goal.outcome.head, goal.outcome.features});
  return views;
}

GoalOutcome OutcomeOf(std::string_view goal, bool closed, size_t tried, const Source& source = {}) {
  return MakeOutcome(goal, closed, tried, source).value();
}

TEST(OutcomeTest, BytesGiveTheSameOutcome) {
  const GoalOutcome outcome =
      OutcomeOf("n : Nat\nh : n = 1\n⊢ n < 2", true, 7, {"A.lean", "A.b", 5});
  const std::string bytes = Encode(outcome);
  const auto read = ReadOutcome(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->head, outcome.head);
  EXPECT_EQ(std::vector<Feature>(read->features.begin(), read->features.end()), outcome.features);
  EXPECT_FALSE(ReadHead(bytes)) << "it is no example";
}

TEST(OutcomeTest, OtherBytesAreNoOutcome) {
  const std::string whole = Encode(OutcomeOf("⊢ p", false, 12));
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(ReadOutcome(whole.substr(0, size)));
  EXPECT_FALSE(ReadOutcome(whole + "more"));
  EXPECT_FALSE(ReadOutcome(Encode(MakeExample("⊢ p", "simp", true, {}).value())));
  EXPECT_FALSE(ReadOutcome(std::string(100, '\xff')));
}

TEST(OutcomeTest, GoalsOnWhichNothingRanHaveNone) {
  EXPECT_FALSE(MakeOutcome("⊢ p", false, 0, {}));
  EXPECT_FALSE(MakeOutcome("no goal", true, 5, {}));
}

TEST(OutcomeTest, GoalsThatDifferInNamesAreOne) {
  EXPECT_EQ(OutcomeOf("a : Nat\n⊢ a = 1", true, 1).head.goal,
            OutcomeOf("b : Nat\n⊢ b = 1", true, 1).head.goal);
  EXPECT_NE(OutcomeOf("a : Nat\n⊢ a = 1", true, 1).head.goal,
            OutcomeOf("a : Nat\n⊢ a = 2", true, 1).head.goal);
}

TEST(ValueTest, ItsChancesAreThoseOfGoalsThatItHasNotSeen) {
  Family family(0.6);
  const auto seen = family.Next(20'000), unseen = family.Next(10'000);
  const Value value(Views(seen));
  ASSERT_TRUE(value.useful());
  struct Tenth {
    double predicted = 0, chance = 0, goals = 0;
  };
  std::array<Tenth, 10> tenths;
  for (const auto& goal : unseen) {
    const double predicted = value.Chance(goal.outcome.features);
    Tenth& tenth = tenths.at(static_cast<size_t>(predicted * 10));
    tenth.predicted += predicted;
    tenth.chance += goal.chance;
    ++tenth.goals;
  }
  size_t full = 0;
  for (const Tenth& tenth : tenths) {
    if (tenth.goals < 300) continue;
    ++full;
    EXPECT_NEAR(tenth.predicted / tenth.goals, tenth.chance / tenth.goals, 0.06);
  }
  EXPECT_GE(full, 6u) << "it tells easy goals from hard ones";
  EXPECT_LT(value.report().error, 0.05);
  EXPECT_NEAR(value.report().predicted, value.report().closed, 0.03);
  EXPECT_LT(value.report().loss, 0.9 * value.report().loss_of_mean);
}

TEST(ValueTest, GoalsThatWereGivenUpDoNotMakeTheOthersLookEasier) {
  Family family(0, -1);  // all have the chance 0.27
  const auto goals = family.Next(8'000);
  double closed = 0, known = 0;
  for (const auto& goal : goals) {
    const bool given_up = !goal.outcome.head.closed && goal.outcome.head.tried < Value::kWithin;
    known += given_up ? 0 : 1;
    closed += goal.outcome.head.closed ? 1 : 0;
  }
  EXPECT_GT(closed / known, 0.31) << "without those that were given up";
  const Value value(Views(goals));
  EXPECT_NEAR(value.report().closed, 1 / (1 + std::exp(1)), 0.03);
  EXPECT_NEAR(value.report().predicted, 1 / (1 + std::exp(1)), 0.04);
}

TEST(ValueTest, FeaturesThatSayNothingMakeNoUsefulValue) {
  Family family(0);
  EXPECT_FALSE(Value(Views(family.Next(3'000))).useful());
}

TEST(ValueTest, FewGoalsMakeNoUsefulValue) {
  Family family(1);
  const auto goals = family.Next(Value::kFewest);  // some of them were given up
  const Value value(Views(goals));
  EXPECT_LT(value.report().known, Value::kFewest);
  EXPECT_FALSE(value.useful());
  EXPECT_EQ(value.Chance(goals.front().outcome.features), 0.5);
}

TEST(ValueTest, EqualOutcomesGiveEqualValues) {
  Family family(0.6);
  const auto goals = family.Next(2'000);
  const Value one(Views(goals)), other(Views(goals));
  for (const auto& goal : goals)
    EXPECT_EQ(one.Chance(goal.outcome.features), other.Chance(goal.outcome.features));
}

TEST(ValueTest, TheMostTellingOutcomeOfAGoalCounts) {
  Family family(0.6);
  auto goals = family.Next(2'000);
  const ValueReport before = Value(Views(goals)).report();
  auto again = goals;
  for (auto& goal : again) {
    goal.outcome.head.closed = false;
    goal.outcome.head.tried = 1;
  }
  goals.insert(goals.end(), again.begin(), again.end());
  const ValueReport after = Value(Views(goals)).report();
  EXPECT_EQ(after.goals, 2'000u);
  EXPECT_EQ(after.known, before.known);
  EXPECT_EQ(after.loss, before.loss);
}

TEST(ValuesTest, ATheoremsOwnOutcomesAreLeftOut) {
  const GoalOutcome own = OutcomeOf("⊢ foo = 1", true, 1, {"A.lean", "My.a", 7});
  const GoalOutcome other = OutcomeOf("⊢ foo = 2", true, 1, {"A.lean", "b", 8});
  Values values;
  for (const GoalOutcome* each : {&own, &other}) values.Add({each->head, each->features});
  const auto goals = [&](const Source& source) { return values.For(source).report().goals; };
  EXPECT_EQ(goals({"B.lean", "c", 9}), 2u);
  EXPECT_EQ(goals({"B.lean", "My.a", 9}), 1u) << "the same name";
  EXPECT_EQ(goals({"B.lean", "c", 7}), 1u) << "the same statement";
  EXPECT_EQ(goals({"B.lean", "a", 9}), 2u);
  EXPECT_EQ(goals({"B.lean", "a", 9, true}), 1u) << "a namesake, in an evaluation";
  EXPECT_EQ(goals({}), 2u);
}

TEST(ValuesTest, TheyAreTrainedAgainOnceAQuarterMoreIsKnown) {
  Family family(0.6);
  const auto goals = family.Next(200);
  const auto views = Views(goals);
  Values values;
  const auto known_after = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) values.Add(views[i]);
    return values.For({}).report().goals;
  };
  EXPECT_EQ(known_after(0, 100), 100u);
  EXPECT_EQ(known_after(100, 125), 100u);
  EXPECT_EQ(known_after(125, 126), 126u);
}

TEST(ValuesTest, SearchesSideBySideDoNotTrainEachOthersAgain) {
  const GoalOutcome one = OutcomeOf("⊢ foo = 1", true, 1, {"A.lean", "a", 7});
  const GoalOutcome two = OutcomeOf("⊢ foo = 2", true, 1, {"A.lean", "b", 8});
  Values values;
  for (const GoalOutcome* each : {&one, &two}) values.Add({each->head, each->features});
  const Source a = {"A.lean", "a", 7}, b = {"A.lean", "b", 8};
  const Value* const first = &values.For(a);
  const Value* const second = &values.For(b);
  EXPECT_NE(first, second);
  EXPECT_EQ(&values.For(a), first);
  EXPECT_EQ(&values.For(b), second);
  for (size_t i = 0; i < 20; ++i) values.For({"C.lean", fmt::format("c{}", i), 100 + i});
  EXPECT_EQ(values.For(a).report().goals, 1u);
}

class KnownOutcomesTest : public ::testing::Test {
 protected:
  /// Goals about `easy` are always closed, those about `hard` never are.
  static std::vector<GoalOutcome> EasyAndHard(size_t count) {
    std::vector<GoalOutcome> outcomes;
    for (size_t i = 0; i < count; ++i) {
      const bool easy = i % 2 == 0;
      const auto goal = fmt::format("⊢ {} {} = 1", easy ? "easy" : "hard", i);
      outcomes.push_back(
          OutcomeOf(goal, easy, easy ? 5 : 100, {"", fmt::format("t{}", i / 20), 0}));
    }
    return outcomes;
  }
  static std::string Bytes(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  const std::filesystem::path path = folder.path() / "learned";
};

TEST_F(KnownOutcomesTest, EasyGoalsHaveAHigherChance) {
  Knowledge knowledge;
  for (const GoalOutcome& outcome : EasyAndHard(800)) knowledge.Add(outcome);
  const auto chances =
      knowledge.Estimate({.goals = {"⊢ easy 9999 = 1", "⊢ hard 9999 = 1"}, .source = {}}).chances;
  ASSERT_EQ(chances.size(), 2u);
  EXPECT_GT(chances[0], 0.8);
  EXPECT_LT(chances[1], 0.2);
}

TEST_F(KnownOutcomesTest, WithoutEnoughOfThemNothingIsEstimated) {
  Knowledge knowledge;
  EXPECT_TRUE(knowledge.Estimate({.goals = {"⊢ easy 1 = 1"}, .source = {}}).chances.empty());
  for (const GoalOutcome& outcome : EasyAndHard(Value::kFewest - 1)) knowledge.Add(outcome);
  EXPECT_TRUE(knowledge.Estimate({.goals = {"⊢ easy 1 = 1"}, .source = {}}).chances.empty());
}

TEST_F(KnownOutcomesTest, TheyAreKeptBesideTheExamples) {
  const std::vector<Example> examples{MakeExample("⊢ foo = 1", "simp", true, {}).value()};
  Knowledge first;
  first.KeepIn(path);
  ASSERT_TRUE(first.Save(examples));
  Knowledge old;
  ASSERT_TRUE(old.Read(path)) << "a file without outcomes";
  EXPECT_EQ(old.outcomes(), 0u);
  ASSERT_TRUE(first.Save({}, EasyAndHard(40)));
  ASSERT_TRUE(first.Save({}, EasyAndHard(40))) << "again";
  Knowledge next;
  ASSERT_TRUE(next.Read(path));
  EXPECT_EQ(next.size(), 1u);
  EXPECT_EQ(next.outcomes(), 40u);
  EXPECT_EQ(next.Ask({"⊢ foo = 1", {}}).tactics.size(), 1u);
}

TEST_F(KnownOutcomesTest, ADamagedOneIsPassedOver) {
  Knowledge first;
  first.KeepIn(path);
  ASSERT_TRUE(first.Save({}, EasyAndHard(3)));
  const std::string whole = Bytes(path);
  for (size_t at = 24; at < whole.size(); at += 7) {  // after the head of the file
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    Knowledge next;
    ASSERT_TRUE(next.Read(path)) << at;
    EXPECT_GE(next.outcomes(), 1u) << at;  // a wrong length may hide the next one, too
    EXPECT_LE(next.outcomes(), 3u) << at;
    EXPECT_EQ(next.size(), 0u) << at;
  }
}

}  // namespace
}  // namespace zermelo::learn
