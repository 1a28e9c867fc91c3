#include "kernel/term/term.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <random>

#include "core/text.h"

namespace zermelo::kernel {

namespace {

constexpr size_t kBlockBytes = 64U << 10U;
constexpr uint32_t kAbsent = std::numeric_limits<uint32_t>::max();
constexpr size_t kMaxPrintedBytes = 400;
constexpr uint64_t kHashMask = 0xFFFFFFFF00000000U;

uint32_t IndexOf(uint64_t entry) { return static_cast<uint32_t>(entry) - 1; }

__extension__ using Wide = unsigned __int128;

// Two numbers that nobody who writes a file can know: with known ones, many texts can be made that
// all have the same hash.
struct Secret {
  uint64_t a = Random(), b = Random();
  static uint64_t Random() {
    std::random_device device;
    return uint64_t{device()} << 32U | device();
  }
};

// Not within Mix, where each call would ask whether it exists yet.
const Secret kSecret;

uint64_t Mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<Wide>(a ^ kSecret.a) * (b ^ kSecret.b);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64U);
}

uint64_t Hash(const StringNode& node) {
  const char* at = node.text.data();
  size_t left = node.text.size();
  uint64_t hash = left;
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    hash = Mix(hash, word);
  }
  uint64_t word = 0;
  std::memcpy(&word, at, left);
  return Mix(hash, word);
}

uint64_t Hash(const NameNode& node) {
  return Mix(uint64_t{Index(node.prefix)} << 1U | (node.numeric ? 1 : 0), Index(node.part));
}

uint64_t Hash(const LevelNode& node) {
  return Mix(uint64_t{node.a} << 8U | static_cast<uint8_t>(node.kind), node.b);
}

uint64_t Hash(const ListNode& node) {
  return Mix(uint64_t{node.head} << 1U | (node.of_levels ? 1 : 0), Index(node.tail));
}

uint64_t Hash(const ExprNode& node) {
  return Mix(uint64_t{node.a} << 32U | node.b,
             uint64_t{node.c} << 16U | static_cast<uint8_t>(node.kind) << 8U | node.info);
}

// Characters that Lean allows in an identifier without «»; a few more are quoted than necessary.
bool IsIdentifierCharacter(char32_t c, bool first) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_') return true;
  if (!first && ((c >= '0' && c <= '9') || c == '\'' || c == '!' || c == '?')) return true;
  if (!first && c >= 0x2080 && c <= 0x209C) return true;  // subscripts
  return (c >= 0x3B1 && c <= 0x3C9 && c != 0x3BB) ||
         (c >= 0x391 && c <= 0x3A9 && c != 0x3A0 && c != 0x3A3) || (c >= 0x1F00 && c <= 0x1FFE) ||
         (c >= 0x2100 && c <= 0x214F) || (c >= 0x1D49C && c <= 0x1D59F);
}

// Control characters, and characters that reorder or hide the text around them.
bool IsUnprintable(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || c == 0xAD;
}

std::string PrintComponent(std::string_view text) {
  bool plain = !text.empty();
  std::string escaped;
  for (size_t at = 0; at < text.size() && escaped.size() < kMaxPrintedBytes;) {
    const auto c = core::DecodeUtf8(text, at);
    if (!IsIdentifierCharacter(c.value, at == 0)) plain = false;
    if (IsUnprintable(c.value)) {
      char digits[16];
      const auto end =
          std::to_chars(digits, digits + sizeof digits, static_cast<uint32_t>(c.value), 16);
      escaped += "\\u{" + std::string(digits, end.ptr) + "}";
    } else {
      escaped += text.substr(at, c.length);
    }
    at += c.length;
  }
  return plain ? escaped : "«" + escaped + "»";
}

}  // namespace

template <class Node>
inline uint32_t NodeTable<Node>::FindHere(const Node& node, uint64_t hash, size_t* slot) const {
  const size_t mask = slots_.size() - 1;
  for (*slot = hash >> 32U & mask; slots_[*slot] != 0; *slot = (*slot + 1) & mask) {
    const uint64_t entry = slots_[*slot];
    if (((entry ^ hash) & kHashMask) == 0 && nodes_[IndexOf(entry)] == node) {
      return first_ + IndexOf(entry);
    }
  }
  return kAbsent;
}

template <class Node>
uint32_t NodeTable<Node>::FindBelow(const Node& node, uint64_t hash) const {
  size_t slot = 0;
  for (const NodeTable* table = below_; table != nullptr; table = table->below_) {
    if (table->slots_.empty()) continue;
    if (const uint32_t found = table->FindHere(node, hash, &slot); found != kAbsent) return found;
  }
  return kAbsent;
}

template <class Node>
uint32_t NodeTable<Node>::Find(const Node& node) const {
  const uint64_t hash = Hash(node);
  if (const uint32_t found = FindBelow(node, hash); found != kAbsent) return found;
  size_t slot = 0;
  return slots_.empty() ? kAbsent : FindHere(node, hash, &slot);
}

template <class Node>
uint32_t NodeTable<Node>::Intern(const Node& node, bool maybe_below) {
  const uint64_t hash = Hash(node);
  if (maybe_below) {
    if (const uint32_t found = FindBelow(node, hash); found != kAbsent) return found;
  }
  if (2 * (nodes_.size() + 1) > slots_.size()) Rehash(std::max<size_t>(64, 2 * slots_.size()));
  size_t slot = 0;
  if (const uint32_t found = FindHere(node, hash, &slot); found != kAbsent) return found;
  nodes_.push_back(node);
  slots_[slot] = (hash & kHashMask) | nodes_.size();
  return first_ + static_cast<uint32_t>(nodes_.size() - 1);
}

template <class Node>
void NodeTable<Node>::Clear() {
  constexpr size_t kKept = size_t{1}
                           << 16U;  // slots; clearing more would cost more than allocating
  nodes_.clear();
  if (slots_.size() <= kKept) {
    std::fill(slots_.begin(), slots_.end(), 0);
  } else {
    slots_ = {};
    nodes_ = {};
  }
}

template <class Node>
void NodeTable<Node>::Reserve(size_t more) {
  const size_t slots = std::bit_ceil(2 * (nodes_.size() + more) + 2);
  if (slots <= slots_.size()) return;
  Rehash(slots);
  nodes_.reserve(slots / 2);
}

template <class Node>
void NodeTable<Node>::Rehash(size_t count) {
  std::vector<uint64_t> slots(count, 0);
  const size_t mask = slots.size() - 1;
  for (const uint64_t entry : slots_) {
    if (entry == 0) continue;
    size_t slot = entry >> 32U & mask;
    while (slots[slot] != 0) slot = (slot + 1) & mask;
    slots[slot] = entry;
  }
  slots_ = std::move(slots);
}

Terms::Terms() {
  String("");
  names_.Intern({});
  Level({});
  lists_.Intern({});
}

Terms::Terms(const Terms* below)
    : layer_(true),
      strings_(&below->strings_),
      names_(&below->names_),
      levels_(&below->levels_),
      lists_(&below->lists_),
      exprs_(&below->exprs_) {}

void Terms::Clear() {
  if (!layer_) return;
  blocks_.clear();
  block_used_ = block_size_ = block_bytes_ = 0;
  strings_.Clear();
  names_.Clear();
  levels_.Clear();
  lists_.Clear();
  exprs_.Clear();
}

StringId Terms::String(std::string_view text) {
  if (const uint32_t found = strings_.Find({text}); found != kAbsent) return StringId{found};
  if (blocks_.empty() || text.size() > block_size_ - block_used_) {
    block_size_ = std::max(kBlockBytes, text.size());
    block_used_ = 0;
    block_bytes_ += block_size_;
    blocks_.push_back(std::make_unique<char[]>(block_size_));
  }
  char* copy = blocks_.back().get() + block_used_;
  std::memcpy(copy, text.data(), text.size());
  block_used_ += text.size();
  return StringId{strings_.Intern({{copy, text.size()}})};
}

std::string_view Terms::Text(StringId id) const { return strings_[Index(id)].text; }

StringId Terms::Nat(uint64_t value) {
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  return Nat(std::string_view(bytes, 8));
}

StringId Terms::Nat(std::string_view little_endian) {
  while (!little_endian.empty() && little_endian.back() == '\0') little_endian.remove_suffix(1);
  return String(little_endian);
}

bool Terms::NatValue(StringId nat, uint64_t* value) const {
  const std::string_view bytes = Text(nat);
  if (bytes.size() > 8) return false;
  *value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    *value |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  }
  return true;
}

std::string Terms::PrintNat(StringId nat) const {
  uint64_t value = 0;
  if (NatValue(nat, &value)) return std::to_string(value);
  constexpr char kDigits[] = "0123456789abcdef";
  const std::string_view bytes = Text(nat);
  if (bytes.size() > kMaxPrintedBytes)
    return "(a number of " + std::to_string(bytes.size()) + " bytes)";
  std::string text = "0x";
  for (size_t i = bytes.size(); i-- > 0;) {
    text += kDigits[static_cast<uint8_t>(bytes[i]) >> 4U];
    text += kDigits[static_cast<uint8_t>(bytes[i]) & 15U];
  }
  return text;
}

NameId Terms::Name(NameId prefix, StringId part, bool numeric) {
  return NameId{names_.Intern({prefix, part, numeric})};
}

bool Terms::FindName(NameId prefix, std::string_view part, bool numeric, NameId* found) const {
  const uint32_t string = strings_.Find({part});
  if (string == kAbsent) return false;
  const uint32_t name = names_.Find({prefix, StringId{string}, numeric});
  *found = NameId{name};
  return name != kAbsent;
}

NameId Terms::ParseName(std::string_view text) {
  constexpr std::string_view kOpen = "«", kClose = "»";
  NameId name = NameId::kAnonymous;
  while (!text.empty()) {
    std::string_view part;
    bool numeric = false;
    if (text.starts_with(kOpen)) {
      const size_t close = text.find(kClose);
      part = text.substr(kOpen.size(), close == text.npos ? text.npos : close - kOpen.size());
      text.remove_prefix(close == text.npos ? text.size() : close + kClose.size());
      if (text.starts_with('.')) text.remove_prefix(1);
    } else {
      const size_t dot = text.find('.');
      part = text.substr(0, dot);
      text.remove_prefix(dot == text.npos ? text.size() : dot + 1);
      numeric = !part.empty() && part.size() < 19 &&
                std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    }
    uint64_t value = 0;
    if (numeric) std::from_chars(part.data(), part.data() + part.size(), value);
    name = Name(name, numeric ? Nat(value) : String(part), numeric);
  }
  return name;
}

void Terms::ReserveFor(size_t words) {
  constexpr size_t kWordsAnExpression = 16, kWordsAName = 64;  // roughly, in Lean's own library
  exprs_.Reserve(words / kWordsAnExpression);
  names_.Reserve(words / kWordsAName);
}

LevelId Terms::Level(LevelNode node) {
  const bool pair = node.kind == LevelKind::kMax || node.kind == LevelKind::kIMax;
  node.has_mvar = node.kind == LevelKind::kMVar;
  node.has_param = node.kind == LevelKind::kParam;
  node.zero = node.kind == LevelKind::kZero;
  if (pair || node.kind == LevelKind::kSucc) {
    node.has_mvar = levels_[node.a].has_mvar;
    node.has_param = levels_[node.a].has_param;
  }
  if (pair) {
    node.has_mvar = node.has_mvar || levels_[node.b].has_mvar;
    node.has_param = node.has_param || levels_[node.b].has_param;
    node.zero = levels_[node.b].zero && (node.kind == LevelKind::kIMax || levels_[node.a].zero);
  }
  return LevelId{levels_.Intern(node)};
}

ListId Terms::List(ListNode node) {
  if (node.of_levels) {
    const ListNode& tail = (*this)[node.tail];
    node.has_mvar = tail.has_mvar || levels_[node.head].has_mvar;
    node.has_param = tail.has_param || levels_[node.head].has_param;
  }
  return ListId{lists_.Intern(node)};
}

ExprId Terms::Expr(ExprNode node) {
  bool maybe_below = true;
  const auto levels = [&](const auto& of) {
    if (of.has_mvar) node.occurs |= ExprNode::kFree;
    if (of.has_param) node.occurs |= ExprNode::kLevelParam;
  };
  const auto child = [&](uint32_t id, uint32_t binders) {
    const ExprNode& e = exprs_[id];
    maybe_below = maybe_below && id < exprs_.first();
    node.occurs |= e.occurs;
    node.loose_bound = std::max(node.loose_bound, e.loose_bound - std::min(e.loose_bound, binders));
  };
  switch (node.kind) {
    case ExprKind::kBVar:
      node.loose_bound = node.a + 1;
      break;
    case ExprKind::kFVar:
    case ExprKind::kMVar:
      node.occurs = ExprNode::kFree;
      break;
    case ExprKind::kSort:
      levels(levels_[node.a]);
      break;
    case ExprKind::kConst:
      levels(lists_[node.b]);
      break;
    case ExprKind::kApp:
      child(node.a, 0);
      child(node.b, 0);
      break;
    case ExprKind::kLambda:
    case ExprKind::kForall:
      child(node.a, 0);
      child(node.b, 1);
      break;
    case ExprKind::kLet:
      child(node.a, 0);
      child(node.b, 0);
      child(node.c, 1);
      break;
    case ExprKind::kProj:
      child(node.c, 0);
      break;
    case ExprKind::kLocal:
      maybe_below = false;
      node.occurs = ExprNode::kLocal | (exprs_[node.a].occurs & ExprNode::kLevelParam);
      break;
    case ExprKind::kNat:
    case ExprKind::kString:
      break;
  }
  return ExprId{exprs_.Intern(node, maybe_below)};
}

size_t Terms::bytes() const {
  return block_bytes_ + strings_.bytes() + names_.bytes() + levels_.bytes() + lists_.bytes() +
         exprs_.bytes();
}

std::vector<NameId> Terms::Names(ListId list) const {
  std::vector<NameId> names;
  for (; list != ListId::kNil; list = (*this)[list].tail)
    names.push_back(NameId{(*this)[list].head});
  return names;
}

size_t Terms::Length(ListId list) const {
  size_t length = 0;
  for (; list != ListId::kNil; list = (*this)[list].tail) ++length;
  return length;
}

std::string Terms::PrintFull(NameId name) const {
  if (name == NameId::kAnonymous) return "[anonymous]";
  std::vector<NameId> path;
  for (; name != NameId::kAnonymous; name = (*this)[name].prefix) path.push_back(name);
  std::string text;
  for (size_t i = path.size(); i-- > 0;) {
    const NameNode& node = (*this)[path[i]];
    if (!text.empty()) text += '.';
    if (text.size() > kMaxPrintedBytes) return text + "…";
    text += node.numeric ? PrintNat(node.part) : PrintComponent(Text(node.part));
  }
  return text;
}

std::string Terms::Print(NameId name) const {
  // `_private`, the components of the module, 0, then what the author wrote.
  std::vector<NameId> path;
  for (NameId n = name; n != NameId::kAnonymous; n = (*this)[n].prefix) path.push_back(n);
  if (path.empty() || (*this)[path.back()].numeric ||
      Text((*this)[path.back()].part) != "_private") {
    return PrintFull(name);
  }
  std::string text;
  bool after = false;
  for (size_t i = path.size(); i-- > 0 && text.size() <= kMaxPrintedBytes;) {
    const NameNode& node = (*this)[path[i]];
    if (after) {
      if (!text.empty()) text += '.';
      text += node.numeric ? PrintNat(node.part) : PrintComponent(Text(node.part));
    }
    after = after || node.numeric;
  }
  return text.empty() ? PrintFull(name) : text;
}

template class NodeTable<StringNode>;
template class NodeTable<NameNode>;
template class NodeTable<LevelNode>;
template class NodeTable<ListNode>;
template class NodeTable<ExprNode>;

}  // namespace zermelo::kernel
