// A judge, or a sampler with tools, that waits while nothing can be judged: Lean's files are on a
// network that is down, say, or the machine is out of memory.
#pragma once

#include <functional>

#include "core/error.h"
#include "train/reinforcement/reinforce.h"

namespace zermelo::train {

/// Waits for so many seconds because of an error; false if the run is to end.
using Wait = std::function<bool(double seconds, const core::Error& why)>;

/// Asks `judge` again, after 1, 2, 4, … and at most 30 s, while it fails with kEnvironment or has
/// no verdict on any answer. Gives up after `patience` seconds of waiting with the last error, of
/// code kEnvironment; kCancelled if `wait` returns false.
Judge Patient(Judge judge, double patience, Wait wait);
/// The same for a sampler that fails with kEnvironment.
Sampler Patient(Sampler sample, double patience, Wait wait);

}  // namespace zermelo::train
