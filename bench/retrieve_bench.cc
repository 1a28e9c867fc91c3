#include <cstdio>

#include "core/deadline.h"
#include "retrieve/indexer.h"
int main(int argc, char** argv) {
  zermelo::retrieve::IndexRequest r;
  r.file = argv[1];
  for (int i = 2; i < argc; ++i) r.search_path.push_back(argv[i]);
  auto t = zermelo::core::Clock::now();
  auto report = zermelo::retrieve::UpdateIndex(r);
  if (!report) {
    std::puts(report.error().message.c_str());
    return 1;
  }
  for (auto& n : report->notes) std::puts(n.c_str());
  std::printf("%zu modules, %zu read, %ld premises, %.1f MB, %.2f s\n", report->modules,
              report->read, report->premises, report->bytes / 1e6,
              zermelo::core::Seconds(zermelo::core::Clock::now() - t));
}
