#include "cli/terminal/json_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace zermelo::cli {
namespace {

using nlohmann::json;

TEST(ReadableJson, StatusComesFirstAndTheRestByName) {
  EXPECT_EQ(ReadableJson(json::parse(R"({"line": 3, "status": "ok", "errors": []})")),
            "status: ok\nerrors: none\nline: 3");
}

TEST(ReadableJson, TextsOfSeveralLinesStandBelowTheirName) {
  EXPECT_EQ(ReadableJson(json::parse(R"({"goal": "n : Nat\n⊢ n = n"})")),
            "goal:\n  n : Nat\n  ⊢ n = n");
}

TEST(ReadableJson, ItemsOfAListAreIndentedUnderTheirDash) {
  EXPECT_EQ(
      ReadableJson(json::parse(R"({"messages": [{"line": 1, "text": "a\nb"}, {"line": 2}]})")),
      "messages:\n  - line: 1\n    text:\n      a\n      b\n  - line: 2");
  EXPECT_EQ(ReadableJson(json::parse(R"(["x", 1, true, null])")), "- x\n- 1\n- true\n- null");
}

TEST(ReadableJson, AnEmptyTextStaysEmpty) {
  EXPECT_EQ(ReadableJson(json::parse(R"(["", {"a": ""}])")), "- \n- a: ");
}

}  // namespace
}  // namespace zermelo::cli
