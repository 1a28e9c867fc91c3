#include "engine/acceptance/library_reader.h"

#include <utility>

namespace zermelo::engine {

std::shared_ptr<LibraryReader> LibraryReader::Create(
    core::Executor executor, std::vector<std::filesystem::path> search_path) {
  return std::shared_ptr<LibraryReader>(
      new LibraryReader(std::move(executor), std::move(search_path)));
}

LibraryReader::LibraryReader(core::Executor executor,
                             std::vector<std::filesystem::path> search_path)
    : executor_(std::move(executor)), ended_(executor_), library_(std::move(search_path)) {}

void LibraryReader::ReadAhead(std::vector<std::string> modules) {
  Start(std::move(modules), Reading::kModules);
}

void LibraryReader::ReadAxiomsAhead(std::vector<std::string> modules) {
  Start(std::move(modules), Reading::kModulesAndAxioms);
}

void LibraryReader::Start(std::vector<std::string> modules, Reading reading) {
  if (is_reading_) return;
  is_reading_ = true;
  core::Launch(executor_, Read(shared_from_this(), std::move(modules), reading));
}

core::Task<void> LibraryReader::Read(std::shared_ptr<LibraryReader> self,
                                     std::vector<std::string> modules, Reading reading) {
  try {
    co_await core::OnThread(self->executor_, [&] {
      const auto closure = self->library_.ClosureOf(modules);
      if (closure && reading == Reading::kModulesAndAxioms)
        static_cast<void>(self->library_.Axioms(**closure));
    });
  } catch (...) {
    self->failure_ = std::current_exception();
  }
  self->is_reading_ = false;
  self->ended_.Notify();
}

core::Task<trust::Library*> LibraryReader::Get() {
  while (is_reading_) co_await ended_.Wait(core::Deadline());
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  co_return &library_;
}

}  // namespace zermelo::engine
