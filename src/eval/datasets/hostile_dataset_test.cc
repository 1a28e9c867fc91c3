// Malformed benchmarks are rejected with file and line, and never read out of bounds.
#include <fstream>
#include <gmock/gmock.h>

#include "core/files/file.h"
#include "eval/datasets/dataset.h"
#include "eval/datasets/loaders.h"

namespace zermelo::eval {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class Hostile : public ::testing::Test {
 protected:
  /// The error for a file with this text; "" if it is accepted.
  std::string ErrorOf(const std::string& name, const std::string& text,
                      const LoadOptions& options = {}) {
    const fs::path path = folder_.path() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return ErrorAt(path, options);
  }
  std::string ErrorAt(const fs::path& path, const LoadOptions& options = {}) {
    const auto loaded = LoadDataset(path, options);
    return loaded ? "" : loaded.error().message + " | " + loaded.error().hint;
  }
  const fs::path& folder() const { return folder_.path(); }

 private:
  core::TemporaryFolder folder_ = std::move(*core::TemporaryFolder::Create("eval-test"));
};

const std::string kGood = R"({"name": "a", "statement": "theorem a : 1 = 1"})";

TEST_F(Hostile, ALineThatIsNotJson) {
  EXPECT_THAT(ErrorOf("p.jsonl", kGood + "\n\n{\"name\": \n"),
              HasSubstr("p.jsonl:3: this is not JSON"));
  EXPECT_THAT(ErrorOf("p.jsonl", kGood + "\n[1, 2]\n"), HasSubstr("p.jsonl:2: a row must be"));
  EXPECT_THAT(ErrorOf("p.jsonl", kGood.substr(0, 30)), HasSubstr("p.jsonl:1: "));
}

TEST_F(Hostile, AnArrayThatIsCutOff) {
  EXPECT_THAT(ErrorOf("p.json", "[\n" + kGood + ",\n"), HasSubstr("p.json:3: this is not JSON"));
  EXPECT_THAT(ErrorOf("p.json", "[\n" + kGood + ",\n 7]"), HasSubstr("must be an object"));
}

TEST_F(Hostile, FieldsOfTheWrongKind) {
  EXPECT_THAT(ErrorOf("p.jsonl", R"({"name": ["a"], "statement": "theorem a : 1 = 1"})"),
              HasSubstr("p.jsonl:1: the field \"name\" must be a string"));
  EXPECT_THAT(
      ErrorOf("p.jsonl", kGood + "\n{\"name\": \"b\"}"),
      AllOf(HasSubstr("p.jsonl:2: there is no statement"), HasSubstr("its fields are name")));
  LoadOptions options;
  options.fields = {{"statement", "lean"}};
  EXPECT_THAT(ErrorOf("p.jsonl", kGood, options),
              HasSubstr("p.jsonl:1: there is no field \"lean\""));
  options.fields = {{"statment", "lean"}};
  EXPECT_THAT(ErrorOf("p.jsonl", kGood, options), HasSubstr("there is no field 'statment'"));
}

TEST_F(Hostile, AStatementWithoutATheorem) {
  EXPECT_THAT(ErrorOf("p.jsonl", R"({"name": "a", "statement": "/- theorem a : 1 = 1"})"),
              HasSubstr("p.jsonl:1: the statement has no theorem"));
}

TEST_F(Hostile, BytesThatAreNotText) {
  EXPECT_THAT(ErrorOf("p.jsonl", std::string("{\"name\":\0}", 10)), HasSubstr("p.jsonl"));
  EXPECT_THAT(ErrorOf("p.jsonl", "{\"name\": \"\xff\"}"), HasSubstr("UTF-8"));
  EXPECT_THAT(ErrorOf("p.jsonl", ""), HasSubstr("has no rows"));
}

TEST_F(Hostile, DeepJsonDoesNotOverflowTheStack) {
  EXPECT_THAT(ErrorOf("p.jsonl", std::string(4'000'000, '[')), HasSubstr("more than 64 deep"));
  EXPECT_THAT(ErrorOf("q.jsonl", "{\"a\":" + std::string(2'000'000, '[')),
              HasSubstr("more than 64 deep"));
}

TEST_F(Hostile, ARowLargerThanAnyStatement) {
  EXPECT_THAT(ErrorOf("p.jsonl", "{\"name\": \"" + std::string(9U << 20U, 'x') + "\"}"),
              HasSubstr("p.jsonl:1: the row has"));
}

TEST_F(Hostile, TheTableOfCombiBench) {
  ErrorOf("lean/CombiBench/a.lean", "theorem a : 1 = 1 := by sorry\n");
  ErrorOf("lean/CombiBench/metadata.csv", "theorem_name,answer\na,\"open\n");
  EXPECT_THAT(ErrorAt(folder()), HasSubstr("metadata.csv:2: a quote is not closed"));
  ErrorOf("lean/CombiBench/metadata.csv", "theorem_name,answer\na,1\na,1,2\n");
  EXPECT_THAT(ErrorAt(folder()), HasSubstr("metadata.csv:3: 3 values for 2 columns"));
  ErrorOf("lean/CombiBench/metadata.csv", "name,answer\na,1\n");
  EXPECT_THAT(ErrorAt(folder()), HasSubstr("metadata.csv:2: there is no theorem_name"));
}

TEST_F(Hostile, FoldersWithNothingAndWithTooMuch) {
  EXPECT_THAT(ErrorAt(folder() / "missing"), HasSubstr("there is no "));
  EXPECT_THAT(ErrorAt(folder()), HasSubstr("there are no .lean files"));
  fs::create_directory_symlink(folder(), folder() / "loop");
  ErrorOf("One.lean", "theorem x : True := trivial\n");
  EXPECT_THAT(ErrorAt(folder()), HasSubstr("there is no theorem with a sorry"));
  ErrorOf("a.jsonl", kGood);
  ErrorOf("b.jsonl", kGood);
  EXPECT_THAT(ErrorAt(folder()), HasSubstr("contains several datasets"));
  EXPECT_THAT(ErrorOf("a.parquet", "PAR1"), HasSubstr("export it as jsonl"));
}

TEST_F(Hostile, AnUnknownFormatGetsASuggestion) {
  LoadOptions options;
  options.format = "deepsek";
  EXPECT_THAT(ErrorOf("p.jsonl", kGood, options), HasSubstr("did you mean `deepseek`?"));
}

TEST(Csv, QuotesAndLineBreaksInValues) {
  const auto rows = ParseCsv("t.csv",
                             "\xef\xbb\xbf"
                             "a,b\r\n\"x, \"\"y\"\"\nz\",2\r\n\r\n3\r\n");
  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[0].values.at("a"), "x, \"y\"\nz");
  EXPECT_EQ((*rows)[0].line, 2U);
  EXPECT_EQ((*rows)[1].values.at("a"), "3");
  EXPECT_EQ((*rows)[1].line, 5U);
  EXPECT_FALSE(ParseCsv("t.csv", "a\n\"x\"y\n"));
}

}  // namespace
}  // namespace zermelo::eval
