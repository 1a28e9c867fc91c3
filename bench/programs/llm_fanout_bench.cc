// Keeps many completions in flight; see llm-fanout.py.
#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "llm/client.h"
#include "resources.h"

namespace {

using namespace zermelo;  // NOLINT(google-build-using-namespace)
using bench::ProcessorSeconds;

double ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0;
  double resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

struct Load {
  llm::Client* client;
  std::string prompt;
  int rounds;
  std::vector<double> latencies;
  int failures = 0;
};

/// Repeats one of the requests in flight; the first one starts after `offset`.
core::Task<void> KeepAsking(core::Executor executor, Load& load, core::Duration offset) {
  core::Signal never(executor);
  co_await never.Wait(core::Deadline::After(offset));
  for (int round = 0; round < load.rounds; ++round) {
    llm::Request request;
    request.prompt = load.prompt;
    request.sampling.max_tokens = 64;
    llm::CallContext context;
    context.deadline = core::Deadline::After(std::chrono::minutes(10));
    const auto begin = core::Clock::now();
    const auto reply = co_await load.client->Generate(std::move(request), std::move(context));
    load.latencies.push_back(core::Seconds(core::Clock::now() - begin));
    load.failures += reply ? 0 : 1;
  }
}

core::Task<bool> RunAll(core::Executor executor, Load& load, int in_flight, double spread) {
  core::TaskGroup group(executor);
  for (int i = 0; i < in_flight; ++i) {
    group.Spawn(KeepAsking(executor, load, core::FromSeconds(spread * i / in_flight)));
  }
  co_await group.Join();
  co_return true;
}

llm::ClientConfig Config(const std::string& url, int in_flight, bool stream) {
  llm::ClientConfig config{.name = "bench"};
  config.endpoints = {{.url = url, .model = "sim", .dialect = llm::DialectKind::kVllm}};
  config.endpoints[0].limits.concurrency = in_flight;
  config.stream = stream;
  return config;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr,
                 "usage: llm_fanout_bench URL IN_FLIGHT ROUNDS SPREAD_SECONDS PROMPT STREAM\n");
    return 2;
  }
  const int in_flight = std::atoi(argv[2]);
  boost::asio::io_context io;
  llm::HttpClient http(io.get_executor());
  const auto client =
      llm::Client::Create(http, Config(argv[1], in_flight, std::string_view(argv[6]) == "1"));
  if (!client) {
    std::fprintf(stderr, "%s\n", client.error().message.c_str());
    return 3;
  }
  Load load{.client = client->get(), .prompt = argv[5], .rounds = std::atoi(argv[3])};
  const double memory = ResidentBytes();
  const double cpu = ProcessorSeconds();
  core::RunToEnd(io, RunAll(io.get_executor(), load, in_flight, std::atof(argv[4])));
  const double spent = ProcessorSeconds() - cpu;
  std::printf("{\"cpu_seconds\": %.6f, \"memory_bytes\": %.0f, \"failures\": %d, \"latencies\": [",
              spent, ResidentBytes() - memory, load.failures);
  const char* separator = "";
  for (const double latency : load.latencies) {
    std::printf("%s%.6f", separator, latency);
    separator = ", ";
  }
  std::printf("]}\n");
  return 0;
}
