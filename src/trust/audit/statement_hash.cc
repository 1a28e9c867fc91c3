#include "trust/audit/statement_hash.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "core/hash/sha256.h"

namespace zermelo::trust {

namespace {

using kernel::LevelKind;
using kernel::LevelNode;

constexpr size_t kDigits = 32;

/// The root and all of its parts, each once, parts first. `for_each_part(id, add)`. Parts have
/// smaller ids, so there is no recursion.
template <class Id, class ForEachPart>
std::vector<Id> SmallestFirst(Id root, ForEachPart for_each_part) {
  std::set<Id> waiting = {root};
  std::vector<Id> order;
  while (!waiting.empty()) {
    const Id at = *waiting.rbegin();
    waiting.erase(at);
    order.push_back(at);
    for_each_part(at, [&](Id part) { waiting.insert(part); });
  }
  std::ranges::reverse(order);
  return order;
}

/// Hashes each part of a type once, from the hashes of its own parts: the ids of terms, which
/// depend on what else was read, do not matter.
class Hasher {
 public:
  explicit Hasher(const Terms& terms) : terms_(terms) {}

  std::string Run(ExprId type) {
    const auto order =
        SmallestFirst(type, [&](ExprId at, const auto& add) { ForEachChild(terms_[at], add); });
    std::map<ExprId, std::string> digests;
    for (const ExprId at : order) digests.emplace(at, Expression(terms_[at], digests));
    return digests.at(type).substr(0, kDigits);
  }

 private:
  /// Fields that cannot run into each other.
  static void Add(std::string& text, std::string_view field) {
    text += std::to_string(field.size()) + ":";
    text += field;
  }

  std::string Expression(const ExprNode& node, const std::map<ExprId, std::string>& digests) {
    std::string text(1, static_cast<char>('A' + static_cast<int>(node.kind)));
    switch (node.kind) {
      case ExprKind::kBVar:
      case ExprKind::kLocal:
        Add(text, std::to_string(node.a));
        break;
      case ExprKind::kFVar:
      case ExprKind::kMVar:
        Add(text, Name(NameId{node.a}));
        break;
      case ExprKind::kSort:
        Add(text, Level(LevelId{node.a}));
        break;
      case ExprKind::kConst:
        Add(text, Name(NameId{node.a}));
        for (ListId list{node.b}; list != ListId::kNil; list = terms_[list].tail)
          Add(text, Level(LevelId{terms_[list].head}));
        break;
      case ExprKind::kNat:
      case ExprKind::kString:
        Add(text, terms_.Text(StringId{node.a}));
        break;
      case ExprKind::kProj:
        Add(text, Name(NameId{node.a}));
        Add(text, std::to_string(node.b));
        break;
      default:
        break;
    }
    ForEachChild(node, [&](ExprId child) { text += digests.at(child); });
    return core::Sha256Hex(text);
  }

  std::string Level(LevelId level) {
    const auto order = SmallestFirst(level, [&](LevelId at, const auto& add) {
      const LevelNode& node = terms_[at];
      if (HasParts(node)) add(LevelId{node.a});
      if (HasTwoParts(node)) add(LevelId{node.b});
    });
    for (const LevelId at : order) {
      if (levels_.contains(at)) continue;
      const LevelNode& node = terms_[at];
      std::string text(1, static_cast<char>('a' + static_cast<int>(node.kind)));
      if (node.kind == LevelKind::kParam || node.kind == LevelKind::kMVar)
        Add(text, Name(NameId{node.a}));
      if (HasParts(node)) text += levels_.at(LevelId{node.a});
      if (HasTwoParts(node)) text += levels_.at(LevelId{node.b});
      levels_.emplace(at, core::Sha256Hex(text));
    }
    return levels_.at(level);
  }

  static bool HasTwoParts(const LevelNode& node) {
    return node.kind == LevelKind::kMax || node.kind == LevelKind::kIMax;
  }
  static bool HasParts(const LevelNode& node) {
    return node.kind == LevelKind::kSucc || HasTwoParts(node);
  }

  std::string Name(NameId name) {
    std::string text;
    for (; name != NameId::kAnonymous; name = terms_[name].prefix) {
      text += terms_[name].numeric ? '#' : '.';
      Add(text, terms_.Text(terms_[name].part));
    }
    return text;
  }

  const Terms& terms_;
  std::map<LevelId, std::string> levels_;
};

}  // namespace

std::string StatementHash(const Terms& terms, ExprId type) { return Hasher(terms).Run(type); }

}  // namespace zermelo::trust
