// What the proofs of a project teach (docs/learning.md).
#pragma once

#include <vector>

#include "data/material.h"
#include "learn/example.h"

namespace zermelo::data {

/// The tactics of traced proofs with their goals, in order.
std::vector<learn::Example> ExamplesOf(const std::vector<ProofExample>& proofs);

}  // namespace zermelo::data
