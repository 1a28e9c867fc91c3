#include "data/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::data {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

Row RowWith(const std::string& prompt, const std::string& statement, const std::string& module) {
  Row row;
  row.json = {{"prompt", prompt}, {"completion", "simp"}, {"source", {{"module", module}}}};
  row.statement = statement;
  row.module = module;
  row.kind = "proof";
  return row;
}

Row Prompt(size_t proved, size_t samples) {
  Row row = RowWith("p" + std::to_string(proved), "s", "M");
  row.json["samples"] = samples;
  row.json["proved"] = proved;
  row.json["pass_rate"] =
      samples > 0 ? nlohmann::json(static_cast<double>(proved) / static_cast<double>(samples))
                  : nlohmann::json();
  return row;
}

TEST(ApplyTest, EachRowIsCountedForTheFirstReason) {
  Filters filters;
  filters.without = {"test set"};
  filters.max_bytes = 20;
  const auto filtered =
      Apply(filters, {RowWith("a", "mine", "M"), RowWith("a", "mine", "N"),
                      RowWith("b", "test set", "M"), RowWith(std::string(30, 'x'), "mine", "M")});
  EXPECT_THAT(filtered.rows, SizeIs(1));
  EXPECT_EQ(filtered.removed.at("duplicate"), 1U) << "the source does not count";
  EXPECT_EQ(filtered.removed.at("contaminated"), 1U);
  EXPECT_EQ(filtered.removed.at("too_long"), 1U);
}

TEST(ApplyTest, PassRatesHaveBounds) {
  Filters filters;
  filters.min_proved = 1;
  filters.max_proved = 3;
  filters.max_pass_rate = 0.5;
  const auto filtered =
      Apply(filters, {Prompt(0, 32), Prompt(3, 32), Prompt(4, 32), Prompt(2, 3), Prompt(0, 0)});
  ASSERT_THAT(filtered.rows, SizeIs(1));
  EXPECT_EQ(filtered.rows[0].json["proved"], 3);
  EXPECT_EQ(filtered.removed.at("pass_rate"), 4U);
}

TEST(ApplyTest, UnknownRatesPassWithoutBounds) {
  EXPECT_THAT(Apply(Filters(), {Prompt(0, 0)}).rows, SizeIs(1));
}

TEST(SplitByModuleTest, SetsHaveNoModuleInCommon) {
  std::vector<Row> rows;
  for (int module = 0; module < 200; ++module) {
    for (int row = 0; row < 3; ++row) {
      rows.push_back(RowWith(std::to_string(row), "s", "Module" + std::to_string(module)));
    }
  }
  const auto [train, valid] = SplitByModule(rows, 0.2, 1);
  std::set<std::string> modules;
  for (const Row& row : valid) modules.insert(row.module);
  EXPECT_GT(modules.size(), 20U);
  EXPECT_LT(modules.size(), 60U);
  EXPECT_EQ(valid.size(), 3 * modules.size());
  for (const Row& row : train) EXPECT_FALSE(modules.contains(row.module));
  EXPECT_EQ(Lines(SplitByModule(rows, 0.2, 1).second), Lines(valid));
  EXPECT_NE(Lines(SplitByModule(rows, 0.2, 2).second), Lines(valid));
  EXPECT_THAT(SplitByModule(rows, 0, 1).second, IsEmpty());
  EXPECT_THAT(SplitByModule(rows, 1, 1).first, IsEmpty());
}

TEST(DescribeTest, CountsRowsByKind) {
  const auto card = Describe({RowWith("a", "s", "M"), RowWith("b", "s", "N")});
  EXPECT_EQ(card["rows"], 2);
  EXPECT_EQ(card["modules"], 2);
  EXPECT_EQ(card["statements"], 1);
  EXPECT_EQ(card["kinds"]["proof"], 2);
}

TEST(BesideOutTest, NamesFilesBesideTheRows) {
  EXPECT_EQ(BesideOut("a/rows.jsonl", ".valid.jsonl"), "a/rows.valid.jsonl");
  EXPECT_EQ(BesideOut("rows", ".card.json"), "rows.card.json");
}

}  // namespace
}  // namespace zermelo::data
