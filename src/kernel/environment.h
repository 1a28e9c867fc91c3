// The declarations that are checked, and those that are trusted, with the arena of their terms.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/error.h"
#include "kernel/declaration.h"
#include "kernel/term/term.h"

namespace zermelo::kernel {

enum class Origin : uint8_t {
  kChecked,  // Check judges it
  kTrusted,  // of an import whose bytes are known: not checked, unfolded like any other
};

/// Filled first and constant during the check; several threads may then read it.
class Environment {
 public:
  static constexpr uint32_t kAbsent = UINT32_MAX;

  /// The arena must outlive the environment.
  explicit Environment(Terms& terms) : terms_(terms) {}

  /// Adds a declaration after those that were added before. False if its name is anonymous or
  /// taken; the environment is then unchanged.
  bool Add(Declaration declaration, Origin origin = Origin::kChecked);

  /// Null if there is none of this name.
  const Declaration* Find(NameId name) const {
    const uint32_t index = IndexOf(name);
    return index == kAbsent ? nullptr : &declarations_[index];
  }
  /// The position in declarations(), or kAbsent.
  uint32_t IndexOf(NameId name) const {
    return Index(name) < by_name_.size() ? by_name_[Index(name)] : kAbsent;
  }
  Origin OriginOf(uint32_t index) const { return origins_[index]; }
  const std::vector<Declaration>& declarations() const { return declarations_; }
  Terms& terms() const { return terms_; }

 private:
  Terms& terms_;
  std::vector<Declaration> declarations_;
  std::vector<Origin> origins_;
  std::vector<uint32_t> by_name_;  // position by NameId
};

}  // namespace zermelo::kernel
