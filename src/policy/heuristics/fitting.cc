#include "policy/heuristics/fitting.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <set>

#include "policy/arith/polynomial.h"

namespace zermelo::policy {
namespace {

class Fitting {
 public:
  Fitting(const Existential& open, const ArithmeticGoal& arith) : open_(open), inner_(arith) {
    for (const Variable& variable : arith.variables) {
      const bool is_number = variable.domain == Domain::kNat || variable.domain == Domain::kInt;
      if (is_number && Mentions(*arith.target, variable.name)) numbers_.push_back(&variable);
    }
    for (size_t i = 0; i < open.names.size(); ++i) {
      const Domain domain = DomainOfType(open.types[i]);
      inner_.variables.insert(inner_.variables.begin(), {open.names[i], open.types[i], domain});
    }
    Visit(*arith.target, [&](const Term& part) {
      const auto value = NumeralValue(part);
      if (value && *value > 1 && *value <= kMostConstant) constants_.insert(*value);
    });
  }

  /// What to write for the witnesses, the simplest first.
  std::vector<std::string> Run() {
    const bool few = !numbers_.empty() && numbers_.size() <= 2 && open_.names.size() <= 2;
    if (!few || (open_.has_bounds && open_.names.size() > 1)) return {};
    conditions_.push_back(*open_.body);
    if (open_.has_bounds) {
      conditions_.push_back(*ParseTerm(open_.names[0] + " " + inner_.target->bound));
    }
    if (!std::ranges::all_of(conditions_,
                             [&](const Term& one) { return IsComputable(one, inner_); })) {
      return {};
    }
    Sample();
    if (samples_.size() < kFewestSamples) return {};
    std::vector<std::string> found = Combinations();
    MakeForms();
    if (open_.names.size() == 1) {
      for (const Form& form : forms_) {
        if (found.size() < kMostFits && Fits({&form})) found.push_back(form.text);
      }
      return found;
    }
    if (forms_.size() > kMostPaired) forms_.resize(kMostPaired);
    for (const Form& first : forms_) {
      for (const Form& second : forms_) {
        if (found.size() == kMostFits) return found;
        if (Fits({&first, &second})) found.push_back(first.text + ", " + second.text);
      }
    }
    return found;
  }

 private:
  static constexpr int64_t kMostConstant = 12;
  static constexpr size_t kFewestSamples = 3, kMostFits = 3, kMostPaired = 60;

  struct Form {
    std::string text;
    std::vector<int64_t> values;  // for each sample
  };

  /// The small values of the numbers for which no hypothesis is false.
  void Sample() {
    const int64_t most = numbers_.size() == 1 ? 11 : 4;
    for (int64_t i = 0; i <= most; ++i) {
      for (int64_t j = 0; j <= (numbers_.size() == 1 ? 0 : most); ++j) {
        Assignment sample;
        const int64_t values[] = {i, j};
        for (size_t k = 0; k < numbers_.size(); ++k) {
          const bool is_int = numbers_[k]->domain == Domain::kInt;
          sample.values[numbers_[k]->name] = {is_int ? Alternating(values[k]) : values[k], 1};
        }
        const bool excluded = std::ranges::any_of(inner_.facts, [&](const Fact& fact) {
          return Holds(*fact.prop, sample, inner_) == false;
        });
        if (!excluded) samples_.push_back(std::move(sample));
      }
    }
  }

  /// For `a * x + b * y = N`: y = k * N % a, and x what it must be then.
  std::vector<std::string> Combinations() {
    std::vector<std::string> found;
    if (open_.names.size() != 2) return found;
    for (const TermPtr& part : Conjuncts(std::make_shared<Term>(*open_.body))) {
      auto sum = part->Is("=") ? LeftMinusRight(*part) : std::nullopt;
      if (!sum) continue;
      const auto take = [&](const std::string& name) {
        const auto at = sum->find(Monomial{{name, 1}});
        const Rational factor = at == sum->end() ? Rational(0) : at->second;
        if (at != sum->end()) sum->erase(at);
        return denominator(factor) == 1 && abs(factor) <= kMostConstant
                   ? static_cast<int64_t>(numerator(factor))
                   : 0;
      };
      int64_t a = take(open_.names[0]), b = take(open_.names[1]);
      if (a == 0 || b == 0 || MentionsAny(*sum, open_.names)) continue;
      const int64_t sign = a > 0 ? -1 : 1;  // a * x + b * y + sum = 0
      for (auto& [monomial, coefficient] : *sum) coefficient *= sign;
      a *= -sign;
      b *= -sign;
      const std::string total = Grouped(*sum);
      for (int64_t k = 0; k < a && found.size() < kMostFits; ++k) {
        const auto second_value = [&](const Assignment& sample) {
          const int64_t rest = k * ValueOf(*sum, sample) % a;
          return rest < 0 ? rest + a : rest;
        };
        const std::string y =
            fmt::format("{}{} % {}", k == 1 ? "" : fmt::format("{} * ", k), total, a);
        const Form second = FormOf(y, second_value);
        const Form first = FormOf(
            fmt::format("({} {} {} * ({})) / {}", total, b > 0 ? '-' : '+', std::abs(b), y, a),
            [&](const Assignment& sample) {
              return (ValueOf(*sum, sample) - b * second_value(sample)) / a;
            });
        if (Fits({&first, &second})) found.push_back(first.text + ", " + second.text);
      }
    }
    return found;
  }

  int64_t ValueOf(const Polynomial& polynomial, const Assignment& sample) const {
    Rational value = 0;
    for (const auto& [monomial, coefficient] : polynomial) {
      Rational product = coefficient;
      for (const auto& [name, exponent] : monomial) {
        for (int i = 0; i < exponent; ++i) product *= sample.values.at(name);
      }
      value += product;
    }
    return static_cast<int64_t>(numerator(value));
  }

  Form FormOf(std::string text, const std::function<int64_t(const Assignment&)>& value) const {
    Form form{std::move(text), {}};
    for (const Assignment& sample : samples_) form.values.push_back(value(sample));
    return form;
  }

  void AddForm(std::string text, const std::function<int64_t(const std::vector<int64_t>&)>& value) {
    forms_.push_back(FormOf(std::move(text), [&](const Assignment& sample) {
      std::vector<int64_t> numbers;
      for (const Variable* each : numbers_) {
        numbers.push_back(static_cast<int64_t>(numerator(sample.values.at(each->name))));
      }
      return value(numbers);
    }));
  }

  void MakeForms() {
    const bool is_int = DomainOfType(open_.types[0]) == Domain::kInt;
    std::set<int64_t> factors = {1, 2}, summands = {0, 1, 2};
    factors.insert(constants_.begin(), constants_.end());
    for (int64_t d = 0; !constants_.empty() && d < *constants_.rbegin(); ++d) summands.insert(d);
    for (const int64_t d : summands) {
      for (size_t k = 0; k < numbers_.size(); ++k) {
        const std::string& n = numbers_[k]->name;
        for (const int64_t c : factors) {
          const std::string product = c == 1 ? n : fmt::format("{} * {}", c, n);
          AddForm(d == 0 ? product : fmt::format("{} + {}", product, d),
                  [=](const auto& numbers) { return c * numbers[k] + d; });
          if (d > 0 && is_int) {
            AddForm(fmt::format("{} - {}", product, d),
                    [=](const auto& numbers) { return c * numbers[k] - d; });
          }
          if (c > 1) {
            AddForm(fmt::format("{} * ({} + 1) + {}", c, n, d),
                    [=](const auto& numbers) { return c * (numbers[k] + 1) + d; });
          }
          if (c > 1 && d <= c) {  // the multiple of c that comes before n, or at n
            for (const int64_t summand : {d, is_int ? -d : d}) {
              AddForm(fmt::format("{} * ({} / {}) {} {}", c, n, c, summand < 0 ? '-' : '+', d),
                      [=](const auto& numbers) {
                        const int64_t below = numbers[k] < 0 ? c - 1 : 0;
                        return c * ((numbers[k] - below) / c) + summand;
                      });
            }
          }
          if (c > 1 && !is_int && d < 3) {
            AddForm(fmt::format("({} + {}) / {}", n, d, c),
                    [=](const auto& numbers) { return (numbers[k] + d) / c; });
            AddForm(fmt::format("{} % {} + {}", n, c, d),
                    [=](const auto& numbers) { return numbers[k] % c + d; });
          }
        }
      }
      if (numbers_.size() < 2) continue;
      const std::string &a = numbers_[0]->name, &b = numbers_[1]->name;
      AddForm(fmt::format("{} + {} + {}", a, b, d),
              [=](const auto& numbers) { return numbers[0] + numbers[1] + d; });
      AddForm(fmt::format("{} * {} + {}", a, b, d),
              [=](const auto& numbers) { return numbers[0] * numbers[1] + d; });
    }
  }

  bool Fits(const std::vector<const Form*>& chosen) {
    for (size_t i = 0; i < samples_.size(); ++i) {
      for (size_t k = 0; k < chosen.size(); ++k) {
        samples_[i].values[open_.names[k]] = {chosen[k]->values[i], 1};
      }
      for (const Term& condition : conditions_) {
        if (Holds(condition, samples_[i], inner_) != true) return false;
      }
    }
    return true;
  }

  const Existential& open_;
  ArithmeticGoal inner_;  // with the witnesses as variables
  std::vector<Term> conditions_;
  std::vector<const Variable*> numbers_;
  std::set<int64_t> constants_;
  std::vector<Assignment> samples_;
  std::vector<Form> forms_;
};

}  // namespace

Existential Open(const Term& target, const std::string& type) {
  Existential open;
  open.body = &target;
  while (open.body->kind == TermKind::kBinder && open.body->head == "∃" && !open.has_bounds) {
    const std::string& bound = open.body->bound;
    open.has_bounds = !bound.empty() && bound[0] != ':';
    for (const std::string& name : open.body->names) {
      open.names.push_back(name);
      open.types.push_back(bound.starts_with(": ") ? bound.substr(2) : type);
    }
    open.body = open.body->args[0].get();
  }
  return open;
}

std::vector<std::string> FittingWitnesses(const Existential& open, const ArithmeticGoal& arith) {
  return Fitting(open, arith).Run();
}

}  // namespace zermelo::policy
