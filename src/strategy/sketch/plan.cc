#include "strategy/sketch/plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "llm/reply.h"
#include "syntax/auxiliary.h"
#include "syntax/lexer.h"

namespace zermelo::strategy::sketch {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

constexpr double kWantedQuality = 0.7;
constexpr size_t kWantedLemmas = 3;

std::string ShownName(const Declared& declared) { return fmt::format("`{}`", declared.name); }

/// The declaration that proves the target, which must be the last one.
Result<const Declared*> FindTarget(const Submission& submission, const Declared& target) {
  if (submission.declared.empty()) return Fail(ErrorCode::kInput, "there is no declaration");
  const Declared& last = submission.declared.back();
  if (last.statement != target.statement) {
    return Fail(ErrorCode::kInput, fmt::format("the last declaration must be the theorem, word for "
                                               "word:\n{}",
                                               target.head));
  }
  if (last.has_sorry) {
    return Fail(ErrorCode::kInput, fmt::format("{} itself must be proved from the lemmas, without "
                                               "`sorry`",
                                               ShownName(target)));
  }
  return &last;
}

/// Checks that all other declarations are lemmas, distinct and not forbidden.
core::Status CheckLemmas(const Submission& submission, const std::vector<std::string>& forbidden) {
  std::set<std::string> seen;
  for (size_t i = 0; i + 1 < submission.declared.size(); ++i) {
    const Declared& lemma = submission.declared[i];
    if (lemma.keyword != "theorem" || lemma.name.empty()) {
      return Fail(ErrorCode::kInput,
                  fmt::format("only lemmas may stand before the theorem, no `{}`", lemma.keyword));
    }
    if (std::find(forbidden.begin(), forbidden.end(), lemma.statement) != forbidden.end()) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{} only says what is to be proved", ShownName(lemma)));
    }
    if (!seen.insert(lemma.name).second || !seen.insert(lemma.statement).second) {
      return Fail(ErrorCode::kInput, fmt::format("{} is there twice", ShownName(lemma)));
    }
  }
  return {};
}

/// Checks that the theorem uses every lemma, directly or through others.
core::Status CheckUse(const Submission& submission) {
  std::string needed = submission.declared.back().text;
  for (size_t i = submission.declared.size() - 1; i-- > 0;) {
    const Declared& lemma = submission.declared[i];
    if (!Mentions(needed, lemma.name)) {
      return Fail(ErrorCode::kInput, fmt::format("{} is not used", ShownName(lemma)));
    }
    needed += "\n" + lemma.text;
  }
  return {};
}

/// The last JSON object in the text.
json LastObject(std::string_view text) {
  for (size_t end = text.rfind('}'); end != std::string_view::npos && end > 0;
       end = text.rfind('}', end - 1)) {
    size_t tries = 0;
    for (size_t begin = text.rfind('{', end); begin != std::string_view::npos && tries < 64;
         ++tries) {
      json value = json::parse(text.substr(begin, end + 1 - begin), nullptr, false);
      if (value.is_object()) return value;
      if (begin == 0) break;
      begin = text.rfind('{', begin - 1);
    }
  }
  return {};
}

std::optional<double> Mark(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return std::clamp(found->get<double>(), 0.0, 10.0);
}

std::string TextIn(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

Result<Plan> ReadPlan(std::string_view reply, std::string_view header, const Declared& target,
                      const std::vector<std::string>& forbidden, const LemmaStore& known) {
  const auto code = llm::FindCode(llm::ReplyKind::kBlock, reply);
  if (!code) return Fail(ErrorCode::kInput, llm::Explain(code.error()));
  const auto read = ReadSubmission(*code, header);
  if (!read) return Fail(read.error());
  const auto theorem = FindTarget(*read, target);
  if (!theorem) return Fail(theorem.error());
  if (auto fine = CheckLemmas(*read, forbidden); !fine) return Fail(fine.error());
  if (auto used = CheckUse(*read); !used) return Fail(used.error());

  syntax::Renaming renaming;
  std::set<std::string> used;
  std::vector<std::string> new_names;
  for (size_t i = 0; i + 1 < read->declared.size(); ++i) {
    const Declared& lemma = read->declared[i];
    std::string name = known.NameOf(lemma.statement);
    if (name.empty()) name = known.FreeName(std::string(syntax::LastComponent(lemma.name)), used);
    used.insert(name);
    renaming.Add(lemma.name, lemma.name, name);
    new_names.push_back(std::move(name));
  }
  Plan plan;
  for (size_t i = 0; i < read->declared.size(); ++i) {
    Declared declared = read->declared[i];
    declared.head = renaming.Apply(declared.head);
    declared.text = renaming.Apply(declared.text);
    if (i + 1 == read->declared.size()) {
      const size_t head = declared.head.size();
      declared.text = target.head + declared.text.substr(std::min(head, declared.text.size()));
      declared.head = target.head;
      declared.name = target.name;
      plan.code += declared.text + "\n";
      plan.theorem = std::move(declared);
      break;
    }
    declared.name = new_names[i];
    if (known.FindKey(declared.statement) != nullptr) {
      ++plan.known;
    } else {
      plan.code += declared.text + "\n\n";
    }
    plan.lemmas.push_back({.declared = std::move(declared), .invalid = false, .reason = {}});
  }
  return plan;
}

std::optional<Rubric> ReadRubric(std::string_view reply) {
  const json object = LastObject(llm::WithoutThinking(reply));
  if (!object.is_object()) return std::nullopt;
  const auto alignment = Mark(object, "alignment"), granularity = Mark(object, "granularity");
  const auto progress = Mark(object, "progress"), soundness = Mark(object, "soundness");
  if (!alignment || !granularity || !progress || !soundness) return std::nullopt;
  Rubric rubric;
  rubric.alignment = *alignment;
  rubric.granularity = *granularity;
  rubric.progress = *progress;
  rubric.soundness = *soundness;
  rubric.fatal = TextIn(object, "fatal");
  return rubric;
}

std::optional<Opinion> ReadOpinion(std::string_view reply) {
  const json object = LastObject(llm::WithoutThinking(reply));
  const auto correct = object.is_object() ? object.find("correct") : object.end();
  if (!object.is_object() || correct == object.end() || !correct->is_boolean()) return std::nullopt;
  Opinion opinion;
  opinion.invalid = !correct->get<bool>();
  opinion.reason = TextIn(object, "reason");
  return opinion;
}

double Quality(const std::optional<Rubric>& rubric, bool any_invalid) {
  if (any_invalid || (rubric && !rubric->fatal.empty())) return -1;
  if (!rubric) return 0;
  return (rubric->alignment + rubric->granularity + rubric->progress + rubric->soundness) / 40;
}

int Reward(size_t lemmas, int structure, double quality) {
  return lemmas >= kWantedLemmas && structure >= 0 && quality >= kWantedQuality ? 1 : -1;
}

}  // namespace zermelo::strategy::sketch
