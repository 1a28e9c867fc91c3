#include "strategy/sketch/plan.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "core/json.h"
#include "llm/reply.h"
#include "syntax/lexer.h"
#include "syntax/proof/auxiliary.h"

namespace zermelo::strategy::sketch {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

constexpr double kWantedQuality = 0.7;

std::string ShownName(const Declared& declared) { return fmt::format("`{}`", declared.name); }

/// The declaration that proves the target, which must be the last one.
Result<const Declared*> FindTarget(const Submission& submission, const Declared& target) {
  if (submission.declared.empty()) return Fail(ErrorCode::kInput, "there is no declaration");
  const Declared& last = submission.declared.back();
  if (last.key != target.key) {
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

bool IsLemma(const Declared& declared) { return declared.keyword == "theorem"; }

core::Status CheckDefinition(const Submission& submission, size_t i) {
  const Declared& definition = submission.declared[i];
  if (definition.has_sorry) {
    return Fail(ErrorCode::kInput,
                fmt::format("{} must be defined without `sorry`", ShownName(definition)));
  }
  for (size_t j = 0; j < i; ++j) {
    const Declared& before = submission.declared[j];
    if (!IsLemma(before) || !Mentions(definition.Text(), before.name)) continue;
    return Fail(ErrorCode::kInput, fmt::format("{} must be defined without {}, which is a lemma",
                                               ShownName(definition), ShownName(before)));
  }
  return {};
}

/// Checks that all other declarations are definitions or lemmas, distinct and not forbidden.
core::Status CheckOthers(const Submission& submission, const std::vector<std::string>& forbidden) {
  std::set<std::string> seen;
  for (size_t i = 0; i + 1 < submission.declared.size(); ++i) {
    const Declared& declared = submission.declared[i];
    if (declared.keyword == "example" || declared.name.empty()) {
      return Fail(ErrorCode::kInput,
                  "only lemmas and definitions may stand before the theorem, no `example`");
    }
    if (std::ranges::find(forbidden, declared.key) != forbidden.end()) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{} only says what is to be proved", ShownName(declared)));
    }
    if (!seen.insert(declared.name).second || !seen.insert(declared.key).second) {
      return Fail(ErrorCode::kInput, fmt::format("{} is there twice", ShownName(declared)));
    }
    if (IsLemma(declared)) continue;
    if (auto fine = CheckDefinition(submission, i); !fine) return fine;
  }
  return {};
}

/// Which declarations the theorem needs, directly or through others.
std::vector<char> NeededOf(const Submission& submission) {
  std::vector<char> needed(submission.declared.size(), 0);
  std::string text = submission.declared.back().Text();
  for (size_t i = submission.declared.size() - 1; i-- > 0;) {
    const Declared& declared = submission.declared[i];
    if (!Mentions(text, declared.name)) continue;
    needed[i] = 1;
    text += "\n" + declared.Text();
  }
  return needed;
}

/// The last JSON object in the text.
json LastObject(std::string_view text) {
  for (size_t end = text.rfind('}'); end != std::string_view::npos && end > 0;
       end = text.rfind('}', end - 1)) {
    size_t tries = 0;
    for (size_t begin = text.rfind('{', end); begin != std::string_view::npos && tries < 64;
         ++tries) {
      json value = core::JsonOrDiscarded(text.substr(begin, end + 1 - begin));
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
  if (auto fine = CheckOthers(*read, forbidden); !fine) return Fail(fine.error());
  const std::vector<char> needed = NeededOf(*read);

  syntax::Renaming renaming;
  std::set<std::string> used;
  std::vector<std::string> new_names;
  for (size_t i = 0; i + 1 < read->declared.size(); ++i) {
    const Declared& lemma = read->declared[i];
    std::string name = known.NameOf(lemma.key);
    if (name.empty()) name = known.FreeName(std::string(syntax::LastComponent(lemma.name)), used);
    used.insert(name);
    renaming.Add(lemma.name, lemma.name, name);
    new_names.push_back(std::move(name));
  }
  Plan plan;
  for (size_t i = 0; i < read->declared.size(); ++i) {
    Declared declared = read->declared[i];
    declared.head = renaming.Apply(declared.head);
    declared.value = renaming.Apply(declared.value);
    if (i + 1 == read->declared.size()) {
      declared.head = target.head;
      declared.name = target.name;
      plan.code += declared.Text() + "\n";
      plan.theorem = std::move(declared);
      break;
    }
    declared.name = new_names[i];
    if (known.FindKey(declared.key) != nullptr) {
      ++plan.known;
    } else {
      plan.code += declared.Text() + "\n\n";
    }
    if (IsLemma(declared)) {
      auto& lemmas = needed[i] == 0 ? plan.unused : plan.lemmas;
      lemmas.push_back({.declared = std::move(declared), .reason = {}});
      continue;
    }
    plan.all_definitions += declared.Text() + "\n\n";
    if (needed[i] != 0) plan.definitions.push_back(std::move(declared));
  }
  return plan;
}

std::vector<PlannedLemma*> Plan::AllLemmas() {
  std::vector<PlannedLemma*> all;
  for (PlannedLemma& lemma : lemmas) all.push_back(&lemma);
  for (PlannedLemma& lemma : unused) all.push_back(&lemma);
  return all;
}

bool Plan::HasInvalid() const {
  return std::ranges::any_of(lemmas, &PlannedLemma::invalid) ||
         std::ranges::any_of(unused, &PlannedLemma::invalid);
}

std::optional<Rubric> ReadRubric(std::string_view reply) {
  const json object = LastObject(llm::WithoutThinking(reply));
  if (!object.is_object()) return std::nullopt;
  const auto alignment = Mark(object, "alignment"), value = Mark(object, "value");
  if (!alignment || !value || !object.contains("veto")) return std::nullopt;
  Rubric rubric;
  rubric.veto = TextIn(object, "veto");
  const bool known =
      rubric.veto.empty() || std::ranges::find(kVetoes, rubric.veto) != std::ranges::end(kVetoes);
  if (!known) return std::nullopt;
  rubric.alignment = *alignment;
  rubric.value = *value;
  rubric.reason = TextIn(object, "reason");
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

double Score(const Rubric& rubric, size_t used, size_t valid) {
  if (!rubric.veto.empty()) return -10;
  const double share = valid == 0 ? 1 : static_cast<double>(used) / static_cast<double>(valid);
  return std::round((0.4 * rubric.alignment + 0.6 * rubric.value) * share * 10) / 10;
}

double Quality(const std::optional<Rubric>& rubric, bool any_invalid, size_t used, size_t valid) {
  if (any_invalid || (rubric && !rubric->veto.empty())) return -1;
  return rubric ? Score(*rubric, used, valid) / 10 : 0;
}

int Reward(size_t lemmas, int structure, double quality) {
  return lemmas >= kWantedLemmas && structure >= 0 && quality >= kWantedQuality ? 1 : -1;
}

}  // namespace zermelo::strategy::sketch
