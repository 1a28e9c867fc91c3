#include "retrieve/indexer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <thread>
#include <unordered_map>

#include "core/files/fd.h"
#include "core/hash/hash.h"
#include "retrieve/library_modules.h"
#include "retrieve/ranking/symbol_ranking.h"
#include "retrieve/ranking/words.h"
#include "retrieve/statements/module_premises.h"
#include "retrieve/statements/source_signature.h"

namespace zermelo::retrieve {

namespace fs = std::filesystem;
using core::Fail;
using core::Result;
using core::Status;
using kernel::Index;
using store::PremiseModule;
using store::PremiseRow;

namespace {

constexpr size_t kModulesABatch = 100;  // most modules that a kill can lose
constexpr size_t kMaxShape = 255;
constexpr const char* kUntidy = "untidy";  // a fact: Premises::Tidy has not been called yet

void AppendNumber(uint32_t number, std::string* blob) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  blob->append(bytes, sizeof number);
}

class Indexer {
 public:
  Indexer(store::Database& database, const IndexRequest& request)
      : database_(database), premises_(database), request_(request) {}

  Result<IndexReport> Run() {
    modules_ = FindModules(request_.search_path);
    if (modules_.empty()) {
      return Fail(core::ErrorCode::kEnvironment, "there are no compiled modules on LEAN_PATH",
                  "build the project first (lake build)");
    }
    if (auto compared = Compare(); !compared) return Fail(compared.error());
    const auto untidy = premises_.Fact(kUntidy);
    if (!untidy) return Fail(untidy.error());
    if (todo_.empty() && gone_.empty() && untidy->empty()) return Finished();
    if (auto prepared = LoadKnown(); !prepared) return Fail(prepared.error());
    if (auto removed = RemoveGone(); !removed) return Fail(removed.error());
    for (size_t i = 0; i < modules_.size() && !Stopped(); ++i) {
      if (auto read = ReadWithImports(i); !read) return Fail(read.error());
    }
    if (auto kept = Commit(); !kept) return Fail(kept.error());
    if (Stopped()) return Finished();
    if (auto tidied = Tidy(); !tidied) return Fail(tidied.error());
    return Finished();
  }

 private:
  bool Stopped() const { return request_.stop != nullptr && request_.stop->load(); }

  Status Compare() {
    const auto known = premises_.Modules();
    if (!known) return Fail(known.error());
    for (size_t i = 0; i < modules_.size(); ++i) by_name_.emplace(modules_[i].name, i);
    todo_.clear();
    std::vector<bool> kept(modules_.size(), false);
    for (const PremiseModule& module : *known) {
      const auto found = by_name_.find(module.name);
      if (found != by_name_.end() && modules_[found->second].stamp == module.stamp) {
        kept[found->second] = true;
        report_.premises += module.count;
        ++report_.modules;
      } else {
        gone_.push_back(module);
        if (found == by_name_.end()) ++report_.removed;
      }
    }
    done_ = kept;
    for (size_t i = 0; i < modules_.size(); ++i) {
      if (!kept[i]) todo_.push_back(i);
    }
    return {};
  }

  /// Loads the symbols, and the shapes of unchanged modules.
  Status LoadKnown() {
    const auto symbols = premises_.Symbols();
    if (!symbols) return Fail(symbols.error());
    for (const store::SymbolRow& symbol : *symbols) {
      const NameId name = terms_.ParseName(symbol.name);
      names_.push_back(name);
      SetSymbol(name, static_cast<uint32_t>(symbol.id));
    }
    return premises_.EachShapes([&](int64_t, std::string_view blob) { ReadShapes(blob); });
  }

  void ReadShapes(std::string_view blob) {
    // Symbol, proposition, length, parameters.
    constexpr size_t kHead = sizeof(uint32_t) + 2;
    while (blob.size() >= kHead) {
      uint32_t symbol = 0;
      std::memcpy(&symbol, blob.data(), sizeof symbol);
      Shape shape;
      shape.known = true;
      shape.proposition = blob[sizeof symbol] != 0;
      const size_t length = static_cast<unsigned char>(blob[sizeof symbol + 1]);
      blob.remove_prefix(kHead);
      shape.params = blob.substr(0, length);
      blob.remove_prefix(std::min(length, blob.size()));
      if (symbol < names_.size()) shapes_.Add(names_[symbol], std::move(shape));
    }
  }

  Status RemoveGone() {
    return database_.Try("remove modules", [&] {
      store::Premises::Batch batch(database_);
      premises_.SetFact(kUntidy, "yes");
      for (const PremiseModule& module : gone_) premises_.Remove(module);
      batch.Commit();
    });
  }

  /// Depth-first, so that a module's imports are read before it.
  Status ReadWithImports(size_t start) {
    std::vector<std::pair<size_t, bool>> stack = {{start, false}};
    while (!stack.empty() && !Stopped()) {
      const auto [module, imports_done] = stack.back();
      stack.pop_back();
      if (done_[module]) continue;
      if (imports_done) {
        done_[module] = true;
        if (auto read = Read(module); !read) return Fail(read.error());
        continue;
      }
      stack.emplace_back(module, true);
      for (const size_t import : ImportsOf(module)) stack.emplace_back(import, false);
    }
    return {};
  }

  std::vector<size_t> ImportsOf(size_t module) {
    std::vector<size_t> found;
    const auto opened = image_.Open(modules_[module].file);
    const auto imports = opened ? kernel::ReadImports(image_, terms_) : Fail(opened.error());
    if (!imports) return found;  // Read reports the error
    for (const kernel::Import& import : *imports) {
      const auto known = by_name_.find(terms_.PrintFull(import.module));
      if (known != by_name_.end() && !done_[known->second]) found.push_back(known->second);
    }
    return found;
  }

  Status Read(size_t index) {
    const LibraryModule& module = modules_[index];
    const auto opened = image_.Open(module.file);
    auto read = opened ? ReadModulePremises(image_, terms_, module.name, &shapes_)
                       : Result<ModulePremises>(Fail(opened.error()));
    ++report_.read;
    if (!read) {
      report_.notes.push_back(module.name + ": " + read.error().message);
      return {};
    }
    report_.bytes += module.bytes;
    report_.premises += static_cast<int64_t>(read->premises.size());
    ++report_.modules;
    Collect(module, std::move(*read));
    if (request_.progress) {
      request_.progress({report_.read, todo_.size(), report_.premises});
    }
    return pending_.size() >= kModulesABatch ? Commit() : Status();
  }

  uint32_t SymbolOf(NameId name) {
    if (Index(name) < symbol_of_.size() && symbol_of_[Index(name)] != 0) {
      return symbol_of_[Index(name)] - 1;
    }
    const auto id = static_cast<uint32_t>(names_.size());
    names_.push_back(name);
    SetSymbol(name, id);
    store::SymbolRow row;
    row.id = id;
    row.name = terms_.PrintFull(name);
    row.last = terms_[name].numeric ? "" : std::string(terms_.Text(terms_[name].part));
    new_symbols_.push_back(std::move(row));
    return id;
  }

  void SetSymbol(NameId name, uint32_t id) {
    if (symbol_of_.size() <= Index(name)) symbol_of_.resize(2 * (size_t{Index(name)} + 1), 0);
    symbol_of_[Index(name)] = id + 1;
  }

  struct Pending {
    PremiseModule module;
    std::vector<PremiseRow> rows;
    std::string shapes;
    std::string theorems;
  };

  void Collect(const LibraryModule& module, ModulePremises read) {
    Pending pending;
    pending.module.name = module.name;
    pending.module.stamp = module.stamp;
    pending.module.imports = std::move(read.imports);
    const SourceLines source(FindSource(module.file, module.name));
    for (size_t i = 0; i < read.premises.size(); ++i) {
      ModulePremise& premise = read.premises[i];
      PremiseRow row;
      row.name = std::move(premise.name);
      row.kind = std::move(premise.kind);
      row.signature = SourceSignature(source.Between(premise.first_line, premise.last_line),
                                      row.name, premise.signature);
      if (row.signature.empty()) row.signature = std::move(premise.signature);
      row.docstring = std::move(premise.docstring);
      row.words = IndexWords(row.name, row.signature);
      row.content = static_cast<int64_t>(core::Hash64(EmbeddedText(row)));
      pending.rows.push_back(std::move(row));
      if (!premise.ranked) continue;
      // The premise's number in the module, the number of symbols, the symbols.
      AppendNumber(static_cast<uint32_t>(i), &pending.theorems);
      AppendNumber(static_cast<uint32_t>(premise.symbols.size()), &pending.theorems);
      for (const SymbolUse& use : premise.symbols) {
        AppendNumber(SymbolOf(use.name) | (use.relevant ? Theorems::kRelevant : 0),
                     &pending.theorems);
      }
    }
    for (const NameId name : read.shaped) {
      const Shape& shape = shapes_.Find(name);
      if (shape.params.empty() && !shape.proposition) continue;
      AppendNumber(SymbolOf(name), &pending.shapes);
      pending.shapes += static_cast<char>(shape.proposition);
      const std::string params = shape.params.substr(0, kMaxShape);
      pending.shapes += static_cast<char>(params.size());
      pending.shapes += params;
    }
    pending_.push_back(std::move(pending));
  }

  Status Commit() {
    return database_.Try("write the premise index", [&] {
      store::Premises::Batch batch(database_);
      for (const store::SymbolRow& symbol : new_symbols_) premises_.InsertSymbol(symbol);
      for (Pending& pending : pending_) {
        premises_.Insert(&pending.module, &pending.rows, pending.shapes, pending.theorems);
      }
      batch.Commit();
      new_symbols_.clear();
      pending_.clear();
    });
  }

  Status Tidy() {
    if (auto tidied = premises_.Tidy(); !tidied) return tidied;
    return database_.Try("write the premise index", [&] {
      store::Premises::Batch batch(database_);
      premises_.SetFact(kUntidy, "");
      batch.Commit();
    });
  }

  IndexReport Finished() {
    report_.stopped = Stopped();
    return std::move(report_);
  }

  store::Database& database_;
  store::Premises premises_;
  const IndexRequest& request_;
  IndexReport report_;

  std::vector<LibraryModule> modules_;
  std::unordered_map<std::string, size_t> by_name_;
  std::vector<size_t> todo_;
  std::vector<bool> done_;  // by module: read, or unchanged
  std::vector<PremiseModule> gone_;

  kernel::OleanImage image_;
  kernel::Terms terms_;
  Shapes shapes_;
  std::vector<NameId> names_;        // by symbol
  std::vector<uint32_t> symbol_of_;  // by NameId: symbol + 1
  std::vector<store::SymbolRow> new_symbols_;
  std::vector<Pending> pending_;
};

/// Locks the index against other indexers, which would give the same numbers to other symbols.
/// Nothing: a stop was requested. Where locks do not work, the descriptor is not open.
std::optional<core::Fd> WaitForLock(const IndexRequest& request) {
  const std::string file = request.file.string() + ".lock";
  core::Fd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  while (fd.get() >= 0 && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (request.stop != nullptr && request.stop->load()) return std::nullopt;
    if (errno != EWOULDBLOCK && errno != EINTR) return core::Fd();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return fd;
}

}  // namespace

Result<IndexReport> UpdateIndex(const IndexRequest& request) {
  std::error_code failed;
  if (const fs::path folder = request.file.parent_path(); !folder.empty()) {
    fs::create_directories(folder, failed);
  }
  const auto lock = WaitForLock(request);
  if (!lock) {
    IndexReport report;
    report.stopped = true;
    return report;
  }
  const auto database =
      store::Database::Open(request.file, store::Access::kCreate, store::Content::kPremises);
  if (!database) return Fail(database.error());
  return Indexer(**database, request).Run();
}

bool IsUpToDate(const fs::path& file, const std::vector<fs::path>& search_path) {
  const auto database =
      store::Database::Open(file, store::Access::kReadOnly, store::Content::kPremises);
  if (!database) return false;
  const auto known = store::Premises(**database).Modules();
  if (!known) return false;
  const auto modules = FindModules(search_path);
  if (known->size() != modules.size()) return false;
  std::unordered_map<std::string_view, std::string_view> stamps;
  for (const PremiseModule& module : *known) stamps.emplace(module.name, module.stamp);
  return std::all_of(modules.begin(), modules.end(), [&](const LibraryModule& module) {
    const auto found = stamps.find(module.name);
    return found != stamps.end() && found->second == module.stamp;
  });
}

std::string EmbeddedText(const PremiseRow& row) {
  std::string text = row.name + " " + row.signature;
  if (!row.docstring.empty()) text += "\n" + row.docstring;
  return text;
}

}  // namespace zermelo::retrieve
