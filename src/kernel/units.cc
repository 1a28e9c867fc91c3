#include "kernel/units.h"

#include <algorithm>

namespace zermelo::kernel {

namespace {

constexpr uint32_t kNone = UINT32_MAX;

class Planner {
 public:
  Planner(const Environment& environment, const KnownNames& known, Budget& budget)
      : environment_(environment), terms_(environment.terms()), known_(known), budget_(budget) {
    unit_of_.assign(declarations().size(), kNone);
    plan_.ranks.assign(declarations().size(), View::kNever);
  }

  Plan Make(Order order) {
    Group();
    LeaveOutIncomplete();
    if (order == Order::kAsAdded) {
      for (uint32_t i = 0; i < units_.size(); ++i) Place(i);
    } else {
      seen_.assign(terms_.expr_count(), kNone);
      state_.assign(units_.size(), State::kNew);
      for (uint32_t i = 0; i < units_.size(); ++i) Visit(i);
    }
    return std::move(plan_);
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };

  const std::vector<Declaration>& declarations() const { return environment_.declarations(); }

  // The first type of a block, for each of its members. Lean adds a block as a whole and makes its
  // recursors, so whatever belongs to no block that is checked was made by nobody. Sources:
  // lean4lean, Inductive/Add.lean; the format NDJSON 3.1 (lean4export), which has one object for a
  // block.
  uint32_t Leader(const Declaration& declaration, std::string* problem) const {
    NameId type = declaration.name;
    if (const auto* constructor = declaration.As<Constructor>()) type = constructor->inductive;
    if (declaration.As<Recursor>() != nullptr) {
      type = declaration.all.empty() ? NameId::kAnonymous : declaration.all[0];
    }
    const Declaration* inductive = environment_.Find(type);
    if (inductive == nullptr || inductive->As<Inductive>() == nullptr) {
      *problem = "it belongs to no inductive type";
      return kNone;
    }
    const std::vector<NameId>& all = inductive->all;
    const uint32_t leader = all.empty() ? kNone : environment_.IndexOf(all[0]);
    if (leader == kNone || std::find(all.begin(), all.end(), type) == all.end() ||
        declarations()[leader].As<Inductive>() == nullptr ||
        environment_.OriginOf(leader) != Origin::kChecked || declarations()[leader].IsUnsafe()) {
      *problem = "the block of its inductive type is malformed";
      return kNone;
    }
    return leader;
  }

  // Trusted declarations come before all units. Unsafe and partial ones are in none: they are not
  // checked and have the rank of what nothing may mention. Source: lean4lean, inferConstant.
  void Group() {
    for (uint32_t i = 0; i < declarations().size(); ++i) {
      const Declaration& declaration = declarations()[i];
      if (environment_.OriginOf(i) == Origin::kTrusted) {
        if (!declaration.IsUnsafe()) plan_.ranks[i] = 0;
        continue;
      }
      if (declaration.IsUnsafe()) continue;
      uint32_t leader = i;
      if (declaration.As<Inductive>() != nullptr || declaration.As<Constructor>() != nullptr ||
          declaration.As<Recursor>() != nullptr) {
        std::string problem;
        leader = Leader(declaration, &problem);
        if (leader == kNone) {
          plan_.rejected.emplace_back(i, problem);
          continue;
        }
      }
      // The unit stands where its first member does.
      if (unit_of_[leader] == kNone) {
        unit_of_[leader] = static_cast<uint32_t>(units_.size());
        units_.emplace_back();
      }
      unit_of_[i] = unit_of_[leader];
      units_[unit_of_[i]].members.push_back(i);
    }
  }

  // A unit may mention those that were placed before it. Source: lean4lean, addDecl': a declaration
  // is checked in the environment without it, then added.
  void Place(uint32_t unit) {
    plan_.units.push_back(std::move(units_[unit]));
    for (const uint32_t member : plan_.units.back().members) {
      plan_.ranks[member] = static_cast<uint32_t>(plan_.units.size());
    }
  }

  template <class Visit>
  static void ForEachTerm(const Declaration& declaration, Visit visit) {
    visit(declaration.type);
    if (const ExprId* value = declaration.Value()) visit(*value);
    if (const auto* recursor = declaration.As<Recursor>()) {
      for (const RecursorRule& rule : recursor->rules) visit(rule.value);
    }
  }

  // An import may mention names that it hides, as the public part of a compiled module does, or
  // that only literals abbreviate. What such a declaration says must not depend on who declares
  // these names now: nothing may mention it.
  void LeaveOutIncomplete() {
    mentions_checked_.assign(terms_.expr_count(), false);
    checks_strings_ =
        IsChecked(known_.string) || IsChecked(known_.MakerOfStrings(environment_)) ||
        std::ranges::any_of(known_.PartsOfStrings(), [&](NameId part) { return IsChecked(part); });
    std::vector<bool> walked(terms_.expr_count(), false);
    for (uint32_t i = 0; i < declarations().size(); ++i) {
      const Declaration& declaration = declarations()[i];
      if (environment_.OriginOf(i) != Origin::kTrusted || plan_.ranks[i] == View::kNever) continue;
      bool complete = std::ranges::none_of(declaration.all, [&](NameId n) { return IsChecked(n); });
      if (const auto* inductive = declaration.As<Inductive>()) {
        for (const NameId name : inductive->constructors) complete = complete && !IsChecked(name);
      }
      if (const auto* constructor = declaration.As<Constructor>()) {
        complete = complete && !IsChecked(constructor->inductive);
      }
      if (const auto* recursor = declaration.As<Recursor>()) {
        for (const RecursorRule& rule : recursor->rules)
          complete = complete && !IsChecked(rule.constructor);
      }
      ForEachTerm(declaration,
                  [&](ExprId term) { complete = complete && !MentionsChecked(term, &walked); });
      if (!complete) plan_.ranks[i] = View::kNever;
    }
  }

  bool IsChecked(NameId name) const {
    const uint32_t index = environment_.IndexOf(name);
    return index != kNone && environment_.OriginOf(index) == Origin::kChecked;
  }

  // Children are done before their parents; both vectors are by expression.
  bool MentionsChecked(ExprId root, std::vector<bool>* walked) {
    std::vector<ExprId> stack{root};
    while (!stack.empty()) {
      const ExprId e = stack.back();
      if ((*walked)[Index(e)]) {
        stack.pop_back();
        continue;
      }
      const ExprNode& node = terms_[e];
      const size_t before = stack.size();
      ForEachChild(node, [&](ExprId child) {
        if (!(*walked)[Index(child)]) stack.push_back(child);
      });
      if (stack.size() > before) continue;
      stack.pop_back();
      const bool named = node.kind == ExprKind::kConst || node.kind == ExprKind::kProj;
      bool mentions = (named && IsChecked(NameId{node.a})) ||
                      (node.kind == ExprKind::kNat && IsChecked(known_.nat)) ||
                      (node.kind == ExprKind::kString && checks_strings_);
      ForEachChild(node,
                   [&](ExprId child) { mentions = mentions || mentions_checked_[Index(child)]; });
      mentions_checked_[Index(e)] = mentions;
      (*walked)[Index(e)] = true;
    }
    return mentions_checked_[Index(root)];
  }

  void Depends(NameId name, uint32_t unit, std::vector<uint32_t>* on) {
    const uint32_t index = environment_.IndexOf(name);
    if (index == kNone) return;
    // Whatever else stands beside it, and could make the check of the unit end before.
    if (environment_.OriginOf(index) == Origin::kTrusted && plan_.ranks[index] == View::kNever &&
        !declarations()[index].IsUnsafe() && IsNotYetRejected(unit)) {
      plan_.rejected.emplace_back(units_[unit].members[0],
                                  "it mentions the imported " + terms_.Print(name) +
                                      ", which rests on a name that its library hides and that is "
                                      "declared here");
    }
    if (unit_of_[index] == kNone || unit_of_[index] == unit) return;
    if (state_[unit_of_[index]] != State::kDone) on->push_back(unit_of_[index]);
  }

  bool IsNotYetRejected(uint32_t unit) const {
    const std::vector<uint32_t>& members = units_[unit].members;
    return !members.empty() &&
           (plan_.rejected.empty() || plan_.rejected.back().first != members[0]);
  }

  // What literals abbreviate is not mentioned, but needed. Source: lean4lean, strLitToConstructor.
  // Lean takes the types of literals for granted; here they must be declared before.
  void DependsOnString(uint32_t unit, std::vector<uint32_t>* on) {
    Depends(known_.nat, unit, on);
    Depends(known_.string, unit, on);
    for (const NameId name : known_.PartsOfStrings()) Depends(name, unit, on);
    Depends(known_.MakerOfStrings(environment_), unit, on);
  }

  // What a unit mentions: constants, and the structures of projections (lean4#14631 for their
  // names).
  void DependencesOf(uint32_t unit, std::vector<uint32_t>* on) {
    std::vector<ExprId> stack;
    for (const uint32_t member : units_[unit].members) {
      ForEachTerm(declarations()[member], [&](ExprId term) { stack.push_back(term); });
    }
    while (!stack.empty()) {
      const ExprId e = stack.back();
      stack.pop_back();
      budget_.Tick();
      if (std::exchange(seen_[Index(e)], unit) == unit) continue;
      const ExprNode& node = terms_[e];
      if (node.kind == ExprKind::kConst || node.kind == ExprKind::kProj) {
        Depends(NameId{node.a}, unit, on);
      }
      if (node.kind == ExprKind::kNat) Depends(known_.nat, unit, on);
      if (node.kind == ExprKind::kString) DependsOnString(unit, on);
      ForEachChild(node, [&](ExprId child) { stack.push_back(child); });
    }
  }

  // Compiled modules store their constants in no order, so one is made, in which each comes after
  // what it mentions. If there is none, Lean cannot have added them one after another: they are
  // rejected. A constant that mentions itself within its unit is left to the unit's check, where it
  // is not visible. Source: lean4lean, addDecl', as above.
  void Visit(uint32_t root) {
    struct Frame {
      uint32_t unit = 0;
      std::vector<uint32_t> on;
    };
    if (state_[root] != State::kNew) return;
    std::vector<Frame> stack;
    const auto open = [&](uint32_t unit) {
      state_[unit] = State::kOpen;
      stack.push_back({unit, {}});
      DependencesOf(unit, &stack.back().on);
    };
    open(root);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.on.empty()) {
        const uint32_t unit = frame.unit;
        stack.pop_back();
        state_[unit] = State::kDone;
        if (!units_[unit].members.empty()) Place(unit);
        continue;
      }
      const uint32_t next = frame.on.back();
      frame.on.pop_back();
      if (state_[next] == State::kNew) {
        open(next);
      } else if (state_[next] == State::kOpen && !units_[frame.unit].members.empty()) {
        plan_.rejected.emplace_back(units_[frame.unit].members[0], "it depends on itself");
        units_[frame.unit].members.clear();
      }
    }
  }

  const Environment& environment_;
  const Terms& terms_;
  const KnownNames& known_;
  Budget& budget_;
  std::vector<Unit> units_;
  std::vector<uint32_t> unit_of_;  // by declaration
  std::vector<State> state_;
  std::vector<bool> mentions_checked_;  // by expression; of imports
  bool checks_strings_ = false;         // something that string literals abbreviate is checked
  std::vector<uint32_t> seen_;          // by expression: the last unit that it was reached from
  Plan plan_;
};

}  // namespace

Plan MakePlan(const Environment& environment, const KnownNames& known, Order order,
              Budget& budget) {
  return Planner(environment, known, budget).Make(order);
}

}  // namespace zermelo::kernel
