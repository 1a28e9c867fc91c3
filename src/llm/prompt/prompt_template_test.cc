#include "llm/prompt/prompt_template.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"

namespace zermelo::llm {
namespace {

using core::ErrorCode;
using ::testing::HasSubstr;

class PromptTemplatesTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder.path() / name) << text;
  }
  core::Result<std::vector<Message>> Fill(const std::string& name,
                                          const PromptTemplates::Values& values) {
    const auto loaded = PromptTemplates::Load(folder.path());
    if (!loaded) return core::Fail(loaded.error());
    return loaded->Fill(name, values);
  }
  const core::TemporaryFolder folder =
      std::move(*core::TemporaryFolder::Create("zermelo-prompts-"));
};

TEST_F(PromptTemplatesTest, SectionsBecomeMessagesAndValuesReplacePlaceholders) {
  Write("ask.txt",
        "# What it is for.\n\n=== system\nBe brief.\n=== user\n{a_b}\nfor all {x : Nat}, "
        "{lines}\n=== end\n");
  const auto messages = Fill("ask", {{"a_b", "one"}, {"lines", "two\nthree"}});
  ASSERT_TRUE(messages) << messages.error().message;
  ASSERT_EQ(messages->size(), 2U);
  EXPECT_EQ(messages->at(0), (Message{.role = "system", .content = "Be brief."}));
  EXPECT_EQ(messages->at(1),
            (Message{.role = "user", .content = "one\nfor all {x : Nat}, two\nthree"}));
}

TEST_F(PromptTemplatesTest, ValuesAreNotSearchedForPlaceholders) {
  Write("ask.txt", "=== user\n{a}{b}\n=== end\n");
  const auto messages = Fill("ask", {{"a", "{b}{c}"}, {"b", "{a}"}});
  ASSERT_TRUE(messages);
  ASSERT_EQ(messages->size(), 1U);
  EXPECT_EQ(messages->at(0).content, "{b}{c}{a}");
}

TEST_F(PromptTemplatesTest, MissingNamesAreReported) {
  Write("ask.txt", "=== user\n{statement} {errors}\n=== end\n");
  auto failed = Fill("ask", {{"statement", "s"}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kUsage);
  EXPECT_THAT(failed.error().message, HasSubstr("ask.txt: no value for {errors}"));
  failed = Fill("ask", {{"statement", "s"}, {"errors", ""}, {"proof", ""}});
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("no placeholder for the value {proof}"));
  failed = Fill("aks", {});
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("there is no aks.txt"));
  EXPECT_THAT(failed.error().hint, HasSubstr("ask"));
}

TEST_F(PromptTemplatesTest, AFolderWithoutPromptsIsAnError) {
  const auto loaded = PromptTemplates::Load(folder.path() / "nowhere");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kEnvironment);
  EXPECT_THAT(loaded.error().hint, HasSubstr("ZERMELO_PROMPTS"));
}

TEST(ParseTemplateTest, ErrorsHaveTheirLine) {
  const auto error = [](const char* text) {
    const auto parsed = ParseTemplate("p.txt", text);
    return parsed ? std::string("none") : parsed.error().message;
  };
  EXPECT_EQ(error("=== user\nx\n=== end\n"), "none");
  EXPECT_EQ(error("hello\n"), "p.txt:1: unknown setting `hello`");
  EXPECT_EQ(error("=== user\nx\n=== usre\n"), "p.txt:3: unknown section `usre`");
  EXPECT_EQ(error("=== user\nx\n=== user\n=== end\n"), "p.txt:3: duplicate section: user");
  EXPECT_EQ(error("=== user\nx\n"), "p.txt:2: `=== end` is missing");
  EXPECT_EQ(error("=== user\nx\n=== end\ny"), "p.txt:3: unexpected text after `=== end`");
  EXPECT_EQ(error("=== system\nx\n=== end\n"), "p.txt:3: section `user` is missing");
}

}  // namespace
}  // namespace zermelo::llm
