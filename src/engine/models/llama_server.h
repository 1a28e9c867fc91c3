// llama.cpp's server as a child process, for one GGUF file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"

namespace zermelo::engine {

/// Whether a model's path is a GGUF file, by its name.
bool IsGguf(const std::filesystem::path& path);

/// Life cycle: not started -> loading -> ready; a server that ends when it was ready is started
/// again by the next Load, and one that could not load its file is not. It is killed with its last
/// owner; the kernel kills it if this process dies first. Its own settings are read from the
/// environment as always (LLAMA_ARG_CTX_SIZE, LLAMA_ARG_N_PARALLEL, LLAMA_ARG_N_GPU_LAYERS, …).
/// Call only on the executor's thread.
class LlamaServer {
 public:
  /// The server of this file, which all its owners on this thread share. Any part of a split model
  /// (`name-00002-of-00003.gguf`) stands for all. kInput: the file, or another part, cannot be
  /// read or is not GGUF. kEnvironment: there is no llama-server, neither in ZERMELO_LLAMA_SERVER
  /// nor on PATH.
  static core::Result<std::shared_ptr<LlamaServer>> Of(const core::Executor& executor,
                                                       const std::filesystem::path& file);
  ~LlamaServer();
  LlamaServer(const LlamaServer&) = delete;
  LlamaServer& operator=(const LlamaServer&) = delete;

  /// Before the start: completions may have that many tokens. The more they are, the fewer
  /// requests the server answers at a time.
  void Expect(int max_tokens);

  /// Returns when the server is ready. kEnvironment, with the end of its log: it ended before;
  /// kTimeout: it still loads at the deadline, and goes on; kCancelled.
  core::Task<core::Status> Load(core::Deadline deadline, core::Cancellation* cancellation);

  /// What Load made ready.
  struct Address {
    std::string url;  // "http://127.0.0.1:4321"
    std::string key;  // for the header Authorization
    int slots = 1;    // requests that it answers at a time
    bool operator==(const Address&) const = default;
  };
  const Address& address() const { return address_; }

  const std::filesystem::path& file() const { return file_; }
  /// Of the file and its other parts.
  uint64_t bytes() const { return bytes_; }

 private:
  struct Process;
  LlamaServer(const core::Executor& executor, std::filesystem::path program,
              std::filesystem::path file, uint64_t bytes);
  core::Status Start();

  const core::Executor executor_;
  const std::filesystem::path program_, file_;
  const uint64_t bytes_;
  int max_tokens_ = 0;

  std::shared_ptr<Process> process_;  // null: none was started
  Address address_;
  int starts_ = 0;
  int ports_taken_ = 0;  // by another program, between our look and the server's start
};

}  // namespace zermelo::engine
