// Gives every call its own seed.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "llm/model.h"

namespace zermelo::llm {

/// The n-th sample of a prompt always gets the same seed: `seed` + n, n from 0. A request that
/// already has one keeps it.
class SeedingModel : public Model {
 public:
  /// `inner` must outlive it.
  SeedingModel(Model& inner, uint64_t seed) : inner_(inner), seed_(seed) {}
  const std::string& name() const override { return inner_.name(); }
  core::Task<core::Result<Reply>> Generate(Request request, CallContext context) override;

 private:
  Model& inner_;
  const uint64_t seed_;
  std::map<std::string, uint64_t> next_;  // by prompt
};

}  // namespace zermelo::llm
