#include "kernel/term/level.h"

#include <gtest/gtest.h>

#include "kernel/testing/lean_text.h"

namespace zermelo::kernel {
namespace {

class LevelTest : public ::testing::Test {
 protected:
  LevelId Level(const std::string& text) {
    return LevelId{terms_[testing::ParseTerm(terms_, "Sort " + text)].a};
  }
  bool Leq(const std::string& a, const std::string& b) { return levels_.Leq(Level(a), Level(b)); }

  Terms terms_;
  Budget budget_{Budget::Clock::now() + std::chrono::minutes(1), SIZE_MAX, size_t{1} << 20U,
                 [] { return size_t{0}; }};
  Levels levels_{terms_, budget_};
};

// Sources: lean-kernel-arena, level-imax-leq, level-imax-normalization and constlevels.
TEST_F(LevelTest, TheOrderIsThatOfAllAssignments) {
  EXPECT_TRUE(Leq("u", "u"));
  EXPECT_TRUE(Leq("0", "u"));
  EXPECT_TRUE(Leq("u", "(u + 1)"));
  EXPECT_TRUE(Leq("u", "(max v u)"));
  EXPECT_TRUE(Leq("(max u v)", "(max v u)"));
  EXPECT_TRUE(Leq("(imax u v)", "(max u v)"));
  EXPECT_TRUE(Leq("v", "(imax u v)"));
  EXPECT_TRUE(Leq("(imax u 0)", "0"));
  EXPECT_TRUE(Leq("(imax u (v + 1))", "(max u (v + 1))"));
  EXPECT_TRUE(Leq("(imax 1 u)", "u"));
  EXPECT_TRUE(Leq("(imax u (imax v w))", "(imax (max u v) w)"));
  EXPECT_TRUE(Leq("(imax u (max v w))", "(max (imax u v) (imax u w))"));
  EXPECT_FALSE(Leq("u", "0"));
  EXPECT_FALSE(Leq("u", "v"));
  EXPECT_TRUE(Leq("(u + 1)", "(max (u + 1) 2)"));
  EXPECT_FALSE(Leq("(u + 2)", "(max (u + 1) 2)"));
  EXPECT_FALSE(Leq("(u + 1)", "u"));
  EXPECT_FALSE(Leq("1", "u"));
  EXPECT_FALSE(Leq("u", "(imax u v)"));
  EXPECT_FALSE(Leq("(max u v)", "(imax u v)"));
  EXPECT_FALSE(Leq("2", "(max 1 u)"));
  EXPECT_FALSE(Leq("(imax 2 u)", "(max 1 u)"));
}

TEST_F(LevelTest, EqualityIsTheOrderBothWays) {
  EXPECT_TRUE(levels_.Equal(Level("(max u (u + 1))"), Level("(u + 1)")));
  EXPECT_TRUE(levels_.Equal(Level("(imax u u)"), Level("u")));
  EXPECT_FALSE(levels_.Equal(Level("(imax u v)"), Level("(imax v u)")));
}

TEST_F(LevelTest, ZeroIsFoundUpToEquality) {
  EXPECT_TRUE(levels_.IsZero(Level("(imax 1 0)")));
  EXPECT_TRUE(levels_.IsZero(Level("(imax u (imax v 0))")));
  EXPECT_FALSE(levels_.IsZero(Level("u")));
  EXPECT_TRUE(levels_.IsNeverZero(Level("(max u 1)")));
  EXPECT_FALSE(levels_.IsNeverZero(Level("(imax 1 u)")));
}

TEST_F(LevelTest, ParametersAreReplacedTogether) {
  const NameId u = terms_.ParseName("u"), v = terms_.ParseName("v");
  const ListId swapped = terms_.Cons(levels_.Param(v), terms_.Cons(levels_.Param(u), ListId::kNil));
  const ListId list = terms_.Cons(Level("(max u (v + 1))"), ListId::kNil);
  EXPECT_EQ(levels_.Instantiate(list, {u, v}, swapped),
            terms_.Cons(Level("(max v (u + 1))"), ListId::kNil));
}

TEST_F(LevelTest, ManyCasesEndAtTheLimitOfTime) {
  std::string level = "0", bound = "1";
  for (int i = 0; i < 60; ++i) {
    const std::string parameter = "p" + std::to_string(i);
    level = "(max (imax 1 " + parameter + ") " + level + ")";
    bound = "(max " + parameter + " " + bound + ")";
  }
  Budget budget(Budget::Clock::now() + std::chrono::milliseconds(50), SIZE_MAX, size_t{1} << 20U,
                [] { return size_t{0}; });
  Levels levels(terms_, budget);
  EXPECT_THROW(levels.Leq(Level(level), Level(bound)), Refusal);
}

}  // namespace
}  // namespace zermelo::kernel
