#include "engine/lemma_file.h"

#include <algorithm>
#include <set>

#include "syntax/declarations.h"
#include "syntax/lexer.h"
#include "syntax/proof/proof_site.h"

namespace zermelo::engine {

using core::Fail;
using core::Result;
using core::Task;
using strategy::ProvedLemma;

namespace {

/// The lemmas without their proofs; definitions are kept.
std::vector<ProvedOnTheWay> Stated(std::vector<ProvedOnTheWay> all) {
  for (ProvedOnTheWay& one : all) {
    for (ProvedLemma& lemma : one.lemmas) {
      if (lemma.IsDefinition()) continue;
      lemma.before.clear();
      lemma.value = " := by sorry";
    }
  }
  return all;
}

std::set<std::string> NamesOf(const std::vector<ProvedOnTheWay>& all) {
  std::set<std::string> names;
  for (const ProvedOnTheWay& one : all) {
    for (const ProvedLemma& lemma : one.lemmas) names.insert(lemma.name);
  }
  return names;
}

/// The indices in `text` of the theorems among the lemmas.
std::vector<size_t> TargetsIn(const std::string& text, const std::vector<ProvedOnTheWay>& stated) {
  const auto names = NamesOf(stated);
  const auto declarations = syntax::FindDeclarations(text);
  std::vector<size_t> targets;
  for (size_t i = 0; i < declarations.size(); ++i) {
    const bool is_lemma = declarations[i].IsTheorem() && names.contains(declarations[i].name);
    if (is_lemma && !declarations[i].holes.empty()) targets.push_back(i);
  }
  return targets;
}

size_t Count(const std::vector<ProvedOnTheWay>& all) {
  size_t count = 0;
  for (const ProvedOnTheWay& one : all) count += one.lemmas.size();
  return count;
}

/// Removes the rejected lemmas; returns their number.
size_t Drop(const AcceptanceReport& report, std::vector<ProvedOnTheWay>& all) {
  std::set<std::string> refused;
  for (const JudgedTarget& target : report.targets) {
    if (!target.accepted) {
      refused.insert(target.name);
      refused.emplace(syntax::LastComponent(target.name));
    }
  }
  size_t dropped = 0;
  for (ProvedOnTheWay& one : all) {
    dropped += std::erase_if(
        one.lemmas, [&](const ProvedLemma& lemma) { return refused.contains(lemma.name); });
  }
  return dropped;
}

/// The text with the lemmas inserted.
std::string WithLemmas(std::string text, const std::vector<ProvedOnTheWay>& lemmas) {
  std::vector<const ProvedOnTheWay*> from_last;
  from_last.reserve(lemmas.size());
  for (const ProvedOnTheWay& one : lemmas) from_last.push_back(&one);
  std::stable_sort(from_last.begin(), from_last.end(),
                   [](const auto* a, const auto* b) { return a->place > b->place; });
  for (const ProvedOnTheWay* one : from_last) {
    if (!one->lemmas.empty()) syntax::InsertAuxiliary(text, one->place, AsAuxiliary(*one));
  }
  return text;
}

}  // namespace

std::string AsAuxiliary(const ProvedOnTheWay& lemmas) {
  std::string block;
  for (const ProvedLemma& lemma : lemmas.lemmas) {
    block.append(block.empty() ? "" : "\n").append(lemma.Text()).append("\n");
  }
  return block;
}

Task<Result<LemmaFile>> AcceptLemmas(const core::Executor& executor,
                                     const lean::Toolchain& toolchain, std::string text,
                                     std::vector<ProvedOnTheWay> found,
                                     std::function<std::string(std::string)> prepare,
                                     AcceptanceOptions options) {
  const size_t all = Count(found);
  LemmaFile file;
  const auto library = Acceptance::NewLibrary(executor, toolchain);
  while (Count(found) > 0) {
    const auto stated = Stated(found);
    const std::string original = prepare(WithLemmas(text, stated));
    Acceptance acceptance(executor, toolchain, original, library);
    auto report = co_await acceptance.Judge(prepare(WithLemmas(text, found)),
                                            TargetsIn(original, stated), options);
    if (!report) co_return Fail(report.error());
    if (report->lost) co_return Fail(*report->lost);
    if (report->accepted) break;
    if (Drop(*report, found) == 0) found.clear();  // the reason concerns no single lemma
  }
  file.count = Count(found);
  file.refused = all - file.count;
  file.kept = std::move(found);
  co_return file;
}

}  // namespace zermelo::engine
