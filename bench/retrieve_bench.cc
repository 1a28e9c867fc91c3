// What ./zermelo bench retrieve runs (bench/retrieve.py says what it measures).
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "core/deadline.h"
#include "retrieve/fusion.h"
#include "retrieve/indexer.h"
#include "retrieve/library_modules.h"
#include "retrieve/module_premises.h"
#include "retrieve/premise_index.h"
#include "retrieve/vectors.h"

namespace zermelo::retrieve {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

[[noreturn]] void Die(const core::Error& error) {
  std::cerr << "retrieve_bench: " << error.message << "\n";
  std::exit(1);
}

template <class T>
T Must(core::Result<T> result) {
  if (!result) Die(result.error());
  return std::move(*result);
}

/// A theorem whose proof is in the library, and the offered theorems that the proof uses.
struct Question {
  std::string name;
  std::string statement;
  std::string module;
  std::vector<std::string> used;
};

/// Premises that Lean's automation leaves in proofs and nobody looks for.
bool IsGlue(const std::string& name) {
  static const std::unordered_set<std::string> kGlue = {"id",
                                                        "rfl",
                                                        "trivial",
                                                        "absurd",
                                                        "cast_eq",
                                                        "congr",
                                                        "congrArg",
                                                        "congrFun",
                                                        "congrFun'",
                                                        "eq_self",
                                                        "eq_of_heq",
                                                        "eq_true",
                                                        "eq_false",
                                                        "eq_false'",
                                                        "eq_true_eq_id",
                                                        "forall_congr",
                                                        "funext",
                                                        "heq_of_eq",
                                                        "implies_congr",
                                                        "implies_congr_ctx",
                                                        "implies_true",
                                                        "iff_of_eq",
                                                        "iff_self",
                                                        "ite_congr",
                                                        "letFun_congr",
                                                        "of_eq_false",
                                                        "of_eq_true",
                                                        "proof_irrel",
                                                        "propext",
                                                        "of_decide_eq_true",
                                                        "ne_of_eq_of_ne",
                                                        "true_and",
                                                        "and_true",
                                                        "false_and",
                                                        "and_false",
                                                        "Eq.mpr_prop",
                                                        "Eq.mp",
                                                        "Eq.mpr",
                                                        "Eq.trans",
                                                        "Eq.symm",
                                                        "Eq.rec",
                                                        "Eq.refl",
                                                        "HEq.refl",
                                                        "Iff.intro",
                                                        "Iff.refl",
                                                        "Iff.mp",
                                                        "Iff.mpr",
                                                        "Iff.trans",
                                                        "Iff.symm",
                                                        "Eq.subst",
                                                        "Eq.substr",
                                                        "Eq.ndrec",
                                                        "And.left",
                                                        "And.right",
                                                        "False.elim",
                                                        "Not.elim",
                                                        "not_false_eq_true",
                                                        "not_true_eq_false",
                                                        "forall_const"};
  return kGlue.contains(name);
}

std::vector<Question> ReadQuestions(const std::vector<fs::path>& search_path,
                                    const std::string& root) {
  trust::Terms terms;
  trust::OleanImage image;
  Shapes shapes;
  struct Seen {
    Question question;
    NameId id = NameId::kAnonymous;
    std::vector<NameId> proof;
  };
  std::vector<Seen> seen;
  std::unordered_set<NameId> theorems;
  const auto modules = FindModules(search_path);
  // Twice: signatures need the shapes of imported constants.
  for (const bool again : {false, true}) {
    for (const LibraryModule& module : modules) {
      if (module.name != root && !module.name.starts_with(root + ".")) continue;
      if (auto opened = image.Open(module.file); !opened) Die(opened.error());
      auto read = Must(ReadModulePremises(image, terms, module.name, &shapes, true));
      if (!again) continue;
      for (const ModulePremise& premise : read.premises) {
        if (premise.ranked) theorems.insert(premise.id);
      }
      for (ProvedTheorem& proved : read.proved) {
        Seen one;
        one.question.name = std::move(proved.name);
        one.question.statement = std::move(proved.statement);
        one.question.module = module.name;
        one.id = proved.id;
        one.proof = std::move(proved.uses);
        seen.push_back(std::move(one));
      }
    }
  }
  std::vector<Question> questions;
  for (Seen& one : seen) {
    for (const NameId id : one.proof) {
      const std::string name = terms.PrintFull(id);
      if (id != one.id && theorems.contains(id) && !IsGlue(name)) one.question.used.push_back(name);
    }
    if (!one.question.used.empty()) questions.push_back(std::move(one.question));
  }
  return questions;
}

struct Way {
  std::string name;
  RankingWeights weights;
};

RankingWeights Only(double RankingWeights::*which) {
  RankingWeights weights{.words = 0, .mepo = 0, .sine = 0, .embeddings = 0};
  weights.*which = 1;
  return weights;
}

std::unordered_map<std::string, std::vector<float>> ReadEmbeddings(const fs::path& file) {
  std::unordered_map<std::string, std::vector<float>> embeddings;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const json entry = json::parse(line);
    embeddings.emplace(entry.at("name"), entry.at("vector").get<std::vector<float>>());
  }
  return embeddings;
}

/// Recall at 10 and at 32: the share of a proof's premises among the first so many, averaged over
/// the theorems; the theorem itself is not counted.
json Recall(PremiseIndex& index, const std::vector<Question>& questions,
            const std::unordered_map<std::string, std::vector<float>>& embeddings) {
  std::vector<Way> ways = {{"words", Only(&RankingWeights::words)},
                           {"mepo", Only(&RankingWeights::mepo)},
                           {"sine", Only(&RankingWeights::sine)},
                           {"symbols", kSymbolsOnly},
                           {"fusion_without_embeddings", {}}};
  ways.back().weights.embeddings = 0;
  if (!embeddings.empty()) {
    ways.push_back({"embeddings", Only(&RankingWeights::embeddings)});
    ways.push_back({"fusion", {}});
  }
  json result;
  for (const Way& way : ways) {
    double at_10 = 0;
    double at_32 = 0;
    std::vector<double> times;
    for (const Question& question : questions) {
      PremiseQuery query;
      query.text = question.statement;
      query.formal = true;
      query.imports = {question.module};
      query.limit = 33;
      const auto embedding = embeddings.find(question.name);
      const auto& vector = embedding == embeddings.end() ? std::vector<float>() : embedding->second;
      const auto started = core::Clock::now();
      const auto ranking = Must(index.Rank(query, way.weights, vector));
      times.push_back(1e3 * core::Seconds(core::Clock::now() - started));
      const std::unordered_set<std::string> used(question.used.begin(), question.used.end());
      size_t rank = 0;
      size_t found_10 = 0;
      size_t found_32 = 0;
      for (const Premise& premise : Must(index.Describe(ranking))) {
        if (premise.name == question.name || ++rank > 32) continue;
        if (!used.contains(premise.name)) continue;
        ++found_32;
        if (rank <= 10) ++found_10;
      }
      at_10 += static_cast<double>(found_10) / static_cast<double>(used.size());
      at_32 += static_cast<double>(found_32) / static_cast<double>(used.size());
    }
    std::sort(times.begin(), times.end());
    const auto count = static_cast<double>(questions.size());
    result[way.name] = {{"recall_10", at_10 / count},
                        {"recall_32", at_32 / count},
                        {"ms_median", times[times.size() / 2]},
                        {"ms_p95", times[times.size() * 95 / 100]}};
  }
  return result;
}

}  // namespace
}  // namespace zermelo::retrieve

int main(int argc, char** argv) {
  using namespace zermelo::retrieve;
  if (argc < 4) return 2;
  const std::string what = argv[1];
  const fs::path file = argv[2];
  const std::vector<fs::path> library = {argv[3]};
  if (what == "index") {
    IndexRequest request;
    request.file = file;
    request.search_path = library;
    const auto started = zermelo::core::Clock::now();
    const auto report = Must(UpdateIndex(request));
    std::cout << json{{"seconds", zermelo::core::Seconds(zermelo::core::Clock::now() - started)},
                      {"modules", report.modules},
                      {"premises", report.premises}}
              << "\n";
    return 0;
  }
  const auto questions = ReadQuestions(library, "Init");
  if (what == "questions") {
    for (const auto& question : questions) {
      std::cout << json{{"name", question.name},
                        {"statement", question.statement},
                        {"used", question.used}}
                << "\n";
    }
    return 0;
  }
  const auto index = Must(PremiseIndex::Open(file));
  const auto embeddings = ReadEmbeddings(argc > 4 ? argv[4] : "");
  json result = Recall(*index, questions, embeddings);
  result["questions"] = questions.size();
  std::cout << result << "\n";
  return 0;
}
