// An index opened for questions: three rankings, and one made of them.
//
//   words       BM25 over names, the words that names are made of, signatures, docstrings
//   symbols     MePo and SInE over the constants of types; for formal questions
//   embeddings  nearest neighbours of the question's embedding, when there are vectors
//
// Only premises of modules that the imports reach are offered, and frequencies of symbols are
// counted among these.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "retrieve/retriever.h"
#include "retrieve/symbol_ranking.h"

namespace zermelo::retrieve {

/// Which rankings are asked, and what they count in the fusion; 0: not asked.
struct RankingWeights {
  double words = 1;
  double mepo = 1;
  double sine = 1;
  double embeddings = 1;
  size_t depth = 200;  // premises of each ranking that are fused
};

/// The symbol rankings alone: what the built-in policy asks. (With words it finds more of what
/// proofs use, but tries them for longer, and lost a problem of minif2f-core in the same time.)
inline constexpr RankingWeights kSymbolsOnly{.words = 0, .mepo = 1, .sine = 1, .embeddings = 0};
inline constexpr RankingWeights kWithoutModel{.words = 1, .mepo = 1, .sine = 1, .embeddings = 0};

/// Theorems that are made of something, as Loogle is asked.
struct Containment {
  std::vector<std::string> patterns;  // their constants are all in the type
  std::vector<std::string> in_name;   // pieces of the name, upper and lower case alike
  size_t limit = 200;
};
struct Contained {
  size_t count = 0;
  std::vector<Premise> premises;         // those with the fewest constants first
  std::string unknown;                   // a name in a pattern that is no constant; empty: none
  std::vector<std::string> suggestions;  // constants that it may stand for
};

/// Not thread-safe. Questions block for about as long as docs/retrieval.md says (milliseconds); the
/// first about some imports takes longer, some 10 ms for 250,000 premises.
class PremiseIndex {
 public:
  /// kEnvironment: there is no index (the hint says how to make one); kInput: the file is none.
  static core::Result<std::unique_ptr<PremiseIndex>> Open(const std::filesystem::path& file);
  ~PremiseIndex();

  /// Best first. `embedding`: of the question's text, normalised, of the model that the vectors
  /// are of; empty: that ranking is left out.
  core::Result<std::vector<Premise>> Search(const PremiseQuery& query,
                                            const RankingWeights& weights,
                                            const std::vector<float>& embedding = {});
  /// The ids alone, and the rankings one by one, for measurements.
  core::Result<Ranking> Rank(const PremiseQuery& query, const RankingWeights& weights,
                             const std::vector<float>& embedding = {});
  /// Of what is indexed.
  core::Result<Contained> Containing(const Containment& wanted);
  core::Result<std::vector<Premise>> Describe(const Ranking& ranking);
  core::Result<std::vector<Premise>> Named(const std::string& name);

  size_t size() const;  // premises
  const std::vector<std::string>& modules() const;
  /// The model whose vectors the index has; empty: it has none.
  const std::string& embedding_model() const;

 private:
  struct Impl;
  explicit PremiseIndex(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Where the FAISS index of a premise index is kept.
std::filesystem::path VectorFile(const std::filesystem::path& index);

}  // namespace zermelo::retrieve
