#include "strategy/proof/proof_segments.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "lean/probe.h"
#include "strategy/strategy.h"
#include "syntax/lexer.h"
#include "syntax/proof/proof_cuts.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::strategy {

using core::Fail;
using core::Result;
using core::Task;
using syntax::CutPoint;
using syntax::kNowhere;

namespace {

constexpr size_t kMaxRounds = 6;  // a syntax error may hide an earlier error

/// Maps positions between a document and the tactics in it; their tokens are the same.
class Places {
 public:
  /// The document must outlive this object.
  Places(const syntax::SiteDocument& document, std::string_view tactics)
      : text_(document.text), lines_(document.text), end_(document.end) {
    for (const auto& token : syntax::LexCode(tactics)) in_tactics_.push_back(token);
    for (const auto& token :
         syntax::LexCode(text_.substr(document.begin, document.end - document.begin))) {
      in_document_.push_back(document.begin + token.begin);
      ends_in_document_.push_back(document.begin + token.end);
    }
  }

  bool agree() const { return in_tactics_.size() == in_document_.size() && !in_tactics_.empty(); }

  syntax::Position InDocument(size_t offset) const {
    const auto token =
        std::ranges::find_if(in_tactics_, [&](const auto& t) { return t.begin >= offset; });
    if (token == in_tactics_.end()) return syntax::PositionAt(lines_, end_);
    return syntax::PositionAt(lines_,
                              in_document_[static_cast<size_t>(token - in_tactics_.begin())]);
  }

  /// The offset of the token at or after a position; -1 if the position is before the tactics, the
  /// end of the last token if it is after them.
  long InTactics(syntax::Position position) const {
    const size_t at = OffsetOf(lines_, position);
    const size_t begin = in_document_.front();
    const bool only_blanks_between =
        at < begin &&
        text_.substr(at, begin - at).find_first_not_of(" \t") == std::string_view::npos;
    if (at < begin && !only_blanks_between) return -1;
    for (size_t i = 0; i < in_document_.size(); ++i) {
      if (ends_in_document_[i] > at) return static_cast<long>(in_tactics_[i].begin);
    }
    return static_cast<long>(in_tactics_.back().end);
  }

  size_t code_end() const { return in_tactics_.back().end; }

 private:
  const std::string_view text_;
  const core::LineIndex lines_;
  const size_t end_;
  std::vector<syntax::Token> in_tactics_;
  std::vector<size_t> in_document_, ends_in_document_;
};

/// One check of the tactics that are left.
class Round {
 public:
  Round(const syntax::ProofSite& site, const std::string& tactics, size_t from)
      : tactics_(tactics),
        document_(site.ForSearch(tactics)),
        places_(document_, tactics),
        cuts_(syntax::CutPoints(tactics)) {
    std::erase_if(cuts_, [&](const CutPoint& cut) { return cut.end <= from; });
  }

  bool possible() const { return places_.agree() && !cuts_.empty(); }

  lean::CheckRequest Request(const TraceLimits& limits, bool stop_at_error) const {
    lean::CheckRequest request;
    request.text = document_.text;
    request.deadline = limits.deadline;
    request.limit = limits.each;
    request.cancellation = limits.cancellation;
    request.tactics = syntax::TextRange{.begin = document_.begin, .end = document_.end};
    if (stop_at_error) request.extent = lean::UpToFirstError{document_.DeclarationLines()};
    for (const CutPoint& cut : cuts_) {
      if (cut.next != kNowhere) request.goals_at.push_back(places_.InDocument(cut.next));
    }
    return request;
  }

  struct AcceptedPart {
    std::optional<std::string> error;  // the first real error
    size_t keep = 0;                   // bytes of whole tactics before the error
    bool complete = false;
    std::vector<std::string> left;  // goals at the end of an incomplete proof
    size_t left_at = 0;             // offset after the enclosing `·` or `by` that Lean reports
  };

  AcceptedPart Judge(const lean::CheckResult& checked) const {
    std::map<std::pair<long, size_t>, const lean::Diagnostic*> errors;  // by position
    for (const auto& d : checked.diagnostics) {
      if (!IsErrorOf(document_, d)) continue;
      errors.emplace(std::pair(places_.InTactics(d.begin), errors.size()), &d);
    }
    AcceptedPart accepted;
    accepted.complete = errors.empty();
    for (const auto& [place, error] : errors) {
      const auto goals = lean::UnsolvedGoals(error->message);
      const size_t offset = static_cast<size_t>(std::max(place.first, 0L));
      const bool before = place.first < 0;
      const size_t kept = before ? (goals.empty() ? 0 : places_.code_end())
                                 : syntax::TruncateAtError(tactics_, offset).size();
      const bool leaves_all = kept >= places_.code_end();
      if (!goals.empty() && leaves_all) {
        accepted.left = goals;
        accepted.left_at = before ? 0 : offset + 1;
        continue;
      }
      accepted.error = error->message;
      accepted.keep = LastCut(leaves_all ? places_.code_end() - 1 : kept);
      break;
    }
    return accepted;
  }

  std::vector<Segment> Segments(size_t from, const lean::CheckResult& checked,
                                const AcceptedPart& accepted) const {
    std::vector<Segment> segments;
    size_t asked = 0;
    size_t begin = from;
    for (const CutPoint& cut : cuts_) {
      Segment segment;
      if (cut.next != kNowhere) {
        const auto& goals = checked.goals.at(asked++);
        if (goals.empty()) continue;  // Lean has no state here: part of the next segment
        segment.state = lean::JoinedGoals(goals);
        segment.context = Context(cut, kNowhere);
      } else if (!accepted.complete) {
        segment.state = lean::JoinedGoals(accepted.left);
        segment.context = Context(cut, accepted.left_at);
      }
      segment.tactics = tactics_.substr(begin, cut.end - begin);
      begin = cut.end;
      segments.push_back(std::move(segment));
    }
    return segments;
  }

 private:
  /// The end of the last cut at or before `offset`; 0 if there is none.
  size_t LastCut(size_t offset) const {
    size_t last = 0;
    for (const CutPoint& cut : cuts_) {
      if (cut.end <= offset) last = cut.end;
    }
    return last;
  }

  /// The heads of the tactics around a cut that begin before `limit`.
  static std::string Context(const CutPoint& cut, size_t limit) {
    std::string context;
    for (const auto& tactic : cut.around) {
      if (tactic.begin >= limit) break;
      context += context.empty() ? "" : " | ";
      context += tactic.head;
    }
    return context;
  }

  const std::string tactics_;
  const syntax::SiteDocument document_;
  const Places places_;
  std::vector<CutPoint> cuts_;
};

}  // namespace

Task<Result<TracedProof>> Trace(lean::Checker& checker, const syntax::ProofSite& site,
                                std::string tactics, size_t from, TraceLimits limits) {
  TracedProof traced;
  const size_t sorry = syntax::FirstSorry(tactics);
  if (sorry != kNowhere) {
    traced.error = "it uses sorry";
    tactics.resize(syntax::TruncateAtError(tactics, sorry).size());
  }
  bool stop_at_error = true;
  for (size_t round = 0; round < kMaxRounds && tactics.size() > from;) {
    const Round attempt(site, tactics, from);
    if (!attempt.possible()) break;
    const auto checked = co_await checker.Check(attempt.Request(limits, stop_at_error));
    if (!checked) co_return Fail(checked.error());
    const auto accepted = attempt.Judge(*checked);
    if (stop_at_error && !accepted.error && checked->stopped_at_error) {
      stop_at_error = false;  // unsolved goals at the end of the proof are not an error
      continue;
    }
    if (!accepted.error) {
      traced.complete = accepted.complete;
      traced.segments = attempt.Segments(from, *checked, accepted);
      if (!traced.complete && traced.error.empty()) traced.error = "unsolved goals";
      break;
    }
    ++round;
    if (traced.error.empty()) traced.error = *accepted.error;
    tactics.resize(accepted.keep);
  }
  traced.proof = std::move(tactics);
  co_return traced;
}

std::optional<size_t> EndOfPrefix(std::string_view tactics, std::string_view prefix) {
  const auto all = syntax::LexCode(tactics), first = syntax::LexCode(prefix);
  const auto same = [&](const syntax::Token& a, const syntax::Token& b) {
    return syntax::TextOf(prefix, a) == syntax::TextOf(tactics, b);
  };
  if (first.empty()) return 0;
  if (first.size() > all.size() || !std::equal(first.begin(), first.end(), all.begin(), same)) {
    return std::nullopt;
  }
  return all[first.size() - 1].end;
}

}  // namespace zermelo::strategy
