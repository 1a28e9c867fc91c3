#include "retrieve/statements/notation.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace zermelo::retrieve {

namespace {

constexpr auto kIn = Fixity::kInfix;
constexpr auto kFlip = Fixity::kInfixFlipped;
constexpr auto kPre = Fixity::kPrefix;
constexpr auto kPost = Fixity::kPostfix;
constexpr auto kUp = Fixity::kCoercion;

constexpr std::array kNotations = {
    Notation{"Eq", "=", kIn, 50, 51, 51, "eq"},
    Notation{"Ne", "≠", kIn, 50, 51, 51, "ne"},
    Notation{"LT.lt", "<", kIn, 50, 51, 51, "lt"},
    Notation{"LE.le", "≤", kIn, 50, 51, 51, "le"},
    Notation{"GT.gt", ">", kIn, 50, 51, 51, "lt"},
    Notation{"GE.ge", "≥", kIn, 50, 51, 51, "le"},
    Notation{"HEq", "≍", kIn, 50, 51, 51, "heq"},
    Notation{"Dvd.dvd", "∣", kIn, 50, 51, 51, "dvd"},
    Notation{"Membership.mem", "∈", kFlip, 50, 51, 51, "mem"},
    Notation{"BEq.beq", "==", kIn, 50, 51, 51, "beq"},
    Notation{"bne", "!=", kIn, 50, 51, 51, "bne"},
    Notation{"HasEquiv.Equiv", "≈", kIn, 50, 51, 51, "equiv"},
    Notation{"HasSubset.Subset", "⊆", kIn, 50, 51, 51, "subset"},
    Notation{"HasSSubset.SSubset", "⊂", kIn, 50, 51, 51, "ssubset"},
    Notation{"HasSuperset.Superset", "⊇", kIn, 50, 51, 51, "subset"},
    Notation{"List.Perm", "~", kIn, 50, 51, 51, "perm"},
    Notation{"List.Sublist", "<+", kIn, 50, 51, 51, "sublist"},
    Notation{"List.IsPrefix", "<+:", kIn, 50, 51, 51, "prefix"},
    Notation{"List.IsSuffix", "<:+", kIn, 50, 51, 51, "suffix"},
    Notation{"List.IsInfix", "<:+:", kIn, 50, 51, 51, "infix"},
    Notation{"And", "∧", kIn, 35, 36, 35, "and"},
    Notation{"Or", "∨", kIn, 30, 31, 30, "or"},
    Notation{"Iff", "↔", kIn, 20, 21, 21, "iff"},
    Notation{"Not", "¬", kPre, 1024, 0, 40, "not"},
    Notation{"and", "&&", kIn, 35, 35, 36, "and"},
    Notation{"or", "||", kIn, 30, 30, 31, "or"},
    Notation{"not", "!", kPre, 1024, 0, 40, "not"},
    Notation{"HAdd.hAdd", "+", kIn, 65, 65, 66, "add"},
    Notation{"HSub.hSub", "-", kIn, 65, 65, 66, "sub"},
    Notation{"HMul.hMul", "*", kIn, 70, 70, 71, "mul"},
    Notation{"HDiv.hDiv", "/", kIn, 70, 70, 71, "div"},
    Notation{"HMod.hMod", "%", kIn, 70, 70, 71, "mod"},
    Notation{"HPow.hPow", "^", kIn, 75, 76, 75, "pow"},
    Notation{"Neg.neg", "-", kPre, 75, 0, 75, "neg"},
    Notation{"Inv.inv", "⁻¹", kPost, 1024, 1024, 0, "inv"},
    Notation{"HAppend.hAppend", "++", kIn, 65, 65, 66, "append"},
    Notation{"List.cons", "::", kIn, 67, 68, 67, "cons"},
    Notation{"HShiftLeft.hShiftLeft", "<<<", kIn, 75, 75, 76, "shiftLeft"},
    Notation{"HShiftRight.hShiftRight", ">>>", kIn, 75, 75, 76, "shiftRight"},
    Notation{"HAnd.hAnd", "&&&", kIn, 60, 60, 61, "and"},
    Notation{"HXor.hXor", "^^^", kIn, 58, 58, 59, "xor"},
    Notation{"HOr.hOr", "|||", kIn, 55, 55, 56, "or"},
    Notation{"Complement.complement", "~~~", kPre, 100, 0, 100, "not"},
    Notation{"HSMul.hSMul", "•", kIn, 73, 74, 73, "smul"},
    Notation{"SMul.smul", "•", kIn, 73, 74, 73, "smul"},
    Notation{"Union.union", "∪", kIn, 65, 65, 66, "union"},
    Notation{"Inter.inter", "∩", kIn, 70, 70, 71, "inter"},
    Notation{"SDiff.sdiff", "\\", kIn, 70, 70, 71, "sdiff"},
    Notation{"Prod", "×", kIn, 35, 36, 35, "prod"},
    Notation{"Sum", "⊕", kIn, 30, 31, 30, "sum"},
    Notation{"Function.comp", "∘", kIn, 90, 91, 90, "comp"},
    Notation{"Functor.map", "<$>", kIn, 100, 101, 100, "map"},
    Notation{"Bind.bind", ">>=", kIn, 55, 55, 56, "bind"},
    Notation{"Nat.cast", "↑", kUp, 1024, 0, 1024, "cast"},
    Notation{"Int.cast", "↑", kUp, 1024, 0, 1024, "cast"},
    Notation{"NatCast.natCast", "↑", kUp, 1024, 0, 1024, "cast"},
    Notation{"IntCast.intCast", "↑", kUp, 1024, 0, 1024, "cast"},
    Notation{"Rat.cast", "↑", kUp, 1024, 0, 1024, "cast"},
    Notation{"Subtype.val", "↑", kUp, 1024, 0, 1024, "val"},
    Notation{"Fin.val", "↑", kUp, 1024, 0, 1024, "val"},
};

}  // namespace

const Notation* FindNotation(std::string_view constant) {
  static const auto* const by_constant = [] {
    auto* map = new std::unordered_map<std::string_view, const Notation*>();
    for (const Notation& notation : kNotations) map->emplace(notation.constant, &notation);
    return map;
  }();
  const auto found = by_constant->find(constant);
  return found == by_constant->end() ? nullptr : found->second;
}

const Notation* FindSymbol(std::string_view symbol, SymbolPlace preferred) {
  const Notation* other = nullptr;
  for (const Notation& notation : kNotations) {
    if (notation.symbol != symbol) continue;
    const bool prefix = notation.fixity == kPre || notation.fixity == kUp;
    if (prefix == (preferred == SymbolPlace::kPrefix)) return &notation;
    if (other == nullptr) other = &notation;
  }
  return other;
}

}  // namespace zermelo::retrieve
