// Proves invented theorems with each search at equal budgets; see search-ablation.py.
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/random.h"
#include "search/testing/proof_space.h"
#include "search/tree.h"

namespace {

using namespace zermelo::search;  // NOLINT(google-build-using-namespace)

constexpr size_t kWorkers = 32;

struct Method {
  const char* name;
  bool tree;       // otherwise every proof starts at the root
  bool intrinsic;  // eq. 3; otherwise only proofs are rewarded
  BanditParameters bandit;
};

const Method kMethods[] = {
    {"single_pass", false, false, {}},
    {"uct", true, false, {.bandit = Bandit::kUcb1}},
    {"rmaxts_ucb1", true, true, {.bandit = Bandit::kUcb1}},
    {"rmaxts_swucb32", true, true, {.bandit = Bandit::kSwucb, .window = 32}},
    {"rmaxts_swucb64", true, true, {.bandit = Bandit::kSwucb, .window = 64}},
    {"rmaxts_swucb128", true, true, {.bandit = Bandit::kSwucb, .window = 128}},
    {"rmaxts_ducb", true, true, {.bandit = Bandit::kDucb, .gamma = 0.99}},
};

/// Number of generations until the first proof; more than `budget` if there was none. 32
/// generations are in flight at once and end in random order.
size_t SamplesToProof(const ProofSpace& space, const Method& method, Convention convention,
                      size_t budget, uint64_t seed) {
  TreeParameters parameters;
  parameters.bandit = method.bandit;
  parameters.bandit.convention = convention;
  parameters.seed = seed;
  Tree tree(parameters, space.root());
  zermelo::core::Random random(seed);
  std::vector<NodeId> in_flight;
  for (size_t samples = 1; samples <= budget; ++samples) {
    while (in_flight.size() < kWorkers) {
      const NodeId node = method.tree ? *tree.Select() : kRoot;
      tree.Pend(node);
      in_flight.push_back(node);
    }
    std::swap(in_flight[random.Below(kWorkers)], in_flight.back());
    const NodeId node = in_flight.back();
    in_flight.pop_back();
    const auto states = space.Generate(tree.key(node), random);
    if (!states.empty() && states.back() == space.goal()) return samples;
    bool added = false;
    if (method.tree) {
      NodeId at = node;
      for (const StateKey state : states) {
        const auto step = tree.Step(at, state);
        added = added || step.added;
        at = step.node;
      }
    }
    tree.Unpend(node);
    tree.Backup(node, method.intrinsic ? IntrinsicReward(added) : ExtrinsicReward(false));
  }
  return budget + 1;
}

size_t Number(const char* text) { return std::strtoull(text, nullptr, 10); }

}  // namespace

/// Prints {"METHOD": [[samples to the first proof of each theorem] of each run]} and, as
/// "theorems", the depths and the probabilities that a single generation is a proof.
int main(int argc, char** argv) {
  const auto convention =
      argc == 6 ? nlohmann::json(argv[5]).get<Convention>() : static_cast<Convention>(-1);
  if (static_cast<int>(convention) < 0) {
    std::fprintf(stderr,
                 "usage: search_ablation_bench FIRST_THEOREM THEOREMS RUNS BUDGET CONVENTION\n");
    return 2;
  }
  std::vector<ProofSpace> theorems;
  nlohmann::json results;
  for (size_t i = 0; i < Number(argv[2]); ++i) {
    theorems.emplace_back(ProofSpaceParameters{}, zermelo::core::Mix(Number(argv[1]) + i));
    results["theorems"].push_back({theorems[i].depth(), theorems[i].ProofProbability()});
  }
  for (const Method& method : kMethods) {
    for (size_t run = 0; run < Number(argv[3]); ++run) {
      nlohmann::json samples;
      for (size_t i = 0; i < theorems.size(); ++i) {
        samples.push_back(SamplesToProof(theorems[i], method, convention, Number(argv[4]),
                                         zermelo::core::Mix(Number(argv[1]) + i, run)));
      }
      results[method.name].push_back(std::move(samples));
    }
  }
  std::puts(results.dump().c_str());
}
