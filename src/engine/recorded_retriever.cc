#include "engine/recorded_retriever.h"

#include <nlohmann/json.hpp>

#include "engine/answer_json.h"

namespace zermelo::engine {

using core::Fail;
using core::Result;
using core::Task;
using nlohmann::json;
using retrieve::Premise;
using retrieve::PremiseQuery;

namespace {

using Premises = std::vector<Premise>;

std::string KeyOf(const PremiseQuery& query) {
  const json whole{query.text, query.formal, query.imports, query.limit,
                   static_cast<int>(query.rankings)};
  return Fingerprint(whole.dump(-1, ' ', false, json::error_handler_t::replace));
}

Result<Premises> PremisesOf(const json& answer) {
  try {
    if (answer.contains("error")) return Fail(ErrorOf(answer["error"]));
    return answer.at("premises").get<Premises>();
  } catch (const json::exception& e) {
    return Fail(core::ErrorCode::kInput,
                std::string("cannot read a recorded premise search: ") + e.what());
  }
}

Task<json> SearchInWorld(retrieve::Retriever* retriever, std::shared_ptr<PremiseQuery> query,
                         core::Deadline deadline) {
  const auto found = co_await retriever->Search(std::move(*query), deadline);
  if (!found) co_return ErrorAnswer(found.error());
  json answer;
  answer["premises"] = *found;
  co_return answer;
}

}  // namespace

Task<Result<Premises>> RecordedRetriever::Search(PremiseQuery query, core::Deadline deadline) {
  strategy::Act act;
  act.kind = "retrieved";
  act.key = KeyOf(query);
  const auto asked = std::make_shared<PremiseQuery>(std::move(query));
  act.perform = [retriever = &inner_, asked, deadline] {
    return SearchInWorld(retriever, asked, deadline);
  };
  const auto answer = co_await journal_.Perform(std::move(act));
  if (!answer) co_return Fail(answer.error());
  co_return PremisesOf(*answer);
}

}  // namespace zermelo::engine
