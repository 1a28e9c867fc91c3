#include "data/short_header.h"

#include <gtest/gtest.h>

namespace zermelo::data {
namespace {

constexpr const char* kHeader = R"(import A

open Nat

theorem first : 1 = 1 := rfl

/-- Doc. -/
def f : Nat := 3

namespace N
variable (n : Nat)

theorem last : n = n := rfl

)";

TEST(ShortHeaderTest, WholeHeaderStaysIfItFits) { EXPECT_EQ(ShortHeader(kHeader, 1000), kHeader); }

TEST(ShortHeaderTest, ContextAlwaysStays) {
  const std::string text = ShortHeader(kHeader, 0);
  EXPECT_EQ(text, "import A\n\nopen Nat\n\nnamespace N\nvariable (n : Nat)\n\n");
}

TEST(ShortHeaderTest, LastDeclarationsStayWhileTheyFit) {
  const std::string text = ShortHeader(kHeader, ShortHeader(kHeader, 0).size() + 62);
  EXPECT_EQ(text.find("theorem first"), std::string::npos);
  EXPECT_NE(text.find("/-- Doc. -/\ndef f"), std::string::npos);
  EXPECT_TRUE(text.ends_with("theorem last : n = n := rfl\n\n"));
  EXPECT_LE(text.size(), ShortHeader(kHeader, 0).size() + 62);
}

TEST(ShortHeaderTest, TextWithoutCommandsIsAccepted) {
  EXPECT_EQ(ShortHeader("import A\n\n-- nothing\n", 3), "import A\n");
}

}  // namespace
}  // namespace zermelo::data
