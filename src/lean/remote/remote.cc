#include "lean/remote/remote.h"

#include "core/json.h"

namespace zermelo::lean::remote {

using nlohmann::json;

void ReportedUsage::Update(const json& report) {
  resident_ = report.at("resident_bytes").get<uint64_t>();
  run_ = report.at("seconds_run").get<double>();
  waiting_ = report.at("seconds_kept_waiting").get<std::map<std::string, double>>();
}

json UsageReport(const core::ProcessUsage& usage) {
  return {{"resident_bytes", usage.ResidentBytes()},
          {"seconds_run", usage.SecondsRun()},
          {"seconds_kept_waiting", usage.SecondsKeptWaiting()}};
}

std::string Body(const char* method, json params) {
  return core::Dump({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

}  // namespace zermelo::lean::remote
