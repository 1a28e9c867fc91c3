#include "core/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

namespace zermelo::core {
namespace {

using ::testing::StartsWith;

std::string Nested(size_t depth, const std::string& open = "[", const std::string& close = "]") {
  std::string text;
  for (size_t i = 0; i < depth; ++i) text += open;
  text += "1";
  for (size_t i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(JsonTest, AValueMayBeAsDeepAsTheBoundAndNoDeeper) {
  EXPECT_TRUE(ParseJson(Nested(kMaxJsonDepth)));
  EXPECT_TRUE(JsonOrDiscarded(Nested(kMaxJsonDepth)).is_array());
  for (const size_t depth : {kMaxJsonDepth + 1, size_t{1'000'000}}) {
    for (const std::string& text : {Nested(depth), Nested(depth, R"({"a":)", "}")}) {
      const auto parsed = ParseJson("\n" + text);
      ASSERT_FALSE(parsed);
      EXPECT_EQ(parsed.error().what, "is JSON that is nested more than 64 deep");
      EXPECT_EQ(parsed.error().line, 2U);
      EXPECT_TRUE(JsonOrDiscarded(text).is_discarded());
    }
  }
}

TEST(JsonTest, BracketsInStringsAndBesideEachOtherAreNotDepth) {
  const std::string brackets(1000, '[');
  const auto text = ParseJson(R"({"a\"[{": ")" + brackets + R"(\\", "b": "\"[["})");
  ASSERT_TRUE(text) << text.error().what;
  EXPECT_EQ(text->at("a\"[{"), brackets + "\\");
  std::string siblings = "[";
  for (int i = 0; i < 1000; ++i) siblings += "[{}],";
  EXPECT_TRUE(ParseJson(siblings + "[]]"));
}

TEST(JsonTest, WhatIsNoJsonIsAnErrorThatSaysWhere) {
  const auto parsed = ParseJson("{\n\"a\": tru }");
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error().what, StartsWith("is not JSON: parse error at line 2"));
  EXPECT_EQ(parsed.error().line, 2U);
  EXPECT_EQ(ParseJson("\"a\nb\"").error().line, 1U);  // the line break must be escaped
  EXPECT_EQ(ParseJson("[\n1,\n").error().line, 3U);
  EXPECT_TRUE(JsonOrDiscarded("{").is_discarded());
  EXPECT_FALSE(ParseJson("\"\xFF\""));
  EXPECT_FALSE(ParseJson("]]]]{"));
  EXPECT_FALSE(ParseJson("[1e999]"));
  EXPECT_LT(ParseJson('"' + std::string(1000, 'a')).error().what.size(), 300U);
}

TEST(JsonTest, ObjectsInAnArrayAreFoundByLine) {
  EXPECT_EQ(LinesOfObjects("[\n{\"a\": [{}], \"b\": \"{\"},\n\n[{}], 1, {\n}, {}]\n"),
            (std::vector<size_t>{2, 4, 5}));
  EXPECT_EQ(LinesOfObjects("[]"), std::vector<size_t>());
}

TEST(JsonTest, MembersArePickedByName) {
  EXPECT_EQ(Picked({{"a", 1}, {"b", nullptr}, {"c", 3}}, {"c", "b", "d"}).dump(),
            R"({"b":null,"c":3})");
  EXPECT_EQ(Picked({{"a", 1}}, {}).dump(), "{}");
}

}  // namespace
}  // namespace zermelo::core
