#include "retrieve/premise_index.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <list>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "retrieve/ranking/fusion.h"
#include "retrieve/ranking/goal_symbols.h"
#include "retrieve/ranking/vectors.h"
#include "retrieve/ranking/words.h"
#include "store/premises.h"
#include "syntax/lexer.h"

namespace zermelo::retrieve {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;
using store::PremiseModule;

namespace {

constexpr int64_t kWordBudget = 600;   // premises that BM25 ranks per expression
constexpr size_t kEnoughByWords = 50;  // with this many premises, broader expressions are skipped
constexpr uint32_t kWellKnown = 300;   // theorems about a definition that is best left folded
constexpr size_t kClosures = 4;        // import sets that are cached

// Too common to be informative (Lean's deny list of SInE).
constexpr std::array<const char*, 17> kDenied = {
    "Eq", "Ne",  "HEq",    "Iff", "LE.le", "LT.lt",       "GE.ge", "GT.gt", "And",
    "Or", "Not", "Exists", "ite", "dite",  "OfNat.ofNat", "True",  "False"};

/// The modules reachable from a set of imports.
struct ImportClosure {
  std::string key;
  std::vector<bool> modules;  // by number
  std::unique_ptr<SymbolRankings> symbols;
};

class StoredSymbols : public SymbolTable {
 public:
  explicit StoredSymbols(store::Premises& premises) : premises_(premises) {}
  std::vector<Symbol> FindByName(const std::string& name) override {
    return Converted(premises_.SymbolsNamed(name));
  }
  std::vector<Symbol> EndingIn(const std::string& last) override {
    constexpr int64_t kSome = 32;
    return Converted(premises_.SymbolsEndingIn(last, kSome));
  }

 private:
  static std::vector<Symbol> Converted(const Result<std::vector<store::SymbolRow>>& rows) {
    std::vector<Symbol> symbols;
    if (!rows) return symbols;
    for (const store::SymbolRow& row : *rows) {
      symbols.push_back({row.name, static_cast<uint32_t>(row.id)});
    }
    return symbols;
  }
  store::Premises& premises_;
};

std::vector<uint32_t> IdsOf(const std::vector<SymbolTable::Symbol>& symbols) {
  std::vector<uint32_t> ids;
  for (const SymbolTable::Symbol& symbol : symbols) ids.push_back(symbol.id);
  return ids;
}

/// The number of components that two namespaces have in common.
size_t InCommon(std::string_view a, std::string_view b) {
  const std::vector<std::string_view> components = syntax::NameComponents(a);
  return std::ranges::count_if(
      components, [&](std::string_view component) { return syntax::HasComponent(b, {component}); });
}

uint32_t NumberAt(std::string_view blob, size_t at) {
  uint32_t number = 0;
  std::memcpy(&number, blob.data() + at, sizeof number);
  return number;
}

}  // namespace

fs::path VectorFile(const fs::path& index) { return index.string() + ".faiss"; }

struct PremiseIndex::Impl {
  explicit Impl(std::unique_ptr<store::Database> opened)
      : database(std::move(opened)), premises(*database) {}

  std::unique_ptr<store::Database> database;
  store::Premises premises;
  std::vector<PremiseModule> modules;  // by first id
  std::vector<std::string> names;      // of the modules, in the same order
  std::unordered_map<std::string_view, size_t> number;
  size_t count = 0;
  uint32_t symbol_count = 0;
  std::string embedding_model;
  std::unique_ptr<VectorIndex> vectors;
  std::list<ImportClosure> closures;  // most recently used first

  core::Status Load() {
    auto listed = premises.Modules();
    if (!listed) return Fail(listed.error());
    modules = std::move(*listed);
    std::sort(modules.begin(), modules.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 0; i < modules.size(); ++i) {
      number.emplace(modules[i].name, i);
      names.push_back(modules[i].name);
      count += static_cast<size_t>(modules[i].count);
    }
    const auto symbols = premises.SymbolCount();
    if (!symbols) return Fail(symbols.error());
    symbol_count = static_cast<uint32_t>(*symbols);
    return LoadVectors();
  }

  /// Missing vectors, or vectors of another state of the index, are not an error: the embedding
  /// ranking is skipped.
  core::Status LoadVectors() {
    const auto model = premises.Fact("embedding_model");
    const auto fingerprint = premises.Fact("vectors");
    if (!model || !fingerprint) return Fail(model ? fingerprint.error() : model.error());
    if (model->empty() || fingerprint->empty()) return {};
    auto loaded = VectorIndex::Load(VectorFile(database->path()));
    if (!loaded || (*loaded)->fingerprint() != *fingerprint) return {};
    vectors = std::move(*loaded);
    embedding_model = *model;
    return {};
  }

  size_t ModuleOf(int64_t id) const {
    const auto after = std::upper_bound(
        modules.begin(), modules.end(), id,
        [](int64_t wanted, const PremiseModule& module) { return wanted < module.first; });
    return static_cast<size_t>(after - modules.begin()) - 1;
  }

  ImportClosure& ClosureOf(const std::optional<std::vector<std::string>>& imports) {
    const std::string key = imports ? fmt::format("{}\n", fmt::join(*imports, "\n")) : "";
    for (auto at = closures.begin(); at != closures.end(); ++at) {
      if (at->key != key) continue;
      closures.splice(closures.begin(), closures, at);
      return closures.front();
    }
    ImportClosure closure;
    closure.key = key;
    closure.modules = Reached(imports);
    closures.push_front(std::move(closure));
    if (closures.size() > kClosures) closures.pop_back();
    return closures.front();
  }

  std::vector<bool> Reached(const std::optional<std::vector<std::string>>& imports) const {
    std::vector<bool> reached(modules.size(), !imports);
    if (!imports) return reached;
    std::vector<size_t> todo;
    const auto reach = [&](const std::string& module) {
      const auto found = number.find(module);
      if (found == number.end() || reached[found->second]) return;
      reached[found->second] = true;
      todo.push_back(found->second);
    };
    for (const std::string& import : *imports) reach(import);
    while (!todo.empty()) {
      const PremiseModule& module = modules[todo.back()];
      todo.pop_back();
      for (const std::string& import : module.imports) reach(import);
    }
    return reached;
  }

  Result<SymbolRankings*> SymbolsOf(ImportClosure& closure) {
    if (closure.symbols) return closure.symbols.get();
    std::unordered_map<int64_t, size_t> by_id;
    for (size_t i = 0; i < modules.size(); ++i) by_id.emplace(modules[i].id, i);
    Theorems theorems;
    std::vector<uint32_t> symbols;
    const auto read = premises.EachTheorems([&](int64_t id, std::string_view blob) {
      const auto module = by_id.find(id);
      if (module == by_id.end() || !closure.modules[module->second]) return;
      const int64_t first = modules[module->second].first;
      constexpr size_t kWord = sizeof(uint32_t);
      for (size_t at = 0; at + 2 * kWord <= blob.size();) {
        const int64_t premise = first + NumberAt(blob, at);
        const size_t length = NumberAt(blob, at + kWord);
        at += 2 * kWord;
        if (length > (blob.size() - at) / kWord) break;
        symbols.resize(length);
        for (size_t i = 0; i < length; ++i) symbols[i] = NumberAt(blob, at + i * kWord);
        at += length * kWord;
        const bool known = std::all_of(symbols.begin(), symbols.end(), [&](uint32_t symbol) {
          return (symbol & ~Theorems::kRelevant) < symbol_count;
        });
        if (known) theorems.Append(premise, symbols);
      }
    });
    if (!read) return Fail(read.error());
    std::vector<uint32_t> denied;
    for (const char* name : kDenied) {
      const auto rows = premises.SymbolsNamed(name);
      if (rows && !rows->empty()) denied.push_back(static_cast<uint32_t>(rows->front().id));
    }
    closure.symbols = std::make_unique<SymbolRankings>(std::move(theorems), symbol_count, denied);
    return closure.symbols.get();
  }

  /// Premises found by narrower expressions first; those of one expression by BM25.
  Result<Ranking> ByWords(const PremiseQuery& query, const ImportClosure& closure, size_t depth) {
    const auto groups =
        QueryWords(query.text, query.formal ? QueryLanguage::kLean : QueryLanguage::kEnglish);
    std::vector<int64_t> frequencies;
    for (const WordGroup& group : groups) {
      const auto counts = premises.Frequencies(group);
      if (!counts) return Fail(counts.error());
      frequencies.push_back(std::accumulate(counts->begin(), counts->end(), int64_t{0}));
    }
    Ranking ranking;
    std::unordered_set<int64_t> known;
    for (const std::string& expression :
         MatchExpressions(groups, frequencies, static_cast<int64_t>(count))) {
      auto matches = premises.Match(expression, kWordBudget);
      if (!matches) return Fail(matches.error());
      std::erase_if(*matches, [&](const auto& match) {
        return !closure.modules[ModuleOf(match.first)] || !known.insert(match.first).second;
      });
      std::stable_sort(matches->begin(), matches->end(),
                       [](const auto& a, const auto& b) { return a.second > b.second; });
      ranking.insert(ranking.end(), matches->begin(), matches->end());
      if (ranking.size() >= std::min(depth, kEnoughByWords)) break;
    }
    if (ranking.size() > depth) ranking.resize(depth);
    return ranking;
  }
};

PremiseIndex::PremiseIndex(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PremiseIndex::~PremiseIndex() = default;
size_t PremiseIndex::size() const { return impl_->count; }
const std::vector<std::string>& PremiseIndex::modules() const { return impl_->names; }
const std::string& PremiseIndex::embedding_model() const { return impl_->embedding_model; }

Result<std::unique_ptr<PremiseIndex>> PremiseIndex::Open(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return Fail(ErrorCode::kEnvironment, "there is no premise index (" + file.string() + ")",
                "build it with `zermelo index`");
  }
  auto database = store::Database::Open(file, store::Access::kReadOnly, store::Content::kPremises);
  if (!database) return Fail(database.error());
  auto impl = std::make_unique<Impl>(std::move(*database));
  if (auto loaded = impl->Load(); !loaded) return Fail(loaded.error());
  return std::unique_ptr<PremiseIndex>(new PremiseIndex(std::move(impl)));
}

Result<Ranking> PremiseIndex::Rank(const PremiseQuery& query, const RankingWeights& weights,
                                   const std::vector<float>& embedding) {
  ImportClosure& closure = impl_->ClosureOf(query.imports);
  Ranking words;
  Ranking mepo;
  Ranking sine;
  Ranking near;
  if (weights.words > 0) {
    auto ranked = impl_->ByWords(query, closure, weights.depth);
    if (!ranked) return Fail(ranked.error());
    words = std::move(*ranked);
  }
  if (query.formal && (weights.mepo > 0 || weights.sine > 0)) {
    const auto symbols = impl_->SymbolsOf(closure);
    if (!symbols) return Fail(symbols.error());
    StoredSymbols table(impl_->premises);
    const auto goal = IdsOf(GoalSymbols(query.text, table));
    if (weights.mepo > 0) mepo = (*symbols)->Mepo(goal, weights.depth);
    if (weights.sine > 0) sine = (*symbols)->Sine(goal, weights.depth);
  }
  if (weights.embeddings > 0 && impl_->vectors && !embedding.empty()) {
    std::function<bool(int64_t)> offered;
    if (query.imports) {
      offered = [&](int64_t id) { return static_cast<bool>(closure.modules[impl_->ModuleOf(id)]); };
    }
    near = impl_->vectors->Search(embedding, weights.depth, offered);
  }
  return Fuse({{&words, weights.words},
               {&mepo, weights.mepo},
               {&sine, weights.sine},
               {&near, weights.embeddings}},
              query.limit);
}

Result<std::vector<Premise>> PremiseIndex::Describe(const Ranking& ranking) {
  std::vector<int64_t> ids;
  std::unordered_map<int64_t, double> scores;
  for (const auto& [id, score] : ranking) {
    ids.push_back(id);
    scores.emplace(id, score);
  }
  auto rows = impl_->premises.Rows(ids);
  if (!rows) return Fail(rows.error());
  std::vector<Premise> premises;
  for (store::PremiseRow& row : *rows) {
    Premise premise;
    premise.module = impl_->names[impl_->ModuleOf(row.id)];
    premise.score = scores[row.id];
    premise.name = std::move(row.name);
    premise.kind = std::move(row.kind);
    premise.signature = std::move(row.signature);
    premise.docstring = std::move(row.docstring);
    premises.push_back(std::move(premise));
  }
  return premises;
}

Result<std::vector<Premise>> PremiseIndex::Search(const PremiseQuery& query,
                                                  const RankingWeights& weights,
                                                  const std::vector<float>& embedding) {
  const auto ranking = Rank(query, weights, embedding);
  if (!ranking) return Fail(ranking.error());
  return Describe(*ranking);
}

Result<std::vector<Premise>> PremiseIndex::FindByName(const std::string& name) {
  const auto rows = impl_->premises.FindByName(name);
  if (!rows) return Fail(rows.error());
  Ranking ranking;
  for (const store::PremiseRow& row : *rows) ranking.emplace_back(row.id, 0);
  return Describe(ranking);
}

Result<std::vector<Premise>> PremiseIndex::Definitions(const PremiseQuery& query) {
  ImportClosure& closure = impl_->ClosureOf(query.imports);
  const auto rankings = impl_->SymbolsOf(closure);
  if (!rankings) return Fail(rankings.error());
  StoredSymbols table(impl_->premises);
  Ranking found;
  for (const SymbolTable::Symbol& symbol : GoalSymbols(query.text, table)) {
    const auto rows = impl_->premises.FindByName(symbol.name);
    if (!rows) return Fail(rows.error());
    for (const store::PremiseRow& row : *rows) {
      if (row.kind != "definition" || !closure.modules[impl_->ModuleOf(row.id)]) continue;
      const auto space = impl_->premises.FindByName(std::string(syntax::NamespaceOf(row.name)));
      if (!space) return Fail(space.error());
      if (!space->empty() && space->front().kind == "class") continue;
      const uint32_t frequency = (*rankings)->Frequency(symbol.id);
      const bool proposition =
          row.signature.ends_with(": Prop") || row.signature.ends_with("→ Prop");
      if (proposition || frequency <= kWellKnown) {
        found.emplace_back(row.id, proposition ? 1 : -1.0 * frequency);
      }
    }
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &Ranking::value_type::second);
  if (found.size() > query.limit) found.resize(query.limit);
  return Describe(found);
}

Result<std::vector<Premise>> PremiseIndex::Namesakes(const PremiseQuery& query) {
  const std::string_view last = syntax::LastComponent(query.text);
  const std::string_view space = syntax::NamespaceOf(query.text);
  const ImportClosure& closure = impl_->ClosureOf(query.imports);
  const auto theorems = impl_->premises.TheoremsEndingIn(std::string(last));
  if (!theorems) return Fail(theorems.error());
  Ranking found;
  for (const auto& [id, name] : *theorems) {
    if (!closure.modules[impl_->ModuleOf(id)] || name == query.text) continue;
    found.emplace_back(id, InCommon(syntax::NamespaceOf(name), space));
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &Ranking::value_type::second);
  if (found.size() > query.limit) found.resize(query.limit);
  return Describe(found);
}

Result<Contained> PremiseIndex::Containing(const Containment& wanted) {
  Contained contained;
  StoredSymbols table(impl_->premises);
  std::vector<uint32_t> symbols;
  for (const std::string& pattern : wanted.patterns) {
    const auto in_pattern = IdsOf(GoalSymbols(pattern, table));
    const bool is_name = pattern.find(' ') == std::string::npos;
    if (is_name && in_pattern.empty()) {
      contained.unknown = pattern;
      for (const auto& symbol : table.EndingIn(std::string(syntax::LastComponent(pattern)))) {
        contained.suggestions.push_back(symbol.name);
      }
      return contained;
    }
    symbols.insert(symbols.end(), in_pattern.begin(), in_pattern.end());
  }
  ImportClosure& closure = impl_->ClosureOf({});
  std::vector<int64_t> ids;
  if (!wanted.patterns.empty()) {
    const auto rankings = impl_->SymbolsOf(closure);
    if (!rankings) return Fail(rankings.error());
    ids = (*rankings)->Containing(symbols);
  }
  if (!wanted.in_name.empty()) {
    auto named = impl_->premises.NamesWith(wanted.in_name);
    if (!named) return Fail(named.error());
    if (wanted.patterns.empty()) {
      ids = std::move(*named);
    } else {
      std::sort(named->begin(), named->end());
      std::erase_if(
          ids, [&](int64_t id) { return !std::binary_search(named->begin(), named->end(), id); });
    }
  }
  contained.count = ids.size();
  if (ids.size() > wanted.limit) ids.resize(wanted.limit);
  Ranking ranking;
  for (const int64_t id : ids) ranking.emplace_back(id, 0);
  auto premises = Describe(ranking);
  if (!premises) return Fail(premises.error());
  contained.premises = std::move(*premises);
  return contained;
}

}  // namespace zermelo::retrieve
