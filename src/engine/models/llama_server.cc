#include "engine/models/llama_server.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <regex>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "core/process/find_program.h"
#include "core/process/subprocess.h"
#include "core/text.h"
#include "llm/http/http_client.h"

namespace zermelo::engine {

namespace fs = std::filesystem;
using core::Deadline;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

namespace {

constexpr const char* kProgram = "llama-server";
constexpr core::Duration kLookAgain = std::chrono::milliseconds(200);
constexpr core::Duration kHealthLimit = std::chrono::seconds(10);
constexpr core::Duration kEndLimit = std::chrono::seconds(5);  // from the end of its log to its own
constexpr core::Duration kLoadLimit = std::chrono::minutes(30);  // a large file on a slow disk
constexpr size_t kKeptLog = 16000;                               // bytes
constexpr size_t kShownLines = 5;
constexpr int kMaxStarts = 10;
constexpr int kMaxPortsTaken = 3;

// The context of all requests together, in tokens: 5 GB of memory for a model of 8 billion
// parameters. By default, the server takes the one that the model was trained with, which may be
// several times as large.
constexpr int kContext = 32768;
constexpr int kPromptRoom = 2048;  // tokens of a prompt
constexpr int kMaxSlots = 4;
constexpr int kCache = 2048;  // MB of memory, of prompts that it has read; its own default is 8192
constexpr const char* kCacheVariable = "LLAMA_ARG_CACHE_RAM";
constexpr const char* kContextVariable = "LLAMA_ARG_CTX_SIZE";
constexpr const char* kSlotsVariable = "LLAMA_ARG_N_PARALLEL";

Result<fs::path> FindServer() {
  const char* const given = std::getenv("ZERMELO_LLAMA_SERVER");
  if (given != nullptr && *given != '\0') {
    if (core::IsExecutable(given)) return fs::absolute(given);
    return Fail(ErrorCode::kEnvironment,
                fmt::format("ZERMELO_LLAMA_SERVER={} is no program that can be run", given),
                "set it to the path of llama.cpp's llama-server");
  }
  fs::path found = core::FindOnPath(kProgram);
  if (!found.empty()) return fs::absolute(found);
  return Fail(ErrorCode::kEnvironment,
              "a GGUF file needs llama.cpp's llama-server, which is not on PATH",
              "install llama.cpp, or name the program in ZERMELO_LLAMA_SERVER; in Zermelo's source "
              "tree, scripts/llama_cpp.sh builds it (docs/configuration.md)");
}

core::Status CheckGguf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return Fail(ErrorCode::kInput, fmt::format("cannot read {}", file.string()));
  char magic[4] = {};
  in.read(magic, sizeof magic);
  if (std::string_view(magic, 4) == "GGUF") return {};
  return Fail(
      ErrorCode::kInput, fmt::format("{} is not a GGUF file", file.string()),
      "its first bytes are not \"GGUF\"; is it a download that failed, or a pointer of Git LFS?");
}

/// The file; of a split model, all parts. llama.cpp is given the first one and finds the others.
std::vector<fs::path> PartsOf(const fs::path& file) {
  static const std::regex kPart("(.*)-[0-9]{5}-of-([0-9]{5})\\.gguf");
  const std::string name = file.filename().string();
  std::smatch match;
  if (!std::regex_match(name, match, kPart)) return {file};
  std::vector<fs::path> parts;
  const int count = std::stoi(match[2]);
  for (int i = 1; i <= count; ++i) {
    parts.push_back(file.parent_path() /
                    fmt::format("{}-{:05}-of-{}.gguf", match[1].str(), i, match[2].str()));
  }
  if (parts.empty()) parts.push_back(file);
  return parts;
}

/// A port of this machine that was free a moment ago; 0: there is none.
uint16_t FreePort() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return 0;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const raw = reinterpret_cast<sockaddr*>(&address);
  const bool found = ::bind(fd, raw, size) == 0 && ::getsockname(fd, raw, &size) == 0;
  ::close(fd);
  return found ? ntohs(address.sin_port) : 0;
}

/// So that other users of this machine cannot use the server.
std::string RandomKey() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

/// The last lines of a log that say what went wrong; if none does, its last lines.
std::string LinesOfError(const std::string& log) {
  std::vector<std::string> all, bad;
  for (size_t at = 0; at < log.size();) {
    const size_t end = std::min(log.find('\n', at), log.size());
    const std::string line(core::Trim(std::string_view(log).substr(at, end - at)));
    at = end + 1;
    if (line.empty()) continue;
    all.push_back(line);
    const std::string lower = core::InLowerCase(line);
    for (const char* word : {"error", "fail", "invalid", "unable", "couldn't", "out of memory"}) {
      if (lower.find(word) == std::string::npos) continue;
      bad.push_back(line);
      break;
    }
  }
  const std::vector<std::string>& shown = bad.empty() ? all : bad;
  std::string text;
  for (size_t i = shown.size() - std::min(shown.size(), kShownLines); i < shown.size(); ++i) {
    text += "\n  " + shown[i];
  }
  return core::ReplaceInvalidUtf8(text);
}

/// LLAMA_ARG_N_PARALLEL, if it is a positive number.
std::optional<int> SlotsOfEnvironment() {
  const char* const text = std::getenv(kSlotsVariable);
  if (text == nullptr) return {};
  const std::string_view all = text;
  int slots = 0;
  const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), slots);
  if (error != std::errc() || end != all.data() + all.size() || slots < 1) return {};
  return slots;
}

}  // namespace

bool IsGguf(const fs::path& path) { return path.extension() == ".gguf"; }

/// One run of the program. Three tasks own it, too, and end when the program has.
struct LlamaServer::Process {
  Process(const core::Executor& executor, std::string url)
      : http(executor), changed(executor), health(std::move(url) + "/health") {}

  llm::HttpClient http;
  core::Signal changed;
  const std::string health;  // URL
  std::unique_ptr<core::Subprocess> child;
  const Deadline load_limit = Deadline::After(kLoadLimit);
  core::Cancellation over;
  std::string log;  // the end of it
  std::string how;  // it ended: "exit code 1"
  bool ready = false;
  bool ended = false;

  static Task<void> ReadLog(std::shared_ptr<Process> self) {
    for (;;) {
      const std::string bytes = co_await self->child->Read(core::Subprocess::Stream::kErr);
      if (bytes.empty()) break;
      self->log += bytes;
      if (self->log.size() > 2 * kKeptLog) self->log.erase(0, self->log.size() - kKeptLog);
    }
    const auto status = co_await self->child->Wait(Deadline::After(kEndLimit));
    self->how = status ? status->ToString() : "it closed its log";
    if (!self->ready && self->load_limit.Passed()) self->how = "not ready after 30 minutes";
    self->child->Kill();
    self->ended = true;
    self->over.Request();
    self->changed.Notify();
  }
  static Task<void> DropOutput(std::shared_ptr<Process> self) {
    for (;;) {
      const std::string bytes = co_await self->child->Read(core::Subprocess::Stream::kOut);
      if (bytes.empty()) co_return;
    }
  }

  /// llama.cpp answers 503 while it loads.
  static Task<void> WatchHealth(std::shared_ptr<Process> self) {
    while (!self->ended && !self->load_limit.Passed()) {
      llm::HttpRequest request;
      request.url = self->health;
      request.direct = true;
      const auto reply =
          co_await self->http.Fetch(std::move(request), Deadline::After(kHealthLimit), &self->over);
      self->ready = reply.end == llm::HttpEnd::kComplete && reply.status == 200;
      if (self->ready) break;
      co_await self->changed.Wait(Deadline::After(kLookAgain));
    }
    if (!self->ready) self->child->Kill();
    self->changed.Notify();
  }

  bool PortWasTaken() const {
    return log.find("couldn't bind") != std::string::npos ||
           log.find("Address already in use") != std::string::npos;
  }
};

LlamaServer::LlamaServer(const core::Executor& executor, fs::path program, fs::path file,
                         uint64_t bytes)
    : executor_(executor), program_(std::move(program)), file_(std::move(file)), bytes_(bytes) {}

LlamaServer::~LlamaServer() {
  if (process_) process_->child->Kill();
}

Result<std::shared_ptr<LlamaServer>> LlamaServer::Of(const core::Executor& executor,
                                                     const fs::path& file) {
  static thread_local std::map<fs::path, std::weak_ptr<LlamaServer>> running;
  const std::vector<fs::path> parts = PartsOf(fs::absolute(file).lexically_normal());
  uint64_t bytes = 0;
  for (const fs::path& part : parts) {
    if (auto readable = CheckGguf(part); !readable) {
      if (parts.size() == 1) return Fail(readable.error());
      return Fail(readable.error().code, readable.error().message,
                  fmt::format("the model consists of {} files, all in one folder", parts.size()));
    }
    std::error_code ignored;
    bytes += fs::file_size(part, ignored);
  }
  std::weak_ptr<LlamaServer>& known = running[parts.front()];
  if (auto shared = known.lock()) return shared;
  auto program = FindServer();
  if (!program) return Fail(program.error());
  const std::shared_ptr<LlamaServer> made(
      new LlamaServer(executor, *std::move(program), parts.front(), bytes));
  known = made;
  return made;
}

void LlamaServer::Expect(int max_tokens) { max_tokens_ = std::max(max_tokens_, max_tokens); }

core::Status LlamaServer::Start() {
  const uint16_t port = FreePort();
  if (port == 0) return Fail(ErrorCode::kEnvironment, "no port is free for llama-server");
  const int each = max_tokens_ + kPromptRoom;
  const int slots = std::clamp(kContext / each, 1, kMaxSlots);
  const int context = slots == 1 ? std::max(each, kContext) : slots * each;
  address_ = {.url = fmt::format("http://127.0.0.1:{}", port),
              .key = RandomKey(),
              .slots = SlotsOfEnvironment().value_or(slots)};
  core::SubprocessOptions options;
  options.argv = {program_, "--model",           file_, "--host", "127.0.0.1",
                  "--port", std::to_string(port)};
  options.environment["LLAMA_API_KEY"] = address_.key;
  for (const auto& [variable, value] :
       {std::pair(kContextVariable, context), std::pair(kSlotsVariable, slots),
        std::pair(kCacheVariable, kCache)}) {
    if (std::getenv(variable) == nullptr) options.environment[variable] = std::to_string(value);
  }
  auto child = core::Subprocess::Start(executor_, options);
  if (!child) return Fail(child.error());
  (*child)->CloseInput();
  process_ = std::make_shared<Process>(executor_, address_.url);
  process_->child = *std::move(child);
  ++starts_;
  core::Launch(executor_, Process::ReadLog(process_));
  core::Launch(executor_, Process::DropOutput(process_));
  core::Launch(executor_, Process::WatchHealth(process_));
  return {};
}

Task<core::Status> LlamaServer::Load(Deadline deadline, core::Cancellation* cancellation) {
  for (;;) {
    if (!process_ || (process_->ended && process_->ready)) {
      if (starts_ == kMaxStarts) {
        co_return Fail(ErrorCode::kEnvironment,
                       fmt::format("llama-server has ended {} times ({}) with {}:{}", starts_,
                                   process_->how, file_.string(), LinesOfError(process_->log)));
      }
      if (auto started = Start(); !started) co_return Fail(started.error());
    }
    const std::shared_ptr<Process> process = process_;
    while (!process->ready && !process->ended) {
      if (cancellation != nullptr && cancellation->requested()) {
        co_return Fail(ErrorCode::kCancelled, "stopped while the model was loaded");
      }
      if (deadline.Passed()) {
        co_return Fail(ErrorCode::kTimeout,
                       fmt::format("llama-server is still loading {}", file_.string()));
      }
      co_await process->changed.Wait(deadline.Earlier(Deadline::After(kLookAgain)));
    }
    if (!process->ended) co_return core::Status();
    if (process->ready) continue;
    if (process != process_) continue;
    if (process->PortWasTaken() && ports_taken_ < kMaxPortsTaken) {
      ++ports_taken_;
      process_.reset();
      continue;
    }
    co_return Fail(ErrorCode::kEnvironment,
                   fmt::format("llama-server cannot load {} ({}):{}", file_.string(), process->how,
                               LinesOfError(process->log)),
                   "possible causes: an incomplete download, a model that needs a newer llama.cpp, "
                   "or too little "
                   "memory (a smaller LLAMA_ARG_CTX_SIZE needs less)");
  }
}

}  // namespace zermelo::engine
