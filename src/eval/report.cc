#include "eval/report.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "eval/chart.h"
#include "eval/hash.h"
#include "eval/report_assets.h"

namespace zermelo::eval {

using nlohmann::json;

namespace {

std::string Money(double dollars) { return fmt::format("${:.4g}", dollars); }

std::string Seconds(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  if (seconds < 3600) return fmt::format("{:.1f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string Dumped(const json& value) {
  return value.dump(1, ' ', false, json::error_handler_t::replace);
}

std::string Lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

class Page {
 public:
  Page(const Manifest& manifest, const Results& results, const Summary& summary)
      : manifest_(manifest), results_(results), summary_(summary) {}

  std::string Html() {
    Head();
    Tiles();
    Categories();
    PassAt();
    Roles();
    Charts();
    Problems();
    Setup();
    html_ += fmt::format("<script>{}</script>\n</body>\n</html>\n", kReportScript);
    return std::move(html_);
  }

 private:
  void Head() {
    const std::string title = Escaped(summary_.dataset + ": " + summary_.first_line);
    html_ += fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
        Sha256Base64(kReportStyle), Sha256Base64(kReportScript), title, kReportStyle);
    const bool warns =
        summary_.unverified > 0 || summary_.left > 0 || !summary_.missing_shards.empty();
    html_ += fmt::format("<h1>{}</h1>\n<p class=\"first{}\">{}</p>\n", Escaped(summary_.dataset),
                         warns ? " warn" : "", Escaped(summary_.first_line));
    const auto text = [](const json& from, const char* key) -> std::string {
      const auto found = from.find(key);
      return found != from.end() && found->is_string() ? found->get<std::string>() : "";
    };
    const json& p = manifest_.parameters;
    std::string line = manifest_.models.empty() ? "built-in policy" : manifest_.models;
    line += ", strategy " + text(p, "strategy") + ", budget " + text(p, "budget");
    line += fmt::format(", {} run{}", summary_.runs, summary_.runs == 1 ? "" : "s");
    if (const std::string lean = text(p, "lean"); !lean.empty()) line += ", Lean " + lean;
    html_ += fmt::format("<p class=\"soft\">{}</p>\n", Escaped(line));
  }

  void Tile(const std::string& value, const std::string& label) {
    html_ += fmt::format("<div class=\"tile\"><b>{}</b>{}</div>\n", Escaped(value), Escaped(label));
  }

  void Tiles() {
    const Summary& s = summary_;
    html_ += "<div class=\"tiles\">\n";
    Tile(fmt::format("{} / {}", s.solved, s.problems - s.invalid),
         s.runs == 1 ? "solved" : "solved in at least one run");
    const std::string interval =
        fmt::format("95 % interval {:.1f}–{:.1f} %", 100 * s.interval.low, 100 * s.interval.high);
    if (s.runs == 1) {
      Tile(Percent(s.pass_rate.mean), "pass rate, " + interval);
    } else {
      Tile(fmt::format("{:.1f} ± {:.1f} %", 100 * s.pass_rate.mean, 100 * s.pass_rate.sigma),
           fmt::format("pass rate, µ ± σ over {} runs, {}", s.rates.size(), interval));
    }
    Tile(std::to_string(s.invalid), "do not elaborate");
    Tile(Compact(static_cast<double>(s.cost.samples)), s.has_models ? "samples" : "candidates");
    if (s.has_models) {
      Tile(Compact(static_cast<double>(s.cost.tokens)), "tokens");
      Tile(fmt::format("{:.1f}", s.tokens_per_sample), "tokens per sample");
      Tile(Money(s.cost.dollars), "money");
      Tile(s.dollars_per_solved ? Money(*s.dollars_per_solved) : "–", "money per solved problem");
    }
    Tile(Seconds(s.seconds), "wall time");
    Tile(Seconds(s.cost.seconds), "total search time");
    html_ += "</div>\n";
  }

  void Categories() {
    html_ +=
        "<h2>By category</h2>\n<div class=\"scroll\"><table id=\"categories\">\n<tr><th>category"
        "</th><th>solved</th><th>pass rate</th><th></th><th>do not elaborate</th></tr>\n";
    for (const auto& [name, f] : summary_.categories) {
      html_ += fmt::format(
          "<tr><td>{}</td><td>{}/{}</td><td>{}</td>"
          "<td><progress max=\"1\" value=\"{:.4f}\"></progress></td><td>{}</td></tr>\n",
          Escaped(name), f.solved, f.problems - f.invalid, Percent(f.pass_rate), f.pass_rate,
          f.invalid);
    }
    html_ += "</table></div>\n";
  }

  void PassAt() {
    if (summary_.pass_at.empty()) return;
    html_ +=
        "<h2>pass@k</h2>\n<p class=\"soft\">Unbiased estimate (Chen et al. 2021) from independent "
        "attempts; k counts attempts of the budget above.</p>\n"
        "<div class=\"scroll\"><table><tr><th>k</th>";
    for (const auto& [k, rate] : summary_.pass_at) html_ += fmt::format("<th>{}</th>", k);
    html_ += "</tr><tr><td>pass@k</td>";
    for (const auto& [k, rate] : summary_.pass_at) {
      html_ += fmt::format("<td>{}</td>", Percent(rate));
    }
    html_ += "</tr></table></div>\n";
  }

  void Roles() {
    if (summary_.roles.empty()) return;
    const auto judged = static_cast<double>(std::max<size_t>(summary_.judged, 1));
    html_ +=
        "<h2>By role</h2>\n<div class=\"scroll\"><table "
        "id=\"roles\"><tr><th>role</th><th>model</th>"
        "<th>calls</th><th>samples</th><th>tokens in</th><th>tokens out</th><th>money</th>"
        "<th>calls per problem</th><th>tokens per problem</th></tr>\n";
    for (const RoleFigures& figures : summary_.roles) {
      const ModelUse& use = figures.total;
      html_ += fmt::format(
          "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
          "<td>{:.1f}</td><td>{}</td></tr>\n",
          Escaped(figures.role), Escaped(figures.model), use.calls, use.samples,
          Compact(static_cast<double>(use.prompt_tokens)),
          Compact(static_cast<double>(use.completion_tokens)), Money(use.dollars),
          static_cast<double>(use.calls) / judged,
          Compact(static_cast<double>(use.prompt_tokens + use.completion_tokens) / judged));
    }
    html_ += "</table></div>\n";
  }

  void Chart(const std::string& title, const std::string& svg, const std::string& otherwise) {
    html_ += fmt::format("<div class=\"chart\"><h3>{}</h3>\n", Escaped(title));
    html_ += svg.empty() ? fmt::format("<p class=\"soft\">{}</p>\n", Escaped(otherwise)) : svg;
    html_ += "</div>\n";
  }

  void Charts() {
    Cost furthest;
    for (const auto& [key, result] : results_) {
      furthest.samples = std::max(furthest.samples, result.cost.samples);
      furthest.tokens = std::max(furthest.tokens, result.cost.tokens);
      furthest.dollars = std::max(furthest.dollars, result.cost.dollars);
      furthest.seconds = std::max(furthest.seconds, result.cost.seconds);
    }
    const std::string nothing = "nothing was solved";
    const std::string free = summary_.solved == 0 ? nothing : "no proof had such a cost";
    html_ += "<h2>Pass rate against cost</h2>\n<div class=\"charts\">\n";
    const std::string samples = summary_.has_models ? "samples" : "candidates that Lean tried";
    Chart("Against samples",
          PassChart(summary_.by_samples, static_cast<double>(furthest.samples), samples), nothing);
    Chart("Against tokens",
          PassChart(summary_.by_tokens, static_cast<double>(furthest.tokens), "tokens"), free);
    Chart("Against money", PassChart(summary_.by_dollars, furthest.dollars, "dollars"), free);
    Chart("Against time", PassChart(summary_.by_seconds, furthest.seconds, "seconds of search"),
          nothing);
    Chart("Lengths of proofs", LengthHistogram(summary_.proof_lines), nothing);
    html_ += "</div>\n";
  }

  void Option(const std::string& value) {
    html_ += fmt::format("<option>{}</option>", Escaped(value));
  }

  void Tools() {
    html_ +=
        "<div class=\"tools\" id=\"tools\" hidden><input id=\"find\" type=\"search\" "
        "placeholder=\"name\" aria-label=\"find by name\"><select id=\"outcome\" "
        "aria-label=\"outcome\"><option value=\"\">all outcomes</option>";
    for (const char* outcome : {"proved", "unproved", "invalid", "unverified", "missing"}) {
      Option(outcome);
    }
    html_ +=
        "</select><select id=\"category\" aria-label=\"category\"><option value=\"\">all "
        "categories</option>";
    for (const auto& [name, figures] : summary_.categories) Option(name);
    html_ += "</select>";
    for (const auto& [key, label] : {std::pair("name", "name"), std::pair("outcome", "outcome"),
                                     std::pair("samples", "samples"), std::pair("tokens", "tokens"),
                                     std::pair("money", "money"), std::pair("seconds", "time"),
                                     std::pair("lines", "length")}) {
      html_ += fmt::format(
          "<button type=\"button\" data-key=\"{}\" aria-pressed=\"false\">↕ {}</button>", key,
          label);
    }
    html_ += "<span class=\"soft\" id=\"shown\"></span></div>\n";
  }

  void Problems() {
    html_ += "<h2>Problems</h2>\n";
    Tools();
    html_ +=
        "<div class=\"names\"><span>problem</span><span>category</span><span>outcome</span>"
        "<span>samples</span><span>tokens</span><span>money</span><span>time</span>"
        "<span>lines</span></div>\n<div id=\"problems\">\n";
    for (size_t i = 0; i < manifest_.problems.size(); ++i) OneProblem(manifest_.problems[i], i);
    html_ += "</div>\n";
  }

  /// The result to show: the first with a proof, if there is one.
  const ProblemResult* Best(const std::string& name, size_t& proved, size_t& runs) const {
    const ProblemResult* best = nullptr;
    for (size_t run = 1; run <= manifest_.runs; ++run) {
      const auto found = results_.find(ResultKey(name, run));
      if (found == results_.end()) continue;
      ++runs;
      const bool is_proved = found->second.outcome == Outcome::kProved;
      if (best == nullptr || (is_proved && proved == 0)) best = &found->second;
      if (is_proved) ++proved;
    }
    return best;
  }

  void OneProblem(const Problem& problem, size_t place) {
    size_t proved = 0, runs = 0;
    const ProblemResult* result = Best(problem.name, proved, runs);
    const std::string outcome = result == nullptr ? "missing" : Name(result->outcome);
    const std::string category = problem.category.empty() ? "(none)" : problem.category;
    const Cost cost = result == nullptr ? Cost() : result->to_proof.value_or(result->cost);
    const size_t lines = result == nullptr ? 0 : CountLines(result->proof);
    html_ += fmt::format(
        "<details class=\"problem\" data-place=\"{}\" data-name=\"{}\" data-find=\"{}\" "
        "data-category=\"{}\" data-outcome=\"{}\" data-samples=\"{}\" data-tokens=\"{}\" "
        "data-money=\"{}\" data-seconds=\"{:.3f}\" data-lines=\"{}\">",
        place, Escaped(problem.name), Escaped(Lowered(problem.name)), Escaped(category), outcome,
        cost.samples, cost.tokens, cost.dollars, cost.seconds, lines);
    std::string shown = outcome;
    if (manifest_.runs > 1 && runs > 0) shown = fmt::format("{} {}/{}", outcome, proved, runs);
    html_ += fmt::format(
        "<summary><span>{}</span><span>{}</span><span class=\"{}\">{}</span><span>{}</span>"
        "<span>{}</span><span>{}</span><span>{}</span><span>{}</span></summary>\n",
        Escaped(problem.name), Escaped(problem.category), outcome, shown,
        Compact(static_cast<double>(cost.samples)), Compact(static_cast<double>(cost.tokens)),
        Money(cost.dollars), Seconds(cost.seconds), lines);
    Inside(problem, result);
    html_ += "</details>\n";
  }

  void Block(const std::string& title, const std::string& text) {
    if (text.empty()) return;
    html_ += fmt::format("<h3>{}</h3><pre>{}</pre>\n", Escaped(title), Escaped(text));
  }

  void Inside(const Problem& problem, const ProblemResult* result) {
    html_ += "<div class=\"inside\">\n";
    if (!problem.informal.empty()) html_ += fmt::format("<p>{}</p>\n", Escaped(problem.informal));
    Block("Statement", problem.statement);
    if (result != nullptr) {
      Block("Proof", result->proof);
      if (result->proof.empty()) Block("Best attempt", result->attempt);
      if (!result->message.empty()) {
        html_ += fmt::format("<p>{}</p>\n", Escaped(result->message));
      }
      std::string axioms;
      for (const std::string& axiom : result->axioms) {
        axioms += (axioms.empty() ? "" : ", ") + axiom;
      }
      html_ += fmt::format(
          "<p class=\"soft\">{} of {} attempts succeeded; {} samples, {} tokens, {}, {}{}</p>\n",
          result->proved, result->attempts, result->cost.samples, result->cost.tokens,
          Money(result->cost.dollars), Seconds(result->cost.seconds),
          axioms.empty() ? "" : "; axioms: " + Escaped(axioms));
    }
    html_ += fmt::format("<p class=\"soft\">{}:{}{}</p>\n</div>\n", Escaped(problem.source.file),
                         problem.source.line,
                         problem.split.empty() ? "" : ", " + Escaped(problem.split));
  }

  void Setup() {
    html_ += fmt::format(
        "<h2>Setup</h2>\n<details><summary>versions, commits, parameters, seeds, prices"
        "</summary><pre>{}</pre></details>\n",
        Escaped(Dumped({{"parameters", manifest_.parameters}, {"setup", manifest_.setup}})));
  }

  const Manifest& manifest_;
  const Results& results_;
  const Summary& summary_;
  std::string html_;
};

}  // namespace

std::string ReportHtml(const Manifest& manifest, const Results& results, const Summary& summary) {
  return Page(manifest, results, summary).Html();
}

}  // namespace zermelo::eval
