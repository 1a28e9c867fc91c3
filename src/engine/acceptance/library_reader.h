// A toolchain's library, read ahead on a thread of its own while Lean compiles.
#pragma once

#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/async.h"
#include "trust/library.h"

namespace zermelo::engine {

/// Owns a trust::Library, which is not thread-safe, and gives it to one thread at a time (but
/// for Library::StartCheck): to the reading thread from ReadAhead until that thread has ended, else
/// to the executor's thread. All calls on the executor's thread. Held by shared_ptr: the reading
/// thread keeps the reader alive, so that dropping the last owner does not wait for the thread.
class LibraryReader : public std::enable_shared_from_this<LibraryReader> {
 public:
  static std::shared_ptr<LibraryReader> Create(core::Executor executor,
                                               std::vector<std::filesystem::path> search_path);
  LibraryReader(const LibraryReader&) = delete;
  LibraryReader& operator=(const LibraryReader&) = delete;

  /// Starts to read the modules named (as printed: `Init.Data.List`) and all that they import; does
  /// nothing while another reading is under way. A module that cannot be read is no error here: the
  /// judge reads it again and reports it.
  void ReadAhead(std::vector<std::string> modules);
  /// The same, and what the imported constants rest on (trust::Library::Axioms), which may take
  /// longer: call it once Lean has the candidate's text.
  void ReadAxiomsAhead(std::vector<std::string> modules);
  /// Waits, without blocking the executor's thread, until no reading is under way, and returns the
  /// library. It may be used until the next suspension. Rethrows an exception of the reading.
  core::Task<trust::Library*> Get();

 private:
  enum class Reading : uint8_t { kModules, kModulesAndAxioms };
  LibraryReader(core::Executor executor, std::vector<std::filesystem::path> search_path);
  void Start(std::vector<std::string> modules, Reading reading);
  static core::Task<void> Read(std::shared_ptr<LibraryReader> self,
                               std::vector<std::string> modules, Reading reading);

  // Used by the executor's thread.
  const core::Executor executor_;
  core::Signal ended_;
  bool is_reading_ = false;
  std::exception_ptr failure_;

  // Used by the reading thread while is_reading_.
  trust::Library library_;
};

}  // namespace zermelo::engine
