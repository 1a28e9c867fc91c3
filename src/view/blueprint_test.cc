#include "view/blueprint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::view {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

store::Event Said(std::string_view kind, const json& fields) {
  store::Event event;
  event.kind = kind;
  event.fields = fields.dump();
  return event;
}

store::Event LemmaIs(size_t number, const char* name, const char* status, const json& more = {}) {
  json fields{{"lemma", number},
              {"name", name},
              {"status", status},
              {"depth", number == 0 ? 0 : 1},
              {"statement", std::string("theorem ") + name + " : \"a\\n\" = x"},
              {"depends", json::array()}};
  fields.update(more.is_null() ? json::object() : more);
  return Said(event::kBlueprint, fields);
}

const std::vector<store::Event>& SomeEvents() {
  static const std::vector<store::Event> events{
      LemmaIs(0, "lost", "open"),  // of no theorem
      Said(event::kTheoremBegun, {{"name", "main"}, {"line", 3}, {"theorem", 0}}),
      LemmaIs(0, "main", "proving"),
      LemmaIs(1, "a", "open"),
      Said(event::kSketched, {{"lemma", 0},
                              {"attempt", 0},
                              {"reward", 1},
                              {"quality", 0.75},
                              {"structure", 1},
                              {"problem", ""},
                              {"lemmas", json::array({1, 2, 3})},
                              {"reply", "long"}}),
      Said(event::kLemmaProved, {{"name", "aux"},
                                 {"statement", "theorem aux : 1 = 1"},
                                 {"by", "a 0.0"},
                                 {"proof", "theorem aux : 1 = 1 := rfl"}}),
      LemmaIs(
          1, "a", "proved",
          {{"by", "agent a 0.0"}, {"proof", "theorem a : p := aux"}, {"tokens", 12}, {"calls", 2}}),
      Said(event::kLemmaProved, {{"name", "a"}, {"by", "agent a 0.0"}}),
      LemmaIs(0, "main", "open", {{"depends", json::array({1, 7})}, {"reason", "too\nhard"}})};
  return events;
}

TEST(BlueprintTest, ReflectsTheLatestEvents) {
  const json blueprint = ReadBlueprint(SomeEvents());
  ASSERT_EQ(blueprint["theorems"].size(), 1U);
  const json& theorem = blueprint["theorems"][0];
  EXPECT_EQ(theorem["name"], "main");
  ASSERT_EQ(theorem["lemmas"].size(), 3U);
  EXPECT_EQ(theorem["lemmas"][0]["status"], "open");
  EXPECT_EQ(theorem["lemmas"][0]["depends"], json::array({"a"}));
  EXPECT_EQ(theorem["lemmas"][1]["status"], "proved");
  EXPECT_EQ(theorem["lemmas"][1]["depends"], json::array({"aux"})) << "its proof names it";
  EXPECT_EQ(theorem["lemmas"][2]["by"], "a 0.0");
  EXPECT_EQ(theorem["sketches"][0]["of"], "main");
  EXPECT_EQ(theorem["sketches"][0]["lemmas"], 3);
}

TEST(BlueprintTest, IsRenderedAsDotAndText) {
  const json blueprint = ReadBlueprint(SomeEvents());
  const std::string dot = BlueprintDot(blueprint);
  EXPECT_THAT(dot, HasSubstr("\"t0/a\" -> \"t0/main\";"));
  EXPECT_THAT(dot, HasSubstr(R"(label="✓ a (proved)\ltheorem a : \"a\\n\" = x\l")"));
  const std::string text = BlueprintText(blueprint);
  EXPECT_THAT(text, HasSubstr("○ main  open; from a: too\n"));
  EXPECT_THAT(text, HasSubstr("  ✓ a  proved, by agent a 0.0, 2 calls, 12 tokens; from aux\n"));
  EXPECT_THAT(text, HasSubstr("  sketch 0 of main: 3 lemmas, quality 0.75, reward 1\n"));
}

TEST(BlueprintTest, UnreadableEventsAreSkipped) {
  store::Event broken;
  broken.kind = event::kBlueprint;
  broken.fields = "{";
  const json blueprint = ReadBlueprint(
      {Said(event::kTheoremBegun, {{"name", "t"}}), broken, Said(event::kBlueprint, json::array()),
       Said(event::kLemmaProved, {{"node", 3}}), Said(event::kSketched, {{"lemma", 5}})});
  EXPECT_TRUE(blueprint["theorems"].empty());
  EXPECT_EQ(BlueprintText(blueprint), "");
}

}  // namespace
}  // namespace zermelo::view
