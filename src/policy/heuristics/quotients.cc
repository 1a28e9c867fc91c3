// Quotients, the library's and those that the file names: their elements are classes, and equal if
// what represents them is related.
#include <fmt/format.h>
#include <optional>

#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr size_t kMostClasses = 4;

void OfferClasses(std::string tactic, double cost, bool closing, Candidates* out) {
  out->push_back({std::move(tactic), cost, closing, "quotients"});
}

/// The type that has the elements of a type for its own: "Quotient" (by a setoid), "Quot" (by any
/// relation), or a type of the file that is defined as one of these. nullopt: neither is.
std::optional<std::string> QuotientOf(const std::string& type, const FileFacts& file) {
  const std::string head = ParseTerm(type)->head;
  const syntax::FileConstant* named = file.Type(head);
  const bool may_be_defined = named != nullptr && named->constructors.empty();
  for (const char* quotient : {"Quotient", "Quot"}) {
    if (head == quotient) return quotient;
    if (may_be_defined && syntax::Writes(named->names, quotient)) return quotient;
  }
  return std::nullopt;
}

/// What shows that two classes are equal, or what their elements say about something else.
std::string CloseClasses(const std::string& list) {
  const std::string brackets = list.empty() ? "" : fmt::format(" [{}]", list);
  return fmt::format(
      "first\n"
      "| rfl\n"
      "| (apply Quotient.sound; simp only [HasEquiv.Equiv, Setoid.r]; omega)\n"
      "| (apply Quotient.sound; simp_all [HasEquiv.Equiv, Setoid.r{0}]; done)\n"
      "| (apply Quotient.sound; simp_all [HasEquiv.Equiv, Setoid.r{0}]; grind)\n"
      "| (apply Quotient.sound; assumption)\n"
      "| (apply Quot.sound; simp_all{1}; done)\n"
      "| (apply Quot.sound; grind{1})\n"
      "| (simp_all{1}; done)\n"
      "| grind{1}",
      list.empty() ? "" : ", " + list, brackets);
}

}  // namespace

void ProposeQuotients(const HeuristicInput& input, Candidates* out) {
  const std::string list = fmt::format("{}", fmt::join(input.file.definitions, ", "));
  std::string classes;
  size_t count = 0;
  for (const Variable& variable : input.arith.variables) {
    const auto quotient = QuotientOf(variable.type, input.file);
    if (!quotient) continue;
    if (count++ == kMostClasses) break;
    classes += fmt::format("induction {} using {}.ind\n", variable.name, *quotient);
  }
  if (!classes.empty()) {
    OfferClasses(classes + CloseClasses(list), 0.29, true, out);
    classes.pop_back();
    OfferClasses(classes, 0.6, false, out);
  }
  const std::string& target = input.arith.target->text;
  const bool shows_class =
      target.find("Quotient.mk") != std::string::npos || target.find("⟦") != std::string::npos;
  if (!shows_class && target.find("Quot.mk") == std::string::npos) return;
  OfferClasses(CloseClasses(list), 0.4, true, out);
  if (!shows_class) {
    OfferClasses("apply Quot.sound", 1.0, false, out);
    return;
  }
  OfferClasses("apply Quotient.sound", 1.0, false, out);
  OfferClasses(fmt::format("intro h; have := Quotient.exact h; simp_all [HasEquiv.Equiv, "
                           "Setoid.r{}{}]",
                           list.empty() ? "" : ", ", list),
               0.5, true, out);
}

}  // namespace zermelo::policy
