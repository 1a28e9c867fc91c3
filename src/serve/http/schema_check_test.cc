#include "serve/http/schema_check.h"

#include <gtest/gtest.h>

namespace zermelo::serve {
namespace {

using nlohmann::json;

const json kSchema = json::parse(R"({
  "type": "object",
  "properties": {
    "name": {"type": "string"},
    "line": {"type": "integer", "minimum": 1, "maximum": 9},
    "ratio": {"type": "number", "minimum": 0.5},
    "kind": {"type": "string", "enum": ["a", "b"]},
    "deep": {"type": "boolean"},
    "proofs": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2}},
  "required": ["name"]})");

std::string Why(const std::string& text) { return SchemaError(json::parse(text), kSchema); }

TEST(SchemaCheckTest, AcceptsValidValues) {
  EXPECT_EQ(Why(R"({"name": ""})"), "");
  EXPECT_EQ(Why(R"({"name": "x", "line": 9, "ratio": 0.5, "kind": "b", "deep": false,
                    "proofs": ["p", "q"]})"),
            "");
  EXPECT_EQ(Why(R"({"name": "x", "ratio": 3})"), "") << "an integer is a number";
  EXPECT_EQ(Why(R"({"name": "x", "line": null})"), "") << "null counts as absent";
}

TEST(SchemaCheckTest, NamesWhatIsInvalid) {
  EXPECT_EQ(Why("[]"), "the value must be an object");
  EXPECT_EQ(Why("{}"), "name is missing");
  EXPECT_EQ(Why(R"({"name": null})"), "name is missing");
  EXPECT_EQ(Why(R"({"name": 7})"), "name must be a string");
  EXPECT_EQ(Why(R"({"name": "x", "line": "3"})"), "line must be an integer");
  EXPECT_EQ(Why(R"({"name": "x", "line": 2.5})"), "line must be an integer");
  EXPECT_EQ(Why(R"({"name": "x", "line": 0})"), "line must be at least 1");
  EXPECT_EQ(Why(R"({"name": "x", "line": -1})"), "line must be at least 1");
  EXPECT_EQ(Why(R"({"name": "x", "line": 18446744073709551615})"), "line must be at most 9");
  EXPECT_EQ(Why(R"({"name": "x", "ratio": true})"), "ratio must be a number");
  EXPECT_EQ(Why(R"({"name": "x", "ratio": 0.4})"), "ratio must be at least 0.5");
  EXPECT_EQ(Why(R"({"name": "x", "kind": "c"})"), R"(kind must be one of ["a","b"])");
  EXPECT_EQ(Why(R"({"name": "x", "deep": "yes"})"), "deep must be true or false");
  EXPECT_EQ(Why(R"({"name": "x", "proofs": "p"})"), "proofs must be an array");
  EXPECT_EQ(Why(R"({"name": "x", "proofs": []})"), "proofs must not be empty");
  EXPECT_EQ(Why(R"({"name": "x", "proofs": ["p", 1]})"), "proofs[1] must be a string");
  EXPECT_EQ(Why(R"({"name": "x", "proofs": ["p", "q", "r"]})"),
            "proofs must have at most 2 entries");
}

TEST(SchemaCheckTest, SuggestsTheNearestNameForAnUnknownProperty) {
  EXPECT_EQ(Why(R"({"name": "x", "lin": 1})"), "unknown property lin; did you mean `line`?");
  EXPECT_EQ(Why(R"({"name": "x", "something else": 1})"),
            "unknown property something else; known properties: deep, kind, line, name, proofs, "
            "ratio");
}

TEST(SchemaCheckTest, DoesNotRepeatAHugeName) {
  json value{{"name", "x"}};
  value[std::string(1'000'000, 'y')] = 1;
  EXPECT_LT(SchemaError(value, kSchema).size(), 300u);
}

}  // namespace
}  // namespace zermelo::serve
