#include "eval/budget.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace zermelo::eval {

using core::ErrorCode;
using core::Fail;
using core::Result;

namespace {

struct Amount {
  double value = 0;
  std::string unit;
};

/// Reads "2.5Mtok" as 2.5 and "Mtok"; nullopt if the text does not begin with a positive number.
std::optional<Amount> ReadAmount(const std::string& text) {
  Amount amount;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount.value);
  if (error != std::errc() || !std::isfinite(amount.value) || amount.value <= 0) return {};
  amount.unit.assign(end, text.data() + text.size());
  return amount;
}

std::optional<double> Scale(const std::string& prefix) {
  if (prefix.empty()) return 1;
  if (prefix == "k" || prefix == "K") return 1e3;
  if (prefix == "M") return 1e6;
  if (prefix == "G" || prefix == "B") return 1e9;
  return std::nullopt;
}

std::optional<int64_t> Whole(double value) {
  if (value > 1e15 || value != std::floor(value)) return std::nullopt;
  return static_cast<int64_t>(value);
}

/// Sets the limit given by a term such as "60s"; false if the term is not a limit.
bool ReadLimit(const std::string& term, AttemptBudget& budget) {
  if (term.starts_with("$")) {
    const auto amount = ReadAmount(term.substr(1));
    if (!amount || !amount->unit.empty()) return false;
    budget.dollars = amount->value;
    return true;
  }
  const auto amount = ReadAmount(term);
  if (!amount) return false;
  const auto& [value, unit] = *amount;
  if (unit == "s" || unit == "m" || unit == "min" || unit == "h") {
    budget.seconds = value * (unit == "s" ? 1 : unit == "h" ? 3600 : 60);
    return *budget.seconds <= 1e8;
  }
  if (unit == "usd" || unit == "USD") {
    budget.dollars = value;
    return true;
  }
  for (const std::string_view word : {"tokens", "token", "tok"}) {
    if (!unit.ends_with(word)) continue;
    const auto scale = Scale(unit.substr(0, unit.size() - word.size()));
    budget.tokens = scale ? Whole(value * *scale) : std::nullopt;
    return budget.tokens.has_value();
  }
  const auto scale = Scale(unit);
  budget.samples = scale ? Whole(value * *scale) : std::nullopt;
  return budget.samples.has_value();
}

bool ReadTerm(const std::string& term, AttemptBudget& budget) {
  size_t times = term.find_first_of("xX*");
  size_t width = 1;
  if (times == std::string::npos) {
    times = term.find("×");
    width = 2;
  }
  if (times == std::string::npos) return ReadLimit(term, budget);
  const auto attempts = ReadAmount(term.substr(0, times));
  if (!attempts || !attempts->unit.empty() || budget.attempts != 1) return false;
  const auto whole = Whole(attempts->value);
  if (!whole || *whole > 1'000'000) return false;
  budget.attempts = static_cast<size_t>(*whole);
  return ReadLimit(term.substr(times + width), budget);
}

}  // namespace

Result<AttemptBudget> ParseBudget(const std::string& text) {
  AttemptBudget budget;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    if (!ReadTerm(text.substr(at, end - at), budget)) {
      return Fail(ErrorCode::kUsage, "'" + text + "' is not a budget",
                  "for example 16x6400 (attempts x samples), 60s, 4x10m, 2Mtok, $0.50, or several "
                  "separated by commas: 16x6400,30m");
    }
    at = end + 1;
  }
  return budget;
}

AttemptBudget HalfOf(AttemptBudget budget) {
  for (auto* limit : {&budget.samples, &budget.tokens}) {
    if (*limit) *limit = std::max<int64_t>(1, **limit / 2);
  }
  for (auto* limit : {&budget.seconds, &budget.dollars}) {
    if (*limit) **limit /= 2;
  }
  return budget;
}

std::string ToText(const AttemptBudget& budget) {
  std::string text;
  const auto add = [&](const std::string& limit) {
    if (text.empty() && budget.attempts > 1)
      text = fmt::format("{}x", budget.attempts);
    else if (!text.empty())
      text += ',';
    text += limit;
  };
  if (budget.samples) add(fmt::format("{}", *budget.samples));
  if (budget.seconds) add(fmt::format("{}s", *budget.seconds));
  if (budget.tokens) add(fmt::format("{}tok", *budget.tokens));
  if (budget.dollars) add(fmt::format("${}", *budget.dollars));
  return text;
}

}  // namespace zermelo::eval
