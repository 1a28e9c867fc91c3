// What the built-in policy proposes for two hundred tactic states (testdata/states.json: printed by
// Lean in searches, and some written by hand for each kind of goal), compared with what is stored:
// a change to a heuristic shows where else it has an effect. To store what it proposes now, set
// ZERMELO_GOLDEN_UPDATE=1 and look at the difference.
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/hash/hash.h"
#include "policy/builtin.h"
#include "syntax/lexer.h"

namespace zermelo::policy {
namespace {

constexpr const char* kStates = ZERMELO_SOURCE_DIR "/src/policy/testdata/states.json";
constexpr const char* kStored = ZERMELO_SOURCE_DIR "/src/policy/testdata/proposals.txt";
constexpr size_t kMostShown = 5;

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

using FileConstants = std::shared_ptr<const std::vector<syntax::FileConstant>>;

/// The declarations above a theorem in a file of this repository; null without a file. The last
/// part of the theorem's name must be unique in the file.
FileConstants Above(const std::string& file, const std::string& theorem) {
  if (file.empty()) return nullptr;
  const std::string text = ReadAll(ZERMELO_SOURCE_DIR "/" + file);
  const size_t end = text.find(fmt::format("theorem {} ", syntax::LastComponent(theorem)));
  EXPECT_NE(end, std::string::npos) << file << " has no theorem " << theorem;
  return std::make_shared<const std::vector<syntax::FileConstant>>(
      syntax::ConstantsOf(syntax::File(text.substr(0, end))));
}

/// What the library and earlier proofs could have given.
void AddKnowledge(StepContext* context) {
  context->premises = {"Nat.add_comm", "Int.emod_emod_of_dvd", "List.length_append"};
  const auto rule = [&](const char* name, const char* signature) {
    retrieve::Premise premise;
    premise.name = name;
    premise.signature = signature;
    context->rules.push_back(premise);
  };
  rule("Nat.mul_add", "(a b c : Nat) : a * (b + c) = a * b + a * c");
  rule("Int.emod_add_emod", "(m n k : Int) : (m % n + k) % n = (m + k) % n");
  rule("Nat.max_comm", ": max a₀ b₀ = max b₀ a₀");
  rule("List.reverse_append", "{as bs : List α} : (as ++ bs).reverse = bs.reverse ++ as.reverse");
  const auto learned = [&](const char* goal, const char* tactic, double similarity) {
    const auto state = syntax::ParseProofState(goal);
    context->learned.push_back(
        {learn::Generalise(tactic, state.goals.front()), false, similarity, "an_earlier_one"});
  };
  learned("n : Nat\nh : n % 3 = 1\n⊢ n ≠ 0", "omega", 0.8);
  learned("n : Nat\nh : n ∣ 6\n⊢ n ≤ 6", "exact Nat.le_of_dvd (by decide) h", 0.7);
  learned("xs : List Nat\n⊢ xs ++ [] = xs", "simp [List.append_nil xs]", 0.6);
}

/// The candidates by state, effort and origin, as text.
std::map<std::string, std::string> ProposedNow() {
  const auto policy = MakeBuiltinPolicy();
  std::map<std::string, std::string> proposed;
  std::map<std::string, size_t> of_theorem;
  const auto states = nlohmann::json::parse(ReadAll(kStates));
  size_t index = 0;
  for (const auto& one : states) {
    const auto theorem = one.at("theorem").get<std::string>();
    const size_t number = of_theorem[theorem]++;
    StepContext context;
    context.printed = one.at("state");
    context.state = syntax::ParseProofState(context.printed);
    context.depth = static_cast<int>(number % 4);
    context.file = Above(one.at("file"), theorem);
    if (index++ % 2 == 1) AddKnowledge(&context);
    for (const size_t effort : {size_t{0}, policy->most_effort()}) {
      context.effort = effort;
      for (const Candidate& candidate : policy->Propose(context, 300)) {
        EXPECT_TRUE(CheckHeuristics(candidate.origin)) << candidate.origin;
        proposed[fmt::format("{} {} {} {}", theorem, number, effort, candidate.origin)] +=
            fmt::format("{:.4g}{} {}\n", candidate.cost, candidate.closing ? " closing" : "",
                        candidate.tactic);
      }
    }
  }
  return proposed;
}

TEST(Proposals, AreThoseThatAreStored) {
  const auto proposed = ProposedNow();
  ASSERT_GT(proposed.size(), 1000U);
  std::string now;
  for (const auto& [where, candidates] : proposed) {
    now += fmt::format("{} {}\n", where, core::HexHash64(candidates));
  }
  if (std::getenv("ZERMELO_GOLDEN_UPDATE") != nullptr) std::ofstream(kStored) << now;
  std::map<std::string, std::string> stored;
  std::istringstream lines(ReadAll(kStored));
  for (std::string line; std::getline(lines, line);) {
    const size_t end = line.rfind(' ');
    stored[line.substr(0, end)] = line.substr(end + 1);
  }
  size_t changed = 0;
  for (const auto& [where, candidates] : proposed) {
    const auto known = stored.find(where);
    if (known != stored.end() && known->second == core::HexHash64(candidates)) continue;
    if (++changed <= kMostShown) ADD_FAILURE() << where << ":\n" << candidates;
  }
  for (const auto& [where, hash] : stored) {
    if (proposed.contains(where)) continue;
    if (++changed <= kMostShown) ADD_FAILURE() << where << ": proposes nothing any more";
  }
  EXPECT_EQ(changed, 0U) << "of " << proposed.size() << " states, efforts and origins";
}

}  // namespace
}  // namespace zermelo::policy
