// Brings a premise index up to date with the compiled modules of a search path.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/error.h"
#include "store/premises.h"

namespace zermelo::retrieve {

struct IndexProgress {
  size_t done = 0;       // modules read
  size_t count = 0;      // modules to read
  int64_t premises = 0;  // premises in the index so far
};

struct IndexRequest {
  std::filesystem::path file;  // the index; created with its folder if missing
  std::vector<std::filesystem::path> search_path;
  std::function<void(const IndexProgress&)> progress;  // may be empty
  const std::atomic<bool>* stop = nullptr;             // true requests a stop; may be null
};

struct IndexReport {
  size_t modules = 0;              // modules in the index now
  size_t read = 0;                 // modules read by this call
  size_t removed = 0;              // modules that no longer exist
  int64_t premises = 0;            // premises in the index now
  uint64_t bytes = 0;              // size of the modules read
  bool stopped = false;            // stopped early; the next call reads the remaining modules
  std::vector<std::string> notes;  // modules that cannot be read, and why
};

/// Reads new and changed modules and removes those that no longer exist. Modules already written
/// stay in the index if the call is stopped or killed. Blocks: some seconds for Lean's own library.
/// Errors: kEnvironment (no module below the search path, the file cannot be written); kInput (the
/// file is not a premise index). Two processes may update an index at once; one waits for the
/// other.
core::Result<IndexReport> UpdateIndex(const IndexRequest& request);

/// Whether the index holds exactly the current modules of the search path; false if there is no
/// index.
bool IsUpToDate(const std::filesystem::path& file,
                const std::vector<std::filesystem::path>& search_path);

/// The text that is embedded for a premise: name, signature and docstring.
std::string EmbeddedText(const store::PremiseRow& row);

}  // namespace zermelo::retrieve
