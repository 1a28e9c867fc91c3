#include "policy/arith/polynomial.h"

#include <algorithm>

namespace zermelo::policy {
namespace {

constexpr size_t kMaxMonomials = 200;

std::optional<Polynomial> Accept(Polynomial p) {
  std::erase_if(p, [](const auto& entry) { return entry.second == 0; });
  if (!std::ranges::all_of(p,
                           [](const auto& entry) { return Bounded(entry.second).has_value(); })) {
    return std::nullopt;
  }
  if (p.size() > kMaxMonomials) return std::nullopt;
  return p;
}

std::optional<Polynomial> ReadPower(const Polynomial& base, const Term& exponent) {
  const auto k = NumeralValue(exponent);
  if (!k || *k < 0 || *k > 12) return std::nullopt;
  std::optional<Polynomial> power = Polynomial{{Monomial{}, Rational(1)}};
  for (int64_t i = 0; i < *k && power; ++i) power = Multiply(*power, base);
  return power;
}

}  // namespace

std::optional<Polynomial> Add(const Polynomial& a, const Polynomial& b, const Rational& scale) {
  Polynomial sum = a;
  for (const auto& [monomial, coefficient] : b) {
    sum[monomial] += coefficient * scale;
  }
  return Accept(std::move(sum));
}

std::optional<Polynomial> Multiply(const Polynomial& a, const Polynomial& b) {
  Polynomial product;
  for (const auto& [left, x] : a) {
    for (const auto& [right, y] : b) {
      Monomial monomial = left;
      for (const auto& [name, exponent] : right) monomial[name] += exponent;
      product[monomial] += x * y;
    }
    if (product.size() > 4 * kMaxMonomials) return std::nullopt;
  }
  return Accept(std::move(product));
}

std::optional<Polynomial> ReadPolynomial(const Term& term) {
  if (const auto value = NumeralValue(term)) return Accept({{Monomial{}, Rational(*value)}});
  if (term.kind == TermKind::kName) return Polynomial{{Monomial{{term.head, 1}}, Rational(1)}};
  if (term.kind == TermKind::kCast) return ReadPolynomial(*term.args[0]);
  if (term.kind != TermKind::kOperator) return std::nullopt;
  const auto a = ReadPolynomial(*term.args[0]);
  if (!a) return std::nullopt;
  if (term.args.size() == 1) return term.head == "-" ? Add({}, *a, -1) : std::nullopt;
  if (term.head == "^") return ReadPower(*a, *term.args[1]);
  const auto b = ReadPolynomial(*term.args[1]);
  if (!b) return std::nullopt;
  if (term.head == "+") return Add(*a, *b, 1);
  if (term.head == "-") return Add(*a, *b, -1);
  if (term.head == "*") return Multiply(*a, *b);
  return std::nullopt;
}

std::optional<Polynomial> LeftMinusRight(const Term& relation) {
  const auto left = ReadPolynomial(*relation.args[0]);
  const auto right = ReadPolynomial(*relation.args[1]);
  return left && right ? Add(*left, *right, -1) : std::nullopt;
}

int Degree(const Polynomial& p) {
  int degree = 0;
  for (const auto& [monomial, coefficient] : p) {
    int sum = 0;
    for (const auto& [name, exponent] : monomial) sum += exponent;
    degree = std::max(degree, sum);
  }
  return degree;
}

std::string ToString(const Polynomial& p) {
  std::string text;
  const auto add = [&](const Monomial& monomial, const Rational& coefficient) {
    const bool negative = coefficient < 0;
    const Rational size = abs(coefficient);
    std::string factors;
    for (const auto& [name, exponent] : monomial) {
      factors += (factors.empty() ? "" : " * ") + name;
      if (exponent > 1) factors += " ^ " + std::to_string(exponent);
    }
    if (factors.empty()) {
      factors = ToString(size);
    } else if (size != 1) {
      factors = ToString(size) + " * " + factors;
    }
    if (text.empty()) {
      text = negative ? "-(" + factors + ")" : factors;
    } else {
      text += (negative ? " - " : " + ") + factors;
    }
  };
  const auto first = std::ranges::find_if(p, [](const auto& entry) { return entry.second > 0; });
  if (first != p.end()) add(first->first, first->second);
  for (auto entry = p.begin(); entry != p.end(); ++entry) {
    if (entry != first) add(entry->first, entry->second);
  }
  return text.empty() ? "0" : text;
}

std::string Grouped(const Polynomial& p) {
  return p.size() <= 1 ? ToString(p) : "(" + ToString(p) + ")";
}

bool MentionsAny(const Polynomial& p, const std::vector<std::string>& names) {
  return std::ranges::any_of(p, [&](const auto& entry) {
    return std::ranges::any_of(names, [&](const auto& name) { return entry.first.contains(name); });
  });
}

std::vector<Monomial> Monomials(const std::vector<std::string>& variables, int degree) {
  std::vector<Monomial> monomials = {{}};
  size_t begin = 0;
  for (int d = 0; d < degree; ++d) {
    const size_t end = monomials.size();
    for (size_t i = begin; i < end; ++i) {
      for (const std::string& name : variables) {
        // Generates each monomial once: variables are multiplied in order.
        if (!monomials[i].empty() && name < monomials[i].rbegin()->first) continue;
        Monomial next = monomials[i];
        ++next[name];
        monomials.push_back(std::move(next));
      }
    }
    begin = end;
  }
  return monomials;
}

std::optional<std::vector<Rational>> SolveLinear(std::vector<std::vector<Rational>> rows) {
  if (rows.empty()) return std::nullopt;
  const size_t columns = rows[0].size() - 1;
  std::vector<size_t> pivots;
  size_t rank = 0;
  for (size_t column = 0; column < columns && rank < rows.size(); ++column) {
    size_t pivot = rank;
    while (pivot < rows.size() && rows[pivot][column] == 0) ++pivot;
    if (pivot == rows.size()) continue;
    std::swap(rows[rank], rows[pivot]);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i == rank || rows[i][column] == 0) continue;
      const Rational factor = rows[i][column] / rows[rank][column];
      for (size_t j = column; j <= columns; ++j) {
        const auto rest = Bounded(rows[i][j] - factor * rows[rank][j]);
        if (!rest) return std::nullopt;
        rows[i][j] = *rest;
      }
    }
    pivots.push_back(column);
    ++rank;
  }
  for (size_t i = rank; i < rows.size(); ++i) {
    if (rows[i][columns] != 0) return std::nullopt;
  }
  std::vector<Rational> solution(columns);
  for (size_t i = 0; i < rank; ++i) {
    solution[pivots[i]] = rows[i][columns] / rows[i][pivots[i]];
  }
  return solution;
}

}  // namespace zermelo::policy
