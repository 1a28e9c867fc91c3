#include "kernel/files/hidden.h"

#include <utility>

namespace zermelo::kernel {

namespace {

/// Calls `visit` for each name that a declaration mentions, perhaps more than once.
class Mentions {
 public:
  explicit Mentions(const Terms& terms) : terms_(terms), seen_(terms.expr_count(), 0) {
    NameId string = NameId::kAnonymous;
    if (terms.FindName(NameId::kAnonymous, "String", false, &string))
      terms.FindName(string, "ofList", false, &maker_);
  }

  template <class Visit>
  void Each(const Declaration& declaration, Visit visit) {
    ++round_;
    stack_.assign(1, declaration.type);
    if (const ExprId* value = declaration.Value()) stack_.push_back(*value);
    for (const NameId name : declaration.all) visit(name);
    if (const auto* inductive = declaration.As<Inductive>()) {
      for (const NameId name : inductive->constructors) visit(name);
    }
    if (const auto* recursor = declaration.As<Recursor>()) {
      for (const RecursorRule& rule : recursor->rules) stack_.push_back(rule.value);
    }
    while (!stack_.empty()) {
      const ExprId at = stack_.back();
      stack_.pop_back();
      if (std::exchange(seen_[Index(at)], round_) == round_) continue;
      const ExprNode& node = terms_[at];
      if (node.kind == ExprKind::kConst || node.kind == ExprKind::kProj) visit(NameId{node.a});
      if (node.kind == ExprKind::kString && maker_ != NameId::kAnonymous) visit(maker_);
      ForEachChild(node, [&](ExprId child) { stack_.push_back(child); });
    }
  }

 private:
  const Terms& terms_;
  NameId maker_ = NameId::kAnonymous;  // what string literals abbreviate rests on it
  std::vector<uint32_t> seen_;         // by expression: the last round that saw it
  uint32_t round_ = 0;
  std::vector<ExprId> stack_;
};

}  // namespace

std::vector<bool> RestOnHidden(const Environment& environment,
                               const std::unordered_set<NameId>& hidden) {
  const auto& declarations = environment.declarations();
  std::vector<bool> rests(declarations.size(), false);
  std::vector<std::vector<uint32_t>> users(declarations.size());
  std::vector<uint32_t> todo;
  const auto mark = [&](uint32_t declaration) {
    if (!rests[declaration]) todo.push_back(declaration);
    rests[declaration] = true;
  };
  Mentions mentions(environment.terms());
  for (uint32_t i = 0; i < declarations.size(); ++i) {
    if (hidden.contains(declarations[i].name)) mark(i);
    mentions.Each(declarations[i], [&](NameId name) {
      const uint32_t other = environment.IndexOf(name);
      if (other == Environment::kAbsent) {
        mark(i);
      } else if (users[other].empty() || users[other].back() != i) {
        users[other].push_back(i);
      }
    });
  }
  while (!todo.empty()) {
    const uint32_t declaration = todo.back();
    todo.pop_back();
    for (const uint32_t user : users[declaration]) mark(user);
  }
  return rests;
}

}  // namespace zermelo::kernel
