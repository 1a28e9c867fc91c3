#include "data/rows/rows.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "data/declared_proof.h"
#include "data/export.h"

namespace zermelo::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kFile = R"(import A

theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := by
  obtain ⟨a, b⟩ := h
  constructor
  · exact b
  · exact a
)";

llm::Format FormatNamed(const std::string& name) {
  const auto formats = llm::LoadFormats(std::string(ZERMELO_SOURCE_DIR) + "/prompts");
  return formats->at(name);
}

ProofExample Example() {
  const syntax::File file(kFile);
  auto proof = ProofOf(file, file.declarations().front());
  ProofExample example;
  example.origin = {.theorem = proof->theorem, .module = "M", .source = {{"theorem", "t"}}};
  example.tactics = proof->tactics;
  for (const char* tactic : {"obtain", "constructor", "· exact b", "exact b", "· exact a"}) {
    TracedTactic traced;
    traced.begin = example.tactics.find(tactic);
    traced.tactic = tactic;
    traced.before = std::string("state before ") + tactic + "\n⊢ g";
    example.traced.push_back(traced);
  }
  return example;
}

std::vector<Row> Rows(const std::string& format, const ProofExample& example, size_t cuts) {
  Material material;
  material.proofs.push_back(example);
  auto rows = SftRows(material, {.format = FormatNamed(format), .cuts = cuts});
  return rows ? *rows : std::vector<Row>();
}

TEST(SftRowsTest, WholeProofContinuesThePromptToTheFence) {
  const auto rows = Rows("deepseek-prover-v1.5", Example(), 0);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].json["prompt"],
            "Complete the following Lean 4 code:\n\n```lean4\nimport A\n\n"
            "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := by\n");
  EXPECT_EQ(rows[0].json["completion"],
            "  obtain ⟨a, b⟩ := h\n  constructor\n  · exact b\n  · exact a\n```");
  EXPECT_EQ(rows[0].json["source"], (nlohmann::json{{"theorem", "t"}, {"kind", "proof"}}));
}

TEST(SftRowsTest, CompletionBeginsALineIfThePromptDoesNotEndOne) {
  const auto rows = Rows("stp", Example(), 1);
  ASSERT_EQ(rows.size(), 1U) << "the format has no place for states";
  EXPECT_THAT(rows[0].json["completion"], ::testing::StartsWith("\n  obtain"));
}

TEST(SftRowsTest, ChatFormatsHaveMessages) {
  const auto rows = Rows("chat", Example(), 1);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].json["prompt"][0]["role"], "system");
  ASSERT_EQ(rows[0].json["completion"].size(), 1U);
  EXPECT_EQ(rows[0].json["completion"][0]["role"], "assistant");
  EXPECT_THAT(rows[0].json["completion"][0]["content"],
              ::testing::StartsWith("```lean4\ntheorem t (p q : Prop)"));
}

TEST(SftRowsTest, LossBeginsWithTheTacticState) {
  const auto rows = Rows("deepseek-prover-v1.5", Example(), 100);
  ASSERT_EQ(rows.size(), 4U) << "a whole proof, and cuts after obtain, constructor and a bullet";
  const auto& segments = rows[2].json["segments"];
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_EQ(segments[0]["loss"], false);
  EXPECT_EQ(segments[1]["loss"], true);
  EXPECT_THAT(segments[0]["text"], ::testing::EndsWith("  constructor\n  /- tactic state:\n    "));
  EXPECT_THAT(segments[1]["text"],
              ::testing::StartsWith("state before · exact b\n    ⊢ g\n  -/\n"));
  EXPECT_THAT(segments[1]["text"], ::testing::EndsWith("\n  · exact b\n  · exact a\n```"));
}

TEST(SftRowsTest, CutsAreTheSameEachTime) {
  const auto first = Rows("deepseek-prover-v1.5", Example(), 1);
  const auto second = Rows("deepseek-prover-v1.5", Example(), 1);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[1].json, second[1].json);
}

TEST(SftRowsTest, TacticFormatsGetTacticsWithTheirStates) {
  const auto rows = Rows("bfs-prover", Example(), 1);
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[1].json["prompt"], "state before constructor\n⊢ g:::");
  EXPECT_EQ(rows[1].json["completion"], "constructor");
  EXPECT_EQ(rows[1].kind, "tactic");
}

TEST(SftRowsTest, TacticsBeforeAreThoseOfWholeLines) {
  const auto rows = Rows("internlm2.5-stepprover", Example(), 1);
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_THAT(rows[3].json["prompt"],
              HasSubstr("PROOF_BEFORE: obtain ⟨a, b⟩ := h\nconstructor\n\n"));
}

TEST(SftRowsTest, FailedTacticsAreLabelled) {
  Material material;
  for (const bool failed : {false, true}) {
    SearchTactic tactic;
    tactic.origin = Example().origin;
    tactic.tactic = failed ? "omega" : "simp";
    tactic.state = "⊢ g";
    tactic.failed = failed;
    material.tactics.push_back(tactic);
  }
  RowOptions options{.format = FormatNamed("bfs-prover")};
  const auto plain = SftRows(material, options);
  ASSERT_EQ(plain->size(), 1U);
  EXPECT_FALSE((*plain)[0].json.contains("label"));
  options.failed = true;
  const auto labelled = SftRows(material, options);
  ASSERT_EQ(labelled->size(), 2U);
  EXPECT_EQ((*labelled)[0].json["label"], true);
  EXPECT_EQ((*labelled)[1].json["label"], false);
}

TEST(SftRowsTest, ProofWithLemmasNeedsAFormatThatHasThem) {
  ProofExample example = Example();
  example.auxiliary = "theorem t_aux : True := trivial\n\n";
  EXPECT_TRUE(Rows("deepseek-prover-v1.5", example, 1).empty());
  const auto rows = Rows("chat", example, 1);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_THAT(rows[0].json["completion"][0]["content"],
              ::testing::StartsWith("```lean4\ntheorem t_aux : True := trivial\n\ntheorem t "));
}

TEST(SftRowsTest, RepliesAreExportedOnRequest) {
  Material material;
  ReplyExample reply;
  reply.origin = Example().origin;
  reply.prompt = std::vector<llm::Message>{{.role = "user", .content = "Prove it."}};
  reply.reply = "I think first.\n```lean4\nproof\n```";
  reply.kind = "correction";
  reply.reasoning = "Hm.";
  material.replies.push_back(reply);
  RowOptions options{.format = FormatNamed("chat")};
  EXPECT_TRUE(SftRows(material, options)->empty());
  options.replies = true;
  const auto rows = SftRows(material, options);
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ((*rows)[0].kind, "correction");
  EXPECT_EQ((*rows)[0].json["completion"][0]["content"], reply.reply);
  EXPECT_EQ((*rows)[0].json["completion"][0]["reasoning_content"], "Hm.");
}

TEST(SftRowsTest, SketchesThatEarnedNothingAreLeftOut) {
  Material material;
  for (const double reward : {1.0, -1.0}) {
    ReplyExample sketch{.origin = Example().origin, .kind = "sketch", .prompt = "Divide it."};
    sketch.reward = reward;
    sketch.rubric = {{"alignment", 8}};
    material.replies.push_back(sketch);
  }
  RowOptions options{.format = FormatNamed("chat"), .replies = true};
  const auto good = SftRows(material, options);
  ASSERT_EQ(good->size(), 1U);
  EXPECT_EQ((*good)[0].json["reward"], 1.0);
  EXPECT_EQ((*good)[0].json["rubric"]["alignment"], 8);
  options.failed = true;
  EXPECT_EQ(SftRows(material, options)->at(1).json["label"], false);
}

TEST(SftRowsTest, ConversationsKeepTheirToolCalls) {
  Material material;
  Conversation conversation{.origin = Example().origin, .messages = {}};
  llm::Message call{.role = "assistant", .content = ""};
  call.tool_calls.push_back({.id = "1", .name = "check", .arguments = "{}"});
  conversation.messages.push_back(call);
  conversation.messages.push_back({.role = "tool", .content = "fine", .tool_call_id = "1"});
  material.conversations.push_back(conversation);
  const auto rows = SftRows(material, {.format = FormatNamed("chat"), .replies = true});
  ASSERT_EQ(rows->size(), 1U);
  const auto& messages = (*rows)[0].json["messages"];
  EXPECT_EQ(messages[0]["tool_calls"][0]["function"]["name"], "check");
  EXPECT_EQ(messages[1]["tool_call_id"], "1");
}

TEST(RlRowsTest, AttemptsAtTheSameTheoremAreAddedUp) {
  Material material;
  const Origin origin = Example().origin;
  material.attempts.push_back({.origin = origin, .samples = 4, .proved = 1});
  material.attempts.push_back({.origin = origin, .samples = 4, .proved = 3});
  Origin other = origin;
  other.theorem = syntax::TheoremOf("theorem u : True");
  material.attempts.push_back({.origin = other});
  const auto rows = RlRows(material, {.formats = {FormatNamed("deepseek-prover-v1.5")}});
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[0].json["pass_rate"], 0.5);
  EXPECT_EQ((*rows)[0].json["samples"], 8);
  EXPECT_EQ((*rows)[0].json["theorem"]["header"], "import A\n\n");
  EXPECT_TRUE((*rows)[1].json["pass_rate"].is_null());
}

TEST(RlRowsTest, GuidesAreForTheSameTheoremAndInThePrompt) {
  Material material;
  const Origin origin = Example().origin;
  material.attempts.push_back({.origin = origin, .samples = 32, .proved = 2});
  Origin other = origin;
  other.theorem = syntax::TheoremOf("theorem u : True");
  material.attempts[0].origin.theorem.doc = "/-- A swap. -/\n";
  material.guides = {{.origin = origin, .words = "Swap -/ them.", .notes = ""},
                     {.origin = origin, .words = "", .notes = "simp fails"},
                     {.origin = other, .words = "never attempted", .notes = ""}};
  RlOptions options{.formats = {FormatNamed("deepseek-prover-v1.5")}};
  EXPECT_EQ(RlRows(material, options)->size(), 1U);
  options.guided = true;
  const auto rows = RlRows(material, options);
  ASSERT_EQ(rows->size(), 3U);
  EXPECT_EQ((*rows)[0].kind, "rl_prompt");
  EXPECT_FALSE((*rows)[0].json.contains("words"));
  EXPECT_EQ((*rows)[1].kind, "rl_guided");
  EXPECT_EQ((*rows)[1].json["words"], "Swap -/ them.");
  EXPECT_FALSE((*rows)[1].json.contains("notes"));
  EXPECT_THAT((*rows)[1].json["prompt"].get<std::string>(),
              HasSubstr("/-- A swap.\n\nSwap - / them. -/\n"));
  EXPECT_EQ((*rows)[2].json["notes"], "simp fails");
  EXPECT_THAT((*rows)[2].json["prompt"].get<std::string>(),
              HasSubstr("/-- A swap.\n\nsimp fails -/\n"));
  for (const Row& row : *rows) {
    EXPECT_EQ(row.json["proved"], 2) << "of all samples, whatever they were told";
    EXPECT_EQ(row.json["theorem"]["statement"], origin.theorem.Opening());
  }
}

/// Ten theorems, two of which have a known proof with three places to begin at.
Material Theorems() {
  Material material;
  for (int i = 0; i < 10; ++i) {
    ProofExample example = Example();
    const std::string header = example.origin.theorem.header;
    example.origin.theorem =
        syntax::TheoremOf("theorem t" + std::to_string(i) + " (p q : Prop) (h : p ∧ q) : q ∧ p");
    example.origin.theorem.header = header;
    material.attempts.push_back({.origin = example.origin, .samples = 4, .proved = 1});
    if (i < 2) material.proofs.push_back(example);
  }
  return material;
}

std::vector<Row> PartialRows(const std::vector<Row>& rows) {
  std::vector<Row> partial;
  std::ranges::copy_if(rows, std::back_inserter(partial),
                       [](const Row& row) { return row.kind == "rl_partial"; });
  return partial;
}

RlOptions PartialOptions(double share) {
  return {.formats = {FormatNamed("deepseek-prover-v1.5")}, .partial = share, .seed = 1};
}

TEST(RlRowsTest, PartialPromptsHaveTheProofSoFarAndItsState) {
  const auto rows = RlRows(Theorems(), PartialOptions(1));
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 6U) << "no whole ones";
  EXPECT_EQ((*rows)[1].json["prefix"], "  obtain ⟨a, b⟩ := h\n  constructor\n");
  EXPECT_THAT((*rows)[1].json["prompt"].get<std::string>(),
              ::testing::EndsWith("theorem t0 (p q : Prop) (h : p ∧ q) : q ∧ p := by\n"
                                  "  obtain ⟨a, b⟩ := h\n  constructor\n  /- tactic state:\n"
                                  "    state before · exact b\n    ⊢ g\n  -/\n"));
  EXPECT_EQ((*rows)[1].json["theorem"]["statement"],
            "theorem t0 (p q : Prop) (h : p ∧ q) : q ∧ p := by");
  EXPECT_EQ((*rows)[1].json["pass_rate"], 0.25) << "of the whole theorem";
  EXPECT_EQ((*rows)[1].json["source"]["kind"], "rl_partial");
}

TEST(RlRowsTest, ThePartialShareIsOfAllPrompts) {
  const auto rows = RlRows(Theorems(), PartialOptions(1.0 / 3));
  EXPECT_EQ(rows->size(), 15U);
  EXPECT_EQ(PartialRows(*rows).size(), 5U);
}

TEST(RlRowsTest, ThePartialShareIsOfGuidedPromptsToo) {
  Material material = Theorems();
  for (const Attempts& attempts : Theorems().attempts) {
    material.guides.push_back({.origin = attempts.origin, .words = "Swap them.", .notes = ""});
  }
  RlOptions options = PartialOptions(1.0 / 6);
  options.guided = true;
  EXPECT_EQ(PartialRows(*RlRows(material, options)).size(), 4U) << "beside 10 + 10";
  options.partial = 1;
  EXPECT_EQ(RlRows(material, options)->size(), PartialRows(*RlRows(material, options)).size());
}

TEST(RlRowsTest, PartialPromptsComeEvenlyFromAllProofs) {
  RlOptions options = PartialOptions(1.0 / 6);  // 2 beside 10
  std::set<std::string> places;
  for (options.seed = 1; options.seed < 20; ++options.seed) {
    const auto partial = PartialRows(*RlRows(Theorems(), options));
    ASSERT_EQ(partial.size(), 2U);
    EXPECT_NE(partial[0].json["theorem"]["name"], partial[1].json["theorem"]["name"]);
    places.insert(partial[0].json["prefix"].get<std::string>());
    EXPECT_EQ(Lines(PartialRows(*RlRows(Theorems(), options))), Lines(partial));
  }
  EXPECT_EQ(places.size(), 3U) << "the seed chooses the place";
}

TEST(RlRowsTest, NoMorePartialPromptsThanThereArePlaces) {
  EXPECT_EQ(RlRows(Theorems(), PartialOptions(0.9))->size(), 16U);
}

TEST(RlRowsTest, EveryPromptIsWrittenInEachFormat) {
  RlOptions options = PartialOptions(1.0 / 6);
  options.formats.push_back(FormatNamed("deepseek-prover-v1.5-cot"));
  const auto rows = RlRows(Theorems(), options);
  ASSERT_EQ(rows->size(), 24U);
  const auto partial = PartialRows(*rows);
  EXPECT_EQ(partial[0].json["prefix"], partial[1].json["prefix"]);
  EXPECT_THAT(partial[1].json["prompt"].get<std::string>(), HasSubstr("explanatory comments"));
}

TEST(RlRowsTest, APartialPromptNeedsAStateAndAPlaceForIt) {
  RlOptions options = PartialOptions(0.5);
  options.formats = {FormatNamed("stp")};
  EXPECT_EQ(RlRows(Theorems(), options).error().code, core::ErrorCode::kUsage);
  Material untraced = Theorems();
  for (ProofExample& proof : untraced.proofs) proof.traced.clear();
  EXPECT_EQ(RlRows(untraced, PartialOptions(0.5)).error().code, core::ErrorCode::kInput);
}

}  // namespace
}  // namespace zermelo::data
