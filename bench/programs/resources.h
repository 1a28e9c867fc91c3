// What this process has used, for benchmarks.
#pragma once

#include <ctime>
#include <sys/resource.h>

namespace zermelo::bench {

/// Processor time of all threads so far.
inline double ProcessorSeconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The largest resident size so far.
inline double PeakMegabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace zermelo::bench
