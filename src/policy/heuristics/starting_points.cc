// Functions that go through data from a point that the statement fixes, as the run of an automaton
// from its first state: induction needs the statement for every point.
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <vector>

#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

using syntax::FileConstant;

constexpr size_t kMostPoints = 3;

struct RecursiveCalls {
  std::vector<TermPtr> points;    // arguments such as `A.start`, the longest first
  std::vector<std::string> data;  // variables that are arguments beside them
};

/// Calls `visit` on the parts of the term, those of a negated Boolean included.
void VisitAll(const Term& term, const std::function<void(const Term&)>& visit) {
  Visit(term, [&](const Term& part) {
    visit(part);
    const bool negated = part.kind == TermKind::kOpaque && part.text.starts_with('!');
    if (negated) VisitAll(*ParseTerm(std::string_view(part.text).substr(1)), visit);
  });
}

/// What a recursive function of the file is called with after its fixed parameters.
RecursiveCalls RecursiveCallsIn(const HeuristicInput& input) {
  RecursiveCalls calls;
  const auto add = [](auto value, auto* to, auto&& same) {
    if (std::ranges::none_of(*to, same)) to->push_back(std::move(value));
  };
  VisitAll(*input.arith.target, [&](const Term& part) {
    for (const FileConstant* function : input.file.mentioned) {
      const bool is_call =
          function->recursive && part.kind == TermKind::kApply &&
          syntax::LastComponent(part.head) == syntax::LastComponent(function->name);
      if (!is_call) continue;
      for (size_t i = function->parameters; i < part.args.size(); ++i) {
        const TermPtr& arg = part.args[i];
        if (arg->kind == TermKind::kName && input.arith.Find(arg->head) != nullptr) {
          add(arg->head, &calls.data, [&](const std::string& x) { return x == arg->head; });
        } else if (arg->kind == TermKind::kApply && arg->text.ends_with("." + arg->head)) {
          add(arg, &calls.points, [&](const TermPtr& other) { return other->text == arg->text; });
        }
      }
    }
  });
  std::ranges::stable_sort(calls.points, std::ranges::greater(),
                           [](const TermPtr& point) { return point->text.size(); });
  return calls;
}

/// `text` with a name in place of each occurrence of a term.
std::string Replaced(std::string text, const std::string& term, const std::string& name) {
  const auto is_part_of_name = [&](size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 ||
                               text[i] == '.' || text[i] == '_' || text[i] == '\'');
  };
  for (size_t at = text.find(term); at != std::string::npos; at = text.find(term, at)) {
    if ((at > 0 && is_part_of_name(at - 1)) || is_part_of_name(at + term.size())) {
      at += term.size();
      continue;
    }
    text.replace(at, term.size(), name);
    at += name.size();
  }
  return text;
}

}  // namespace

void ProposeStartingPoints(const HeuristicInput& input, Candidates* out) {
  const RecursiveCalls calls = RecursiveCallsIn(input);
  if (calls.points.empty() || calls.points.size() > kMostPoints || calls.data.empty()) return;
  std::vector<std::string> known = input.file.definitions;
  for (const FileConstant* theorem : input.file.for_grind) known.push_back(theorem->reference);
  const std::string closers =
      fmt::format("first | (simp_all [{}]; done) | grind [{}]",
                  fmt::join(input.file.definitions, ", "), fmt::join(known, ", "));
  const std::string& data = calls.data.front();
  const auto close = [&](std::string tactic, double cost) {
    out->push_back({std::move(tactic), cost, true, "starting_points"});
  };
  std::vector<std::string> points;
  std::string generalize;
  for (const Variable& variable : input.arith.variables) {  // what a structure says of the points
    const FileConstant* predicate = input.file.Predicate(ParseTerm(variable.type)->head);
    if (predicate != nullptr && predicate->constructors.size() == 1)
      generalize += fmt::format("cases {}\n", variable.name);
  }
  for (size_t i = 0; i < calls.points.size(); ++i) {
    points.push_back(fmt::format("{}{}", input.arith.Fresh("q"), i));
    generalize += fmt::format("generalize {} = {} at *\n", calls.points[i]->text, points.back());
  }
  close(fmt::format("{}induction {} generalizing {} <;> {}", generalize, data,
                    fmt::join(points, " "), closers),
        0.55);
  // The same point may have several names: `A.start` is that of the complement of A, too.
  const auto for_all = [&](const std::vector<std::string>& names,
                           const std::vector<std::string>& values) {
    std::string statement = input.arith.target->text;
    for (size_t i = 0; i < values.size(); ++i) {
      statement = Replaced(std::move(statement), calls.points[i]->text, values[i]);
    }
    const std::string all = fmt::format("{}", fmt::join(names, " "));
    close(
        fmt::format("suffices h : ∀ {0}, {1} from h{2}\nintro {0}\ninduction {3} generalizing {0} "
                    "<;> {4}",
                    all, statement, names.size() == 1 ? " _" : " _ _", data, closers),
        0.57);
  };
  if (points.size() == 2) for_all({points[0]}, {points[0], points[0]});
  if (points.size() == 3) {  // the first state of a product is a pair
    for_all({points[1], points[2]},
            {fmt::format("({}, {})", points[1], points[2]), points[1], points[2]});
  }
}

}  // namespace zermelo::policy
