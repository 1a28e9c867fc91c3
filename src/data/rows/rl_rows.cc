// Prompts for reinforcement learning.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "core/hash/hash.h"
#include "core/text.h"
#include "data/rows/row_parts.h"
#include "data/rows/rows.h"
#include "eval/statement.h"
#include "policy/completion.h"

namespace zermelo::data {

using core::ErrorCode;
using core::Fail;
using core::Result;
using llm::Format;
using nlohmann::json;

namespace {

/// What identifies a problem: its file up to the theorem, and its statement.
std::string ProblemKey(const Origin& origin) {
  return origin.theorem.header + origin.theorem.Opening();
}

struct Problems {
  std::vector<Attempts> all;            // of one problem, added up
  std::map<std::string, size_t> index;  // by ProblemKey
};

Problems ProblemsOf(const Material& material) {
  Problems problems;
  for (const Attempts& attempts : material.attempts) {
    const auto [found, is_new] =
        problems.index.emplace(ProblemKey(attempts.origin), problems.all.size());
    if (is_new) problems.all.push_back({.origin = attempts.origin});
    problems.all[found->second].samples += attempts.samples;
    problems.all[found->second].proved += attempts.proved;
  }
  return problems;
}

/// Where a prompt begins in a known proof.
struct Start {
  size_t problem = 0;  // index
  Place place;
  size_t turn = 0;     // a second cut of a proof is chosen after the first cuts of all
  uint64_t order = 0;  // random
};

/// All places where a known proof of a problem can be cut, each once. The same seed gives the same
/// order.
std::vector<Start> StartsOf(const Material& material, const Problems& problems, uint64_t seed) {
  std::vector<Start> starts;
  std::set<std::pair<size_t, std::string>> seen;
  for (const ProofExample& proof : material.proofs) {
    const auto problem = problems.index.find(ProblemKey(proof.origin));
    if (problem == problems.index.end() || !proof.auxiliary.empty()) continue;
    std::mt19937_64 random(
        core::Hash64(problem->first + proof.tactics, core::Hash64(fmt::to_string(seed))));
    auto places = CutsOf(proof);
    for (size_t turn = 0; !places.empty(); ++turn) {
      std::swap(places[random() % places.size()], places.back());
      if (seen.emplace(problem->second, places.back().prefix).second) {
        starts.push_back({.problem = problem->second,
                          .place = std::move(places.back()),
                          .turn = turn,
                          .order = random()});
      }
      places.pop_back();
    }
  }
  return starts;
}

/// Keeps so many, as evenly from all proofs as possible, in the order of the problems.
void KeepSome(std::vector<Start>& starts, size_t count) {
  std::ranges::sort(starts, {}, [](const Start& s) { return std::tuple(s.turn, s.order); });
  if (starts.size() > count) starts.resize(count);
  std::ranges::sort(starts, {}, [](const Start& s) {
    return std::tuple(s.problem, s.place.prefix.size(), s.order);
  });
}

/// The number of prompts that begin in a proof, beside so many that do not.
size_t PartialCount(const RlOptions& options, size_t whole) {
  const double each = options.partial / (1 - options.partial);
  return static_cast<size_t>(std::llround(each * static_cast<double>(whole)));
}

core::Status CheckFormats(const RlOptions& options) {
  if (options.partial == 0) return {};
  for (const Format& format : options.formats) {
    if (format.reply == llm::ReplyKind::kContinuation && format.sections.contains("state"))
      continue;
    return Fail(ErrorCode::kUsage,
                fmt::format("format {} cannot begin in the middle of a proof with the state there",
                            format.name),
                "use deepseek-prover-v1.5, or another format with a section `state`");
  }
  return {};
}

/// The doc comment of a theorem with what a guide says below it.
std::string WithGuide(const std::string& doc, const Guide& guide) {
  const std::string& said = guide.words.empty() ? guide.notes : guide.words;
  if (said.empty() || doc.empty()) return said.empty() ? doc : eval::AsDocComment(said);
  return eval::AsDocComment(
      fmt::format("{}\n\n{}", core::Trim(core::WithoutCommentMarks(doc)), said));
}

class RlWriter {
 public:
  explicit RlWriter(const RlOptions& options) : options_(options) {}

  core::Status Add(const Attempts& problem, const Place& place, const std::string& kind,
                   const Guide& guide = {}) {
    syntax::Theorem theorem = problem.origin.theorem;
    theorem.doc = WithGuide(theorem.doc, guide);
    for (const Format& format : options_.formats) {
      auto prompt = PromptFor(format, theorem, place, options_.header_bytes);
      if (!prompt) return Fail(prompt.error());
      json rate;
      if (problem.samples > 0) {
        rate = static_cast<double>(problem.proved) / static_cast<double>(problem.samples);
      }
      rows_.push_back(RowOf(
          problem.origin, kind,
          {{"prompt", *std::move(prompt)},
           {"theorem",
            {{"name", theorem.name}, {"header", theorem.header}, {"statement", theorem.Opening()}}},
           {"pass_rate", rate},
           {"samples", problem.samples},
           {"proved", problem.proved}}));
      json& row = rows_.back().json;
      if (!place.prefix.empty()) row["prefix"] = policy::PrefixOf(place.prefix);
      if (!guide.words.empty()) row["words"] = guide.words;
      if (!guide.notes.empty()) row["notes"] = guide.notes;
    }
    return {};
  }

  std::vector<Row> Take() { return std::move(rows_); }

 private:
  const RlOptions& options_;
  std::vector<Row> rows_;
};

}  // namespace

Result<std::vector<Row>> RlRows(const Material& material, const RlOptions& options) {
  if (auto fit = CheckFormats(options); !fit) return Fail(fit.error());
  const Problems problems = ProblemsOf(material);
  std::vector<Start> starts;
  if (options.partial > 0) {
    starts = StartsOf(material, problems, options.seed);
    if (starts.empty()) {
      return Fail(ErrorCode::kInput, "no source has a proof with tactic states to begin in",
                  "trace the proofs (zermelo trace) and add the trace with --from");
    }
  }
  std::vector<std::pair<size_t, const Guide*>> guides;  // index of the problem
  for (const Guide& guide : material.guides) {
    const auto problem = problems.index.find(ProblemKey(guide.origin));
    const bool wanted = options.guided && options.partial < 1;
    if (wanted && problem != problems.index.end()) guides.emplace_back(problem->second, &guide);
  }
  KeepSome(starts, options.partial == 1
                       ? starts.size()
                       : PartialCount(options, problems.all.size() + guides.size()));
  RlWriter writer(options);
  for (const Attempts& problem : problems.all) {
    if (options.partial == 1) break;
    if (auto added = writer.Add(problem, Place(), "rl_prompt"); !added) return Fail(added.error());
  }
  for (const auto& [problem, guide] : guides) {
    auto added = writer.Add(problems.all[problem], Place(), "rl_guided", *guide);
    if (!added) return Fail(added.error());
  }
  for (const Start& start : starts) {
    auto added = writer.Add(problems.all[start.problem], start.place, "rl_partial");
    if (!added) return Fail(added.error());
  }
  return writer.Take();
}

}  // namespace zermelo::data
