#include "policy/library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "core/testing/testing.h"

namespace zermelo::policy {
namespace {

using core::Result;
using core::Task;
using retrieve::Premise;
using retrieve::PremiseQuery;
using retrieve::Rankings;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

/// Gives the same answer to every query that mentions a word.
class ScriptedLibrary : public retrieve::Retriever {
 public:
  Task<Result<std::vector<Premise>>> Search(PremiseQuery query, core::Deadline) override {
    queries.push_back(query);
    if (error) co_return core::Fail(*error);
    std::vector<Premise> found;
    for (const auto& [word, premises] : answers) {
      if (query.text.find(word) == std::string::npos) continue;
      found.insert(found.end(), premises.begin(), premises.end());
    }
    co_return found;
  }
  std::map<std::string, std::vector<Premise>> answers;
  std::optional<core::Error> error;
  std::vector<PremiseQuery> queries;
};

Premise Theorem(const std::string& name, const std::string& signature) {
  Premise premise;
  premise.name = name;
  premise.signature = signature;
  premise.docstring = "Tells what it is.";
  return premise;
}

class LibraryTest : public ::testing::Test {
 protected:
  std::vector<std::string> Rules(const std::string& goal, size_t limit = 10) {
    PremiseQuery query{.text = goal, .formal = true, .limit = limit};
    query.rankings = Rankings::kRewriting;
    const auto found = core::testing::Await(
        io_, states_.Search(query, core::Deadline::After(std::chrono::seconds(10))));
    std::vector<std::string> names;
    if (!found) return {found.error().message};
    for (const Premise& premise : *found) names.push_back(premise.name);
    return names;
  }

  boost::asio::io_context io_;
  ScriptedLibrary library_;
  StateLibrary states_{library_};
};

TEST_F(LibraryTest, PremisesOfSimilarGoalsComeBeforeThoseOfTheLibrary) {
  learn::Knowledge knowledge;
  knowledge.Add(learn::MakeExample("⊢ foo 1 = 1", "simp [A.b, C.d]", true, {}).value());
  learn::KnowledgeAdviser adviser(knowledge);
  StepContext context;
  context.printed = "⊢ foo 2 = 2\n\n⊢ q";
  context.premises = {"X.y", "C.d"};
  core::testing::Await(io_, AskLearned(adviser, &context));
  EXPECT_THAT(context.premises, ElementsAre("A.b", "C.d", "X.y"));
  ASSERT_EQ(context.learned.size(), 1u);
  EXPECT_EQ(context.learned[0].tactic.text, "simp [A.b, C.d]");
}

TEST_F(LibraryTest, WhatAProofHereCannotUseIsNotProposedAgain) {
  learn::Knowledge knowledge;
  knowledge.Add(learn::MakeExample("⊢ foo 1 = 1", "simp [A.open]", true, {}).value());
  knowledge.Add(learn::MakeExample("⊢ foo 2 = 1", "exact A.own 2", true, {}).value());
  knowledge.Add(learn::MakeExample("⊢ foo 3 = 1", "exact A.fine 3", true, {}).value());
  learn::KnowledgeAdviser adviser(knowledge);
  StepContext context;
  context.printed = "⊢ foo 4 = 1";
  context.source.theorem = "A.own";
  syntax::FileConstant open;
  open.kind = syntax::FileConstant::Kind::kTheorem;
  open.name = "A.open";
  open.open = true;
  context.file = std::make_shared<const std::vector<syntax::FileConstant>>(1, open);
  core::testing::Await(io_, AskLearned(adviser, &context));
  EXPECT_THAT(context.premises, ElementsAre("A.fine"));
  ASSERT_EQ(context.learned.size(), 1u);
  EXPECT_EQ(context.learned[0].tactic.text, "exact A.fine 3");
}

const char* const kGoal = "m x y : Int\nh : (x - 3) % m = 0\n⊢ y * (x + 1) = 0";

TEST_F(LibraryTest, RulesAreQueriedByPropositionMostSpecificFirst) {
  library_.answers["⊢ y"] = {Theorem("mul_add", "(a b c : Int) : a * (b + c) = a * b + a * c"),
                             Theorem("le", "(a b : Int) : a ≤ b")};
  library_.answers["⊢ (x"] = {Theorem("comm", "(a b : Int) : a - b = b - a"),
                              Theorem("sub", "{a b n : Int} : a % n = b % n ↔ (a - b) % n = 0")};
  EXPECT_THAT(Rules(kGoal), ElementsAre("sub", "mul_add"));
  ASSERT_EQ(library_.queries.size(), 2U);
  EXPECT_EQ(library_.queries[0].text, "x : Int\ny : Int\n⊢ y * (x + 1) = 0");
  EXPECT_EQ(library_.queries[1].text, "m : Int\nx : Int\n⊢ (x - 3) % m = 0");
  EXPECT_EQ(library_.queries[1].rankings, Rankings::kSymbols);
  EXPECT_THAT(Rules(kGoal, 1), ElementsAre("sub"));
  EXPECT_THAT(Rules(kGoal, 3), ElementsAre("sub", "mul_add"));
}

TEST_F(LibraryTest, ResultsForAPropositionAreCached) {
  library_.answers["⊢"] = {Theorem("mul_add", "(a b c : Int) : a * (b + c) = a * b + a * c")};
  EXPECT_THAT(Rules(kGoal), ElementsAre("mul_add"));
  EXPECT_THAT(Rules(kGoal), ElementsAre("mul_add"));
  EXPECT_EQ(library_.queries.size(), 2U);
  EXPECT_THAT(Rules("m x : Int\nh : (x - 3) % m = 0\n⊢ False"), IsEmpty());
  EXPECT_EQ(library_.queries.size(), 3U) << "the hypothesis is cached";
}

TEST_F(LibraryTest, ErrorsArePassedOnAndNotCached) {
  library_.error = core::Error{core::ErrorCode::kEnvironment, "no index"};
  EXPECT_THAT(Rules(kGoal), ElementsAre("no index"));
  library_.error.reset();
  library_.answers["⊢"] = {Theorem("mul_add", "(a b c : Int) : a * (b + c) = a * b + a * c")};
  EXPECT_THAT(Rules(kGoal), ElementsAre("mul_add"));
  EXPECT_THAT(Rules("no goal"), IsEmpty());
}

TEST_F(LibraryTest, WithoutTimeCachedRulesAreReturned) {
  library_.answers["⊢"] = {Theorem("mul_add", "(a b c : Int) : a * (b + c) = a * b + a * c")};
  PremiseQuery query{.text = kGoal, .formal = true};
  query.rankings = Rankings::kRewriting;
  const auto none = core::testing::Await(
      io_, states_.Search(query, core::Deadline::After(core::Duration::zero())));
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
  EXPECT_THAT(Rules(kGoal), ElementsAre("mul_add"));
}

TEST_F(LibraryTest, NamesakesAreAskedForWhereAProofBegins) {
  library_.answers["Tree.foo"] = {Theorem("List.foo", ": True")};
  StepContext context;
  context.source.theorem = "Tree.foo";
  context.printed = "⊢ p";
  core::testing::Await(io_, AskLibrary(states_, &context));
  EXPECT_THAT(context.namesakes, ElementsAre("List.foo"));
  EXPECT_EQ(library_.queries.back().rankings, Rankings::kNamesakes);
  EXPECT_EQ(library_.queries.back().text, "Tree.foo");
  StepContext later;
  later.source.theorem = "Tree.foo";
  later.printed = "⊢ q";
  later.depth = 2;
  core::testing::Await(io_, AskLibrary(states_, &later));
  EXPECT_THAT(later.namesakes, IsEmpty());
}

TEST_F(LibraryTest, DefinitionsAreThoseOfTheGoal) {
  library_.answers["half"] = {Theorem("Nat.half", "")};
  StepContext context;
  context.printed = "⊢ n.half = 1\n\n⊢ second";
  core::testing::Await(io_, AskLibrary(states_, &context));
  EXPECT_THAT(context.definitions, ElementsAre("Nat.half"));
  EXPECT_EQ(library_.queries.back().rankings, Rankings::kDefinitions);
  EXPECT_EQ(library_.queries.back().text, "⊢ n.half = 1");
}

TEST_F(LibraryTest, TheQueryIsTheFirstGoalOfAState) {
  library_.answers["y *"] = {Theorem("mul_add", "(a b c : Int) : a * (b + c) = a * b + a * c")};
  StepContext context;
  context.imports = {"Std", "Init"};
  context.printed = std::string(kGoal) + "\n\n⊢ second";
  core::testing::Await(io_, AskLibrary(states_, &context));
  EXPECT_THAT(context.premises, ElementsAre("mul_add"));
  ASSERT_EQ(context.rules.size(), 1U);
  EXPECT_EQ(context.rules.front().docstring, "")
      << "policies do not read it, and it would be recorded";
  EXPECT_EQ(library_.queries.front().text, kGoal);
  EXPECT_THAT(library_.queries.front().imports, Optional(ElementsAre("Std", "Init")));
  EXPECT_EQ(library_.queries.front().limit, kPremises);
  const size_t asked = library_.queries.size();
  StepContext again = context;
  again.premises.clear();
  core::testing::Await(io_, AskLibrary(states_, &again));
  EXPECT_THAT(again.premises, ElementsAre("mul_add"));
  EXPECT_EQ(library_.queries.size(), asked) << "everything is cached";
  library_.error = core::Error{core::ErrorCode::kEnvironment, "no index"};
  StepContext without;
  without.printed = "⊢ True";
  core::testing::Await(io_, AskLibrary(states_, &without));
  EXPECT_THAT(without.premises, IsEmpty());
  EXPECT_TRUE(without.rules.empty());
}

}  // namespace
}  // namespace zermelo::policy
