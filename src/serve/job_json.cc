#include "serve/job_json.h"

#include "core/text.h"

namespace zermelo::serve {

using nlohmann::json;

namespace {

constexpr size_t kMostText = 4000;  // bytes

const char* Name(JobState::Stage stage) {
  switch (stage) {
    case JobState::Stage::kQueued:
      return "queued";
    case JobState::Stage::kRunning:
      return "running";
    case JobState::Stage::kCancelled:
      return "cancelled";
    case JobState::Stage::kFailed:
      return "failed";
    case JobState::Stage::kFinished:
      return "finished";
  }
  return "";
}

}  // namespace

void to_json(json& json, const JobState& job) {
  json = {{"job", job.job},         {"state", Name(job.stage)},
          {"seconds", job.seconds}, {"file", job.file},
          {"run", nullptr},         {"message", core::Truncated(job.message, kMostText)}};
  if (job.run) json["run"] = *job.run;
  if (!job.search) return;
  json["phase"] = job.search->phase;
  if (!job.search->trying.empty()) json["trying"] = core::Truncated(job.search->trying, kMostText);
  json["found"] = job.search->found;
  json["open"] = job.search->open;
}

}  // namespace zermelo::serve
