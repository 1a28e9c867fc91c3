#include "learn/analogy.h"

#include <gtest/gtest.h>

namespace zermelo::learn {
namespace {

TEST(AnalogyTest, NamesCorrespondWordByWord) {
  EXPECT_EQ(AnalogyOf("Nat.and_left_comm", "Nat.xor_left_comm"), (Renaming{{"and", "xor"}}));
  EXPECT_EQ(AnalogyOf("List.map_append", "Array.map_append"), (Renaming{{"List", "Array"}}));
  EXPECT_EQ(AnalogyOf("min_comm_of_min", "max_comm_of_max"), (Renaming{{"min", "max"}}));
  EXPECT_EQ(AnalogyOf("Bag.toList_cons", "Bag.toList_push"), (Renaming{{"cons", "push"}}));
}

TEST(AnalogyTest, OtherNamesDoNot) {
  EXPECT_TRUE(AnalogyOf("Nat.and_comm", "Nat.and_comm").empty());
  EXPECT_TRUE(AnalogyOf("Nat.and_comm", "Nat.or_left_comm").empty());
  EXPECT_TRUE(AnalogyOf("and_comm", "Nat.and_comm").empty());
  EXPECT_TRUE(AnalogyOf("Nat.foo", "Nat.bar").empty());
  EXPECT_TRUE(AnalogyOf("a_b_c_d_e_f_g", "u_v_w_d_e_f_g").empty());
  EXPECT_TRUE(AnalogyOf("add_add_comm", "sub_mul_comm").empty());
  EXPECT_TRUE(AnalogyOf("and_and_comm", "xor_and_comm").empty());
  EXPECT_TRUE(AnalogyOf("add_mul_comm", "sub_div_comm").empty());
  EXPECT_TRUE(AnalogyOf("", "").empty());
  EXPECT_TRUE(AnalogyOf("..__.", "._._.").empty());
}

TEST(AnalogyTest, WordsOfNamesAreRenamedAndNothingElse) {
  EXPECT_EQ(Renamed("rw [← Nat.and_assoc, Nat.and_comm §0§, band.andThen]", {{"and", "xor"}}),
            "rw [← Nat.xor_assoc, Nat.xor_comm §0§, band.andThen]");
  EXPECT_EQ(Renamed("simp [size, \"size\"] -- size", {{"size", "length"}}),
            "simp [length, \"size\"] -- size");
  EXPECT_EQ(Renamed("", {{"size", "length"}}), "");
}

}  // namespace
}  // namespace zermelo::learn
