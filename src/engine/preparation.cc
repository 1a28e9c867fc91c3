#include "engine/preparation.h"

#include "engine/open_file.h"

namespace zermelo::engine {

using core::Deadline;
using core::Task;

namespace {

/// A file that takes longer to read is long.
constexpr auto kQuick = std::chrono::seconds(2);

/// The search does without a worker for so long.
constexpr auto kCompilation = std::chrono::seconds(20);

}  // namespace

void Preparation::FileIsRead() {
  is_read_ = true;
  has_read_.Notify();
}

Task<void> Preparation::Prepare(std::string text) {
  const size_t others = pool_.size_here() - 1;
  if (others == 0) co_return;
  co_await has_read_.Wait(Deadline::After(kQuick));
  if (ended_.requested()) co_return;
  for (size_t i = 1; i < others; ++i) tasks_.Spawn(LoadFile(text));
  if (is_read_) co_await CompileOriginal();
  co_await LoadFile(std::move(text));
}

/// Failures are reported where the result is needed.
Task<void> Preparation::CompileOriginal() {
  const auto place = co_await pool_.Reserve(1, Deadline::After(kCompilation), &ended_);
  if (!place || has_searched_) co_return;
  co_await delivery_.CompileAhead(Deadline::After(kCompilation), &ended_);
}

Task<void> Preparation::LoadFile(std::string text) {
  if (ended_.requested() || has_searched_) co_return;
  lean::CheckRequest check;
  check.text = std::move(text);
  check.deadline = Deadline::After(kWholeFileLimit);
  check.cancellation = &ended_;
  co_await pool_.LoadAhead(std::move(check));
}

void Preparation::Abandon() {
  ended_.Request();
  has_read_.Notify();
}

Task<void> Preparation::End() {
  Abandon();
  co_await tasks_.Join();
}

}  // namespace zermelo::engine
