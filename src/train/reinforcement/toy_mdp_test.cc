// A decision process whose optimum is known: 20 steps, in each of which the policy reads the step's
// number (as a tool's answer, which is not learnt) and has to take its action. A wrong one costs
// 1/5, all of it at the end. The optimum is 1; actions at random earn -2.8.
//
// GRPO and VAPO arrive in a number of updates in which plain REINFORCE does not, and the parts of
// VAPO count, as in its ablations (arXiv 2504.05118, section 5.3). Two of them show nothing here:
// all episodes are of one length, so the averages over tokens and sequences are equal, and too few
// updates are clipped for ε to matter.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <cmath>
#include <gtest/gtest.h>

#include "decoder/decoder.h"
#include "decoder/sampling.h"
#include "train/reinforcement/grpo.h"
#include "train/reinforcement/rollouts/policy_batch.h"
#include "train/reinforcement/vapo.h"

namespace zermelo::train {
namespace {

constexpr size_t kSteps = 20;
constexpr size_t kActions = 4;
constexpr size_t kTokens = kSteps + kActions;  // steps, then actions
constexpr double kCost = 0.2;                  // of a wrong action
constexpr size_t kUpdates = 60;
constexpr uint64_t kSeed = 1;

Transformer NewPolicy(uint64_t seed) {
  return Transformer::Random({{"model_type", "llama"},
                              {"num_hidden_layers", 1},
                              {"hidden_size", 16},
                              {"intermediate_size", 32},
                              {"num_attention_heads", 2},
                              {"vocab_size", kTokens},
                              {"max_position_embeddings", 2 * kSteps}},
                             seed)
      .value();
}

/// The right action of a step; any other token is wrong.
decoder::Token Right(size_t step) {
  return static_cast<decoder::Token>(kSteps + (step * step + step / 3) % kActions);
}

/// Episodes of the policy as it is: step, action, step, action, …
std::vector<Rollout> Play(const Transformer& policy, size_t count, std::mt19937_64& random) {
  const auto decoder = decoder::Decoder::Create(policy.config(), policy.Weights()).value();
  std::vector<decoder::Sequence> sequences(count);
  std::vector<Rollout> rollouts(count);
  for (Rollout& rollout : rollouts) rollout.reward = 1;
  for (size_t step = 0; step < kSteps; ++step) {
    std::vector<decoder::Decoder::Step> steps;
    for (size_t i = 0; i < count; ++i) {
      Row& row = rollouts[i].row;
      row.tokens.push_back(static_cast<decoder::Token>(step));
      row.learnt.push_back(false);
      const std::ptrdiff_t unread = step == 0 ? 1 : 2;  // the action before, and the step
      steps.push_back(
          {.sequence = &sequences[i], .tokens = {row.tokens.end() - unread, row.tokens.end()}});
    }
    const std::vector<float> logits = decoder.Append(steps);
    for (size_t i = 0; i < count; ++i) {
      const std::span<const float> own(&logits[i * kTokens], kTokens);
      const decoder::Token action = decoder::Sample(own, 1, 1, random).token;
      rollouts[i].row.tokens.push_back(action);
      rollouts[i].row.learnt.push_back(true);
      if (action != Right(step)) rollouts[i].reward -= kCost;
    }
  }
  return rollouts;
}

/// REINFORCE (Williams 1992) without a baseline.
class PlainReinforce final : public Method {
 public:
  PlainReinforce(Transformer& policy, GrpoSettings settings)
      : settings_(std::move(settings)),
        policy_(policy),
        optimizer_(policy.parameters(), settings_.Optimizer()) {}

  void Learn(std::vector<Rollout> rollouts, size_t, nlohmann::json&) override {
    auto batches = MakeBatches(rollouts, policy_, settings_);
    std::vector<float> rewards;
    for (const Rollout& rollout : rollouts) rewards.push_back(static_cast<float>(rollout.reward));
    batches.at(0).advantages = at::tensor(rewards).index_select(0, batches[0].rows.owners);
    AccumulatePolicy(batches, policy_, LossSettings(settings_), 0);
    optimizer_.Step(settings_.learning_rate);
  }
  NamedTensors State() const override { return {}; }
  bool Restore(const NamedTensors&) override { return true; }
  std::vector<std::string> Shown() const override { return {}; }

 private:
  const GrpoSettings settings_;
  Transformer& policy_;
  AdamW optimizer_;
};

template <class Settings>
Settings Common() {
  Settings settings;
  settings.group = settings.micro_batch = 64;
  settings.max_tokens = kSteps;
  settings.learning_rate = 1e-2;
  return settings;
}

GrpoSettings WithoutKl() {
  auto settings = Common<GrpoSettings>();
  settings.kl_weight = 0;
  return settings;
}

/// λ = 0.95 for the policy: α belongs to the length of the episodes.
VapoSettings Vapo20() {
  auto settings = Common<VapoSettings>();
  settings.value_steps = 30;
  settings.alpha = 1;
  return settings;
}

/// The mean reward in the last five of `updates` updates.
template <class Learner, class Settings>
double Arrives(const Settings& settings, size_t updates, uint64_t seed = kSeed) {
  Transformer policy = NewPolicy(seed);
  Learner method(policy, settings);
  std::mt19937_64 random(seed);
  constexpr size_t kLast = 5;
  double sum = 0;
  for (size_t update = 0; update < updates; ++update) {
    auto rollouts = Play(policy, settings.group, random);
    for (const Rollout& rollout : rollouts) {
      if (update + kLast >= updates) sum += rollout.reward;
    }
    nlohmann::json line;
    method.Learn(std::move(rollouts), update, line);
  }
  return sum / static_cast<double>(kLast * settings.group);
}

double VapoArrives(const VapoSettings& settings, uint64_t seed = kSeed) {
  return Arrives<Vapo>(settings, kUpdates + settings.value_steps, seed);
}

TEST(ToyMdpTest, GrpoArrivesWherePlainReinforceDoesNot) {
  EXPECT_GT(Arrives<Grpo>(WithoutKl(), kUpdates), 0.95);
  EXPECT_LT(Arrives<PlainReinforce>(WithoutKl(), kUpdates), -1);
}

TEST(ToyMdpTest, VapoArrivesAndNotWithoutValuePretraining) {
  EXPECT_GT(VapoArrives(Vapo20()), 0.95);
  VapoSettings settings = Vapo20();
  settings.value_steps = 0;
  EXPECT_LT(VapoArrives(settings), 0.6);
}

/// A fixed λ of 0.95 sees 20 tokens far, a hundredth of the papers' episodes; here 0.5 sees two.
TEST(ToyMdpTest, VapoDoesNotArriveWithAFixedLambda) {
  VapoSettings settings = Vapo20();
  settings.alpha = 0;
  settings.lambda = 0.5;
  EXPECT_LT(VapoArrives(settings), 0.6);
}

TEST(ToyMdpTest, TheVariantsOfGrpoArrive) {
  for (const char* variant : {"variant=dr_grpo", "variant=dapo"}) {
    auto settings = *ReadGrpoSettings({variant, "kl_weight=0"});
    settings.group = settings.micro_batch = 64;
    settings.max_tokens = kSteps;
    settings.learning_rate = 1e-2;
    EXPECT_GT(Arrives<Grpo>(settings, kUpdates), 0.95) << variant;
  }
}

/// In small mini-batches, whose advantages differ more.
TEST(ToyMdpTest, VapoArrivesForFewerSeedsWithoutTheLikelihoodOfProofs) {
  VapoSettings settings = Vapo20();
  settings.mini_batch = settings.micro_batch = 16;
  EXPECT_GT(VapoArrives(settings, 2), 0.95);
  EXPECT_GT(VapoArrives(settings, 3), 0.95);
  settings.nll_weight = 0;
  EXPECT_LT(VapoArrives(settings, 2) + VapoArrives(settings, 3), 1);
}

/// The mean error of the critic in the first steps, after its pretraining.
double CriticError(const VapoSettings& settings, uint64_t seed) {
  Transformer policy = NewPolicy(seed);
  Vapo method(policy, settings);
  std::mt19937_64 random(seed);
  for (size_t update = 0; update < settings.value_steps; ++update) {
    nlohmann::json line;
    method.Learn(Play(policy, settings.group, random), update, line);
  }
  const c10::NoGradGuard no_gradients;
  const NamedTensors state = method.State();
  Transformer critic = policy.Frozen();
  for (auto& [name, tensor] : critic.parameters()) tensor = state.find("critic." + name)->second;
  constexpr size_t kEpisodes = 8;
  constexpr size_t kFirst = 5;  // steps
  double error = 0;
  for (const Rollout& rollout : Play(policy, kEpisodes, random)) {
    const PackedRows rows = Collate(std::vector<Row>{rollout.row}, std::vector<Pack>{{0}});
    const at::Tensor values = critic.States(rows)
                                  .index_select(0, rows.places)
                                  .matmul(state.find("critic.value_head.weight")->second);
    double earned = 1;
    for (size_t step = 0; step < kFirst; ++step) {
      // The policy is still that of the beginning: one of all tokens, at random.
      const double left = static_cast<double>(kSteps - step) * (1 - 1.0 / kTokens);
      error += std::abs(values[static_cast<int64_t>(step)].item<double>() - earned + kCost * left);
      if (rollout.row.tokens[2 * step + 1] != Right(step)) earned -= kCost;
    }
  }
  return error / (kEpisodes * kFirst);
}

/// With the paper's α, λ is 0 for 20 tokens: what the critic learns from itself is slow to come to
/// the beginning of the episode.
TEST(ToyMdpTest, ACriticThatIsNotDecoupledKnowsLessOfTheBeginning) {
  VapoSettings settings = Vapo20();
  settings.alpha = 0.05;
  settings.value_steps = 20;
  const auto error = [&](bool decoupled) {
    settings.decoupled = decoupled;
    return CriticError(settings, 1) + CriticError(settings, 2) + CriticError(settings, 3);
  };
  const double decoupled = error(true);
  EXPECT_GT(error(false), 1.3 * decoupled) << decoupled;
}

}  // namespace
}  // namespace zermelo::train
