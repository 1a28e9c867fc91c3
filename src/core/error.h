// Errors as values (docs/adr/0003-errors-as-values.md).
//
// A function whose failure the caller must expect (a tactic that fails, a process that dies, a
// file that is missing) returns Result<T>. Exceptions are for programming errors and end the run.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace zermelo::core {

enum class ErrorCode {
  kUsage,        // wrong command line or configuration; exit code 2
  kInput,        // a file that the user named cannot be used; exit code 2
  kTooLong,      // a prompt does not fit into a model's context; exit code 2
  kRefused,      // a model's server refuses a prompt for another reason; exit code 2
  kEnvironment,  // no Lean, no endpoint, no memory; exit code 3
  kTimeout,      // the deadline passed
  kCancelled,    // the caller cancelled the operation; exit code 130
  kCrashed,      // a child process died or sent an invalid reply
  kInternal,     // a bug in Zermelo
};

/// `message`: what failed, on what and why. `hint`: what to do next; may be empty.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::string hint = {};
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> Fail(ErrorCode code, std::string message, std::string hint = "") {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(hint)});
}
inline tl::unexpected<Error> Fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

/// The process exit code for an error: 2 for kUsage, kInput, kTooLong and kRefused, 130 for
/// kCancelled, 3 for the rest.
int ExitCode(ErrorCode code);
/// The code's name in JSON: "timeout", "crashed", …
const char* Name(ErrorCode code);

}  // namespace zermelo::core
