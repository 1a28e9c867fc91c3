// Reads and walks every .olean below a folder; see olean.py.
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "kernel/olean/olean.h"

namespace {

namespace fs = std::filesystem;
namespace kernel = zermelo::kernel;

struct Sums {
  size_t files = 0;
  size_t bytes = 0;
  size_t objects = 0;
  size_t constants = 0;
  size_t expressions = 0;
  size_t arena_bytes = 0;
  size_t failures = 0;
};

// Measures this process's processor time, so that other work on the machine does not matter;
// everything here runs in one thread, from the page cache.
double Now() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::vector<fs::path> Files(const char* folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".olean") files.push_back(entry.path());
  }
  return files;
}

// The baseline: reads the bytes once through one buffer.
double ReadPlainly(const std::vector<fs::path>& files) {
  const double begin = Now();
  std::vector<char> buffer(1U << 20U);
  for (const auto& file : files) {
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    while (::read(fd, buffer.data(), buffer.size()) > 0) {
    }
    ::close(fd);
  }
  return Now() - begin;
}

double CheckObjects(const std::vector<fs::path>& files, Sums* sums) {
  const double begin = Now();
  kernel::OleanImage image;
  for (const auto& file : files) {
    const bool ok = image.Open(file) && image.CheckAll();
    sums->failures += ok ? 0 : 1;
    sums->objects += image.objects_checked();
    sums->bytes += image.size();
    ++sums->files;
  }
  return Now() - begin;
}

// Checks every object and interns every constant with its type and value, in one arena for all
// modules or in one per module.
double ReadModules(const std::vector<fs::path>& files, bool shared, Sums* sums) {
  const double begin = Now();
  kernel::OleanImage image;
  kernel::Terms terms;
  for (const auto& file : files) {
    if (!shared) terms = kernel::Terms();
    const auto opened = image.Open(file);
    const auto module = opened
                            ? kernel::ReadModule(image, terms)
                            : zermelo::core::Result<kernel::Module>(tl::unexpect, opened.error());
    if (!module) std::fprintf(stderr, "%s: %s\n", file.c_str(), module.error().message.c_str());
    sums->failures += module ? 0 : 1;
    sums->constants += module ? module->constants.size() : 0;
  }
  sums->expressions = terms.expr_count();
  sums->arena_bytes = terms.bytes();
  return Now() - begin;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: olean_bench FOLDER\n");
    return 2;
  }
  const auto files = Files(argv[1]);
  ReadPlainly(files);  // fills the page cache
  const double plain = ReadPlainly(files);
  Sums sums;
  const double check = CheckObjects(files, &sums);
  const double read = ReadModules(files, false, &sums);
  sums.constants = 0;
  const double shared = ReadModules(files, true, &sums);
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const double megabytes = static_cast<double>(sums.bytes) / 1e6;
  std::printf(
      "{\"files\": %zu, \"megabytes\": %.1f, \"objects\": %zu, \"constants\": %zu, "
      "\"expressions\": %zu, \"arena_megabytes\": %.1f, \"failures\": %zu, "
      "\"plain_mb_per_s\": %.1f, \"check_mb_per_s\": %.1f, \"read_mb_per_s\": %.1f, "
      "\"shared_mb_per_s\": %.1f, "
      "\"seconds\": %.3f, \"peak_megabytes\": %.1f}\n",
      sums.files, megabytes, sums.objects, sums.constants, sums.expressions,
      static_cast<double>(sums.arena_bytes) / 1e6, sums.failures, megabytes / plain,
      megabytes / check, megabytes / read, megabytes / shared, read,
      static_cast<double>(usage.ru_maxrss) / 1e3);
  return sums.failures == 0 ? 0 : 1;
}
