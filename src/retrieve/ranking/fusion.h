// Fuses several rankings into one.
#pragma once

#include <cstddef>
#include <vector>

#include "retrieve/ranking/symbol_ranking.h"

namespace zermelo::retrieve {

/// A ranking and its weight.
struct Vote {
  const Ranking* ranking = nullptr;
  double weight = 1;
};

/// Reciprocal rank fusion (Cormack, Clarke, Büttcher, "Reciprocal rank fusion outperforms Condorcet
/// and individual rank learning methods", SIGIR 2009): the score of a premise is the sum of
/// weight / (k + rank) over the rankings that contain it, with ranks from 1. Returns the `limit`
/// best premises; ties are ordered by ascending id.
Ranking Fuse(const std::vector<Vote>& votes, size_t limit, double k = 60);

}  // namespace zermelo::retrieve
