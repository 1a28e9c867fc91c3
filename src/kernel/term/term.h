// Names, universe levels and expressions, hash-consed: two terms of one arena are structurally
// equal exactly when their ids are equal, whichever files they came from.
//
// What is not part of a term's meaning is not stored: binder names, `mdata`, and every hash and
// flag that a file claims for itself (flags are recomputed here). Binder info and the `nondep` bit
// of `let` are stored, so they count in comparisons of ids; the checker ignores them.
//
// An arena can be laid over another one, which then must not change: the terms of the lower one
// keep their ids, and new terms live in the upper one only. A checker puts the terms of one
// declaration into such a layer and clears it afterwards; several threads can share the lower
// arena.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace zermelo::kernel {

enum class StringId : uint32_t { kEmpty = 0 };
enum class NameId : uint32_t { kAnonymous = 0 };
enum class LevelId : uint32_t { kZero = 0 };
enum class ListId : uint32_t { kNil = 0 };  // of names, or of levels
enum class ExprId : uint32_t {};

template <class Id>
constexpr uint32_t Index(Id id) {
  return static_cast<uint32_t>(id);
}

/// `part` is the text of a string component, or the digits of a numeric one (Terms::Nat).
/// A prefix always has a smaller id than the name.
struct NameNode {
  NameId prefix = NameId::kAnonymous;
  StringId part = StringId::kEmpty;
  bool numeric = false;
  bool operator==(const NameNode&) const = default;
};

enum class LevelKind : uint8_t { kZero, kSucc, kMax, kIMax, kParam, kMVar };

/// kSucc: a; kMax, kIMax: a, b (levels); kParam, kMVar: a (a name).
struct LevelNode {
  LevelKind kind = LevelKind::kZero;
  uint32_t a = 0;
  uint32_t b = 0;
  // Computed by Terms::Level, not compared.
  bool has_mvar = false;
  bool has_param = false;
  bool zero = false;  // 0 for all values of its parameters: `0`, `imax 1 0`, `max 0 0`

  bool operator==(const LevelNode& o) const { return kind == o.kind && a == o.a && b == o.b; }
};

/// A cons cell; `head` is a LevelId if `of_levels`, else a NameId. A tail has a smaller id.
struct ListNode {
  bool of_levels = false;
  uint32_t head = 0;
  ListId tail = ListId::kNil;
  // Computed, not compared; of lists of levels.
  bool has_mvar = false;
  bool has_param = false;

  bool operator==(const ListNode& o) const {
    return of_levels == o.of_levels && head == o.head && tail == o.tail;
  }
};

enum class ExprKind : uint8_t {
  kBVar,    // a: de Bruijn index
  kFVar,    // a: name
  kMVar,    // a: name
  kSort,    // a: level
  kConst,   // a: name, b: list of levels
  kApp,     // a: function, b: argument
  kLambda,  // a: type, b: body; info: binder info
  kForall,  // a: type, b: body; info: binder info
  kLet,     // a: type, b: value, c: body; info: nondep
  kNat,     // a: Terms::Nat
  kString,  // a: string
  kProj,    // a: structure's name, b: field, c: expression
  kLocal,   // a: type, b: number of binders around it; made by the checker only, never in a file
};

/// Sub-expressions always have smaller ids than the expression.
struct ExprNode {
  ExprKind kind = ExprKind::kBVar;
  uint8_t info = 0;
  uint8_t occurs = 0;  // computed by Terms::Expr, not compared
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
  uint32_t loose_bound = 0;  // computed: one more than the largest loose de Bruijn index, 0: closed

  enum Occurs : uint8_t { kFree = 1, kLocal = 2, kLevelParam = 4 };
  /// An fvar, mvar or level mvar occurs; never in a checked constant.
  bool has_free() const { return (occurs & kFree) != 0; }
  bool has_local() const { return (occurs & kLocal) != 0; }
  bool has_level_param() const { return (occurs & kLevelParam) != 0; }
  bool operator==(const ExprNode& o) const {
    return kind == o.kind && info == o.info && a == o.a && b == o.b && c == o.c;
  }
};

/// Calls f(ExprId) for each direct sub-expression; the type of a local is none.
template <class F>
void ForEachChild(const ExprNode& e, F f) {
  switch (e.kind) {
    case ExprKind::kApp:
    case ExprKind::kLambda:
    case ExprKind::kForall:
      f(ExprId{e.a});
      f(ExprId{e.b});
      return;
    case ExprKind::kLet:
      f(ExprId{e.a});
      f(ExprId{e.b});
      f(ExprId{e.c});
      return;
    case ExprKind::kProj:
      f(ExprId{e.c});
      return;
    default:
      return;
  }
}

/// Text in a block that its arena owns.
struct StringNode {
  std::string_view text;
  bool operator==(const StringNode&) const = default;
};

/// Nodes of one kind, each stored once; ids count from 0 in order of first appearance, after those
/// of the table below.
template <class Node>
class NodeTable {
 public:
  NodeTable() = default;
  explicit NodeTable(const NodeTable* below)
      : below_(below), first_(static_cast<uint32_t>(below->size())) {}
  /// `maybe_below`: false if the table below cannot have the node, since it lacks a part of it.
  uint32_t Intern(const Node& node, bool maybe_below = true);
  /// The first id of this table's own nodes.
  uint32_t first() const { return first_; }
  /// Reserves room for this many more nodes.
  void Reserve(size_t more);
  /// The id of a node, or UINT32_MAX if it is not stored.
  uint32_t Find(const Node& node) const;
  const Node& operator[](uint32_t id) const {
    return id < first_ ? (*below_)[id] : nodes_[id - first_];
  }
  size_t size() const { return first_ + nodes_.size(); }
  /// Forgets this layer's nodes; the table below keeps its own.
  void Clear();
  size_t bytes() const {
    return nodes_.capacity() * sizeof(Node) + slots_.capacity() * sizeof(uint64_t);
  }

 private:
  uint32_t FindHere(const Node& node, uint64_t hash, size_t* slot) const;
  uint32_t FindBelow(const Node& node, uint64_t hash) const;
  void Rehash(size_t slots);
  const NodeTable* below_ = nullptr;
  uint32_t first_ = 0;
  std::vector<Node> nodes_;
  // Each slot has the high half of the hash, which also says where to look first, and the index in
  // nodes_ + 1; 0 is free. The number of slots is a power of two.
  std::vector<uint64_t> slots_;
};

/// The arena of terms. Not thread-safe. Ids are valid as long as the arena lives, and only in it.
class Terms {
 public:
  Terms();
  /// A layer over `below`, which must outlive it and not change meanwhile.
  explicit Terms(const Terms* below);
  /// Forgets what this layer has; for layers only.
  void Clear();

  StringId String(std::string_view text);
  std::string_view Text(StringId id) const;

  /// A natural number: its little-endian bytes without trailing zeros, as a string.
  StringId Nat(uint64_t value);
  StringId Nat(std::string_view little_endian);
  /// False if it does not fit.
  bool NatValue(StringId nat, uint64_t* value) const;
  /// Decimal below 2^64, else hexadecimal.
  std::string PrintNat(StringId nat) const;

  NameId Name(NameId prefix, StringId part, bool numeric);
  NameId Name(NameId prefix, std::string_view part) { return Name(prefix, String(part), false); }
  /// Reads `Nat.succ`, `«a b».c`, `_private.M.0.f` (all-digit components are numeric).
  NameId ParseName(std::string_view text);
  /// Sets `found` to the name if this arena has it; otherwise returns false.
  bool FindName(NameId prefix, std::string_view part, bool numeric, NameId* found) const;

  /// Reserves room for the terms of a typical .olean file with this many pointers' worth of bytes.
  void ReserveFor(size_t words);

  LevelId Level(LevelNode node);
  ListId Cons(NameId head, ListId tail) { return List({false, Index(head), tail}); }
  ListId Cons(LevelId head, ListId tail) { return List({true, Index(head), tail}); }
  ExprId Expr(ExprNode node);

  const NameNode& operator[](NameId id) const { return names_[Index(id)]; }
  const LevelNode& operator[](LevelId id) const { return levels_[Index(id)]; }
  const ListNode& operator[](ListId id) const { return lists_[Index(id)]; }
  const ExprNode& operator[](ExprId id) const { return exprs_[Index(id)]; }

  size_t name_count() const { return names_.size(); }
  size_t expr_count() const { return exprs_.size(); }
  size_t bytes() const;

  std::vector<NameId> Names(ListId list) const;
  size_t Length(ListId list) const;

  /// The name as Lean prints it: components that are not identifiers are quoted with «…»,
  /// characters that a terminal or a line reader would act on are escaped, and a private name
  /// appears as its author wrote it. Truncated at 400 bytes.
  std::string Print(NameId name) const;
  /// Like Print, but with the private prefix.
  std::string PrintFull(NameId name) const;
  /// Whether a level equals 0 for all values of its parameters (`0`, `imax 1 0`, `max 0 0`).
  bool IsZero(LevelId level) const { return (*this)[level].zero; }

 private:
  ListId List(ListNode node);

  bool layer_ = false;
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t block_used_ = 0;
  size_t block_size_ = 0;
  size_t block_bytes_ = 0;
  NodeTable<StringNode> strings_;
  NodeTable<NameNode> names_;
  NodeTable<LevelNode> levels_;
  NodeTable<ListNode> lists_;
  NodeTable<ExprNode> exprs_;
};

}  // namespace zermelo::kernel
