#include "kernel/term/level.h"

#include <algorithm>

namespace zermelo::kernel {

LevelId Levels::Succ(LevelId a) { return terms_.Level({LevelKind::kSucc, Index(a)}); }

LevelId Levels::Param(NameId name) { return terms_.Level({LevelKind::kParam, Index(name)}); }

LevelId Levels::Max(LevelId a, LevelId b) {
  if (a == b || terms_.IsZero(b)) return a;
  if (terms_.IsZero(a)) return b;
  return terms_.Level({LevelKind::kMax, Index(a), Index(b)});
}

LevelId Levels::IMax(LevelId a, LevelId b) {
  if (terms_.IsZero(b)) return LevelId::kZero;
  if (terms_[b].kind == LevelKind::kSucc) return Max(a, b);
  if (a == b || terms_.IsZero(a)) return b;
  return terms_.Level({LevelKind::kIMax, Index(a), Index(b)});
}

void Levels::Join(Sum& sum, const Sum& other, uint64_t offset) {
  sum.constant = std::max(sum.constant, other.constant + offset);
  for (const auto& [name, own] : other.atoms) {
    const auto at =
        std::lower_bound(sum.atoms.begin(), sum.atoms.end(), std::pair(name, uint64_t{0}));
    if (at != sum.atoms.end() && at->first == name) {
      at->second = std::max(at->second, own + offset);
    } else {
      sum.atoms.insert(at, {name, own + offset});
    }
  }
}

// A parameter takes all values from 0, so a term of `a` needs a term of `b` with the same
// parameter, and a constant is at most the least value of `b`.
bool Levels::Leq(const Sum& a, const Sum& b) {
  uint64_t least = b.constant;
  for (const auto& [name, offset] : b.atoms) least = std::max(least, offset);
  if (a.constant > least) return false;
  for (const auto& [name, offset] : a.atoms) {
    const auto at = std::lower_bound(b.atoms.begin(), b.atoms.end(), std::pair(name, uint64_t{0}));
    if (at == b.atoms.end() || at->first != name || at->second < offset) return false;
  }
  return true;
}

bool Levels::Evaluate(LevelId level, const Signs& signs, Sum* sum, NameId* split) {
  budget_.Tick();
  uint64_t offset = 0;
  while (terms_[level].kind == LevelKind::kSucc) {
    level = LevelId{terms_[level].a};
    ++offset;
  }
  const LevelNode node = terms_[level];
  Sum result;
  switch (node.kind) {
    case LevelKind::kZero:
      break;
    case LevelKind::kParam: {
      const NameId name{node.a};
      const auto sign = std::find_if(signs.begin(), signs.end(),
                                     [&](const auto& known) { return known.first == name; });
      if (sign == signs.end()) {
        result.atoms = {{name, 0}};
      } else if (sign->second == Sign::kPositive) {
        result.atoms = {{name, 1}};  // the parameter less one takes all values from 0
        result.constant = 1;
      }
      break;
    }
    case LevelKind::kMax:
    case LevelKind::kIMax: {
      Sum right;
      if (!Evaluate(LevelId{node.b}, signs, &right, split)) return false;
      if (node.kind == LevelKind::kIMax) {
        uint64_t least = right.constant;
        for (const auto& atom : right.atoms) least = std::max(least, atom.second);
        if (least == 0 && !right.atoms.empty()) {
          *split = right.atoms.front().first;
          return false;
        }
        if (least == 0) break;  // imax a 0 = 0
      }
      if (!Evaluate(LevelId{node.a}, signs, &result, split)) return false;
      Join(result, right, 0);
      break;
    }
    case LevelKind::kSucc:
    case LevelKind::kMVar:
      Reject("a universe level is malformed");
  }
  Join(*sum, result, offset);
  return true;
}

// By cases on the parameters that decide an imax (source: the reference's `is_geq` has none of
// this; nanoda's `leq_imax_by_cases`).
bool Levels::LeqBy(LevelId a, LevelId b, Signs& signs) {
  budget_.Tick();
  Sum left, right;
  NameId split{};
  if (Evaluate(a, signs, &left, &split) && Evaluate(b, signs, &right, &split)) {
    return Leq(left, right);
  }
  signs.emplace_back(split, Sign::kZero);
  bool holds = LeqBy(a, b, signs);
  if (holds) {
    signs.back().second = Sign::kPositive;
    holds = LeqBy(a, b, signs);
  }
  signs.pop_back();
  return holds;
}

bool Levels::Leq(LevelId a, LevelId b) {
  if (a == b || terms_.IsZero(a)) return true;
  const uint64_t key = Pair(Index(a), Index(b));
  if (const uint32_t known = order_.Find(key); known != IdMap::kAbsent) return known != 0;
  Signs signs;
  const bool holds = LeqBy(a, b, signs);
  order_.Set(key, holds ? 1 : 0);
  return holds;
}

bool Levels::Equal(ListId a, ListId b) {
  for (; a != b; a = terms_[a].tail, b = terms_[b].tail) {
    if (a == ListId::kNil || b == ListId::kNil) return false;
    if (!Equal(LevelId{terms_[a].head}, LevelId{terms_[b].head})) return false;
  }
  return true;
}

LevelId Levels::Instantiate(LevelId level, const std::vector<NameId>& names, ListId levels) {
  budget_.Tick();
  const LevelNode node = terms_[level];
  if (!node.has_param) return level;
  switch (node.kind) {
    case LevelKind::kSucc:
      return Succ(Instantiate(LevelId{node.a}, names, levels));
    case LevelKind::kMax:
    case LevelKind::kIMax: {
      if (const uint32_t known = substituted_.Find(Index(level)); known != IdMap::kAbsent) {
        return LevelId{known};
      }
      const LevelId a = Instantiate(LevelId{node.a}, names, levels);
      const LevelId b = Instantiate(LevelId{node.b}, names, levels);
      const LevelId result = node.kind == LevelKind::kMax ? Max(a, b) : IMax(a, b);
      substituted_.Set(Index(level), Index(result));
      return result;
    }
    case LevelKind::kParam:
      for (const NameId name : names) {
        if (levels == ListId::kNil) break;
        if (Index(name) == node.a) return LevelId{terms_[levels].head};
        levels = terms_[levels].tail;
      }
      return level;
    case LevelKind::kZero:
    case LevelKind::kMVar:
      break;
  }
  return level;
}

ListId Levels::Instantiate(ListId list, const std::vector<NameId>& names, ListId levels) {
  if (!terms_[list].has_param) return list;
  substituted_.Clear();
  std::vector<LevelId> heads;
  for (; list != ListId::kNil; list = terms_[list].tail) {
    heads.push_back(Instantiate(LevelId{terms_[list].head}, names, levels));
  }
  for (size_t i = heads.size(); i-- > 0;) list = terms_.Cons(heads[i], list);
  return list;
}

}  // namespace zermelo::kernel
