// Asks what was learned. An interface, so that a recorded run keeps the answers: a run that is
// resumed gets them again, whatever has been learned since.
#pragma once

#include "core/async.h"
#include "learn/knowledge.h"

namespace zermelo::learn {

/// Calls may overlap. It must outlive them.
class Adviser {
 public:
  Adviser() = default;
  virtual ~Adviser() = default;
  Adviser(const Adviser&) = delete;
  Adviser& operator=(const Adviser&) = delete;
  /// Errors: those of a record.
  virtual core::Task<core::Result<Advice>> Ask(Query query) = 0;
  virtual core::Task<core::Result<Chances>> Estimate(ChanceQuery query) = 0;
};

class KnowledgeAdviser : public Adviser {
 public:
  /// `knowledge` must outlive it.
  explicit KnowledgeAdviser(const Knowledge& knowledge) : knowledge_(knowledge) {}
  core::Task<core::Result<Advice>> Ask(Query query) override { co_return knowledge_.Ask(query); }
  core::Task<core::Result<Chances>> Estimate(ChanceQuery query) override {
    co_return knowledge_.Estimate(query);
  }

 private:
  const Knowledge& knowledge_;
};

}  // namespace zermelo::learn
