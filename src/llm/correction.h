// Lean's errors as a model is told them: the code around each, with tags where it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"

namespace zermelo::llm {

struct CodeError {
  core::CodePointPosition begin;
  core::CodePointPosition end;  // equal to `begin`: up to the end of the line
  std::string message;
};

/// At most eight errors, each with four lines of code before it and one after, and `<error>` and
/// `</error>` around its place; of a place with more than six lines, the first six and the last.
/// Byte for byte what Goedel-Prover-V2 was trained on (Goedel-LM/Goedel-Prover-V2, src/utils.py,
/// get_error_str). Positions outside `code` are moved into it.
std::string MarkErrors(std::string_view code, const std::vector<CodeError>& errors);

}  // namespace zermelo::llm
