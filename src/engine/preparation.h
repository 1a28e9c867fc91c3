// What a job does beside reading the file and searching, so that less is left to do after it.
#pragma once

#include <string>

#include "core/async.h"
#include "core/cancellation.h"
#include "engine/acceptance/delivery.h"
#include "lean/pool.h"

namespace zermelo::engine {

/// One worker reads the file and begins to search. If that is quick, the original is compiled in
/// the place of another one meanwhile, so that a proof found at once is verified soon; a longer
/// file would keep that worker from the search, and is compiled beside the candidate anyway. The
/// other workers load the file afterwards: all at once would read no faster.
class Preparation {
 public:
  /// All must outlive it. `abandon` (may be null) ends it.
  Preparation(const core::Executor& executor, lean::Pool& pool, Delivery& delivery,
              core::Cancellation* abandon)
      : pool_(pool),
        delivery_(delivery),
        has_read_(executor),
        tasks_(executor),
        on_abandon_(abandon, [this] { Abandon(); }) {}

  /// Call when a worker begins to read the text.
  void Begin(std::string text) { tasks_.Spawn(Prepare(std::move(text))); }
  /// Call when it has read the file; the delivery can be used then.
  void FileIsRead();
  /// Call when nothing is left to search. A compilation that runs goes on, and nothing else begins.
  void HasSearched() { has_searched_ = true; }
  /// Ends what still runs; call before it is destroyed.
  core::Task<void> End();

 private:
  core::Task<void> Prepare(std::string text);
  core::Task<void> CompileOriginal();
  core::Task<void> LoadFile(std::string text);
  void Abandon();

  lean::Pool& pool_;
  Delivery& delivery_;
  core::Cancellation ended_;
  bool is_read_ = false;
  bool has_searched_ = false;
  core::Signal has_read_;
  core::TaskGroup tasks_;
  const core::Cancellation::Subscription on_abandon_;  // last: it may act at once
};

}  // namespace zermelo::engine
