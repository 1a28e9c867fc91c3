// Run by ./zermelo bench retrieve; bench/retrieve.py describes the measurements.
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "core/deadline.h"
#include "retrieve/indexer.h"
#include "retrieve/library_modules.h"
#include "retrieve/premise_index.h"
#include "retrieve/ranking/vectors.h"
#include "retrieve/statements/module_premises.h"
#include "store/premises.h"

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

/// A theorem whose proof is in the library, and the indexed theorems that the proof uses.
struct Question {
  std::string name;
  std::string statement;
  std::string module;
  std::vector<std::string> used;
};

/// Premises that Lean's automation puts into proofs and that no user searches for.
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
  kernel::Terms terms;
  kernel::OleanImage image;
  Shapes shapes;
  struct Seen {
    Question question;
    NameId id = NameId::kAnonymous;
    std::vector<NameId> proof;
  };
  std::vector<Seen> seen;
  std::unordered_set<NameId> theorems;
  const auto modules = FindModules(search_path);
  // Two passes: signatures need the shapes of imported constants.
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

RankingWeights Only(double RankingWeights::*which) {
  RankingWeights weights{.words = 0, .mepo = 0, .sine = 0, .embeddings = 0};
  weights.*which = 1;
  return weights;
}

struct Way {
  std::string name;
  RankingWeights weights;
};

std::vector<Way> Ways(bool embeddings) {
  std::vector<Way> ways = {{"words", Only(&RankingWeights::words)},
                           {"mepo", Only(&RankingWeights::mepo)},
                           {"sine", Only(&RankingWeights::sine)},
                           {"symbols", kSymbolsOnly},
                           {"fusion_without_embeddings", kWithoutModel}};
  if (!embeddings) return ways;
  ways.push_back({"embeddings", Only(&RankingWeights::embeddings)});
  ways.push_back({"fusion", {}});
  return ways;
}

/// Rows of floats; empty if the file does not exist.
std::vector<std::vector<float>> ReadVectors(const fs::path& file, size_t count) {
  std::vector<std::vector<float>> vectors;
  std::error_code failed;
  const auto size = fs::file_size(file, failed);
  if (failed || count == 0) return vectors;
  const size_t dimension = size / count / sizeof(float);
  std::ifstream in(file, std::ios::binary);
  for (size_t i = 0; i < count; ++i) {
    std::vector<float> vector(dimension);
    in.read(reinterpret_cast<char*>(vector.data()),
            static_cast<std::streamsize>(dimension * sizeof(float)));
    Normalize(&vector);
    vectors.push_back(std::move(vector));
  }
  return vectors;
}

PremiseQuery QueryFor(const Question& question) {
  PremiseQuery query;
  query.text = question.statement;
  query.formal = true;
  query.limit = 33;
  return query;
}

json Times(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {{"ms_median", times[times.size() / 2]}, {"ms_p95", times[times.size() * 95 / 100]}};
}

/// Recall at 10 and at 32: the share of a proof's premises among the first 10 or 32 results,
/// averaged over the theorems; the theorem itself is not counted. Results come only from modules in
/// its reach.
json Recall(PremiseIndex& index, const std::vector<Question>& questions,
            const std::vector<std::vector<float>>& vectors) {
  json result;
  for (const Way& way : Ways(!vectors.empty())) {
    double at_10 = 0;
    double at_32 = 0;
    std::vector<double> times;
    for (size_t q = 0; q < questions.size(); ++q) {
      const Question& question = questions[q];
      const auto vector = vectors.empty() ? std::vector<float>() : vectors[q];
      const auto started = core::Clock::now();
      const auto ranking = Must(index.Rank(QueryFor(question), way.weights, vector));
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
    const auto count = static_cast<double>(questions.size());
    result[way.name] = Times(times);
    result[way.name]["recall_10"] = at_10 / count;
    result[way.name]["recall_32"] = at_32 / count;
  }
  return result;
}

/// Milliseconds per query, and the rows that embeddings alone find.
json Speed(PremiseIndex& index, std::vector<Question> questions,
           const std::vector<std::vector<float>>& vectors) {
  constexpr size_t kAsked = 300;
  json result;
  questions.resize(std::min(kAsked, questions.size()));
  for (const Way& way : Ways(!vectors.empty())) {
    std::vector<double> times;
    json found = json::array();
    for (size_t q = 0; q < questions.size(); ++q) {
      const auto vector = vectors.empty() ? std::vector<float>() : vectors[q];
      const auto started = core::Clock::now();
      const auto ranking = Must(index.Rank(QueryFor(questions[q]), way.weights, vector));
      const double ms = 1e3 * core::Seconds(core::Clock::now() - started);
      if (q > 0) times.push_back(ms);  // the first query also counts the symbols
      json ids = json::array();
      for (size_t i = 0; i < std::min<size_t>(10, ranking.size()); ++i) {
        ids.push_back(ranking[i].first);
      }
      found.push_back(std::move(ids));
    }
    result[way.name] = Times(times);
    if (way.name == "embeddings") result["found"] = std::move(found);
  }
  result["premises"] = index.size();
  return result;
}

/// Calls `visit` with every premise; an index that was made at once numbers them from 1 on.
template <class Visit>
void EachRow(store::Premises& premises, Visit visit) {
  constexpr int64_t kAtOnce = 10'000;
  for (int64_t first = 1;; first += kAtOnce) {
    std::vector<int64_t> ids(kAtOnce);
    std::iota(ids.begin(), ids.end(), first);
    const auto rows = Must(premises.Rows(ids));
    if (rows.empty()) return;
    for (const store::PremiseRow& row : rows) visit(row);
  }
}

/// Copies the premises under other names, with similar vectors, until there are `count`. Every word
/// and every symbol becomes proportionally more frequent, which is harder than a larger library.
void Multiply(const fs::path& from, const fs::path& to, int64_t count,
              const std::vector<std::vector<float>>& vectors) {
  fs::copy_file(from, to, fs::copy_options::overwrite_existing);
  const auto database =
      Must(store::Database::Open(to, store::Access::kCreate, store::Content::kPremises));
  store::Premises premises(*database);
  const auto modules = Must(premises.Modules());
  std::map<int64_t, std::string> theorems;
  static_cast<void>(premises.EachTheorems(
      [&](int64_t id, std::string_view blob) { theorems.emplace(id, blob); }));
  std::vector<store::PremiseRow> rows;
  EachRow(premises, [&](const store::PremiseRow& row) { rows.push_back(row); });
  std::mt19937 random(1);
  std::normal_distribution<float> noise(0, 0.02F);
  std::vector<int64_t> ids;
  std::string quantized;
  const auto add_vector = [&](size_t row, int64_t id) {
    if (vectors.empty()) return;
    std::vector<float> vector = vectors[row];
    if (static_cast<size_t>(id) > rows.size()) {
      for (float& x : vector) x += noise(random);
    }
    Normalize(&vector);
    ids.push_back(id);
    quantized += Quantize(vector);
  };
  for (size_t i = 0; i < rows.size(); ++i) add_vector(i, rows[i].id);
  const auto copied = database->Try("multiply", [&] {
    store::Premises::Batch batch(*database);
    auto total = static_cast<int64_t>(rows.size());
    for (int copy = 1; total < count; ++copy) {
      for (const store::PremiseModule& module : modules) {
        if (total >= count) break;
        store::PremiseModule twin = module;
        twin.name = fmt::format("Copy{}.{}", copy, module.name);
        const auto first = rows.begin() + (module.first - rows.front().id);
        std::vector<store::PremiseRow> twins(first, first + module.count);
        for (store::PremiseRow& row : twins) row.name = fmt::format("Copy{}.{}", copy, row.name);
        premises.Insert(&twin, &twins, "", theorems[module.id]);
        for (size_t i = 0; i < twins.size(); ++i) {
          add_vector(static_cast<size_t>(module.first - rows.front().id) + i, twins[i].id);
        }
        total += module.count;
      }
    }
    if (!vectors.empty()) {
      premises.SetFact("embedding_model", "bench");
      premises.SetFact("vectors", "bench");
    }
    batch.Commit();
  });
  if (!copied) Die(copied.error());
  if (auto tidied = premises.Tidy(); !tidied) Die(tidied.error());
  if (vectors.empty()) return;
  const size_t dimension = vectors.front().size();
  const auto built = Must(VectorIndex::Build(ids, quantized, dimension));
  if (auto saved = built->Save(VectorFile(to), "bench"); !saved) Die(saved.error());
  // Input for FAISS in Python.
  std::ofstream floats(to.string() + ".f32", std::ios::binary);
  std::ofstream numbers(to.string() + ".ids", std::ios::binary);
  const size_t row_bytes = quantized.size() / ids.size();
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto row = Dequantize(std::string_view(quantized).substr(i * row_bytes, row_bytes));
    floats.write(reinterpret_cast<const char*>(row.data()),
                 static_cast<std::streamsize>(row.size() * sizeof(float)));
    numbers.write(reinterpret_cast<const char*>(&ids[i]), sizeof ids[i]);
  }
}

size_t CountOf(const fs::path& index) {
  const auto database =
      Must(store::Database::Open(index, store::Access::kReadOnly, store::Content::kPremises));
  size_t count = 0;
  store::Premises premises(*database);
  EachRow(premises, [&](const store::PremiseRow&) { ++count; });
  return count;
}

int Run(const std::vector<std::string>& arguments) {
  const std::string& what = arguments.at(0);
  const fs::path file = arguments.at(1);
  if (what == "multiply") {  // FROM TO COUNT VECTORS
    Multiply(file, arguments.at(2), std::stoll(arguments.at(3)),
             ReadVectors(arguments.at(4), CountOf(file)));
    return 0;
  }
  if (what == "texts") {
    const auto database =
        Must(store::Database::Open(file, store::Access::kReadOnly, store::Content::kPremises));
    store::Premises premises(*database);
    EachRow(premises,
            [](const store::PremiseRow& row) { std::cout << json(EmbeddedText(row)) << "\n"; });
    return 0;
  }
  const std::vector<fs::path> library = {arguments.at(2)};
  if (what == "index") {
    IndexRequest request;
    request.file = file;
    request.search_path = library;
    const auto started = core::Clock::now();
    const auto report = Must(UpdateIndex(request));
    std::cout << json{{"seconds", core::Seconds(core::Clock::now() - started)},
                      {"modules", report.modules},
                      {"bytes", fs::file_size(file)},
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
  const auto vectors = ReadVectors(arguments.at(3), questions.size());
  const auto started = core::Clock::now();
  const auto index = Must(PremiseIndex::Open(file));
  const double open_ms = 1e3 * core::Seconds(core::Clock::now() - started);
  json result =
      what == "recall" ? Recall(*index, questions, vectors) : Speed(*index, questions, vectors);
  result["questions"] = questions.size();
  result["open_ms"] = open_ms;
  std::cout << result << "\n";
  return 0;
}

}  // namespace
}  // namespace zermelo::retrieve

int main(int argc, char** argv) {
  return zermelo::retrieve::Run(std::vector<std::string>(argv + 1, argv + argc));
}
