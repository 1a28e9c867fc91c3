// Type-checks the declarations of an environment: the second kernel. It shares nothing with Lean.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "kernel/environment.h"

namespace zermelo::kernel {

enum class Decision : uint8_t {
  kAccepted,
  kRejected,  // a rule is violated
  kDeclined,  // a limit was reached, or something is used that this kernel refuses to judge
};
/// "accepted", "rejected", "declined".
const char* Name(Decision outcome);

struct CheckReport {
  Decision outcome = Decision::kAccepted;
  /// The first declaration that was not accepted, anonymous if there is none or if it is about the
  /// input as a whole.
  NameId declaration = NameId::kAnonymous;
  /// A sentence without the declaration's name; empty if accepted.
  std::string reason;
};

/// In which order declarations may use each other.
enum class Order : uint8_t {
  kAsAdded,      // only what was added before; for NDJSON
  kByDependence  // any order without cycles; for compiled modules, which store none
};

struct CheckLimits {
  std::chrono::milliseconds time{std::chrono::hours(1)};  // of the whole check
  size_t bytes = size_t{4} << 30U;                        // of terms and caches of one declaration
  size_t stack = size_t{512} << 20U;  // of recursion; only what is used takes memory
};

struct CheckOptions {
  Order order = Order::kAsAdded;
  CheckLimits limits;
  /// Ends the check soon after it becomes true; what is not judged by then is declined. May be
  /// null.
  const std::atomic<bool>* stop = nullptr;
  size_t threads = 1;  // each may use the memory of the limits
  /// Continues after a declaration that is not accepted, and calls `on_verdict` for each of them
  /// when the check has ended. Otherwise Check ends with the first.
  bool keep_going = false;
  std::function<void(const CheckReport&)> on_verdict = {};
  /// Called after each declaration, on any thread but one at a time, with the number of those that
  /// have been judged.
  std::function<void(size_t)> on_progress = {};
};

/// Judges every declaration whose origin is kChecked, except unsafe and partial ones. A rejected
/// declaration takes precedence over declined ones, and the first one over later ones. Runs on
/// threads of its own and blocks until they have ended.
CheckReport Check(const Environment& environment, const CheckOptions& options = {});

/// A declaration whose origin is kChecked and whose name Lean's kernel gives a meaning, whatever is
/// declared under it: numbers, strings, and the operations that it computes. kAnonymous: none.
/// Source: Lean 4, src/kernel/type_checker.cpp, reduce_nat and literals.
NameId MeantByName(const Environment& environment);

}  // namespace zermelo::kernel
