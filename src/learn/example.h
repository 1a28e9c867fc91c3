// A tactic that was part of a proof, and the goal that it was used on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "learn/features.h"
#include "learn/pattern.h"

namespace zermelo::learn {

/// Where an example comes from, and what must not learn from it.
struct Source {
  std::string place;          // the file or module
  std::string theorem;        // its full name
  uint64_t statement = 0;     // the hash of the syntax::GoalKey of its first goal
  bool no_namesakes = false;  // of a query: theorems with the same last name count as this one
  bool operator==(const Source&) const = default;
};

/// `goal`: the theorem's first one, as Lean prints it; empty if it is not known.
Source SourceOf(std::string theorem, std::string place, std::string_view goal);

struct Example {
  std::vector<Feature> features;  // of the goal, ascending
  Pattern tactic;
  bool closes = false;                // it left no goal
  std::vector<std::string> premises;  // constants that it names
  Source source;
  bool operator==(const Example&) const = default;
};

/// `goal`: as Lean prints it; of several, the first. nullopt if there is none, or if the tactic is
/// longer than 4,000 bytes or contains `sorry`.
std::optional<Example> MakeExample(std::string_view goal, std::string_view tactic, bool closes,
                                   Source source);

// The bytes of an example: numbers first, so that an index reads them without the rest.

std::string Encode(const Example& example);

struct EncodedHead {
  std::span<const Feature> features;
  uint64_t place = 0, theorem = 0, statement = 0;  // hashes
  std::string_view rest;                           // JSON
};
/// nullopt for other bytes. They must be aligned as numbers are.
std::optional<EncodedHead> ReadHead(std::string_view bytes);
std::optional<Example> Decode(std::string_view bytes);

/// Of a name; 0 for none: an example or a statement that is not known.
uint64_t HashOf(std::string_view name);

}  // namespace zermelo::learn
