// A block of inductive types is what Lean declares, or it is rejected: every count, flag, name and
// term of a block that is accepted is changed in one place.
#include <gtest/gtest.h>

#include "kernel/testing/lean_text.h"
#include "kernel/testing/mutants.h"

namespace zermelo::kernel {
namespace {

using testing::TestEnvironment;

/// All terms that differ from `e` in one place: a bound variable is another, a universe is larger,
/// a constant is Bool or False, a field of a projection is the next.
std::vector<ExprId> TermMutants(Terms& terms, ExprId e) {
  std::vector<ExprId> mutants;
  const ExprNode node = terms[e];
  const auto with = [&](auto change) {
    ExprNode copy{.kind = node.kind, .info = node.info, .a = node.a, .b = node.b, .c = node.c};
    change(copy);
    mutants.push_back(terms.Expr(copy));
  };
  const auto inside = [&](uint32_t ExprNode::*part) {
    for (const ExprId mutant : TermMutants(terms, ExprId{node.*part})) {
      with([&](ExprNode& copy) { copy.*part = Index(mutant); });
    }
  };
  switch (node.kind) {
    case ExprKind::kBVar:
      with([](ExprNode& copy) { ++copy.a; });
      if (node.a > 0) with([](ExprNode& copy) { --copy.a; });
      break;
    case ExprKind::kSort:
      with([&](ExprNode& copy) { copy.a = Index(terms.Level({LevelKind::kSucc, copy.a})); });
      break;
    case ExprKind::kConst:
      with([&](ExprNode& copy) { copy.a = Index(terms.ParseName("Bool.true")); });
      break;
    case ExprKind::kApp:
      mutants.push_back(ExprId{node.a});
      mutants.push_back(ExprId{node.b});
      inside(&ExprNode::a);
      inside(&ExprNode::b);
      break;
    case ExprKind::kLambda:
    case ExprKind::kForall:
      mutants.push_back(ExprId{node.b});
      inside(&ExprNode::a);
      inside(&ExprNode::b);
      break;
    default:
      break;
  }
  return mutants;
}

std::vector<Declaration> Mutants(Terms& terms, const Declaration& good) {
  std::vector<Declaration> mutants = testing::RecordMutants(terms, good);
  for (const ExprId type : TermMutants(terms, good.type)) {
    mutants.push_back(good);
    mutants.back().type = type;
  }
  const auto* recursor = good.As<Recursor>();
  for (size_t i = 0; recursor != nullptr && i < recursor->rules.size(); ++i) {
    for (const ExprId value : TermMutants(terms, recursor->rules[i].value)) {
      mutants.push_back(good);
      std::get<Recursor>(mutants.back().info).rules[i].value = value;
    }
  }
  return mutants;
}

// A type in a larger universe is another one that Lean would declare.
ExprId InLargerUniverse(Terms& terms, ExprId type) {
  ExprNode node{
      .kind = terms[type].kind, .info = terms[type].info, .a = terms[type].a, .b = terms[type].b};
  if (node.kind == ExprKind::kForall) {
    node.b = Index(InLargerUniverse(terms, ExprId{node.b}));
  } else {
    node.a = Index(terms.Level({LevelKind::kSucc, node.a}));
  }
  return terms.Expr(node);
}

TEST(MutantTest, EveryChangeOfABlockIsRejected) {
  TestEnvironment env;
  env.AddPrelude();
  ASSERT_EQ(env.Judge().outcome, Decision::kAccepted);
  const std::vector<Declaration> all = env.environment().declarations();
  const NameId boolean = env.terms().ParseName("Bool");
  size_t mutants = 0;
  for (size_t changed = 0; changed < all.size(); ++changed) {
    // Constants become Bool.true, so of Bool itself some mutants are no change.
    if (all[changed].As<Definition>() != nullptr || all[changed].name == boolean ||
        env.terms()[all[changed].name].prefix == boolean) {
      continue;
    }
    for (const Declaration& mutant : Mutants(env.terms(), all[changed])) {
      if (mutant.As<Inductive>() != nullptr &&
          mutant.type == InLargerUniverse(env.terms(), all[changed].type)) {
        continue;
      }
      Environment other(env.terms());
      for (size_t i = 0; i < all.size(); ++i) other.Add(i == changed ? mutant : all[i]);
      EXPECT_EQ(Check(other).outcome, Decision::kRejected)
          << env.terms().Print(mutant.name) << ", mutant " << mutants;
      ++mutants;
    }
  }
  EXPECT_GT(mutants, 1000U);
}

}  // namespace
}  // namespace zermelo::kernel
