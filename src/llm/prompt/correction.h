// Formats Lean's errors for models: the code around each error, with tags.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"

namespace zermelo::llm {

struct CodeError {
  core::CodePointPosition begin;
  core::CodePointPosition end;  // equal to `begin`: the error extends to the end of the line
  std::string message;
};

/// Formats at most eight errors, each with four lines of code before it and one after it, and
/// `<error>` and `</error>` around the place of the error. A place of more than six lines is cut to
/// the first six and the last. Byte for byte the format on which Goedel-Prover-V2 was trained
/// (Goedel-LM/Goedel-Prover-V2, src/utils.py, get_error_str). Positions outside `code` are moved
/// into it.
std::string MarkErrors(std::string_view code, const std::vector<CodeError>& errors);

}  // namespace zermelo::llm
