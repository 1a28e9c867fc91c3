#include "engine/recorded_retriever.h"

#include <nlohmann/json.hpp>

#include "core/hash.h"
#include "record/answer_json.h"

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
  return core::HexHash64(whole.dump(-1, ' ', false, json::error_handler_t::replace));
}

json ToJson(const Premise& premise) {
  return {{"name", premise.name},           {"kind", premise.kind},
          {"signature", premise.signature}, {"module", premise.module},
          {"docstring", premise.docstring}, {"score", premise.score}};
}

/// Throws json::exception.
Premise PremiseOf(const json& value) {
  Premise premise;
  premise.name = value.at("name");
  premise.kind = value.at("kind");
  premise.signature = value.at("signature");
  premise.module = value.at("module");
  premise.docstring = value.at("docstring");
  premise.score = value.at("score");
  return premise;
}

Result<Premises> PremisesOf(const json& answer) {
  try {
    if (answer.contains("error")) return Fail(record::ErrorOf(answer["error"]));
    Premises premises;
    for (const json& entry : answer.at("premises")) premises.push_back(PremiseOf(entry));
    return premises;
  } catch (const json::exception& e) {
    return Fail(core::ErrorCode::kInput,
                std::string("cannot read a recorded premise search: ") + e.what());
  }
}

Task<json> SearchInWorld(retrieve::Retriever* retriever, std::shared_ptr<PremiseQuery> query,
                         core::Deadline deadline) {
  const auto found = co_await retriever->Search(std::move(*query), deadline);
  if (!found) co_return record::ErrorAnswer(found.error());
  json premises = json::array();
  for (const Premise& premise : *found) premises.push_back(ToJson(premise));
  co_return json{{"premises", std::move(premises)}};
}

}  // namespace

Task<Result<Premises>> RecordedRetriever::Search(PremiseQuery query, core::Deadline deadline) {
  record::ExternalCall act;
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
