#include "trust/reach.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace zermelo::trust {

namespace {

// Maximum number of visited expressions, worth a few seconds: a module in which each of n constants
// shares most of one large term takes n times its size.
constexpr uint64_t kMaxWork = 300'000'000;

}  // namespace

Dependencies::Dependencies(const Terms& terms, const IndexedModule& module, ImportedNames& imported)
    : terms_(terms),
      module_(module),
      imported_(imported),
      uses_(module.module.constants.size()),
      circular_(module.module.constants.size(), false),
      seen_(terms.expr_count(), 0),
      used_(terms.name_count(), 0),
      reached_(terms.name_count(), 0) {}

bool Dependencies::Build() {
  for (uint32_t i = 0; i < uses_.size(); ++i) {
    const Constant& c = module_.module.constants[i];
    if (!CollectFrom(c.type, i) || (c.value && !CollectFrom(*c.value, i))) return false;
    for (const CompiledRule& rule : c.rules) {
      if (!CollectFrom(rule.value, i)) return false;
      AddUse(rule.constructor, i);
    }
    if (c.kind == ConstantKind::kConstructor) AddUse(c.inductive, i);
    if (c.kind == ConstantKind::kInductive || c.kind == ConstantKind::kRecursor) {
      for (const NameId name : terms_.Names(c.all)) AddUse(name, i);
      for (const NameId name : terms_.Names(c.constructors)) AddUse(name, i);
    }
  }
  FindCycles();
  return true;
}

void Dependencies::AddUse(NameId name, uint32_t constant) {
  if (used_[Index(name)] == constant + 1) return;
  used_[Index(name)] = constant + 1;
  uses_[constant].push_back(name);
}

bool Dependencies::CollectFrom(ExprId expr, uint32_t constant) {
  walk_.assign(1, expr);
  while (!walk_.empty()) {
    const ExprId at = walk_.back();
    walk_.pop_back();
    if (seen_[Index(at)] == constant + 1) continue;
    seen_[Index(at)] = constant + 1;
    if (++work_ > kMaxWork) return false;
    const ExprNode& node = terms_[at];
    if (node.kind == ExprKind::kConst || node.kind == ExprKind::kProj)
      AddUse(NameId{node.a}, constant);
    ForEachChild(node, [&](ExprId child) { walk_.push_back(child); });
  }
  return true;
}

// An inductive type, its constructors and recursors may use each other, so they count as one
// family.
uint32_t Dependencies::Family(uint32_t constant) const {
  const auto find = [&](NameId name) {
    const auto at = module_.by_name.find(name);
    return at == module_.by_name.end() ? constant : at->second;
  };
  const auto& constants = module_.module.constants;
  uint32_t type = constant;
  if (constants[type].kind == ConstantKind::kConstructor) type = find(constants[type].inductive);
  const bool has_all = constants[type].kind == ConstantKind::kInductive ||
                       constants[type].kind == ConstantKind::kRecursor;
  if (!has_all || constants[type].all == ListId::kNil) return type;
  const uint32_t first = find(NameId{terms_[constants[type].all].head});
  return constants[first].kind == ConstantKind::kInductive ? first : type;
}

// Depth first over families; an edge to an open family is a cycle. Unsafe and partial definitions
// may call themselves, and no accepted proof depends on them.
void Dependencies::FindCycles() {
  enum Colour : uint8_t { kUnseen, kOpen, kDone };
  const auto& constants = module_.module.constants;
  const auto count = static_cast<uint32_t>(constants.size());
  std::vector<std::vector<uint32_t>> members(count);
  for (uint32_t i = 0; i < count; ++i) members[Family(i)].push_back(i);
  std::vector<Colour> colours(count, kUnseen);
  struct Frame {
    uint32_t family;
    size_t member;
    size_t use;
  };
  std::vector<Frame> stack;
  for (uint32_t root = 0; root < count; ++root) {
    if (members[root].empty() || colours[root] != kUnseen) continue;
    colours[root] = kOpen;
    stack.push_back({root, 0, 0});
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.member == members[frame.family].size()) {
        colours[frame.family] = kDone;
        stack.pop_back();
        continue;
      }
      const uint32_t user = members[frame.family][frame.member];
      if (constants[user].safety != Safety::kSafe || frame.use == uses_[user].size()) {
        ++frame.member;
        frame.use = 0;
        continue;
      }
      const auto used = module_.by_name.find(uses_[user][frame.use++]);
      if (used == module_.by_name.end()) continue;
      const uint32_t family = Family(used->second);
      const bool inductive = constants[user].kind >= ConstantKind::kInductive;
      if (colours[family] == kOpen && !(family == frame.family && inductive))
        circular_[user] = true;
      if (colours[family] != kUnseen) continue;
      colours[family] = kOpen;
      stack.push_back({family, 0, 0});
    }
  }
}

Reached Dependencies::From(const Constant& constant,
                           const std::function<bool(const Constant&)>& stops) {
  Reached reached;
  ++calls_;
  const auto reach = [&](NameId name) {
    if (std::exchange(reached_[Index(name)], calls_) != calls_) reached.names.push_back(name);
  };
  reach(constant.name);
  for (size_t next = 0; next < reached.names.size(); ++next) {
    const NameId name = reached.names[next];
    const auto local = module_.by_name.find(name);
    if (local == module_.by_name.end()) {
      const IndexedConstant* imported = imported_.Find(name);
      if (imported == nullptr) {
        reached.unknown.push_back(name);
      } else {
        reached.imported.push_back(imported);
      }
      continue;
    }
    const Constant& found = module_.module.constants[local->second];
    if (stops(found)) continue;
    reached.local.push_back(&found);
    if (circular_[local->second]) reached.circular.push_back(name);
    for (const NameId used : uses_[local->second]) reach(used);
  }
  return reached;
}

std::vector<const Constant*> Dependencies::UsersOf(NameId name) const {
  std::vector<const Constant*> users;
  for (size_t i = 0; i < uses_.size(); ++i) {
    if (std::find(uses_[i].begin(), uses_[i].end(), name) != uses_[i].end())
      users.push_back(&module_.module.constants[i]);
  }
  return users;
}

std::unordered_set<NameId> Dependencies::UsersThroughOthers(
    const std::function<bool(NameId)>& chosen,
    const std::function<bool(const Constant&)>& passed_over) const {
  const auto& constants = module_.module.constants;
  std::unordered_map<NameId, std::vector<NameId>> users;
  std::vector<NameId> todo;
  for (size_t i = 0; i < uses_.size(); ++i) {
    if (passed_over(constants[i])) continue;
    for (const NameId used : uses_[i]) {
      auto [at, fresh] = users.try_emplace(used);
      at->second.push_back(constants[i].name);
      if (fresh && chosen(used)) todo.push_back(used);
    }
  }
  std::unordered_set<NameId> found;
  while (!todo.empty()) {
    const auto at = users.find(todo.back());
    todo.pop_back();
    if (at == users.end()) continue;
    for (const NameId user : at->second) {
      if (found.insert(user).second) todo.push_back(user);
    }
  }
  return found;
}

std::unordered_set<NameId> UsedByStatement(const Terms& terms, const IndexedModule& module,
                                           const Constant& constant) {
  std::unordered_set<NameId> used;
  AnyPart(terms, {constant.type}, [&](const ExprNode& node, std::vector<ExprId>& walk) {
    if (node.kind != ExprKind::kConst || !used.insert(NameId{node.a}).second) return false;
    const Constant* local = module.Find(NameId{node.a});
    if (local == nullptr) return false;
    walk.push_back(local->type);
    if (local->value) walk.push_back(*local->value);
    for (const NameId name : terms.Names(local->constructors)) {
      if (const Constant* constructor = module.Find(name)) walk.push_back(constructor->type);
    }
    return false;
  });
  return used;
}

bool Dependencies::IsMalformed(const Constant& constant) const {
  const auto bad = [&](ExprId expr) {
    return terms_[expr].has_free() || terms_[expr].loose_bound > 0;
  };
  return bad(constant.type) || (constant.value && bad(*constant.value)) ||
         std::any_of(constant.rules.begin(), constant.rules.end(),
                     [&](const CompiledRule& rule) { return bad(rule.value); });
}

}  // namespace zermelo::trust
