#include "store/premises.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "core/files/file.h"

namespace zermelo::store {
namespace {

class PremisesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = core::TemporaryFolder::Create("premises");
    ASSERT_TRUE(folder);
    folder_.emplace(std::move(*folder));
    auto database = Database::Open(path(), Access::kCreate, Content::kPremises);
    ASSERT_TRUE(database) << database.error().message;
    database_ = std::move(*database);
    premises_.emplace(*database_);
  }
  std::filesystem::path path() const { return folder_->path() / "premises.db"; }

  PremiseModule Add(const std::string& name, std::vector<PremiseRow> rows) {
    PremiseModule module;
    module.name = name;
    module.stamp = "1";
    module.imports = {"A", "B"};
    const auto added = database_->Try("add", [&] {
      Premises::Batch batch(*database_);
      premises_->Insert(&module, &rows, "shapes", "theorems");
      batch.Commit();
    });
    EXPECT_TRUE(added);
    return module;
  }
  static PremiseRow Row(std::string name, std::string signature, int64_t content = 0) {
    PremiseRow row;
    row.name = std::move(name);
    row.kind = "theorem";
    row.signature = std::move(signature);
    row.content = content;
    return row;
  }
  std::vector<std::string> Matching(const std::string& expression) {
    auto matches = *premises_->Match(expression, 100);
    std::stable_sort(matches.begin(), matches.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<int64_t> ids;
    for (const auto& match : matches) ids.push_back(match.first);
    std::vector<std::string> names;
    const auto rows = premises_->Rows(ids);
    EXPECT_TRUE(rows);
    for (const PremiseRow& row : *rows) names.push_back(row.name);
    return names;
  }

  std::optional<core::TemporaryFolder> folder_;
  std::unique_ptr<Database> database_;
  std::optional<Premises> premises_;
};

TEST_F(PremisesTest, MatchesAreRanked) {
  Add("M", {Row("Nat.add_comm", "(n m : Nat) : n + m = m + n"),
            Row("Nat.mul_comm", "(n m : Nat) : n * m = m * n"), Row("List.length_nil", ": x")});
  EXPECT_EQ(Matching("\"add\" OR \"comm\""),
            (std::vector<std::string>{"Nat.add_comm", "Nat.mul_comm"}));
  EXPECT_EQ(Matching("\"length\""), (std::vector<std::string>{"List.length_nil"}));
}

TEST_F(PremisesTest, ARemovedModuleLeavesNothing) {
  const auto first = Add("M", {Row("Nat.add_comm", ": a")});
  const auto second = Add("N", {Row("Nat.add_assoc", ": b")});
  EXPECT_EQ(second.first, first.first + first.count);
  ASSERT_TRUE(database_->Try("remove", [&] { premises_->Remove(first); }));
  EXPECT_EQ(Matching("\"add\""), (std::vector<std::string>{"Nat.add_assoc"}));
  const auto modules = premises_->Modules();
  ASSERT_EQ(modules->size(), 1U);
  EXPECT_EQ(modules->front().imports, (std::vector<std::string>{"A", "B"}));
  EXPECT_TRUE(premises_->FindByName("Nat.add_comm")->empty());
}

TEST_F(PremisesTest, VectorsAreStoredByContent) {
  Add("M", {Row("a", ": x", 7), Row("b", ": x", 7), Row("c", ": y", 8)});
  EXPECT_EQ(premises_->WithoutVector("m")->size(), 2U);
  ASSERT_TRUE(premises_->AddVectors("m", {{7, "vector"}}));
  EXPECT_EQ(premises_->WithoutVector("m")->size(), 1U);
  EXPECT_EQ(premises_->WithoutVector("other")->size(), 2U);
  std::vector<std::string> vectors;
  ASSERT_TRUE(premises_->EachVector(
      "m", [&](int64_t, std::string_view vector) { vectors.emplace_back(vector); }));
  EXPECT_EQ(vectors, (std::vector<std::string>{"vector", "vector"}));
}

TEST_F(PremisesTest, CountsFrequentWords) {
  std::vector<PremiseRow> rows;
  for (int i = 0; i < 70; ++i) rows.push_back(Row("common.p" + std::to_string(i), ": x"));
  rows.push_back(Row("rare", ": x"));
  Add("M", std::move(rows));
  ASSERT_TRUE(premises_->Tidy());
  EXPECT_EQ(*premises_->Frequencies({"common", "rare"}), (std::vector<int64_t>{70, 0}));
}

TEST_F(PremisesTest, RunDatabasesAndIndexesAreNotInterchangeable) {
  const auto as_runs = Database::Open(path(), Access::kReadOnly);
  ASSERT_FALSE(as_runs);
  EXPECT_EQ(as_runs.error().code, core::ErrorCode::kInput);
  const auto runs = folder_->path() / "runs.db";
  ASSERT_TRUE(Database::Open(runs, Access::kCreate));
  EXPECT_FALSE(Database::Open(runs, Access::kCreate, Content::kPremises));
}

}  // namespace
}  // namespace zermelo::store
