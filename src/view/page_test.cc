#include "view/page.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace zermelo::view {
namespace {

using nlohmann::json;

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(PageTest, NoTextEndsTheData) {
  const json hostile = {{"run", "</script><script>alert(1)</script><!--"}};
  const std::string page = RunPage(hostile);
  EXPECT_EQ(Count(page, "</script>"), Count(LivePage(), "</script>"));
  const size_t begin = page.find("id=\"data\">") + 10;
  EXPECT_EQ(json::parse(page.substr(begin, page.find("</script>", begin) - begin)), hostile);
}

TEST(PageTest, ThePolicyNamesTheHashesAndAllowsNothingElse) {
  const std::string page = RunPage(nullptr);
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(page.find("connect-src 'none'"), std::string::npos);
  EXPECT_EQ(Count(page, "unsafe-"), 0);
  EXPECT_NE(LivePage().find("connect-src 'self'"), std::string::npos);
}

TEST(PageTest, AnEvaluationIsShownByTheSamePage) {
  const std::string page = EvaluationPage({{"summary", 1}});
  const std::string& live = LiveEvaluationPage();
  EXPECT_NE(page.find("id=\"data\">{\"evaluation\":{\"summary\":1}}<"), std::string::npos);
  EXPECT_NE(page.find("connect-src 'none'"), std::string::npos);
  EXPECT_NE(live.find("id=\"data\">{\"evaluation\":null}<"), std::string::npos);
  EXPECT_NE(live.find("connect-src 'self'"), std::string::npos);
}

TEST(PageTest, ItLoadsNothingFromElsewhere) {
  for (const char* loads : {" src=", "@import", "url(", "<link"}) {
    EXPECT_EQ(Count(LivePage(), loads), 0) << loads;
  }
}

}  // namespace
}  // namespace zermelo::view
