// Theorems with corresponding names have corresponding proofs: what `Nat.and_left_comm` is to
// `Nat.and_assoc`, `Nat.xor_left_comm` is to `Nat.xor_assoc`.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace zermelo::learn {

/// What stands for each word (a namespace, or what `_` separates in the last part of a name).
using Renaming = std::map<std::string, std::string, std::less<>>;

/// The words by which two full names differ. Empty if the names have different numbers of words,
/// share no word in the last part, differ in more than two words or in more than they share, or if
/// one word would become two.
Renaming AnalogyOf(std::string_view from, std::string_view to);

/// The tactic with other words in its names.
std::string Renamed(std::string_view tactic, const Renaming& renaming);

}  // namespace zermelo::learn
