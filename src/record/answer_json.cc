#include "record/answer_json.h"

#include <array>

namespace zermelo::record {

using core::ErrorCode;
using nlohmann::json;

json ErrorAnswer(const core::Error& error) {
  return {{"error",
           {{"code", core::Name(error.code)}, {"message", error.message}, {"hint", error.hint}}}};
}

core::Error ErrorOf(const json& error) {
  constexpr std::array kCodes{ErrorCode::kUsage,   ErrorCode::kInput,     ErrorCode::kEnvironment,
                              ErrorCode::kTimeout, ErrorCode::kCancelled, ErrorCode::kCrashed,
                              ErrorCode::kInternal};
  core::Error read;
  if (!error.is_object()) return read;
  read.message = error.value("message", "");
  read.hint = error.value("hint", "");
  for (const ErrorCode code : kCodes) {
    if (error.value("code", "") == core::Name(code)) read.code = code;
  }
  return read;
}

}  // namespace zermelo::record
