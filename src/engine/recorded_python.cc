#include "engine/recorded_python.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/hash.h"
#include "record/answer_json.h"

namespace zermelo::engine {

using core::Fail;
using core::PythonResult;
using core::PythonTask;
using core::Result;
using core::Task;
using nlohmann::json;

namespace {

std::string KeyOf(const PythonTask& task) {
  return core::HexHash64(
      fmt::format("{} {}\n{}", core::Seconds(task.time), task.memory, task.script));
}

json ToJson(const PythonResult& result) {
  return {{"out", result.out},
          {"errors", result.errors},
          {"code", result.code},
          {"ended", result.ended}};
}

Result<PythonResult> ResultOf(const json& answer) {
  try {
    if (answer.contains("error")) return Fail(record::ErrorOf(answer["error"]));
    PythonResult result;
    answer.at("out").get_to(result.out);
    answer.at("errors").get_to(result.errors);
    answer.at("code").get_to(result.code);
    answer.at("ended").get_to(result.ended);
    return result;
  } catch (const json::exception& e) {
    return Fail(core::ErrorCode::kInput,
                std::string("cannot read a recorded program output: ") + e.what());
  }
}

Task<json> RunInWorld(core::PythonRunner* runner, std::shared_ptr<PythonTask> task,
                      core::Cancellation* cancellation) {
  const auto result = co_await runner->Run(std::move(*task), cancellation);
  if (result) co_return ToJson(*result);
  co_return record::ErrorAnswer(result.error());
}

}  // namespace

Task<Result<PythonResult>> RecordedPython::Run(PythonTask task, core::Cancellation* cancellation) {
  record::ExternalCall act;
  act.kind = "computed";
  act.key = KeyOf(task);
  act.cancellation = cancellation;
  const auto shared = std::make_shared<PythonTask>(std::move(task));
  act.perform = [runner = &inner_, shared, cancellation] {
    return RunInWorld(runner, shared, cancellation);
  };
  const auto answer = co_await journal_.Perform(std::move(act));
  if (!answer) co_return Fail(answer.error());
  co_return ResultOf(*answer);
}

}  // namespace zermelo::engine
