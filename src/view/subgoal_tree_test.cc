#include "view/subgoal_tree.h"

#include <gtest/gtest.h>

namespace zermelo::view {
namespace {

using nlohmann::json;

class Story {
 public:
  void Add(const char* kind, const json& fields) {
    store::Event event;
    event.seq = static_cast<int64_t>(events.size());
    event.kind = kind;
    event.fields = fields.dump();
    events.push_back(std::move(event));
  }
  void Theorem() { Add("theorem_begun", {{"theorem", 0}}); }
  void Subgoal(int node, const json& parent, const char* name) {
    Add("subgoal",
        {{"node", node}, {"parent", parent}, {"depth", 0}, {"name", name}, {"statement", ": p"}});
  }
  void Becomes(int node, const char* state, const char* why = "") {
    Add("subgoal_state", {{"node", node}, {"state", state}, {"why", why}});
  }
  void Sketch(int node, int attempt, int refinement) {
    Add("sketch", {{"node", node}, {"attempt", attempt}, {"refinement", refinement}});
  }
  std::vector<store::Event> events;
};

TEST(SubgoalTreeTest, ATheoremThatWasNotDividedHasNoTree) {
  Story story;
  story.Theorem();
  story.Subgoal(0, nullptr, "t");
  story.Becomes(0, "proved", "the prover");
  EXPECT_EQ(DrawSubgoals(story.events), "");
  EXPECT_EQ(SubgoalsJson(story.events), json::array());
}

TEST(SubgoalTreeTest, SubgoalsAreBelowTheirSketches) {
  Story story;
  story.Theorem();
  story.Subgoal(0, nullptr, "t");
  story.Becomes(0, "divided");
  story.Sketch(0, 1, 0);
  story.Subgoal(1, 0, "t_h1");
  story.Subgoal(2, 0, "t_h2");
  story.Becomes(1, "proved", "the prover");
  story.Add("subgoal_used", {{"node", 1}, {"samples", 1}, {"lean_seconds", 0.5}});
  story.Add("subgoal_used", {{"node", 1}, {"samples", 3}, {"lean_seconds", 1.5}});
  story.Becomes(2, "false", "take\n0");
  story.Sketch(0, 1, 1);
  story.Subgoal(3, 0, "t_h1");
  story.Becomes(3, "proved", "memory");
  story.Subgoal(4, 0, "t_h3");
  story.Add("sketch_refused", {{"node", 4}, {"step", "sketch"}, {"why", "an error"}});
  story.Theorem();
  story.Subgoal(0, nullptr, "other");
  EXPECT_EQ(DrawSubgoals(story.events),
            "… t : p  [divided]\n"
            "  sketch 1\n"
            "    ✓ t_h1 : p  [proved: the prover]\n"
            "    ✗ t_h2 : p  [false: take 0]\n"
            "  sketch 1, refinement 1\n"
            "    ✓ t_h1 : p  [proved: memory]\n"
            "    – t_h3 : p  [open]\n"
            "      sketch refused, sketch: an error\n");
  const json trees = SubgoalsJson(story.events);
  ASSERT_EQ(trees.size(), 1U);
  EXPECT_EQ(trees[0]["sketches"][1]["subgoals"][0]["why"], "memory");
  const json& proved = trees[0]["sketches"][0]["subgoals"][0];
  EXPECT_EQ(proved["used"], json::parse(R"({"samples": 3, "lean_seconds": 1.5})")) << "so far";
  EXPECT_TRUE(trees[0]["used"].is_null()) << "a record of an older program";
}

TEST(SubgoalTreeTest, ImpossibleAndUnreadableEventsAreSkipped) {
  Story story;
  story.Theorem();
  story.Subgoal(0, nullptr, "t");
  story.Sketch(0, 1, 0);
  story.Subgoal(1, 0, "a");
  story.Sketch(1, 1, 0);
  story.Subgoal(1, 1, "its own parent");
  story.Subgoal(2, 7, "without a parent");
  story.Add("subgoal", json::array());
  story.Add("subgoal_state", {{"node", "x"}});
  EXPECT_EQ(DrawSubgoals(story.events),
            "– t : p  [open]\n"
            "  sketch 1\n"
            "    – a : p  [open]\n"
            "      sketch 1\n");
}

}  // namespace
}  // namespace zermelo::view
