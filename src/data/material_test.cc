#include "data/material.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "core/hash/hash.h"
#include "eval/folder.h"
#include "record/answer_json.h"
#include "record/recorded_calls.h"
#include "store/runs.h"

namespace zermelo::data {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kHoles = R"(theorem a (p : Prop) (h : p) : p := by
  sorry

theorem b (p q : Prop) (h : p ∧ q) : q ∧ p := by
  constructor
  · sorry
  · sorry
)";

class RunsAsMaterial : public ::testing::Test {
 protected:
  RunsAsMaterial() {
    std::ofstream(file_) << kHoles;
    database_ = *store::Database::Open(folder_.path() / "runs.db", store::Access::kCreate);
    runs_ = std::make_unique<store::Runs>(*database_);
    run_ = *runs_->Add({.started = "2026-01-01T00:00:00Z",
                        .file = file_.string(),
                        .fingerprint = core::HexHash64(kHoles),
                        .toolchain = "{}",
                        .request = "{}"});
  }

  void Append(const std::string& kind, const json& fields) { Append(kind, fields, std::nullopt); }
  void Append(const std::string& kind, const json& fields, std::optional<store::ModelCall> call) {
    store::Event event{.seq = seq_++, .at = 0, .kind = kind, .fields = fields.dump()};
    event.call = std::move(call);
    ASSERT_TRUE(runs_->Append(run_, {event}, 1));
  }

  /// A reply of a model to a chat.
  void Generated(const std::vector<llm::Message>& chat, const std::string& text) {
    llm::Request request;
    request.prompt = chat;
    record::ModelAnswer answer{.outcome = llm::Reply()};
    answer.outcome->completions.push_back({.text = text});
    answer.arrived = answer.outcome->completions;
    Append("generated", json::object(),
           store::ModelCall{.model = "m",
                            .key = "k",
                            .request = record::DescribeCall("m", "settings", request),
                            .reply = record::TextOf(record::ToJson(answer))});
  }

  void Finish(const std::vector<store::TheoremRow>& rows) {
    ASSERT_TRUE(runs_->Finish(run_, rows, "{}", true));
  }
  static store::TheoremRow Row(int64_t position, const std::string& name, int64_t line,
                               const std::string& proof) {
    return {.position = position,
            .name = name,
            .line = line,
            .status = proof.empty() ? "unproved" : "proved",
            .proof = proof,
            .axioms = "[]"};
  }

  Material Read() const {
    Material material;
    const auto added = AddRuns(folder_.path() / "runs.db", {}, material);
    EXPECT_TRUE(added) << added.error().message;
    return material;
  }

  core::TemporaryFolder folder_ = *core::TemporaryFolder::Create("material");
  fs::path file_ = folder_.path() / "Two.lean";
  std::unique_ptr<store::Database> database_;
  std::unique_ptr<store::Runs> runs_;
  int64_t run_ = 0;
  int64_t seq_ = 0;
};

TEST_F(RunsAsMaterial, DeclarationWithAllItsHolesProvedIsAProof) {
  Finish({Row(0, "a", 2, "exact h"), Row(1, "b", 6, "exact h.2"),
          Row(2, "b (line 7)", 7, "exact h.1")});
  const Material material = Read();
  ASSERT_EQ(material.proofs.size(), 2U);
  EXPECT_EQ(material.proofs[0].tactics, "exact h");
  EXPECT_EQ(material.proofs[1].tactics, "constructor\n· exact h.2\n· exact h.1");
  EXPECT_EQ(material.proofs[1].origin.theorem.Opening(),
            "theorem b (p q : Prop) (h : p ∧ q) : q ∧ p := by");
  EXPECT_THAT(material.proofs[1].origin.theorem.header, HasSubstr("sorry"))
      << "the file as the prover saw it";
  ASSERT_EQ(material.attempts.size(), 2U) << "one for each declaration";
  EXPECT_EQ(material.attempts[1].proved, 1U);
}

TEST_F(RunsAsMaterial, DeclarationWithAnOpenHoleIsNone) {
  Finish({Row(1, "b", 6, "exact h.2"), Row(2, "b (line 7)", 7, "")});
  const Material material = Read();
  EXPECT_THAT(material.proofs, IsEmpty());
  EXPECT_EQ(material.skipped.at("incomplete"), 1U);
  ASSERT_EQ(material.attempts.size(), 1U);
  EXPECT_EQ(material.attempts[0].proved, 0U);
}

TEST_F(RunsAsMaterial, ChangedFileIsNotUsed) {
  Finish({Row(0, "a", 2, "exact h")});
  std::ofstream(file_, std::ios::app) << "-- changed\n";
  const Material material = Read();
  EXPECT_THAT(material.proofs, IsEmpty());
  EXPECT_EQ(material.skipped.at("file_changed"), 1U);
}

TEST_F(RunsAsMaterial, LemmasOfAProofAreKept) {
  Append("proved", {{"theorem", 0}, {"auxiliary", "theorem a_1 : True := trivial\n"}});
  Finish({Row(0, "a", 2, "exact h")});
  EXPECT_EQ(Read().proofs.at(0).auxiliary, "theorem a_1 : True := trivial\n");
}

TEST_F(RunsAsMaterial, TacticsOfTheSearchBelongToTheTheoremThatHadBegun) {
  Append("theorem_begun", {{"theorem", 0}});
  Append("attempted",
         {{"state", "⊢ p"}, {"prefix", ""}, {"passed", {"exact h"}}, {"failed", {"rfl"}}});
  Append("theorem_begun", {{"theorem", 2}});
  Append("attempted",
         {{"state", "⊢ q"}, {"prefix", "skip"}, {"passed", json::array()}, {"failed", {"omega"}}});
  Finish({Row(0, "a", 2, "exact h"), Row(2, "b (line 7)", 7, "")});
  const Material material = Read();
  ASSERT_EQ(material.tactics.size(), 3U);
  EXPECT_FALSE(material.tactics[0].failed);
  EXPECT_TRUE(material.tactics[1].failed);
  EXPECT_EQ(material.tactics[1].origin.theorem.name, "a");
  EXPECT_EQ(material.tactics[2].origin.theorem.name, "b");
  EXPECT_EQ(material.tactics[2].prefix, "skip");
}

TEST_F(RunsAsMaterial, RepliesWithTheAcceptedProofAreKept) {
  const std::string statement = "theorem a (p : Prop) (h : p) : p := by";
  const llm::Message asked{.role = "user", .content = "Prove:\n" + statement};
  Generated({asked}, "```lean4\n" + statement + "\n  exact   h\n```");
  Generated({asked}, "```lean4\n" + statement + "\n  simp\n```");
  Generated({asked, {.role = "assistant", .content = "simp"}, {.role = "user", .content = "No."}},
            "```lean4\n" + statement + "\n  exact h\n```");
  Generated({{.role = "user", .content = "Something else."}}, "exact h");
  Finish({Row(0, "a", 2, "exact h")});
  const Material material = Read();
  ASSERT_EQ(material.replies.size(), 2U);
  EXPECT_EQ(material.replies[0].kind, "reply");
  EXPECT_THAT(material.replies[0].reply, HasSubstr("exact   h"));
  EXPECT_EQ(material.replies[1].kind, "correction");
}

TEST_F(RunsAsMaterial, SketchesHaveTheirPromptAndReward) {
  Append("theorem_begun", {{"theorem", 0}});
  Generated({{.role = "user", .content = "Divide it."}}, "three lemmas");
  Append("sketched", {{"reply", "three lemmas"}, {"reward", -1.0}, {"rubric", {{"value", 3}}}});
  Append("sketched", {{"reply", "never generated"}, {"reward", 1.0}});
  Finish({Row(0, "a", 2, "")});
  const Material material = Read();
  ASSERT_EQ(material.replies.size(), 1U);
  EXPECT_EQ(material.replies[0].kind, "sketch");
  EXPECT_EQ(material.replies[0].reward, -1.0);
  EXPECT_EQ(std::get<std::vector<llm::Message>>(material.replies[0].prompt)[0].content,
            "Divide it.");
}

TEST_F(RunsAsMaterial, ConversationsWithTheAcceptedProofAreKeptWhole) {
  Append("theorem_begun", {{"theorem", 0}});
  for (const char* by : {"0.1", "1.1", "2.1"}) {
    Append("message", {{"task", ""}, {"by", by}, {"role", "user"}, {"content", "Prove it."}});
    const json call{{"id", "1"}, {"name", "check"}, {"arguments", R"({"code": "by exact h"})"}};
    Append("message", {{"task", ""},
                       {"by", by},
                       {"role", "assistant"},
                       {"content", ""},
                       {"calls", by[0] == '2' ? json::array() : json::array({call})}});
  }
  Append("context_cut", {{"task", ""}, {"by", "1.1"}, {"how", "pruned"}});
  Finish({Row(0, "a", 2, "exact h")});
  const Material material = Read();
  ASSERT_EQ(material.conversations.size(), 1U) << "one was cut, one has no proof";
  EXPECT_EQ(material.conversations[0].messages.size(), 2U);
  EXPECT_EQ(material.conversations[0].messages[1].tool_calls.at(0).name, "check");
  EXPECT_EQ(material.skipped.at("context_cut"), 1U);
}

TEST_F(RunsAsMaterial, WhatModelsWereToldIsKeptOnce) {
  Append("theorem_begun", {{"theorem", 0}});
  Append("round_begun", {{"task", ""}, {"by", "0.0"}, {"words", "It is h."}});
  Append("round_begun",
         {{"task", ""}, {"by", "0.1"}, {"words", "It is h."}, {"notes", "simp does not help"}});
  Append("round_begun", {{"task", "a lemma"}, {"by", "0.0"}, {"words", "of the lemma"}});
  Append("sketched", {{"lemma", 0}, {"words", "As in a book."}, {"reply", "?"}, {"reward", 1.0}});
  Append("theorem_begun", {{"theorem", 1}});
  Append("round_begun", {{"task", ""}, {"by", "0.0"}, {"words", "one of two holes"}});
  Finish({Row(0, "a", 2, ""), Row(1, "b", 6, "")});
  std::vector<std::string> told;
  for (const Guide& guide : Read().guides) {
    EXPECT_EQ(guide.origin.theorem.name, "a");
    told.push_back(guide.words + "|" + guide.notes);
  }
  EXPECT_THAT(told, ElementsAre("It is h.|", "|simp does not help", "As in a book.|"));
}

// ---- evaluations

eval::Problem ProblemNamed(const std::string& name, const std::string& statement) {
  eval::Problem problem;
  problem.name = name;
  problem.theorem = name;
  problem.header = "open Nat\n\n";
  problem.statement = statement;
  problem.trailer = "\n";
  problem.source.file = "set.jsonl";
  return problem;
}

eval::ProblemResult ResultOf(const std::string& name, const std::string& proof) {
  eval::ProblemResult result;
  result.problem = name;
  result.outcome = proof.empty() ? eval::ProblemStatus::kUnproved : eval::ProblemStatus::kProved;
  result.attempts = 8;
  result.proved = proof.empty() ? 0 : 2;
  result.proof = proof;
  return result;
}

TEST(EvaluationsAsMaterial, ProofsAndPassRatesAreRead) {
  const auto folder = *core::TemporaryFolder::Create("material");
  const fs::path path = folder.path() / "run";
  eval::Manifest manifest;
  manifest.setup = {{"dataset", {{"name", "toy"}}}};
  manifest.parameters = {{"budget", "10s"}};
  manifest.problems = {ProblemNamed("a", "theorem a : 1 = 1 := by\n  sorry"),
                       ProblemNamed("b", "theorem b : 2 = 2 := by sorry"),
                       ProblemNamed("c", "theorem c : 3 = 3 := by\n  sorry")};
  ASSERT_TRUE(eval::BeginEvaluation(path, manifest));
  auto log = eval::ResultLog::Open(path / "results.jsonl");
  ASSERT_TRUE(log->Append(ResultOf("a", "show 1 = 1\nrfl")));
  ASSERT_TRUE(log->Append(ResultOf("b", "")));
  const auto with_lemma = ResultOf("c", "exact c_1");
  ASSERT_TRUE(log->Append(with_lemma));
  eval::ProofFiles files;
  files.text = "theorem c_1 : 3 = 3 := rfl\ntheorem c : 3 = 3 := by\n  exact c_1\n";
  ASSERT_TRUE(eval::WriteProof(path, with_lemma, files));
  Material material;
  const auto added = AddEvaluation(path, material);
  ASSERT_TRUE(added) << added.error().message;
  ASSERT_EQ(material.proofs.size(), 1U);
  EXPECT_EQ(material.proofs[0].tactics, "show 1 = 1\nrfl");
  EXPECT_EQ(material.proofs[0].origin.theorem.header, "open Nat\n\n");
  EXPECT_EQ(material.skipped.at("needs_lemmas"), 1U);
  std::vector<std::pair<size_t, size_t>> rates;
  for (const auto& attempts : material.attempts)
    rates.emplace_back(attempts.proved, attempts.samples);
  EXPECT_THAT(rates, ElementsAre(std::pair(2, 8), std::pair(0, 8), std::pair(2, 8)));
}

}  // namespace
}  // namespace zermelo::data
