#include "core/error.h"

namespace zermelo::core {

int ExitCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
    case ErrorCode::kInput:
    case ErrorCode::kTooLong:
    case ErrorCode::kRefused:
      return 2;
    case ErrorCode::kCancelled:
      return 130;
    default:
      return 3;
  }
}

const char* Name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return "usage";
    case ErrorCode::kInput:
      return "input";
    case ErrorCode::kTooLong:
      return "too_long";
    case ErrorCode::kRefused:
      return "refused";
    case ErrorCode::kEnvironment:
      return "environment";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kCrashed:
      return "crashed";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

}  // namespace zermelo::core
