#include "policy/configured.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/testing/testing.h"
#include "llm/testing/fake_model.h"

namespace zermelo::policy {
namespace {

using core::testing::Await;
using core::testing::Generous;
using llm::testing::FakeModel;
using llm::testing::Within;

/// A fake for every model of the configuration, which answers with the given text.
class ConfiguredTest : public ::testing::Test {
 protected:
  void Read(const std::string& toml) {
    const auto read = core::ParseConfig("zermelo.toml", toml);
    ASSERT_TRUE(read) << read.error().message;
    for (const auto& [name, config] : read->models) {
      fakes[name] = std::make_unique<FakeModel>(
          io.get_executor(), name, [this, name = name](const llm::Request& request, size_t) {
            return llm::testing::Answer(
                std::vector<std::string>(static_cast<size_t>(request.sampling.n), says[name]));
          });
      models.push_back({config, fakes[name].get()});
    }
  }
  int Asked(const std::string& model, size_t call = 0) {
    return fakes.at(model)->requests.at(call).sampling.n;
  }

  boost::asio::io_context io;
  llm::Formats formats = llm::LoadFormats(ZERMELO_SOURCE_DIR "/prompts").value();
  std::map<std::string, std::unique_ptr<FakeModel>> fakes;
  std::map<std::string, std::string> says;
  std::vector<ConfiguredModel> models;
};

/// DeepSeek-Prover-V2-7B and Kimina-7B share ten tactics a node.
TEST_F(ConfiguredTest, BourbakisTwoModels) {
  Read(R"toml(
    [models.deepseek]
    endpoint = "http://one/v1"
    format = "deepseek-prover-v2-cot"
    [models.kimina]
    endpoint = "http://two/v1"
    format = "kimina"
  )toml");
  const std::string answer =
      "```lean4\ntheorem t (a : Nat) : a = a := by\n  intro x\n  {}\n  done\n```";
  says["deepseek"] = fmt::format(fmt::runtime(answer), "tactic_one");
  says["kimina"] = fmt::format(fmt::runtime(answer), "tactic_two");
  const auto ensemble = MakeStepEnsemble(models, formats, 10);
  ASSERT_TRUE(ensemble) << ensemble.error().message;
  StepContext context;
  context.theorem = syntax::TheoremOf("theorem t (a : Nat) : a = a");
  context.prefix = "  intro x\n";
  context.printed = "a : Nat\n⊢ a = a";
  context.state = syntax::ParseProofState(context.printed);
  const auto proposal = Await(io, (*ensemble)->Propose(context, 60, Within(Generous())));
  ASSERT_TRUE(proposal) << proposal.error().message;
  std::map<std::string, std::string> origins;
  for (const auto& candidate : proposal->candidates) origins[candidate.tactic] = candidate.origin;
  EXPECT_EQ(origins["tactic_one"], "deepseek");
  EXPECT_EQ(origins["tactic_two"], "kimina");
  EXPECT_EQ(origins["rfl"], "built-in");
  EXPECT_EQ(Asked("deepseek"), 5);
  EXPECT_EQ(Asked("kimina"), 5);
}

TEST_F(ConfiguredTest, CotAndNonCotShareAModelThatSharesTheSamples) {
  Read(R"toml(
    [models.a]
    endpoint = "http://one/v1"
    formats = { "deepseek-prover-v1.5-cot" = 3, "deepseek-prover-v1.5" = 1 }
    weight = 2
    sampling = { temperature = 0.5 }
    [models.b]
    endpoint = "http://two/v1"
    format = "stp"
  )toml");
  says = {{"a", "  simp\n```"}, {"b", "\n  rfl"}};
  const auto ensemble = MakeCompletionEnsemble(models, formats);
  ASSERT_TRUE(ensemble) << ensemble.error().message;
  CompletionInput input;
  input.theorem = syntax::TheoremOf("theorem t : True");
  const auto samples = Await(io, (*ensemble)->Complete(input, 12, Within(Generous())));
  ASSERT_TRUE(samples) << samples.error().message;
  std::map<std::string, int> counts;
  for (const auto& sample : samples->samples) ++counts[sample.origin];
  EXPECT_EQ(counts,
            (std::map<std::string, int>{
                {"a/deepseek-prover-v1.5", 2}, {"a/deepseek-prover-v1.5-cot", 6}, {"b", 4}}));
  EXPECT_EQ(fakes["a"]->requests[0].sampling.temperature, 0.5);
  EXPECT_EQ(fakes["a"]->requests[0].sampling.max_tokens, 2048) << "the setting of the format";
  EXPECT_EQ(fakes["b"]->requests[0].sampling.max_tokens, 1024);
}

TEST_F(ConfiguredTest, AnUnknownFormatIsAnError) {
  Read("[models.m]\nendpoint = \"http://h/v1\"\nformat = \"kimona\"\n");
  const auto ensemble = MakeStepEnsemble(models, formats, 1);
  ASSERT_FALSE(ensemble);
  EXPECT_EQ(ensemble.error().message, "model m: unknown prompt format `kimona`");
  EXPECT_EQ(ensemble.error().hint, "did you mean `kimina`?");
}

TEST_F(ConfiguredTest, AModelOfTacticsDoesNotWriteProofs) {
  Read("[models.m]\nendpoint = \"http://h/v1\"\nformat = \"bfs-prover\"\n");
  const auto ensemble = MakeCompletionEnsemble(models, formats);
  ASSERT_FALSE(ensemble);
  EXPECT_EQ(ensemble.error().message,
            "m replies with single tactics (format bfs-prover), not with whole proofs");
}

TEST_F(ConfiguredTest, EachTreeKeepsToOnePromptByWeight) {
  Read(
      "[models.a]\nendpoint = \"http://h/v1\"\n"
      "formats = { \"deepseek-prover-v1.5\" = 1, \"deepseek-prover-v1.5-cot\" = 3 }\n");
  const auto ensemble = MakeCompletionEnsemble(models, formats);
  ASSERT_TRUE(ensemble);
  EXPECT_TRUE((*ensemble)->ContinuesProofs());
  std::map<std::string, int> trees;
  for (size_t tree = 0; tree < 8; ++tree) {
    CompletionPolicy& policy = (*ensemble)->ForTree(tree);
    EXPECT_EQ(&policy, &(*ensemble)->ForTree(tree));
    const auto samples = Await(io, policy.Complete({}, 3, Within(Generous())));
    ASSERT_TRUE(samples);
    for (const auto& sample : samples->samples) {
      EXPECT_EQ(sample.origin, samples->samples[0].origin);
    }
    ++trees[samples->samples[0].origin];
  }
  EXPECT_EQ(trees, (std::map<std::string, int>{{"a/deepseek-prover-v1.5", 2},
                                               {"a/deepseek-prover-v1.5-cot", 6}}));
}

TEST_F(ConfiguredTest, ModelsThatCannotContinueAProofProposeNoTactics) {
  Read("[models.k]\nendpoint = \"http://h/v1\"\nformat = \"stp\"\n");
  const auto ensemble = MakeStepEnsemble(models, formats, 4, false);
  ASSERT_TRUE(ensemble);
  EXPECT_TRUE((*ensemble)->empty());
  EXPECT_FALSE((*MakeCompletionEnsemble(models, formats))->ContinuesProofs());
}

TEST_F(ConfiguredTest, WithoutModelsThereIsTheBuiltInPolicy) {
  const auto ensemble = MakeStepEnsemble({}, formats, 8);
  ASSERT_TRUE(ensemble);
  StepContext context;
  context.state = syntax::ParseProofState("⊢ 1 = 1");
  const auto proposal = Await(io, (*ensemble)->Propose(context, 5, Within(Generous())));
  ASSERT_TRUE(proposal);
  EXPECT_EQ(proposal->candidates.size(), 5u);
}

}  // namespace
}  // namespace zermelo::policy
