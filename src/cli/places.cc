#include "cli/places.h"

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options/model_options.h"
#include "core/files/file.h"
#include "kernel/olean/library.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::Task;
using lean::remote::Place;

namespace {

using PlaceList = std::vector<std::shared_ptr<const Place>>;

std::string HashOf(kernel::Library& library, const std::vector<std::string>& imports) {
  const auto closure = library.ClosureOf(imports);
  if (closure) return (*closure)->sha256;
  // A module that is missing here and there, Lean does not find either.
  const core::Error& error = closure.error();
  if (error.code == core::ErrorCode::kEnvironment) return "missing: " + error.message;
  return std::string(lean::remote::kUnreadable) + error.message;
}

}  // namespace

/// The modules on one search path, which one thread at a time reads.
struct Fingerprints::Entry {
  explicit Entry(const core::Executor& executor) : free(executor) {}
  std::unique_ptr<kernel::Library> library;
  bool busy = false;
  core::Signal free;

  /// Blocks while files are read. Throws nothing: whoever waits for the entry has to get it.
  std::string Of(const lean::Toolchain& toolchain, const std::vector<std::string>& imports) {
    try {
      return Read(toolchain, imports);
    } catch (const std::exception& error) {
      library.reset();
      return std::string(lean::remote::kUnreadable) + error.what();
    }
  }

  std::string Read(const lean::Toolchain& toolchain, const std::vector<std::string>& imports) {
    if (library) {
      const auto closure = library->ClosureOf(imports);
      if (!closure || !library->CheckUnchanged(**closure)) library.reset();
    }
    if (!library) library = std::make_unique<kernel::Library>(toolchain.search_path);
    return HashOf(*library, imports);
  }
};

Fingerprints::Fingerprints() = default;
Fingerprints::~Fingerprints() = default;

lean::remote::Fingerprint Fingerprints::Function() {
  return [self = shared_from_this()](std::shared_ptr<const lean::Toolchain> toolchain,
                                     std::vector<std::string> imports) {
    return Of(self, std::move(toolchain), std::move(imports));
  };
}

Task<std::string> Fingerprints::Of(std::shared_ptr<Fingerprints> self,
                                   std::shared_ptr<const lean::Toolchain> toolchain,
                                   std::vector<std::string> imports) {
  const auto executor = co_await boost::asio::this_coro::executor;
  auto& entry = self->entries_[toolchain->search_path];
  if (!entry) entry = std::make_unique<Entry>(executor);
  imports.emplace_back("Init");
  while (entry->busy) co_await entry->free.Wait(core::Deadline());
  entry->busy = true;
  std::string fingerprint;
  try {
    co_await core::OnThread(executor, [&] { fingerprint = entry->Of(*toolchain, imports); });
  } catch (const std::exception& error) {  // the system has no thread left
    fingerprint = std::string(lean::remote::kUnreadable) + error.what();
  }
  entry->busy = false;
  entry->free.Notify();
  co_return fingerprint;
}

namespace {

PlaceList PlacesOf(const core::Config& config) {
  PlaceList places;
  const auto fingerprints = std::make_shared<Fingerprints>();
  for (const core::WorkersConfig& workers : config.workers) {
    Place place;
    place.name = fmt::format("{}", fmt::join(workers.launch, " "));
    place.launch = workers.launch;
    place.workers = static_cast<size_t>(workers.count);
    place.program = workers.program;
    place.project = workers.project;
    place.lean = workers.lean;
    if (workers.memory_gb) {
      place.max_resident_bytes = static_cast<uint64_t>(*workers.memory_gb * 1e9);
    }
    place.silence = core::FromSeconds(workers.silence);
    place.fingerprint = fingerprints->Function();
    places.push_back(std::make_shared<const Place>(std::move(place)));
  }
  return places;
}

}  // namespace

core::Result<Places> FindPlaces(const std::string& named, const fs::path& near) {
  const auto config = FindConfig(named, near);
  if (!config) return core::Fail(config.error());
  Places places;
  if (!named.empty()) {
    places.list = PlacesOf(*config);
  } else if (!config->workers.empty()) {
    const auto folder = core::FindFolderWith({"zermelo.toml"}, near);
    const std::string file = (folder.value_or(near) / "zermelo.toml").string();
    places.unused = fmt::format(
        "the [[workers]] of {} are not used: their commands run only when you name the file, with "
        "--config {} or in ZERMELO_CONFIG",
        file, file);
  }
  return places;
}

std::string Describe(const lean::remote::PlaceEvent& event) {
  if (event.why.empty()) return event.place + " works again";
  return fmt::format("{}; its checks go elsewhere, next try in {:.0f} s", event.why, event.pause);
}

}  // namespace zermelo::cli
