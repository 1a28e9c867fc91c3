#include "core/fields.h"

#include <gtest/gtest.h>
#include <string>

namespace zermelo::core {

struct Settings {
  std::string name;
  std::string mode = "unset";
  std::optional<int> limit;
};
void Fields(auto& field, Settings& settings) {
  field("name", settings.name);
  field.OrElse("mode", settings.mode, "off");
  field.OrElse("limit", settings.limit);
}

namespace {

using nlohmann::json;

TEST(FieldsTest, AFieldIsLeftOutIfItIsWhatItIsReadAs) {
  EXPECT_EQ(json(Settings{.name = "n", .mode = "off"}).dump(), R"({"name":"n"})");
  EXPECT_EQ(json(Settings{.name = "n", .mode = "on", .limit = 3}).dump(),
            R"({"limit":3,"mode":"on","name":"n"})");
  EXPECT_EQ(json::parse(R"({"name":"n"})").get<Settings>().mode, "off");
  const auto read = json::parse(R"({"limit":3,"mode":"on","name":"n"})").get<Settings>();
  EXPECT_EQ(read.mode, "on");
  EXPECT_EQ(read.limit, 3);
}

TEST(FieldsTest, OtherFieldsMustBeThere) {
  EXPECT_THROW(json::object().get<Settings>(), json::exception);
}

}  // namespace
}  // namespace zermelo::core
