#include "train/reinforcement/problems.h"

#include <nlohmann/json.hpp>

#include "serve/snippet_text.h"
#include "train/json_lines.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

Result<std::vector<Problem>> ReadProblems(const std::filesystem::path& path) {
  std::vector<Problem> problems;
  auto read = ReadJsonLines(
      path, "a line has a text as `prompt`, and `theorem` with `header` and `statement`",
      [&](const json& object) -> core::Status {
        const json& theorem = object.at("theorem");
        const auto statement = theorem.at("statement").get<std::string>();
        const std::string file = theorem.value("header", "") + statement + "\n";
        problems.push_back({.prompt = object.at("prompt").get<std::string>(),
                            .statement = file + "  sorry\n",
                            .begun = file + object.value("prefix", ""),
                            .is_begun = object.contains("prefix"),
                            .words = object.value("words", ""),
                            .notes = object.value("notes", "")});
        return {};
      });
  if (!read) return Fail(read.error());
  if (problems.empty()) {
    return Fail(ErrorCode::kInput, path.string() + " has no problems to train on");
  }
  return problems;
}

std::string CandidateOf(const Answer& answer) {
  if (!answer.file.empty()) return answer.file;
  const Problem& problem = *answer.problem;
  if (!problem.is_begun && !serve::OpensFence(problem.prompt)) {
    return serve::Assemble(problem.statement, serve::ExtractLean(answer.text));
  }
  return problem.begun + answer.text.substr(0, answer.text.find("```")) + "\n";
}

}  // namespace zermelo::train
