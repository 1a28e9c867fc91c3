#include "retrieve/retriever.h"

#include <utility>

namespace zermelo::retrieve {

core::Task<std::vector<std::string>> TheoremsFor(Retriever& retriever, std::string goal,
                                                 std::vector<std::string> imports, size_t limit,
                                                 core::Deadline deadline) {
  constexpr size_t kTwice = 2;  // definitions and constructors are found, too
  PremiseQuery query;
  query.text = std::move(goal);
  query.formal = true;
  query.without_model = true;
  query.imports = std::move(imports);
  query.imports.emplace_back("Init");
  query.limit = kTwice * limit;
  const auto found = co_await retriever.Search(std::move(query), deadline);
  std::vector<std::string> names;
  if (!found) co_return names;
  for (const Premise& premise : *found) {
    if (premise.kind == "theorem" && names.size() < limit) names.push_back(premise.name);
  }
  co_return names;
}

}  // namespace zermelo::retrieve
