// Memory of large searches: 100,000 nodes must take less than 1 GB.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "core/random.h"
#include "core/testing/testing.h"
#include "strategy/rmaxts/proof_tree.h"
#include "strategy/step_states.h"

namespace zermelo::strategy {
namespace {

constexpr size_t kNodes = 100'000;
constexpr uint64_t kMegabyte = 1'000'000;

/// Texts made of lines from human-written Lean proofs.
class Lines {
 public:
  Lines() {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(ZERMELO_SOURCE_DIR "/tests/honest")) {
      if (entry.path().extension() != ".lean") continue;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) {
        if (!line.empty()) lines_.push_back(line);
      }
    }
  }
  size_t size() const { return lines_.size(); }

  /// Fifteen hypotheses and a goal, about half a kilobyte, unique by `number`.
  std::string State(size_t number) {
    std::string state;
    for (int i = 0; i < 15; ++i) state += "h" + std::to_string(i) + " : " + Line() + "\n";
    return state + "⊢ " + Line() + " = " + std::to_string(number);
  }
  std::string Tactic() { return "  " + Line() + "\n"; }

 private:
  const std::string& Line() { return lines_.at(random_.Below(lines_.size())); }

  std::vector<std::string> lines_;
  core::Random random_{1};
};

/// Growth of the process by `fill`, in bytes.
template <class Fill>
uint64_t Growth(Fill fill) {
  const uint64_t before = core::testing::ResidentBytes();
  const auto held = fill();
  const uint64_t after = core::testing::ResidentBytes();
  EXPECT_GE(held->size(), kNodes);
  return after - std::min(before, after);
}

struct Truncated {
  ProofTree tree{ProofTreeParameters(), "⊢ A"};
  size_t size() const { return tree.tree().size(); }
};

TEST(MemoryTest, TruncateAndResumeTreeOf100000NodesTakesLessThanAGigabyte) {
  Lines lines;
  ASSERT_GT(lines.size(), 500U);
  const uint64_t bytes = Growth([&] {
    auto held = std::make_unique<Truncated>();
    for (size_t number = 0; held->size() < kNodes && number < 10 * kNodes;) {
      const auto expansion = held->tree.Begin();
      std::vector<Segment> segments;
      for (int i = 0; i < 8; ++i) segments.push_back({lines.Tactic(), lines.State(number++)});
      held->tree.End(*expansion, segments);
    }
    return held;
  });
  RecordProperty("bytes_per_node", static_cast<int>(bytes / kNodes));
  EXPECT_LT(bytes, 1000 * kMegabyte);
  EXPECT_GT(bytes, 10 * kMegabyte) << "nothing was measured";
}

TEST(MemoryTest, SearchOf100000TacticStatesTakesLessThanAGigabyte) {
  Lines lines;
  const uint64_t bytes = Growth([&] {
    auto states = std::make_unique<StepStates>(std::vector<std::string>{"⊢ A"});
    core::Random random(2);
    for (size_t number = 0; states->size() < kNodes; ++number) {
      const auto parent = static_cast<StateId>(random.Below(states->size()));
      const std::vector<std::string> goals{lines.State(number), lines.State(number % 100)};
      states->Add(parent, ProofStep{lines.Tactic(), 2}, "built-in", goals);
    }
    return states;
  });
  RecordProperty("bytes_per_node", static_cast<int>(bytes / kNodes));
  EXPECT_LT(bytes, 1000 * kMegabyte);
  EXPECT_GT(bytes, 10 * kMegabyte) << "nothing was measured";
}

}  // namespace
}  // namespace zermelo::strategy
