// Workers on other machines, as zermelo.toml names them (docs/workers.md).
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/config.h"
#include "lean/pool.h"
#include "lean/remote/remote.h"

namespace zermelo::cli {

/// Identifies compiled imports by the names and the bytes of all modules that they bring.
class Fingerprints : public std::enable_shared_from_this<Fingerprints> {
 public:
  Fingerprints();
  ~Fingerprints();
  /// A function that keeps this object alive. Files are read again, on a thread, only when they
  /// have changed. For modules that cannot be read it returns "unreadable"; Lean, which cannot
  /// import them either, reports why.
  lean::remote::Fingerprint Function();

 private:
  struct Entry;
  static core::Task<std::string> Of(std::shared_ptr<Fingerprints> self,
                                    std::shared_ptr<const lean::Toolchain> toolchain,
                                    std::vector<std::string> imports);
  std::map<std::vector<std::filesystem::path>, std::unique_ptr<Entry>> entries_;
};

struct Places {
  std::vector<std::shared_ptr<const lean::remote::Place>> list;
  std::string unused;  // empty, or which workers are left out and what to do about it
};

/// The places of the configuration that the user names: launchers are commands, which a project's
/// own zermelo.toml must not run unasked. Its workers are left out (`unused`). Errors: as
/// FindConfig.
core::Result<Places> FindPlaces(const std::string& named, const std::filesystem::path& near);

/// "node7: lost (why); trying again in 4 s", or "node7 works again".
std::string Describe(const lean::remote::PlaceEvent& event);

}  // namespace zermelo::cli
