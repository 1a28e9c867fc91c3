// Literals of natural numbers and strings, and the operations that are computed with whole numbers.
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <iterator>

#include "core/text.h"
#include "kernel/rules/type_checker.h"

namespace zermelo::kernel {

namespace {

using boost::multiprecision::cpp_int;

constexpr uint64_t kMaxExponent = uint64_t{1} << 24U;  // source: lean4lean, reducePowMaxExp
// Lean computes numbers of up to 128 MB (lean4#14849). The library used here multiplies in n^1.6
// and divides in n^2 steps, so larger ones would exceed every limit of time in a single operation.
constexpr uint64_t kMaxBits = uint64_t{1} << 26U;
constexpr uint64_t kMaxSteps = uint64_t{1} << 32U;

cpp_int ToNumber(std::string_view little_endian) {
  cpp_int number;
  if (!little_endian.empty()) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(little_endian.data());
    import_bits(number, bytes, bytes + little_endian.size(), 8, false);
  }
  return number;
}

uint64_t Bits(const cpp_int& number) { return number == 0 ? 0 : msb(number) + 1; }

constexpr uint64_t kBytesAStep = 64;
constexpr uint64_t kLimbsAStep = 32;

void LimitBits(uint64_t bits) {
  if (bits > kMaxBits) Decline("it computes a number of more than 8 MB");
}

// For a product of so many bits, or a power.
void LimitProduct(uint64_t bits, Budget& budget) {
  LimitBits(bits);
  budget.Tick(static_cast<uint64_t>(std::pow(static_cast<double>(bits) / 64, 1.6)) / kLimbsAStep);
}

// For a division, or a greatest common divisor.
void LimitSteps(const cpp_int& x, const cpp_int& y, Budget& budget) {
  const uint64_t steps = (Bits(x) / 64 + 1) * (Bits(y) / 64 + 1);
  if (steps > kMaxSteps) Decline("it divides numbers that are too large");
  budget.Tick(steps / kLimbsAStep);
}

}  // namespace

std::optional<StringId> TypeChecker::AsNat(ExprId e) const {
  if (Node(e).kind == ExprKind::kNat) return StringId{Node(e).a};
  if (IsConst(e, known_.zero) && builtins_.nat) return StringId::kEmpty;
  return std::nullopt;
}

ExprId TypeChecker::NatConstructor(ExprId literal) {
  if (Node(literal).a == Index(StringId::kEmpty)) return Const(known_.zero, ListId::kNil);
  return substitution_.App(Const(known_.succ, ListId::kNil), Predecessor(literal));
}

/// The number's bytes, which a step copies once or twice.
std::string_view TypeChecker::Limited(StringId number) {
  const std::string_view bytes = terms_.Text(number);
  LimitBits(8 * bytes.size());
  budget_.Tick(bytes.size() / kBytesAStep);
  return bytes;
}

ExprId TypeChecker::Predecessor(ExprId e) {
  if (Node(e).kind == ExprKind::kNat) {
    if (Node(e).a == Index(StringId::kEmpty)) return kNoExpr;
    std::string bytes(Limited(StringId{Node(e).a}));
    for (char& byte : bytes) {
      byte = static_cast<char>(byte - 1);
      if (byte != static_cast<char>(0xFF)) break;  // nothing to borrow
    }
    return NatLiteral(terms_.Nat(bytes));
  }
  if (Node(e).kind == ExprKind::kApp && IsConst(ExprId{Node(e).a}, known_.succ) && builtins_.nat) {
    return ExprId{Node(e).b};
  }
  return kNoExpr;
}

ExprId TypeChecker::Compute(NatOperation operation, StringId a, StringId b) {
  const auto literal = [&](const cpp_int& number) {
    std::string bytes;
    export_bits(number, std::back_inserter(bytes), 8, false);
    budget_.Tick(bytes.size() / kBytesAStep);
    return NatLiteral(terms_.Nat(bytes));
  };
  const auto boolean = [&](bool yes) { return Const(yes ? known_.yes : known_.no, ListId::kNil); };
  const cpp_int x = ToNumber(Limited(a));
  const cpp_int y = ToNumber(Limited(b));
  switch (operation) {
    case NatOperation::kAdd:
      return literal(x + y);
    case NatOperation::kSub:
      return literal(x < y ? cpp_int(0) : cpp_int(x - y));
    case NatOperation::kMul:
      LimitProduct(Bits(x) + Bits(y), budget_);
      return literal(x * y);
    case NatOperation::kPow: {
      if (y > kMaxExponent) return kNoExpr;
      const auto exponent = static_cast<uint32_t>(y);
      LimitProduct(Bits(x) * exponent, budget_);
      return literal(pow(x, exponent));
    }
    case NatOperation::kBeq:
      return boolean(x == y);
    case NatOperation::kBle:
      return boolean(x <= y);
    case NatOperation::kDiv:
      LimitSteps(x, y, budget_);
      return literal(y == 0 ? cpp_int(0) : cpp_int(x / y));
    case NatOperation::kMod:
      LimitSteps(x, y, budget_);
      return literal(y == 0 ? x : cpp_int(x % y));
    case NatOperation::kGcd:
      LimitSteps(x, y, budget_);
      return literal(gcd(x, y));
    case NatOperation::kLand:
      return literal(x & y);
    case NatOperation::kLor:
      return literal(x | y);
    case NatOperation::kXor:
      return literal(x ^ y);
    case NatOperation::kShiftLeft: {
      if (y > kMaxExponent) return kNoExpr;
      LimitBits(Bits(x) + static_cast<uint64_t>(y));
      return literal(x << static_cast<uint32_t>(y));
    }
    case NatOperation::kShiftRight:
      return literal(y >= Bits(x) ? cpp_int(0) : cpp_int(x >> static_cast<uint32_t>(y)));
  }
  return kNoExpr;
}

// `f a b` with an operation that Builtins vouches for, or `Nat.succ a`, of literals.
ExprId TypeChecker::ReduceNat(ExprId e) {
  if (Node(e).kind != ExprKind::kApp || !builtins_.nat) return kNoExpr;
  const ExprId function{Node(e).a};
  if (Node(function).kind == ExprKind::kConst) {
    if (!IsConst(function, known_.succ)) return kNoExpr;
    const std::optional<StringId> a = AsNat(Whnf(ExprId{Node(e).b}));
    if (!a.has_value()) return kNoExpr;
    const cpp_int next = ToNumber(Limited(*a)) + 1;
    std::string bytes;
    export_bits(next, std::back_inserter(bytes), 8, false);
    return NatLiteral(terms_.Nat(bytes));
  }
  if (Node(function).kind != ExprKind::kApp) return kNoExpr;
  const ExprId head{Node(function).a};
  if (Node(head).kind != ExprKind::kConst) return kNoExpr;
  for (size_t i = 0; i < kNatOperations; ++i) {
    if (!IsConst(head, known_.nat_operations[i])) continue;
    const std::optional<StringId> a = AsNat(Whnf(ExprId{Node(function).b}));
    if (!a.has_value()) return kNoExpr;
    const std::optional<StringId> b = AsNat(Whnf(ExprId{Node(e).b}));
    if (!b.has_value()) return kNoExpr;
    if (!builtins_.operations[i]) {
      missed_shortcut_ = true;
      return kNoExpr;
    }
    return Compute(static_cast<NatOperation>(i), *a, *b);
  }
  return kNoExpr;
}

ExprId TypeChecker::ExpandString(ExprId literal) {
  const std::string text(terms_.Text(StringId{Node(literal).a}));
  const ListId zero = terms_.Cons(LevelId::kZero, ListId::kNil);
  const ExprId character = Const(known_.character, ListId::kNil);
  const ExprId of_nat = Const(known_.of_nat, ListId::kNil);
  const ExprId cons = substitution_.App(Const(known_.cons, zero), character);
  std::vector<char32_t> characters;
  for (size_t at = 0; at < text.size();) {
    const auto decoded = core::DecodeUtf8(text, at);
    characters.push_back(decoded.value);
    at += decoded.length;
  }
  ExprId list = substitution_.App(Const(known_.nil, zero), character);
  for (size_t i = characters.size(); i-- > 0;) {
    budget_.Tick();
    const ExprId one = substitution_.App(of_nat, NatLiteral(terms_.Nat(uint64_t{characters[i]})));
    list = substitution_.App(substitution_.App(cons, one), list);
  }
  const NameId maker = known_.MakerOfStrings(view_.environment());
  return substitution_.App(Const(maker, ListId::kNil), list);
}

}  // namespace zermelo::kernel
