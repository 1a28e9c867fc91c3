// The wire contracts of LeanSearch (frenzymath/LeanSearch, server.py) and Loogle (nomeata/loogle),
// as LeanSearchClient's #leansearch and #loogle speak them. What differs: docs/retrieval.md.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/premise_source.h"

namespace zermelo::serve {

/// The body of `POST /search`.
struct LeanSearchRequest {
  std::vector<std::string> queries;
  size_t num_results = 5;  // for each; at most 150
};
/// Throws BadRequest.
LeanSearchRequest ParseLeanSearch(const nlohmann::json& body);
/// One entry of the answer for each query: [{"result": {…}, "distance": …}, …].
nlohmann::json LeanSearchAnswer(const std::vector<retrieve::Premise>& premises);

/// The answer to `GET /json?q=…`: declarations that hold all of what stands between commas, a
/// constant, a "piece of a name", or a pattern, of which the constants count. A question that makes
/// no sense is answered with "error" and, where there are any, "suggestions". Blocks for
/// milliseconds. Errors: of the index.
core::Result<nlohmann::json> LoogleAnswer(retrieve::PremiseIndex& index,
                                          const std::string& question);

/// A parameter of a URL's query, decoded; empty when it is not there.
std::string QueryParameter(std::string_view query, std::string_view name);

}  // namespace zermelo::serve
