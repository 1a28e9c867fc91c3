#include "trust/compare.h"

#include <algorithm>
#include <utility>

#include "kernel/term/names.h"

namespace zermelo::trust {

namespace {

// `sorryAx` takes two arguments, a labelled one three, more if it stands for a function; an
// auxiliary theorem takes one for each variable that it needs.
constexpr int kMaxHoleArguments = 64;

// What literals abbreviate (kernel::KnownNames).
constexpr std::pair<const char*, const char*> kOfLiterals[] = {
    {"Nat", "succ"}, {"Char", "ofNat"}, {"List", "cons"}, {"String", "ofList"}, {"String", "mk"}};

}  // namespace

IndexedModule::IndexedModule(Module m) : module(std::move(m)) {
  for (uint32_t i = 0; i < module.constants.size(); ++i)
    by_name.emplace(module.constants[i].name, i);
}

Comparison::Comparison(const Terms& terms, const IndexedModule& original,
                       const IndexedModule& candidate)
    : terms_(terms), original_(original), candidate_(candidate), seen_(terms.expr_count(), 0) {
  if (!terms.FindName(NameId::kAnonymous, "sorryAx", false, &sorry_)) sorry_ = NameId::kAnonymous;
  if (sorry_ != NameId::kAnonymous) FindOpenProofs();
  for (const auto& [type, member] : kOfLiterals) {
    NameId name = NameId::kAnonymous;
    if (!terms.FindName(NameId::kAnonymous, type, false, &name)) continue;
    literals_.push_back(name);
    if (terms.FindName(name, member, false, &name)) literals_.push_back(name);
  }
}

void Comparison::FindOpenProofs() {
  for (const Constant& constant : original_.module.constants) {
    if (constant.kind != ConstantKind::kTheorem || !constant.value ||
        !IsAuxiliary(terms_, constant.name)) {
      continue;
    }
    std::unordered_set<ExprId> seen;
    walk_.assign(1, *constant.value);
    while (!walk_.empty()) {
      const ExprId at = walk_.back();
      walk_.pop_back();
      if (!seen.insert(at).second) continue;
      const ExprNode& node = terms_[at];
      if (node.kind == ExprKind::kConst && NameId{node.a} == sorry_) {
        open_proofs_.insert(constant.name);
        break;
      }
      ForEachChild(node, [&](ExprId child) { walk_.push_back(child); });
    }
  }
}

uint32_t Comparison::PairOf(const Constant& original, const Constant& candidate) {
  const auto key = uint64_t{Index(original.name)} << 32U | Index(candidate.name);
  const auto [at, fresh] = pair_ids_.try_emplace(key, static_cast<uint32_t>(pairs_.size()));
  if (fresh) pairs_.push_back({&original, &candidate, ReasonCode::kNone, 0, {}});
  return at->second;
}

void Comparison::Add(const Constant& original, const Constant& candidate) {
  PairOf(original, candidate);
}

void Comparison::Finish() {
  std::vector<uint32_t> different;
  for (; next_ < pairs_.size(); ++next_) {
    current_ = next_;
    seen_pairs_.clear();
    const ReasonCode code = Compare(*pairs_[next_].original, *pairs_[next_].candidate);
    pairs_[next_].code = code;
    pairs_[next_].cause = next_;
    if (code != ReasonCode::kNone) different.push_back(next_);
  }
  // A pair that depends on a different pair is different too.
  while (!different.empty()) {
    const uint32_t pair = different.back();
    different.pop_back();
    for (const uint32_t user : pairs_[pair].users) {
      if (pairs_[user].code != ReasonCode::kNone) continue;
      pairs_[user].code = ReasonCode::kDependencyChanged;
      pairs_[user].cause = pairs_[pair].cause;
      different.push_back(user);
    }
  }
}

Comparison::Difference Comparison::Find(const Constant& original, const Constant& candidate) const {
  const auto key = uint64_t{Index(original.name)} << 32U | Index(candidate.name);
  const Pair& pair = pairs_[pair_ids_.at(key)];
  if (pair.code == ReasonCode::kNone) return {};
  return {pair.code, pairs_[pair.cause].original->name};
}

ReasonCode Comparison::Compare(const Constant& o, const Constant& c) {
  if (o.kind != c.kind) return ReasonCode::kKindChanged;
  if (o.level_params != c.level_params) return ReasonCode::kUniversesChanged;
  if (o.safety != c.safety) return ReasonCode::kSafetyChanged;
  if (!SameExpr(o.type, c.type, false)) return ReasonCode::kTypeChanged;
  if (!SameFields(o, c)) return ReasonCode::kValueChanged;
  return ReasonCode::kNone;
}

bool Comparison::SameFields(const Constant& o, const Constant& c) {
  if (!std::equal(std::begin(o.counts), std::end(o.counts), std::begin(c.counts)) ||
      !std::equal(std::begin(o.flags), std::end(o.flags), std::begin(c.flags))) {
    return false;
  }
  switch (o.kind) {
    case ConstantKind::kAxiom:
    case ConstantKind::kTheorem:
      return true;
    case ConstantKind::kQuotient:
      return o.quotient_kind == c.quotient_kind;
    case ConstantKind::kDefinition:
    case ConstantKind::kOpaque:
      return o.value && c.value && SameExpr(*o.value, *c.value, true);
    case ConstantKind::kInductive: {
      if (!SameNames(o.all, c.all) || !SameNames(o.constructors, c.constructors)) return false;
      // The kernel made its recursor, which is compared too.
      NameId recursor = NameId::kAnonymous;
      return !terms_.FindName(o.name, "rec", false, &recursor) || SameName(recursor, recursor);
    }
    case ConstantKind::kConstructor:
      return SameName(o.inductive, c.inductive);
    case ConstantKind::kRecursor: {
      if (!SameNames(o.all, c.all) || o.rules.size() != c.rules.size()) return false;
      for (size_t i = 0; i < o.rules.size(); ++i) {
        if (!SameName(o.rules[i].constructor, c.rules[i].constructor) ||
            o.rules[i].fields != c.rules[i].fields ||
            !SameExpr(o.rules[i].value, c.rules[i].value, false)) {
          return false;
        }
      }
      return true;
    }
  }
  return false;
}

bool Comparison::SameNames(ListId original, ListId candidate) {
  const auto a = terms_.Names(original), b = terms_.Names(candidate);
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [&](NameId x, NameId y) { return SameName(x, y); });
}

bool Comparison::SameName(NameId original, NameId candidate) {
  const Constant* o = original_.Find(original);
  const Constant* c = candidate_.Find(candidate);
  if (o == nullptr && c == nullptr) return original == candidate;
  if (o == nullptr || c == nullptr) return false;
  if (original != candidate) {
    // Only what is nothing but its content can have another name: two axioms, opaque constants or
    // inductive types that say the same are not the same.
    const bool is_content =
        o->kind == ConstantKind::kTheorem || o->kind == ConstantKind::kDefinition;
    if (!IsAuxiliary(terms_, original) || !IsAuxiliary(terms_, candidate)) return false;
    if (!is_content && !IsRenamed(*o, *c)) return false;
  }
  const uint32_t pair = PairOf(*o, *c);
  auto& users = pairs_[pair].users;
  if (pair != current_ && (users.empty() || users.back() != current_)) users.push_back(current_);
  return true;
}

/// Names that a macro makes have numbers that change when the text above grows: each may have one
/// other name. An axiom is more than its content: others may say something about it.
bool Comparison::IsRenamed(const Constant& o, const Constant& c) {
  if (o.kind == ConstantKind::kAxiom || !IsOfMacro(o.name) || !IsOfMacro(c.name)) return false;
  const NameId now = renamed_.try_emplace(o.name, c.name).first->second;
  const NameId was = renamed_back_.try_emplace(c.name, o.name).first->second;
  return now == c.name && was == o.name;
}

bool Comparison::IsOfMacro(NameId name) const {
  for (; name != NameId::kAnonymous; name = terms_[name].prefix) {
    if (!terms_[name].numeric && terms_.Text(terms_[name].part) == "_hyg") return true;
  }
  return false;
}

bool Comparison::SameExpr(ExprId original, ExprId candidate, bool fill_holes) {
  todo_.assign(1, {original, candidate});
  while (!todo_.empty()) {
    const auto [a, b] = todo_.back();
    todo_.pop_back();
    if (a == b) {
      if (!DependsOnAllIn(a)) return false;
      continue;
    }
    if (!seen_pairs_.insert(uint64_t{Index(a)} << 32U | Index(b)).second) continue;
    if (fill_holes && IsProofHole(a)) continue;
    if (IsLabelledSorry(a) && IsLabelledSorry(b)) {
      todo_.emplace_back(ExprId{terms_[a].a}, ExprId{terms_[b].a});
      continue;
    }
    if (!SameNode(terms_[a], terms_[b])) return false;
  }
  return true;
}

bool Comparison::SameNode(const ExprNode& o, const ExprNode& c) {
  if (o.kind != c.kind || o.info != c.info) return false;
  const auto push = [&](uint32_t a, uint32_t b) { todo_.emplace_back(ExprId{a}, ExprId{b}); };
  switch (o.kind) {
    case ExprKind::kConst:
      return o.b == c.b && SameName(NameId{o.a}, NameId{c.a});
    case ExprKind::kApp:
    case ExprKind::kLambda:
    case ExprKind::kForall:
      push(o.a, c.a);
      push(o.b, c.b);
      return true;
    case ExprKind::kLet:
      push(o.a, c.a);
      push(o.b, c.b);
      push(o.c, c.c);
      return true;
    case ExprKind::kProj:
      push(o.c, c.c);
      return o.b == c.b && SameName(NameId{o.a}, NameId{c.a});
    default:
      return false;  // equal nodes are interned once and have one id
  }
}

// `sorryAx.{u} α …` with u = 0: α is a proposition. Which type it must have follows from the terms
// around it, which are compared, and Lean's kernel has checked that what fills it has this type.
bool Comparison::IsProofHole(ExprId expr) const {
  for (int i = 0; i < kMaxHoleArguments && terms_[expr].kind == ExprKind::kApp; ++i) {
    expr = ExprId{terms_[expr].a};
  }
  const ExprNode& head = terms_[expr];
  if (head.kind != ExprKind::kConst) return false;
  if (open_proofs_.contains(NameId{head.a})) return true;
  if (NameId{head.a} != sorry_ || head.a == 0) return false;
  const ListId levels{head.b};
  return levels != ListId::kNil && terms_.IsZero(LevelId{terms_[levels].head});
}

// `sorryAx (Name → α) false label`: the label is the position in the file, which changes when an
// earlier proof grows. What depends on a `sorry` is rejected anyway.
bool Comparison::IsLabelledSorry(ExprId expr) const {
  for (int arguments = 0; arguments < 3; ++arguments) {
    if (terms_[expr].kind != ExprKind::kApp) return false;
    expr = ExprId{terms_[expr].a};
  }
  const ExprNode& head = terms_[expr];
  return head.kind == ExprKind::kConst && NameId{head.a} == sorry_ && head.a != 0;
}

// Both sides have this very expression, but a constant in it may differ between the modules.
bool Comparison::DependsOnAllIn(ExprId expr) {
  walk_.assign(1, expr);
  while (!walk_.empty()) {
    const ExprId at = walk_.back();
    walk_.pop_back();
    if (seen_[Index(at)] == current_ + 1) continue;
    seen_[Index(at)] = current_ + 1;
    const ExprNode& node = terms_[at];
    if (node.kind == ExprKind::kConst || node.kind == ExprKind::kProj) {
      if (!SameName(NameId{node.a}, NameId{node.a})) return false;
    } else if (node.kind == ExprKind::kNat || node.kind == ExprKind::kString) {
      if (!std::ranges::all_of(literals_, [&](NameId name) { return SameName(name, name); }))
        return false;
    }
    ForEachChild(node, [&](ExprId child) { walk_.push_back(child); });
  }
  return true;
}

}  // namespace zermelo::trust
