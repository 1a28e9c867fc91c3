// Lean workers and state servers on other machines, behind a launcher such as ssh or srun
// (docs/workers.md): what the two sides say to each other, in LSP's frames on the launcher's
// standard streams.
//
//     here                           there: `zermelo worker`
//     start {…}              ──►     finds Lean as the order says, and compares versions
//                            ◄──     ready {…}, or refused {message}
//     LSP                    ◄─►     LSP of `lean --worker`, or what a state server takes
//     alive, regularly       ──►     ends when its input ends, or nothing has come for a while
//                            ◄──     usage {…}, regularly: what Lean uses there
//                            ◄──     imports {fingerprint}, once it has read them
//                            ◄──     ended {message}: Lean has died
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "core/process/subprocess.h"

namespace zermelo::lean {
struct Toolchain;
}

namespace zermelo::lean::remote {

inline constexpr int kProtocol = 3;
inline constexpr const char* kStart = "$/zermelo/start";
inline constexpr const char* kReady = "$/zermelo/ready";
inline constexpr std::string_view kOwnMethods = "$/zermelo/";
inline constexpr const char* kRefused = "$/zermelo/refused";
inline constexpr const char* kAlive = "$/zermelo/alive";
inline constexpr const char* kUsage = "$/zermelo/usage";
inline constexpr const char* kImports = "$/zermelo/imports";
inline constexpr const char* kEnded = "$/zermelo/ended";

/// How often each side sends a message.
inline constexpr core::Duration kAlivePeriod = std::chrono::seconds(5);
inline constexpr core::Duration kUsagePeriod = std::chrono::milliseconds(500);
/// The far side ends when nothing has arrived for this long.
inline constexpr core::Duration kAbandoned = std::chrono::seconds(60);

/// The beginning of a fingerprint that could not be computed and says why: it equals no other.
inline constexpr std::string_view kUnreadable = "unreadable: ";
/// Identifies the compiled modules that these imports bring with this toolchain. Both sides compute
/// it, and the far side's answers count only if they agree. `toolchain` stays unchanged. Throws
/// nothing.
using Fingerprint = std::function<core::Task<std::string>(
    std::shared_ptr<const Toolchain> toolchain, std::vector<std::string> imports)>;

/// Where workers run: everything behind one launcher.
struct Place {
  std::string name;                 // for messages: "ssh node7"
  std::vector<std::string> launch;  // the launcher's command, looked up on PATH
  size_t workers = 1;
  std::string program = "zermelo";  // there
  /// The pool's own project, there; empty: the same folder as here. Other projects of the pool are
  /// expected in the same folders as here.
  std::filesystem::path project;
  std::filesystem::path lean;                         // as in ToolchainRequest, there
  uint64_t max_resident_bytes = 0;                    // of each Lean there; 0: as here
  core::Duration connect = std::chrono::seconds(60);  // limit of the time until it is ready
  core::Duration silence = std::chrono::seconds(15);  // without a byte: it is lost
  Fingerprint fingerprint;                            // null: imports are not compared
};

/// Why a worker elsewhere failed, other than by its Lean.
struct Failure {
  bool refused = false;  // there is another Lean, another project or none; else it was lost
  std::string why;
};

/// `start`: which Lean the far side has to run.
struct Order {
  int protocol = kProtocol;
  std::string project;  // folder; empty: none
  std::string lean;
  std::string version;  // that Lean must have, and its commit if it is known
  std::string commit;
  bool confined = true;
  bool skip_kernel = false;
  uint64_t max_resident_bytes = 0;
  std::vector<std::string> imports;
  bool states = false;  // a state server (state_server.h) instead of a worker
  NLOHMANN_DEFINE_TYPE_INTRUSIVE(Order, protocol, project, lean, version, commit, confined,
                                 skip_kernel, max_resident_bytes, imports, states)
};

/// `ready`
struct Ready {
  std::string host;
  std::string uri;  // of the document
  bool confined = false;
  NLOHMANN_DEFINE_TYPE_INTRUSIVE(Ready, host, uri, confined)
};

/// `usage`: what the far side has last reported.
class ReportedUsage : public core::ProcessUsage {
 public:
  uint64_t ResidentBytes() const override { return resident_; }
  double SecondsRun() const override { return run_; }
  std::map<std::string, double> SecondsKeptWaiting() const override { return waiting_; }
  /// Throws json::exception for anything else than a report.
  void Update(const nlohmann::json& report);

 private:
  uint64_t resident_ = 0;
  double run_ = 0;
  std::map<std::string, double> waiting_;
};
nlohmann::json UsageReport(const core::ProcessUsage& usage);

/// A notification's body.
std::string Body(const char* method, nlohmann::json params);

}  // namespace zermelo::lean::remote
