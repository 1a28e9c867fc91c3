// For tests only: tests/sim_model/sim_model.py as a child process.
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/process/subprocess.h"
#include "core/testing/testing.h"
#include "llm/http/http_client.h"

namespace zermelo::llm::testing {

/// A test with an event loop and an HTTP client, which starts model servers.
class SimModelTest : public ::testing::Test {
 protected:
  class Server {
   public:
    Server(SimModelTest& test, std::vector<std::string> options) : test_(test) {
      core::SubprocessOptions program;
      program.argv = {"/usr/bin/env", "python3", "-B",
                      ZERMELO_SOURCE_DIR "/tests/sim_model/sim_model.py"};
      program.argv.insert(program.argv.end(), options.begin(), options.end());
      auto started = core::Subprocess::Start(test.executor, program);
      if (!started) throw std::runtime_error(started.error().message);
      process_ = std::move(*started);
      const std::string line =
          core::testing::Await(test.io, process_->Read(core::Subprocess::Stream::kOut));
      const auto ready = nlohmann::json::parse(line);
      port_ = ready.at("port");
      certificate_ = ready.value("certificate", "");
    }

    std::string Url(const std::string& path = "/v1") const {
      const std::string scheme = certificate_.empty() ? "http" : "https";
      return scheme + "://localhost:" + std::to_string(port_) + path;
    }
    const std::string& certificate() const { return certificate_; }

    /// Sets the faults of the next requests, in order.
    void Inject(const std::vector<std::string>& faults) {
      test_.Fetch({.url = Url("/sim/faults"), .body = nlohmann::json(faults).dump()});
    }
    /// The requests that it received.
    nlohmann::json Log() {
      return nlohmann::json::parse(test_.Fetch({.url = Url("/sim/log")}).body);
    }
    int Connections() { return std::stoi(test_.Fetch({.url = Url("/sim/connections")}).body); }
    /// Runs the event loop until the log satisfies the predicate.
    template <class Predicate>
    nlohmann::json LogWhen(Predicate predicate) {
      for (const auto hang = core::Deadline::After(core::testing::kHang); !hang.Passed();) {
        auto log = Log();
        if (predicate(log)) return log;
      }
      throw std::runtime_error("the server never logged it: " + Log().dump());
    }

   private:
    SimModelTest& test_;
    std::unique_ptr<core::Subprocess> process_;
    int port_ = 0;
    std::string certificate_;
  };

  Server Start(std::vector<std::string> options = {}) { return Server(*this, std::move(options)); }

  HttpReply Fetch(HttpRequest request) {
    return core::testing::Await(io, http.Fetch(std::move(request), core::testing::Generous()));
  }

  boost::asio::io_context io;
  core::Executor executor = io.get_executor();
  HttpClient http{executor};
};

}  // namespace zermelo::llm::testing
