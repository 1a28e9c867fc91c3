// A premise index opened for searching, with three rankings and their fusion.
//
//   words       BM25 over names, the words in names, signatures and docstrings
//   symbols     MePo and SInE over the constants of types, for formal queries
//   embeddings  nearest neighbours of the query's embedding, if the index has vectors
//
// A search returns only premises of modules reachable from the imports, and symbol frequencies are
// counted among these.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "retrieve/ranking/symbol_ranking.h"
#include "retrieve/retriever.h"

namespace zermelo::retrieve {

/// Weights of the rankings in the fusion; a ranking with weight 0 is not computed.
struct RankingWeights {
  double words = 1;
  double mepo = 1;
  double sine = 1;
  double embeddings = 1;
  size_t depth = 200;  // best premises of each ranking that enter the fusion
};

/// The symbol rankings alone, for the built-in policy. (With words it finds more of the premises
/// that proofs use but spends longer trying them; it lost a problem of minif2f-core in equal time.)
inline constexpr RankingWeights kSymbolsOnly{.words = 0, .mepo = 1, .sine = 1, .embeddings = 0};
inline constexpr RankingWeights kWithoutModel{.words = 1, .mepo = 1, .sine = 1, .embeddings = 0};

/// A Loogle-style query: ranked theorems that match all patterns and name parts. Without patterns,
/// declarations of any kind match.
struct Containment {
  std::vector<std::string> patterns;  // all their constants occur in the theorem's type
  std::vector<std::string> in_name;   // substrings of its name, ignoring case
  size_t limit = 200;                 // maximum number of premises returned
};
struct Contained {
  size_t count = 0;                      // all matches, including those beyond the limit
  std::vector<Premise> premises;         // those with the fewest constants first
  std::string unknown;                   // a pattern that names no constant; empty: none
  std::vector<std::string> suggestions;  // constants with the same last name component
};

/// Not thread-safe. Queries block for milliseconds (docs/retrieval.md has measurements); the first
/// query for a set of imports takes longer, some 10 ms for 250,000 premises.
class PremiseIndex {
 public:
  /// Errors: kEnvironment if there is no index (the hint says how to build one); kInput if the file
  /// is not an index.
  static core::Result<std::unique_ptr<PremiseIndex>> Open(const std::filesystem::path& file);
  ~PremiseIndex();

  /// Returns the premises that fit a query, best first. `embedding` is the normalised embedding of
  /// the query's text by embedding_model(); empty skips the embedding ranking.
  core::Result<std::vector<Premise>> Search(const PremiseQuery& query,
                                            const RankingWeights& weights,
                                            const std::vector<float>& embedding = {});
  /// As Search, but returns ids and scores only.
  core::Result<Ranking> Rank(const PremiseQuery& query, const RankingWeights& weights,
                             const std::vector<float>& embedding = {});
  /// The definitions that a formal query names (Rankings::kDefinitions).
  core::Result<std::vector<Premise>> Definitions(const PremiseQuery& query);
  /// The theorems with the same last component of the name as `query.text`, those first whose
  /// namespaces have most in common with its.
  core::Result<std::vector<Premise>> Namesakes(const PremiseQuery& query);
  /// Searches the whole index, whatever the imports.
  core::Result<Contained> Containing(const Containment& wanted);
  /// The premises of a ranking, in its order.
  core::Result<std::vector<Premise>> Describe(const Ranking& ranking);
  /// The premises with this full name.
  core::Result<std::vector<Premise>> FindByName(const std::string& name);

  /// The number of premises.
  size_t size() const;
  /// Names of the indexed modules.
  const std::vector<std::string>& modules() const;
  /// The model whose vectors the index has; empty if it has none.
  const std::string& embedding_model() const;

 private:
  struct Impl;
  explicit PremiseIndex(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The file of a premise index's FAISS index.
std::filesystem::path VectorFile(const std::filesystem::path& index);

}  // namespace zermelo::retrieve
