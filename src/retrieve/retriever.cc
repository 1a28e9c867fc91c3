#include "retrieve/retriever.h"

#include <utility>

namespace zermelo::retrieve {

core::Task<std::vector<std::string>> TheoremsFor(Retriever& retriever, std::string goal,
                                                 std::vector<std::string> imports, size_t limit,
                                                 core::Deadline deadline) {
  PremiseQuery query;
  query.text = std::move(goal);
  query.formal = true;
  query.rankings = Rankings::kSymbols;
  query.imports = std::move(imports);
  query.imports.emplace_back("Init");
  query.limit = limit;
  const auto found = co_await retriever.Search(std::move(query), deadline);
  std::vector<std::string> names;
  if (!found) co_return names;
  for (const Premise& premise : *found) names.push_back(premise.name);
  co_return names;
}

}  // namespace zermelo::retrieve
