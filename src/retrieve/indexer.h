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
  size_t done = 0;  // of the modules to be read
  size_t count = 0;
  int64_t premises = 0;  // found in them
};

struct IndexRequest {
  std::filesystem::path file;  // the index; it and its folder are made
  std::vector<std::filesystem::path> search_path;
  std::function<void(const IndexProgress&)> progress;  // may be empty
  const std::atomic<bool>* stop = nullptr;             // becomes true: end soon; may be null
};

struct IndexReport {
  size_t modules = 0;  // in the index now
  size_t read = 0;     // of these, anew
  size_t removed = 0;
  int64_t premises = 0;            // in the index now
  uint64_t bytes = 0;              // of the modules read
  bool stopped = false;            // what is missing is read the next time
  std::vector<std::string> notes;  // modules that cannot be read, and why
};

/// Reads the modules that are new or whose files have changed, and forgets those that are gone.
/// What was done is kept when it is stopped or killed. Blocks: some seconds for Lean's own library.
/// Errors: kEnvironment (no module below the search path, the file cannot be written); kInput (the
/// file is no premise index). Two processes may do it at once; one waits for the other.
core::Result<IndexReport> UpdateIndex(const IndexRequest& request);

/// Whether the index has all modules of the search path as they are now. False if there is none.
bool IsUpToDate(const std::filesystem::path& file,
                const std::vector<std::filesystem::path>& search_path);

/// What is embedded for a premise: name, signature and docstring.
std::string EmbeddedText(const store::PremiseRow& row);

}  // namespace zermelo::retrieve
