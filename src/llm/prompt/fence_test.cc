#include "llm/prompt/fence.h"

#include <gtest/gtest.h>
#include <string>

namespace zermelo::llm {
namespace {

/// The part of a complete text that is kept; "…" if no fence closes in it.
std::string Cut(const std::string& text, bool open = false) {
  const auto cut = FenceWatcher(open).CloseIn(text);
  return cut ? text.substr(0, *cut) : "…";
}

TEST(FenceWatcher, CutsAfterTheClosingBackticks) {
  EXPECT_EQ(Cut("Here:\n```lean4\nrfl\n```\nIt is short."), "Here:\n```lean4\nrfl\n```");
}

TEST(FenceWatcher, AFenceThatThePromptOpenedCloses) {
  EXPECT_EQ(Cut("  rfl\n```\nDone.", true), "  rfl\n```");
  EXPECT_EQ(Cut("  rfl\n```\nDone."), "…") << "the first backticks open a fence";
}

TEST(FenceWatcher, WaitsForTheEndOfTheClosingLine) {
  EXPECT_EQ(Cut("```\nrfl\n```"), "…");
  EXPECT_EQ(Cut("```\nrfl\n``` \t\r\n"), "```\nrfl\n```");
}

TEST(FenceWatcher, BackticksInALineAndShorterRowsAreText) {
  EXPECT_EQ(Cut("a ``` b\n``\n`x`\n"), "…");
  EXPECT_EQ(Cut("````\n```\n````\n"), "````\n```\n````");
  EXPECT_EQ(Cut("```\n```lean\n```\n"), "```\n```lean\n```");
}

TEST(FenceWatcher, MayBeIndented) {
  EXPECT_EQ(Cut("1. \n   ```\n  x\n   ```\n"), "1. \n   ```\n  x\n   ```");
}

TEST(FenceWatcher, TheSameCutHoweverTheTextGrows) {
  const std::string text = "So:\n```lean4\n-- ``` no\n  rfl\n```\nmore\n```\n";
  FenceWatcher watcher(false);
  std::optional<size_t> cut;
  size_t seen = 0;
  while (!cut) cut = watcher.CloseIn(std::string_view(text).substr(0, ++seen));
  EXPECT_EQ(text.substr(0, *cut), Cut(text));
  EXPECT_EQ(seen, *cut + 1);
}

}  // namespace
}  // namespace zermelo::llm
