// Compares every prompt with the published one, byte for byte. prompts/*.txt name the sources.
#include "llm/prompt/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "core/files/file.h"

namespace zermelo::llm {
namespace {

using ::testing::HasSubstr;

const std::string kHeader =
    "import Mathlib\nimport Aesop\n\nset_option maxHeartbeats 0\n\n"
    "open BigOperators Real Nat Topology Rat\n\n";
const std::string kInformal = "/-- What is $1 + 1$? Show that it is 2.-/\n";
const std::string kStatement = "theorem add_example (x : ℕ) (h : x = 1) :\n    x + 1 = 2 := by";

PromptInput Example() {
  return {.header = kHeader,
          .informal = kInformal,
          .statement = kStatement,
          .name = "add_example",
          .prefix = {},
          .state = {},
          .failed = {},
          .draw = 0};
}

class FormatTest : public ::testing::Test {
 protected:
  const Format& Named(const std::string& name) { return formats.at(name); }
  Request Build(const std::string& name, const PromptInput& input) {
    auto request = Named(name).Build(input);
    EXPECT_TRUE(request) << request.error().message;
    return request.value_or(Request{});
  }
  std::string Text(const std::string& name, const PromptInput& input) {
    return std::get<std::string>(Build(name, input).prompt);
  }
  std::vector<Message> Turns(const std::string& name, const PromptInput& input) {
    return std::get<std::vector<Message>>(Build(name, input).prompt);
  }
  Formats formats = LoadFormats(ZERMELO_SOURCE_DIR "/prompts").value();
  PromptInput input = Example();
};

Message User(std::string content) {
  return {.role = "user", .content = std::move(content), .tool_calls = {}, .tool_call_id = {}};
}
Message System(std::string content) {
  return {.role = "system", .content = std::move(content), .tool_calls = {}, .tool_call_id = {}};
}

TEST_F(FormatTest, DeepSeekProverV15) {
  EXPECT_EQ(Text("deepseek-prover-v1.5", input),
            "Complete the following Lean 4 code:\n\n```lean4\n"
            "import Mathlib\nimport Aesop\n\nset_option maxHeartbeats 0\n\n"
            "open BigOperators Real Nat Topology Rat\n\n"
            "/-- What is $1 + 1$? Show that it is 2.-/\n"
            "theorem add_example (x : ℕ) (h : x = 1) :\n    x + 1 = 2 := by\n");
}

TEST_F(FormatTest, SmallShowsTheStatementAlone) {
  EXPECT_EQ(Text("small", input), "```lean4\n" + kStatement + "\n");
  EXPECT_TRUE(Build("small", input).stop_at_fence);
  input.prefix = "  subst h\n";
  input.state = "⊢ 1 + 1 = 2";
  EXPECT_EQ(Text("small", input),
            "```lean4\n" + kStatement + "\n  subst h\n  /- tactic state:\n    ⊢ 1 + 1 = 2\n  -/\n");
}

TEST_F(FormatTest, DeepSeekProverV15Cot) {
  EXPECT_EQ(Text("deepseek-prover-v1.5-cot", input),
            "Complete the following Lean 4 code with explanatory comments preceding each line of "
            "code:\n\n```lean4\n" +
                kHeader + kInformal + kStatement + "\n");
}

/// The worked examples in a prompt, by their statements.
std::vector<std::string> ExamplesIn(const std::string& prompt) {
  std::vector<std::string> examples;
  for (size_t at = prompt.find("theorem "); at != std::string::npos;
       at = prompt.find("theorem ", at + 1)) {
    examples.push_back(prompt.substr(at, prompt.find(' ', at + 8) - at));
  }
  examples.pop_back();  // the problem
  return examples;
}

TEST_F(FormatTest, BaseModelSeesThreeWorkedExamples) {  // DeepSeek-Prover-V1.5, B.1
  const std::string prompt = Text("deepseek-prover-v1.5-base", input);
  const auto examples = ExamplesIn(prompt);
  ASSERT_EQ(examples.size(), 3U);
  EXPECT_EQ(std::set(examples.begin(), examples.end()).size(), 3U) << "without repetition";
  EXPECT_TRUE(prompt.ends_with(Text("deepseek-prover-v1.5", input)))
      << "the problem is asked alike";
  EXPECT_TRUE(prompt.starts_with("Complete the following Lean 4 code:\n\n```lean4\n" + kHeader +
                                 "theorem "))
      << "examples have the problem's header";
  EXPECT_THAT(prompt, HasSubstr("\n```\n\nComplete the following Lean 4 code:"));
}

TEST_F(FormatTest, EachCallDrawsItsOwnExamples) {
  std::set<std::vector<std::string>> drawn;
  std::set<std::string> seen;
  for (input.draw = 0; input.draw < 200; ++input.draw) {
    const auto examples = ExamplesIn(Text("deepseek-prover-v1.5-base", input));
    drawn.insert(examples);
    seen.insert(examples.begin(), examples.end());
  }
  EXPECT_EQ(seen.size(), Named("deepseek-prover-v1.5-base").examples.size());
  EXPECT_GT(drawn.size(), 100U) << "of 8 · 7 · 6 orders";
  input.draw = 7;
  EXPECT_EQ(Text("deepseek-prover-v1.5-base", input), Text("deepseek-prover-v1.5-base", input));
}

TEST_F(FormatTest, ExampleThatProvesTheProblemIsLeftOut) {
  const auto shown = [&] {
    std::set<std::string> seen;
    for (input.draw = 0; input.draw < 200; ++input.draw) {
      const auto examples = ExamplesIn(Text("deepseek-prover-v1.5-base", input));
      EXPECT_EQ(examples.size(), 3U);
      seen.insert(examples.begin(), examples.end());
    }
    return seen;
  };
  const size_t all = Named("deepseek-prover-v1.5-base").examples.size();
  input.name = "MiniF2F.mathd_numbertheory_33";
  auto seen = shown();
  EXPECT_EQ(seen.size(), all - 1);
  EXPECT_FALSE(seen.contains("theorem mathd_numbertheory_33")) << "by its name";
  input.name = "mathd_numbertheory_3";
  EXPECT_EQ(shown().size(), all) << "another name that begins alike";
  input.name = "renamed";
  input.statement =
      "theorem renamed (a b : Nat)\n    (h₀ : 0 < a ∧ 0 < b) (h₁ : a + b = 20) (h₂ : a = 3 * b) :\n"
      "    a - b = 10 := by";
  seen = shown();
  EXPECT_EQ(seen.size(), all - 1);
  EXPECT_FALSE(seen.contains("theorem mathd_algebra_123")) << "by its statement";
}

TEST_F(FormatTest, DeepSeekProverV15WithTheTacticStateAfterAPrefix) {
  input.prefix = "  have h' : x = 1 := by\n    subst h\n";
  input.state = "x : ℕ\nh : x = 1\n⊢ x = 1\n\ncase b\n⊢ True";
  const std::string continued = kHeader + kInformal + kStatement +
                                "\n  have h' : x = 1 := by\n    subst h\n"
                                "    /- tactic state:\n"
                                "      x : ℕ\n      h : x = 1\n      ⊢ x = 1\n"
                                "      \n"
                                "      case b\n      ⊢ True\n"
                                "    -/\n";
  EXPECT_EQ(Text("deepseek-prover-v1.5", input),
            "Complete the following Lean 4 code:\n\n```lean4\n" + continued);
  EXPECT_EQ(Text("deepseek-prover-v1.5-cot", input),
            "Complete the following Lean 4 code with explanatory comments preceding each line of "
            "code:\n\n```lean4\n" +
                continued);
}

TEST_F(FormatTest, AtTheRootThereIsNoTacticState) {
  input.state = "⊢ 1 + 1 = 2";
  EXPECT_EQ(Text("deepseek-prover-v1.5", input), Text("deepseek-prover-v1.5", Example()));
}

TEST_F(FormatTest, DeepSeekProverV15StopsAtTheFenceThatThePromptOpened) {  // B.1
  for (const char* name :
       {"deepseek-prover-v1.5", "deepseek-prover-v1.5-cot", "deepseek-prover-v1.5-base"}) {
    const Request request = Build(name, input);
    EXPECT_TRUE(request.stop_at_fence) << name;
    EXPECT_TRUE(request.fence_is_open) << name;
    EXPECT_EQ(request.sampling, (Sampling{.n = 1,
                                          .temperature = 1,
                                          .top_p = 0.95,
                                          .max_tokens = 2048,
                                          .stop = {},
                                          .seed = {},
                                          .logprobs = false}))
        << name;
  }
}

TEST_F(FormatTest, DeepSeekProverV2) {
  EXPECT_EQ(Turns("deepseek-prover-v2", input),
            std::vector{User("Complete the following Lean 4 code:\n\n```lean4\n" + kHeader +
                             kInformal + kStatement + "\n  sorry\n```")});
  EXPECT_TRUE(Build("deepseek-prover-v2", input).stop_at_fence);
  EXPECT_FALSE(Build("deepseek-prover-v2", input).fence_is_open);
}

constexpr const char* kPlan =
    "\n\nBefore producing the Lean 4 code to formally prove the given theorem, provide a detailed "
    "proof plan outlining the main proof steps and strategies.\nThe plan should highlight key "
    "ideas, intermediate lemmas, and proof structures that will guide the construction of the "
    "final formal proof.";

TEST_F(FormatTest, DeepSeekProverV2Cot) {
  EXPECT_EQ(Turns("deepseek-prover-v2-cot", input),
            std::vector{User("Complete the following Lean 4 code:\n\n```lean4\n" + kHeader +
                             kInformal + kStatement + "\n  sorry\n```" + kPlan)});
  EXPECT_FALSE(Build("deepseek-prover-v2-cot", input).stop_at_fence)
      << "the plan may contain code blocks";
}

TEST_F(FormatTest, GoedelProverV2WithItsCorrectionTurns) {
  const std::string first = "Complete the following Lean 4 code:\n\n```lean4\n" + kHeader +
                            kInformal + kStatement + " sorry```" + kPlan;
  EXPECT_EQ(Turns("goedel-prover-v2", input), std::vector{User(first)});

  input.failed = {{.reply = "plan {errors} ```lean4\nbad\n```", .errors = "\nError 1:\n"},
                  {.reply = "again", .errors = "E"}};
  const auto turns = Turns("goedel-prover-v2", input);
  ASSERT_EQ(turns.size(), 5u);
  EXPECT_EQ(turns[0].content, first);
  EXPECT_EQ(turns[1].role, "assistant");
  EXPECT_EQ(turns[1].content, "plan {errors} ```lean4\nbad\n```")
      << "the reply is repeated as it was";
  EXPECT_EQ(turns[2],
            User("The proof (Round 0) is not correct. Following is the compilation error message, "
                 "where we use <error></error> to signal the position of the error.\n\n"
                 "\nError 1:\n"
                 "\n\nBefore producing the Lean 4 code to formally prove the given theorem, "
                 "provide a detailed analysis of the error message."));
  EXPECT_THAT(turns[4].content, HasSubstr("(Round 1)"));
}

TEST_F(FormatTest, Kimina) {
  EXPECT_EQ(Turns("kimina", input),
            (std::vector{System("You are an expert in mathematics and Lean 4."),
                         User("Think about and solve the following problem step by step in Lean 4."
                              "\n# Problem:What is $1 + 1$? Show that it is 2."
                              "\n# Formal statement:\n```lean4\n" +
                              kHeader + kInformal + kStatement + "\n```\n")}));
}

TEST_F(FormatTest, StpWithAndWithoutAHeaderOfTheProblem) {
  EXPECT_EQ(Text("stp", input),
            "Complete the following Lean 4 code:\n\n```lean4\n" + kHeader + kStatement);
  input.header =
      "import Mathlib\nimport Aesop\nset_option maxHeartbeats 0\n"
      "open BigOperators Real Nat Topology Rat\n\n";
  EXPECT_EQ(Text("stp", input),
            "Complete the following Lean 4 code:\n\n```lean4\nimport Mathlib\nimport Aesop\n"
            "set_option maxHeartbeats 0\nopen BigOperators Real Nat Topology Rat\n\n" +
                kStatement);
}

TEST_F(FormatTest, BfsProverSeesTheFirstGoal) {
  input.state =
      "case inl\nx : ℕ\nthis : True\nthis✝ : True\nh : x = 1\n⊢ x = 1\n\n"
      "case inr\n⊢ True";
  EXPECT_EQ(Text("bfs-prover", input), "x : ℕ\nh : x = 1\n⊢ x = 1:::");
}

TEST_F(FormatTest, InternLmStepProver) {
  input.name = "Nat.add_example";
  input.prefix = "  intro y\n  cases y with\n    | zero => rfl\n";
  input.state = "x : ℕ\n⊢ x = x";
  EXPECT_EQ(Text("internlm2.5-stepprover", input),
            "<|im_start|>user\n---\nNAME: Nat.add_example\n\n---\nPROOF_BEFORE: intro y\n"
            "cases y with\n  | zero => rfl\n\n---\nSTATE_BEFORE: x : ℕ\n⊢ x = x\n\n---\nTACTIC: "
            "<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(Build("internlm2.5-stepprover", input).sampling.stop,
            std::vector<std::string>{"<|im_end|>"});
}

TEST_F(FormatTest, AnyChatModel) {
  input.prefix = "  intro y\n";
  const auto turns = Turns("chat", input);
  ASSERT_EQ(turns.size(), 2u);
  EXPECT_THAT(turns[1].content, HasSubstr("```lean4\n" + kHeader + kInformal + kStatement +
                                          "\n  intro y\n  sorry\n```\n"));
}

TEST_F(FormatTest, PlaceholdersInValuesStay) {
  input.header = "-- {statement} {x : ℕ}\n";
  input.informal = "/-- {problem} -/\n";
  EXPECT_EQ(Text("deepseek-prover-v1.5", input),
            "Complete the following Lean 4 code:\n\n```lean4\n-- {statement} {x : ℕ}\n"
            "/-- {problem} -/\n" +
                kStatement + "\n");
}

TEST_F(FormatTest, UnsupportedInputIsAnError) {
  input.prefix = "  simp\n";
  const auto continued = Named("goedel-prover-v2").Build(input);
  ASSERT_FALSE(continued);
  EXPECT_EQ(continued.error().message, "format goedel-prover-v2 cannot continue a proof");
  input.prefix.clear();
  input.failed = {{.reply = "r", .errors = "e"}};
  const auto corrected = Named("kimina").Build(input);
  ASSERT_FALSE(corrected);
  EXPECT_EQ(corrected.error().message, "format kimina cannot correct a proof");
}

TEST_F(FormatTest, AMisspeltNameSuggestsTheNearest) {
  const auto found = FindFormat(formats, "kimona");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().hint, "did you mean `kimina`?");
}

TEST(ParseFormatTest, ErrorsNameFileAndLine) {
  struct Case {
    std::string text, message, hint;
  };
  const std::vector<Case> cases{
      {"kidn: chat\n", "p.txt:1: unknown setting `kidn`", "did you mean `kind`?"},
      {"# c\n\nkind: chatty\n", "p.txt:3: `chatty` is not one of: completion, chat", ""},
      {"temperature: 3\n", "p.txt:1: `3` is not a number from 0 to 2", ""},
      {"temperature: nan\n", "p.txt:1: `nan` is not a number from 0 to 2", ""},
      {"max_tokens: 1.5\n", "p.txt:1: `1.5` is not a number from 1 to 16777216", ""},
      {"stop: ``` \n", "p.txt:1: a stop string must be written as in JSON, with quotation marks",
       ""},
      {"kind: chat\nkind: chat\n", "p.txt:2: duplicate setting: kind", ""},
      {"=== usr\n", "p.txt:1: unknown section `usr`", "did you mean `user`?"},
      {"=== user\n{statment}\n=== end\n", "p.txt:1: section `user`: unknown placeholder {statment}",
       "did you mean `statement`?"},
      {"=== user\nx\n=== user\ny\n=== end\n", "p.txt:3: duplicate section: user", ""},
      {"=== user\nx\n", "p.txt:2: `=== end` is missing", ""},
      {"kind: chat\n=== end\n", "p.txt:2: section `user` is missing", ""},
      {"kind: completion\n=== prompt\nx\n=== user\ny\n=== end\n",
       "p.txt:6: a completion format cannot have a section `user`", ""},
      {"shots: 2\n=== example\nx\n=== user\n{examples}\n=== end\n",
       "p.txt:6: 2 shots need as many sections `example`", ""},
      {"=== user\nx\n=== end\nmore\n", "p.txt:3: unexpected text after `=== end`", ""},
      {"", "p.txt:0: `=== end` is missing", ""},
  };
  for (const Case& c : cases) {
    const auto format = ParseFormat("p.txt", c.text);
    ASSERT_FALSE(format) << c.text;
    EXPECT_EQ(format.error().message, c.message);
    EXPECT_EQ(format.error().hint, c.hint);
  }
}

TEST(ParseFormatTest, ASectionEndsBeforeTheLineBreakOfTheNext) {
  const auto format = ParseFormat("a/x.txt", "=== system\n=== user\nhi\n\n=== end\n");
  ASSERT_TRUE(format) << format.error().message;
  EXPECT_EQ(format->name, "x");
  EXPECT_EQ(format->sections.at("system"), "");
  EXPECT_EQ(format->sections.at("user"), "hi\n");
}

TEST(PromptFolderTest, IsFoundAboveTheProgram) {
  EXPECT_EQ(PromptFolder(), ZERMELO_SOURCE_DIR "/prompts");
}

TEST(PromptFolderTest, AFolderWithoutFormatsIsAnError) {
  const auto folder = core::TemporaryFolder::Create("zermelo-test-");
  const auto formats = LoadFormats(folder->path());
  ASSERT_FALSE(formats);
  EXPECT_EQ(formats.error().code, core::ErrorCode::kEnvironment);
}

}  // namespace
}  // namespace zermelo::llm
