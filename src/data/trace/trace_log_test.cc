#include "data/trace/trace_log.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "data/material.h"

namespace zermelo::data {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kTraced = "theorem t (h : 1 = 1) : 1 = 1 := by\n  exact h\n";

TracedFile Traced(const std::string& file, const std::string& hash) {
  TracedFile traced;
  traced.head = {
      {"file", file}, {"module", "M"}, {"sha256", hash}, {"theorems", 1}, {"text", kTraced}};
  const json tactic{{"bytes", {38, 45}},      {"depth", 0},  {"tactic", "exact h"},
                    {"before", "h\n⊢ 1 = 1"}, {"after", ""}, {"premises", json::array()}};
  traced.theorems.push_back({{"file", file},
                             {"theorem", "t"},
                             {"line", 1},
                             {"bytes", {0, 45}},
                             {"complete", true},
                             {"tactics", json::array({tactic})}});
  return traced;
}

class TraceLogTest : public ::testing::Test {
 protected:
  std::string Text() const { return *core::ReadTextFile(path_); }
  size_t Entries() const {
    size_t entries = 0;
    EXPECT_TRUE(ReadTrace(path_, [&](const TracedFile&) { ++entries; }));
    return entries;
  }

  core::TemporaryFolder folder_ = *core::TemporaryFolder::Create("trace");
  fs::path path_ = folder_.path() / "trace.jsonl";
};

TEST_F(TraceLogTest, KnowsWhatItHasAfterReopening) {
  {
    auto log = TraceLog::Open(path_);
    ASSERT_TRUE(log->Append(Traced("A.lean", "1")));
  }
  const auto log = TraceLog::Open(path_);
  EXPECT_TRUE(log->Has("A.lean", "1"));
  EXPECT_FALSE(log->Has("A.lean", "2")) << "the file has changed";
  EXPECT_FALSE(log->Has("B.lean", "1"));
}

TEST_F(TraceLogTest, IncompleteEndIsRemoved) {
  {
    auto log = TraceLog::Open(path_);
    ASSERT_TRUE(log->Append(Traced("A.lean", "1")));
    ASSERT_TRUE(log->Append(Traced("B.lean", "1")));
  }
  const std::string whole = Text();
  for (const size_t cut : {size_t{1}, size_t{30}, whole.size() / 4}) {
    fs::resize_file(path_, whole.size() - cut);
    const auto log = TraceLog::Open(path_);
    ASSERT_TRUE(log);
    EXPECT_TRUE(log->Has("A.lean", "1"));
    EXPECT_FALSE(log->Has("B.lean", "1")) << cut;
    EXPECT_EQ(Text(), whole.substr(0, Text().size()));
    std::ofstream(path_, std::ios::binary) << whole;
  }
}

TEST_F(TraceLogTest, FailedFileIsTracedAgain) {
  TracedFile failed;
  failed.failed = true;
  failed.head = {{"file", "A.lean"}, {"sha256", "1"}, {"theorems", 0}, {"error", "crashed"}};
  {
    auto log = TraceLog::Open(path_);
    ASSERT_TRUE(log->Append(failed));
    EXPECT_FALSE(log->Has("A.lean", "1"));
  }
  EXPECT_FALSE(TraceLog::Open(path_)->Has("A.lean", "1"));
  EXPECT_EQ(Entries(), 0U);
}

TEST_F(TraceLogTest, LaterTraceOfAFileReplacesTheEarlierOne) {
  auto log = TraceLog::Open(path_);
  ASSERT_TRUE(log->Append(Traced("A.lean", "1")));
  ASSERT_TRUE(log->Append(Traced("A.lean", "2")));
  EXPECT_EQ(Entries(), 1U);
}

TEST_F(TraceLogTest, OtherFilesAreRefused) {
  std::ofstream(path_) << "{\"prompt\": \"a\"}\n";
  EXPECT_FALSE(TraceLog::Open(path_));
  EXPECT_EQ(Text(), "{\"prompt\": \"a\"}\n");
  Material material;
  const auto added = AddTrace(path_, material);
  ASSERT_FALSE(added);
  EXPECT_TRUE(added.error().message.ends_with("trace.jsonl:1: this is not a trace"));
}

TEST_F(TraceLogTest, ProofsAndStatesAreReadFromIt) {
  auto log = TraceLog::Open(path_);
  ASSERT_TRUE(log->Append(Traced("A.lean", "1")));
  Material material;
  ASSERT_TRUE(AddTrace(path_, material));
  ASSERT_EQ(material.proofs.size(), 1U);
  EXPECT_EQ(material.proofs[0].tactics, "exact h");
  EXPECT_EQ(material.proofs[0].origin.theorem.name, "t");
  ASSERT_EQ(material.proofs[0].traced.size(), 1U);
  EXPECT_EQ(material.proofs[0].traced[0].before, "h\n⊢ 1 = 1");
}

TEST_F(TraceLogTest, PremisesThatOtherFilesCanNameAreToldFromOthers) {
  TracedFile first = Traced("A.lean", "1"), second = Traced("B.lean", "1");
  second.head["module"] = "B";
  first.theorems[0]["tactics"][0]["premises"] = {
      {{"name", "_private.«external:file:///tmp/a-1.0.3/Zermelo.lean».0.mine"}, {"module", "M"}},
      {{"name", "yours"}, {"module", "B"}},
      {{"name", "My.own"}, {"module", "B"}},
      {{"name", "My.secret"}, {"module", "B"}, {"private", true}},
      {{"name", "Nat.add_comm"}, {"module", "Init.Data.Nat.Basic"}}};
  auto log = TraceLog::Open(path_);
  ASSERT_TRUE(log->Append(first));
  ASSERT_TRUE(log->Append(second));
  Material material;
  ASSERT_TRUE(AddTrace(path_, material));
  ASSERT_EQ(material.proofs.size(), 2U);
  const TracedTactic& tactic = material.proofs[0].traced.at(0);
  EXPECT_EQ(tactic.premises,
            (std::vector<std::string>{"mine", "yours", "My.own", "My.secret", "Nat.add_comm"}));
  EXPECT_EQ(tactic.elsewhere, (std::vector<std::string>{"My.own", "Nat.add_comm"}));
}

}  // namespace
}  // namespace zermelo::data
