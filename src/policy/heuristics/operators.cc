#include "policy/heuristics/operators.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "core/text.h"
#include "syntax/lexer.h"
#include "syntax/signature.h"

namespace zermelo::policy {
namespace {

using syntax::FileConstant;
using syntax::NameSet;

constexpr std::string_view kEquation = "show ∀ a";

struct Operator {
  std::string_view type_class;
  std::vector<std::string_view> symbols;
  std::string_view use;       // an expression of a and b; empty: it has no simple form
  std::string_view function;  // its type, for the type T
  std::string_view library;   // what unfolds it in any case
};
const Operator kOperators[] = {
    {"Add", {"+"}, "a + b", "{0} → {0} → {0}", "HAdd.hAdd, Add.add"},
    {"Mul", {"*"}, "a * b", "{0} → {0} → {0}", "HMul.hMul, Mul.mul"},
    {"Sub", {"-"}, "a - b", "{0} → {0} → {0}", "HSub.hSub, Sub.sub"},
    {"Neg", {"-"}, "-a", "{0} → {0}", "Neg.neg"},
    {"Append", {"++"}, "a ++ b", "{0} → {0} → {0}", "HAppend.hAppend, Append.append"},
    {"LE", {"≤", "≥"}, "(a ≤ b)", "{0} → {0} → Prop", "LE.le"},
    {"LT", {"<", ">"}, "(a < b)", "{0} → {0} → Prop", "LT.lt"},
    {"Membership", {"∈", "∉"}, "", "", "Membership.mem"},
    {"Union", {"∪"}, "a ∪ b", "{0} → {0} → {0}", "Union.union"},
    {"Inter", {"∩"}, "a ∩ b", "{0} → {0} → {0}", "Inter.inter"},
    {"HasSubset", {"⊆", "⊇"}, "(a ⊆ b)", "{0} → {0} → Prop", "HasSubset.Subset"},
    {"Zero", {}, "", "", "OfNat.ofNat, Zero.zero"},
    {"One", {}, "", "", "OfNat.ofNat, One.one"}};

/// The only field of an instance as a term: `⟨f⟩`, `where add a b := …`, `{ add := f }`. Nothing:
/// it has another form.
std::optional<std::string> FieldOf(std::string_view value) {
  const std::string line = syntax::OnOneLine(value);
  std::string_view text = core::Trim(line);
  if (text.starts_with(":=")) text = core::Trim(text.substr(2));
  const auto inside = [&](std::string_view open, std::string_view close) {
    if (!text.starts_with(open) || !text.ends_with(close)) return false;
    text = core::Trim(text.substr(open.size(), text.size() - open.size() - close.size()));
    return true;
  };
  const bool is_simple = std::ranges::none_of(syntax::LexCode(text), [&](const auto& token) {
    const std::string_view word = syntax::TextOf(text, token);
    return word == "|" || word == "match" || word == "by" || word == "do";
  });
  if (!is_simple) return {};
  if (inside("⟨", "⟩")) {
    if (text.empty()) return {};
    const auto tokens = syntax::LexCode(text);
    if (syntax::FindOutside(text, tokens, ",", 0, tokens.size()) != tokens.size()) return {};
    return std::string(text);
  }
  if (!inside("{", "}") && !inside("where", "")) return {};
  const size_t sign = text.find(":=");
  if (sign == std::string_view::npos || text.find(":=", sign + 2) != std::string_view::npos) {
    return {};
  }
  const std::string_view left = core::Trim(text.substr(0, sign));
  const std::string_view body = core::Trim(text.substr(sign + 2));
  const size_t blank = left.find(' ');
  if (blank == std::string_view::npos) return std::string(body);
  return fmt::format("fun {} => {}", left.substr(blank + 1), body);
}

/// The term, with the file's constant of this kind named in full if it is one. Nothing: the term
/// may mean something else outside the instance's namespace.
std::optional<std::string> Resolved(const std::string& term, FileConstant::Kind kind,
                                    const FileConstant& instance,
                                    const std::vector<FileConstant>& file) {
  const bool is_word = term.find(' ') == std::string::npos;
  const NameSet names = syntax::NamesIn(term), about = syntax::NamesIn(instance.signature);
  const FileConstant* meant = nullptr;  // the nearest, or the nearest of the instance's type
  bool is_of_type = false;
  for (const FileConstant& constant : file) {
    if (constant.declaration >= instance.declaration) break;
    if (constant.kind != kind || !syntax::Writes(names, constant.name)) continue;
    const std::string_view prefix = syntax::NamespaceOf(constant.name);
    const bool in_full = prefix.empty() || names.written.contains(constant.name);
    if (!is_word && !in_full) return {};
    const bool of_type = in_full || syntax::Writes(about, prefix);
    if (is_of_type && !of_type) continue;
    meant = &constant;
    is_of_type = of_type;
  }
  return is_word && meant != nullptr ? meant->reference : term;
}

/// `show ∀ a b : T, a + b = T.add a b from …`; nothing: the instance is not that simple.
std::optional<std::string> EquationOf(const Operator& each, const FileConstant& instance,
                                      const std::vector<FileConstant>& file) {
  const std::string opening = fmt::format(": {} ", each.type_class);
  const auto field = FieldOf(instance.value);
  if (each.use.empty() || !field || !instance.signature.starts_with(opening)) return {};
  const auto meaning = Resolved(*field, FileConstant::Kind::kFunction, instance, file);
  const auto type = Resolved(syntax::OnOneLine(instance.signature.substr(opening.size())),
                             FileConstant::Kind::kType, instance, file);
  if (!meaning || !type) return {};
  const bool unary = each.type_class == "Neg";
  const std::string function =
      meaning->find(' ') == std::string::npos
          ? *meaning
          : fmt::format("({} : {})", *meaning, fmt::format(fmt::runtime(each.function), *type));
  return fmt::format("{}{} : {}, {} = {} a{} from fun _{} => rfl", kEquation, unary ? "" : " b",
                     *type, each.use, function, unary ? "" : " b", unary ? "" : " _");
}

}  // namespace

std::optional<Unfolding> UnfoldingOf(const FileConstant& instance,
                                     const std::vector<FileConstant>& file) {
  const NameSet names = syntax::NamesIn(instance.signature);
  const auto each = std::ranges::find_if(
      kOperators, [&](const Operator& one) { return syntax::Writes(names, one.type_class); });
  if (each == std::end(kOperators)) return {};
  return Unfolding{each->symbols,
                   EquationOf(*each, instance, file).value_or(std::string(each->library))};
}

std::string WithDirections(std::string tactic) {
  constexpr std::string_view kGrind = "grind [";
  for (size_t at = tactic.find(kGrind); at != std::string::npos; at = tactic.find(kGrind, at)) {
    at += kGrind.size();
    int depth = 1;
    for (; at < tactic.size() && depth > 0; ++at) {
      if (tactic[at] == '[') ++depth;
      if (tactic[at] == ']') --depth;
      if (tactic.compare(at, kEquation.size(), kEquation) != 0) continue;
      tactic.insert(at, "= ");
      at += 2 + kEquation.size() - 1;
    }
  }
  return tactic;
}

}  // namespace zermelo::policy
