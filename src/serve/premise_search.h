// The wire contracts of LeanSearch (frenzymath/LeanSearch, server.py) and Loogle (nomeata/loogle),
// as used by LeanSearchClient's #leansearch and #loogle. docs/retrieval.md lists the differences.
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
  size_t num_results = 5;  // for each query; at most 150
};
/// Throws BadRequest.
LeanSearchRequest ParseLeanSearch(const nlohmann::json& body);
/// The answer to one query: [{"result": {…}, "distance": …}, …].
nlohmann::json LeanSearchAnswer(const std::vector<retrieve::Premise>& premises);

/// The answer to `GET /json?q=…`: declarations that match all comma-separated filters. A filter is
/// a constant, a "piece of a name" in quotes, or a pattern, of which only the constants count. An
/// invalid query is answered with "error" and, if there are any, "suggestions". Blocks for
/// milliseconds. Errors: those of the index.
core::Result<nlohmann::json> LoogleAnswer(retrieve::PremiseIndex& index,
                                          const std::string& question);

/// A decoded parameter of a URL's query; empty if absent.
std::string QueryParameter(std::string_view query, std::string_view name);

}  // namespace zermelo::serve
