#include "serve/mcp/refusals.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

#include "engine/acceptance/file_errors.h"
#include "lean/probe.h"
#include "syntax/lexer.h"
#include "syntax/proof/tactic_structure.h"

namespace zermelo::serve::mcp {

using lean::Diagnostic;
using lean::Severity;
using lean::StateRun;
using syntax::Position;
using syntax::SiteDocument;
using syntax::Token;

namespace {

using Tokens = std::span<const Token>;

/// Whether the code of a line that leads to the hole runs it once. `text`: before the hole.
/// `before`: the line before this one.
bool LeadsOnce(std::string_view text, Tokens line, Tokens before) {
  const auto word = [&](const Token& token) { return syntax::TextOf(text, token); };
  const auto is = [&](std::string_view wanted) {
    return [=](const Token& token) { return syntax::TextOf(text, token) == wanted; };
  };
  if (!before.empty() && syntax::MayRunRepeatedly(word(before.back()))) return false;
  if (std::ranges::any_of(line, syntax::MayRunRepeatedly, word)) return false;
  const bool has_alternative = std::ranges::any_of(line, is("=>"));
  const auto bars = std::ranges::count_if(line, is("|"));
  if (bars == 0) return true;
  if (!has_alternative) return word(line[0]) != "|";  // of `first`
  // Of several alternatives, and of those that `_` stands for, each runs the tactics.
  const auto bar = static_cast<size_t>(std::ranges::find_if(line, is("|")) - line.begin());
  if (bars > 1 || bar + 1 == line.size() || word(line[bar + 1]) == "_") return false;
  if (bar > 0) return word(line[bar - 1]) == "with";
  return before.empty() || word(before[0]) != "|" || std::ranges::any_of(before, is("=>"));
}

/// Whether Lean runs the tactics in the hole once and reports their errors. Lines that lead to it
/// are its own and those before it with smaller indentation than all between.
bool RunsOnce(const SiteDocument& document) {
  const std::string_view text = std::string_view(document.text).substr(0, document.begin);
  const std::vector<Token> tokens = syntax::LexCode(text);
  const core::LineIndex lines(document.text);
  if (!tokens.empty() && syntax::MayRunRepeatedly(syntax::TextOf(text, tokens.back())))
    return false;
  size_t column = lines.ToCodePoints(document.begin).column;
  const auto begin_of_line = [&](size_t end) {
    while (end > 1 && tokens[end - 2].line == tokens[end - 1].line) --end;
    return end - 1;
  };
  for (size_t end = tokens.size(); end > 0;) {
    const size_t begin = begin_of_line(end);
    const Token& first = tokens[begin];
    if (first.line < document.declaration_first_line) break;
    const Tokens line = Tokens(tokens).subspan(begin, end - begin);
    end = begin;
    if (first.line != document.first_line && first.column >= column) continue;
    column = first.column;
    const size_t previous = end == 0 ? 0 : begin_of_line(end);
    if (!LeadsOnce(text, line, Tokens(tokens).subspan(previous, end - previous))) return false;
  }
  return true;
}

/// Errors whose text or place depends on how much was elaborated before.
bool DependsOnLimits(const Diagnostic& d) {
  return d.message.find("maximum number of heartbeats") != std::string::npos ||
         d.message.find("maximum recursion depth") != std::string::npos;
}

bool Counts(const Diagnostic& d) {
  return d.severity == Severity::kError && !engine::IsMissingLibraryCode(d);
}

/// The errors of a run, as places in the document.
std::vector<Diagnostic> ErrorsOf(const SiteDocument& document, const StateRun& run) {
  std::vector<Diagnostic> errors;
  for (const lean::TacticStep& step : run.steps) {
    for (Diagnostic d : step.messages) {
      if (!Counts(d)) continue;
      d.begin.line += document.first_line;
      d.end.line += document.first_line;
      errors.push_back(std::move(d));
    }
  }
  return errors;
}

/// A place after `from`, counted from there; its inverse.
Position From(Position from, Position at) {
  if (at.line == from.line) return {.line = 0, .character = at.character - from.character};
  return {.line = at.line - from.line, .character = at.character};
}
Position To(Position from, Position at) {
  if (at.line == 0) return {.line = from.line, .character = at.character + from.character};
  return {.line = at.line + from.line, .character = at.character};
}

}  // namespace

lean::StateQuery QueryOf(const SiteDocument& document) {
  const core::LineIndex lines(document.text);
  const std::string_view text = document.text;
  lean::StateQuery query;
  query.hole.text = std::string(text.substr(0, document.begin)) + "sorry" +
                    std::string(text.substr(document.end));
  query.hole.byte = document.begin;
  // The first tactic may follow other code on its line: blanks keep its column.
  query.tactics = std::string(lines.ToCodePoints(document.begin).column, ' ') +
                  std::string(text.substr(document.begin, document.end - document.begin)) + "\n";
  return query;
}

Refusals::Refusals(const SiteDocument& open) : applies_(RunsOnce(open)) {
  const auto rest = std::string_view(open.text).substr(open.end);
  is_last_ = syntax::LexCode(rest).empty();
}

std::optional<Refusals::Kind> Refusals::KindOf(const StateRun& run) const {
  if (run.steps.empty() || !run.syntax_errors.empty()) return std::nullopt;
  size_t errors = 0;
  for (const lean::TacticStep& step : run.steps) {
    if (std::ranges::any_of(step.messages, DependsOnLimits)) return std::nullopt;
    errors += static_cast<size_t>(std::ranges::count_if(step.messages, Counts));
  }
  // A tactic that throws ends the block, and what follows is not run. After another error, Lean may
  // hide its message; where it aborts without one of its own, Lean reports more.
  const bool thrown = errors == 1 && !run.steps.back().aborted;
  if (!run.steps.back().state) return thrown ? std::optional(Kind::kAbandoned) : std::nullopt;
  if (!is_last_ || run.goals.empty() == (errors == 0)) return std::nullopt;
  return errors > 0 ? Kind::kRecovered : Kind::kOpen;
}

void Refusals::Learn(Kind kind, const SiteDocument& document, const StateRun& run,
                     const lean::CheckResult& checked) {
  std::vector<Diagnostic> theirs;
  for (const Diagnostic& d : checked.diagnostics) {
    const bool is_before = d.begin.line < document.declaration_first_line;
    if (Counts(d) && !is_before) theirs.push_back(d);
  }
  for (const Diagnostic& ours : ErrorsOf(document, run)) {
    const auto same = std::ranges::find_if(theirs, [&](const Diagnostic& d) {
      return d.begin.line == ours.begin.line && d.message == ours.message;
    });
    if (same == theirs.end()) return;
    theirs.erase(same);
  }
  const std::string unsolved = lean::UnsolvedMessage(run.goals);
  const core::LineIndex lines(document.text);
  const Position begin = syntax::PositionAt(lines, document.begin);
  const Position end = syntax::PositionAt(lines, document.end);
  Elsewhere elsewhere;
  for (Diagnostic& d : theirs) {
    if (d.begin < begin && kind == Kind::kOpen && !elsewhere.unsolved && d.message == unsolved) {
      elsewhere.unsolved = std::move(d);
    } else if (d.begin < end) {
      // In the attempt: they disagree. Before it: Lean hides errors about what has an error.
      return;
    } else {
      d.begin = d.end = From(end, d.begin);
      elsewhere.after.push_back(std::move(d));
    }
  }
  if (kind == Kind::kOpen && !elsewhere.unsolved) return;
  elsewhere_.at(static_cast<size_t>(kind)) = std::move(elsewhere);
}

std::optional<lean::CheckResult> Refusals::ResultOf(Kind kind, const SiteDocument& document,
                                                    const StateRun& run) const {
  const auto& elsewhere = elsewhere_.at(static_cast<size_t>(kind));
  if (!elsewhere) return std::nullopt;
  lean::CheckResult result;
  result.diagnostics = ErrorsOf(document, run);
  if (elsewhere->unsolved) {
    result.diagnostics.push_back(*elsewhere->unsolved);
    result.diagnostics.back().message = lean::UnsolvedMessage(run.goals);
  }
  const core::LineIndex lines(document.text);
  const Position end = syntax::PositionAt(lines, document.end);
  for (Diagnostic d : elsewhere->after) {
    d.begin = d.end = To(end, d.begin);
    result.diagnostics.push_back(std::move(d));
  }
  return result;
}

}  // namespace zermelo::serve::mcp
