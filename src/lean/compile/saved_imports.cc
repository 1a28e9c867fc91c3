#include "lean/compile/saved_imports.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/cancellation.h"
#include "core/deadline.h"
#include "core/files/file.h"
#include "core/json.h"
#include "lean/compile/compiler.h"
#include "lean/toolchain.h"
#include "lean/versions.h"

namespace zermelo::lean {

namespace fs = std::filesystem;
using core::Task;

namespace {

constexpr VersionNumbers kSince = {4, 32, 0};
constexpr size_t kMaxDeps = size_t{16} << 20U;
constexpr size_t kMaxHeaders = 256;
constexpr size_t kMaxImages = 4;
constexpr core::Duration kLimit = std::chrono::minutes(10);  // to save and try one
// A change that is younger than this could be followed by one with the same times.
constexpr int64_t kSettled = 100'000'000;  // ns, some ticks of the clock of file systems
// Names that no import has.
constexpr const char* kProbes[] = {"\ntheorem zermelo_probe (p : Prop) (h : p) : p := h\n",
                                   "\ntheorem zermelo_probe (p : Prop) (h : p) : p := p\n"};

std::string BytesOf(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool SameResults(const CompileResult& a, const CompileResult& b) {
  return a.ok == b.ok && a.output == b.output &&
         std::ranges::equal(a.diagnostics, b.diagnostics, [](const auto& x, const auto& y) {
           return x.severity == y.severity && x.message == y.message &&
                  x.begin.line == y.begin.line && x.begin.character == y.begin.character;
         });
}

int64_t Now() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// One compilation, and its .olean.
struct Compiled {
  std::unique_ptr<Compiler> compiler;
  CompileResult result;
};

/// Compilations that make and try an image.
class Trial {
 public:
  Trial(core::Executor executor, const Toolchain& toolchain, core::Cancellation& cancellation)
      : executor_(std::move(executor)), toolchain_(toolchain), cancellation_(cancellation) {}

  /// Nothing: Lean could not compile, or the trial is over.
  Task<std::optional<Compiled>> Compile(std::string text, CompilerOptions options) {
    std::optional<Compiled> compiled;
    auto compiler = Compiler::Start(executor_, toolchain_, options);
    if (!compiler) co_return compiled;
    auto result = co_await (*compiler)->Compile(std::move(text), deadline_, &cancellation_);
    if (!result) co_return compiled;
    compiled.emplace();
    compiled->compiler = std::move(*compiler);
    compiled->result = std::move(*result);
    co_return compiled;
  }

  /// Whether a text means the same with the image and without it.
  Task<bool> Agrees(std::string text, fs::path image) {
    CompilerOptions plain, loading;
    loading.image = std::move(image);
    const auto without = co_await Compile(text, plain);
    if (!without) co_return false;
    const auto with = co_await Compile(text, loading);
    co_return with&& SameResults(without->result, with->result) &&
        BytesOf(without->compiler->olean()) == BytesOf(with->compiler->olean());
  }

 private:
  const core::Executor executor_;
  const Toolchain& toolchain_;
  const core::Deadline deadline_ = core::Deadline::After(kLimit);
  core::Cancellation& cancellation_;
};

}  // namespace

struct SavedImports::Shelf {
  enum class State { kCounted, kBeingSaved, kReady, kNotUsable };
  struct Image {
    State state = State::kCounted;
    int compilations = 0;
    fs::path file;
    /// The image, and the modules into which it points.
    std::vector<std::pair<fs::path, core::FileIdentity>> files;
    bool IsCurrent() const {
      return state == State::kReady && std::ranges::all_of(files, [](const auto& each) {
               return core::IdentityOf(each.first) == each.second;
             });
    }
  };

  explicit Shelf(core::TemporaryFolder where) : folder(std::move(where)) {}

  static Task<void> Save(std::shared_ptr<Shelf> self, core::Executor executor, Toolchain toolchain,
                         std::string header, Image& image);
  Task<bool> Make(Trial& trial, std::string header, Image& image);

  const core::TemporaryFolder folder;   // for this user alone
  std::map<std::string, Image> images;  // by header
  size_t made = 0;
  core::Cancellation over;
};

std::shared_ptr<SavedImports> SavedImports::For(const Toolchain& toolchain,
                                                const core::SandboxAbilities& machine) {
  const auto version = NumbersOf(toolchain.version);
  if (!version || *version < kSince || !IsConfined(toolchain, machine)) return nullptr;
  auto folder = core::TemporaryFolder::Create("zermelo-imports-");
  if (!folder) return nullptr;
  return std::shared_ptr<SavedImports>(
      new SavedImports(std::make_shared<Shelf>(std::move(*folder))));
}

SavedImports::~SavedImports() { shelf_->over.Request(); }

fs::path SavedImports::Use(const core::Executor& executor, const Toolchain& toolchain,
                           const std::string& header) {
  using State = Shelf::State;
  if (shelf_->images.size() >= kMaxHeaders && !shelf_->images.contains(header)) return {};
  Shelf::Image& image = shelf_->images[header];
  ++image.compilations;
  if (image.IsCurrent()) return image.file;
  if (image.state == State::kReady) {  // the modules were compiled again
    std::error_code ignored;
    fs::remove(image.file, ignored);
    fs::remove(image.file.string() + ".deps", ignored);
    image = Shelf::Image();
  }
  const auto images = std::ranges::count_if(
      shelf_->images, [](const auto& entry) { return entry.second.state == State::kReady; });
  const bool worth_it = image.state == State::kCounted && image.compilations > kWorthSaving;
  if (worth_it && !busy() && images < static_cast<ptrdiff_t>(kMaxImages)) {
    image.state = State::kBeingSaved;
    Toolchain own = toolchain;
    own.saved_imports.reset();
    core::Launch(executor, Shelf::Save(shelf_, executor, std::move(own), header, image));
  }
  return {};
}

bool SavedImports::IsCurrent(const fs::path& image) const {
  return std::ranges::any_of(shelf_->images, [&](const auto& entry) {
    return entry.second.file == image && entry.second.IsCurrent();
  });
}

bool SavedImports::busy() const {
  return std::ranges::any_of(shelf_->images, [](const auto& entry) {
    return entry.second.state == Shelf::State::kBeingSaved;
  });
}

Task<void> SavedImports::Shelf::Save(std::shared_ptr<Shelf> self, core::Executor executor,
                                     Toolchain toolchain, std::string header, Image& image) {
  Trial trial(std::move(executor), toolchain, self->over);
  const bool made = co_await self->Make(trial, std::move(header), image);
  image.state = made ? State::kReady : State::kNotUsable;
}

Task<bool> SavedImports::Shelf::Make(Trial& trial, std::string header, Image& image) {
  const int64_t settled = Now() - kSettled;
  CompilerOptions saving;
  saving.saves_imports = true;
  const auto saved = co_await trial.Compile(header, saving);
  if (!saved || !saved->result.ok) co_return false;
  // The Lean that wrote it has ended, and no other one may write to this folder.
  std::error_code failed;
  const fs::path written = saved->compiler->saved_imports();
  const std::string deps = written.string() + ".deps";
  image.file = folder.path() / std::to_string(++made);
  const bool small = fs::file_size(deps, failed) <= kMaxDeps && !failed;
  const auto modules = small ? core::JsonOrDiscarded(BytesOf(deps)) : nlohmann::json();
  if (!modules.is_array()) co_return false;
  fs::rename(written, image.file, failed);
  if (!failed) fs::rename(deps, image.file.string() + ".deps", failed);
  if (!failed) fs::permissions(image.file, fs::perms::owner_read, failed);
  const auto own = core::IdentityOf(image.file);
  if (failed || !own) co_return false;
  image.files.emplace_back(image.file, *own);
  for (const auto& module : modules) {
    const fs::path file = module.is_string() ? module.get<std::string>() : std::string();
    const auto identity = core::IdentityOf(file);
    // One that was being compiled while Lean read it could be another one by now.
    if (!identity || identity->changed > settled) co_return false;
    image.files.emplace_back(file, *identity);
  }
  for (const char* probe : kProbes) {
    const bool agrees = co_await trial.Agrees(header + probe, image.file);
    if (!agrees) co_return false;
  }
  co_return true;
}

}  // namespace zermelo::lean
