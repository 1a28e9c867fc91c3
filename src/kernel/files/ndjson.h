// Reads the declarations of an NDJSON export: lean4export's formats 3.0 and 3.1 (its
// format_ndjson.md).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kernel/check.h"
#include "kernel/environment.h"

namespace zermelo::kernel {

/// What the first line says; all may be empty.
struct NdjsonMeta {
  std::string exporter;
  std::string lean_version;
  std::string format_version;
};

/// Adds declarations line by line. Indices need not be contiguous or in order, but nothing may
/// refer to an index that has no line yet, or give one twice. No input makes it crash, recurse or
/// use more memory than a small multiple of the input's size.
class NdjsonReader {
 public:
  explicit NdjsonReader(Environment& environment);
  ~NdjsonReader();

  /// Accepted: the line was read. Rejected: it is malformed, or declares a name again. Declined:
  /// its format has another major version, or a number in it is larger than this kernel reads. The
  /// reason begins with the number of the line. Do not read further lines after a refusal.
  CheckReport Line(std::string_view line);
  const NdjsonMeta& meta() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// All lines of a text.
CheckReport ReadNdjson(std::string_view text, Environment* environment, NdjsonMeta* meta = nullptr);

}  // namespace zermelo::kernel
