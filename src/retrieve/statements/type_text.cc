#include "retrieve/statements/type_text.h"

#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace zermelo::retrieve {

namespace {

constexpr int kMaxVisits = 2000;  // nodes visited in one search for a variable

bool OccursAt(const TypeReader& types, TypeId id, uint32_t index, int* visits) {
  const TypeNode& node = types[id];
  if (node.loose_bound <= index || ++*visits > kMaxVisits) return false;
  switch (node.kind) {
    case TypeKind::kBound:
      return node.a == index;
    case TypeKind::kApp:
      return OccursAt(types, node.a, index, visits) || OccursAt(types, node.b, index, visits);
    case TypeKind::kLambda:
    case TypeKind::kForall:
      return OccursAt(types, node.a, index, visits) || OccursAt(types, node.b, index + 1, visits);
    case TypeKind::kLet:
      return OccursAt(types, node.a, index, visits) || OccursAt(types, node.b, index, visits) ||
             OccursAt(types, node.c, index + 1, visits);
    case TypeKind::kProj:
      return OccursAt(types, node.a, index, visits);
    default:
      return false;
  }
}

bool SameAt(const TypeReader& types, TypeId a, TypeId b, uint32_t by, uint32_t under, int depth) {
  const TypeNode& x = types[a];
  const TypeNode& y = types[b];
  if (a == b && x.loose_bound <= under) return true;
  if (x.kind != y.kind || depth > 20) return false;
  switch (x.kind) {
    case TypeKind::kBound:
      return x.a < under ? y.a == x.a : y.a == x.a + by;
    case TypeKind::kConst:
      return x.name == y.name;
    case TypeKind::kSort:
      return LevelText(types, x.a) == LevelText(types, y.a);
    case TypeKind::kApp:
      return SameAt(types, x.a, y.a, by, under, depth + 1) &&
             SameAt(types, x.b, y.b, by, under, depth + 1);
    case TypeKind::kForall:
    case TypeKind::kLambda:
      return SameAt(types, x.a, y.a, by, under, depth + 1) &&
             SameAt(types, x.b, y.b, by, under + 1, depth + 1);
    default:
      return false;
  }
}

}  // namespace

std::string BaseName(const TypeReader& types, NameId name) {
  const kernel::Terms& terms = types.terms();
  std::string text;
  std::vector<NameId> path;
  for (; name != NameId::kAnonymous; name = terms[name].prefix) path.push_back(name);
  for (size_t i = path.size(); i-- > 0;) {
    if (terms[path[i]].numeric) break;
    const std::string_view part = terms.Text(terms[path[i]].part);
    if (part == "_@") break;
    if (!text.empty()) text += '.';
    text += part;
  }
  return text.empty() ? "x" : text;
}

bool IsAnonymous(const TypeReader& types, NameId name) {
  if (name == NameId::kAnonymous) return true;
  const kernel::Terms& terms = types.terms();
  for (NameId n = name; n != NameId::kAnonymous; n = terms[n].prefix) {
    if (!terms[n].numeric && terms.Text(terms[n].part) == "_@") return true;
  }
  return false;
}

bool Occurs(const TypeReader& types, TypeId body) {
  int visits = 0;
  return OccursAt(types, body, 0, &visits);
}

bool SameShifted(const TypeReader& types, TypeId a, TypeId b, uint32_t by) {
  return SameAt(types, a, b, by, 0, 0);
}

std::string LevelText(const TypeReader& types, uint32_t id) {
  int successors = 0;
  while (types.level(id).kind == kernel::LevelKind::kSucc) {
    ++successors;
    id = types.level(id).a;
  }
  const TypeLevel& level = types.level(id);
  std::string text;
  if (level.kind == kernel::LevelKind::kZero) return std::to_string(successors);
  if (level.kind == kernel::LevelKind::kParam || level.kind == kernel::LevelKind::kMVar) {
    text = types.terms().Print(level.name);
  } else {
    text = fmt::format("({} {} {})", level.kind == kernel::LevelKind::kMax ? "max" : "imax",
                       LevelText(types, level.a), LevelText(types, level.b));
  }
  return successors == 0 ? text : fmt::format("({}+{})", text, successors);
}

}  // namespace zermelo::retrieve
