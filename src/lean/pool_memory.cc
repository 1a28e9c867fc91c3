// The part of the pool that keeps its memory limits, and its spare workers.
#include <algorithm>

#include "lean/pool.h"
#include "syntax/declarations.h"

namespace zermelo::lean {

using core::Result;
using core::Task;

namespace {

constexpr auto kMemoryPeriod = std::chrono::milliseconds(250);
constexpr auto kLoadSpare = std::chrono::minutes(5);

}  // namespace

/// Stops spare and idle workers, the least recently used first, while all workers together exceed
/// the memory limit. Returns whether they still do.
bool Pool::Trim() {
  if (options_.max_total_bytes == std::numeric_limits<uint64_t>::max()) return false;
  uint64_t total = ResidentBytes();
  const auto stop = [&](std::unique_ptr<Worker>& worker) {
    total -= std::min(total, worker->ResidentBytes());
    worker.reset();
    ++stats_.evicted;
  };
  while (total > options_.max_total_bytes && !spares_.empty()) {
    const auto oldest =
        std::ranges::min_element(spares_, {}, [](const auto& s) { return s->used; });
    const auto spare = *oldest;
    spares_.erase(oldest);
    if (spare->worker) stop(spare->worker);
  }
  std::vector<Slot*> idle;
  for (Slot& slot : slots_) {
    if (slot.worker && slot.place == nullptr && !slot.busy()) idle.push_back(&slot);
  }
  std::ranges::sort(idle, {}, &Slot::freed);
  for (Slot* slot : idle) {
    if (total <= options_.max_total_bytes) return false;
    stop(slot->worker);
  }
  return total > options_.max_total_bytes;
}

/// Above this, a worker is replaced after its check.
uint64_t Pool::MostResident(const Slot& slot) const {
  const uint64_t there = slot.place == nullptr ? 0 : slot.place->place()->max_resident_bytes;
  return there > 0 ? there : options_.max_resident_bytes;
}

uint64_t Pool::ResidentBytes() const {
  uint64_t total = 0;
  for (const Slot& slot : slots_) {
    if (slot.worker && slot.place == nullptr) total += slot.worker->ResidentBytes();
  }
  for (const auto& spare : spares_) {
    if (spare->worker) total += spare->worker->ResidentBytes();
  }
  return total;
}

/// While workers work, looks regularly whether all together keep to their limit.
void Pool::WatchMemory() {
  if (watching_memory_ || options_.max_total_bytes == std::numeric_limits<uint64_t>::max()) return;
  watching_memory_ = true;
  memory_watch_.expires_after(kMemoryPeriod);
  memory_watch_.async_wait([alive = alive_](const boost::system::error_code& error) {
    if (error || *alive == nullptr) return;
    Pool& pool = **alive;
    pool.watching_memory_ = false;
    if (pool.Trim()) pool.EvictLargest();
    if (pool.busy() > 0) pool.WatchMemory();
  });
}

void Pool::EvictLargest() {
  Worker* largest = nullptr;
  for (const Slot& slot : slots_) {
    if (!slot.worker || slot.place != nullptr || !slot.worker->alive()) continue;
    if (largest == nullptr || slot.worker->ResidentBytes() > largest->ResidentBytes()) {
      largest = slot.worker.get();
    }
  }
  if (largest == nullptr) return;
  ++stats_.evicted;
  largest->Kill("all workers together exceeded their memory limit of " +
                std::to_string(options_.max_total_bytes >> 20U) + " MiB, and it was the largest");
}

// ---- spare workers

std::unique_ptr<Worker> Pool::TakeSpare(const WorkerSetup& setup, const std::string& text) {
  const auto imports = syntax::ImportedModules(text);
  for (auto at = spares_.begin(); at != spares_.end(); ++at) {
    Spare& spare = **at;
    if (!spare.worker || !spare.worker->loaded() || !spare.worker->alive()) continue;
    if (spare.setup != setup || spare.imports != imports) continue;
    auto worker = std::move(spare.worker);
    spares_.erase(at);
    ++stats_.spares_used;
    return worker;
  }
  return nullptr;
}

/// Starts a spare worker for the header of a text that has been checked, unless there is one.
void Pool::KeepSpare(const Slot& slot, const std::string& text) {
  if (options_.spares == 0 || closed_ || slot.place != nullptr || !slot.worker) return;
  const auto now = core::Clock::now();
  auto imports = syntax::ImportedModules(text);
  std::erase_if(spares_, [](const auto& s) { return s->worker && !s->worker->alive(); });
  for (const auto& spare : spares_) {
    if (spare->setup != slot.setup || spare->imports != imports) continue;
    spare->used = now;
    return;
  }
  // As much memory as the worker that has the same imports has now.
  const uint64_t wanted = slot.worker->ResidentBytes();
  uint64_t used = ResidentBytes();
  for (const auto& spare : spares_) {  // those that are loading still grow
    if (spare->worker && spare->worker->loaded()) continue;
    const uint64_t now_used = spare->worker ? spare->worker->ResidentBytes() : 0;
    used += spare->expected - std::min(spare->expected, now_used);
  }
  if (used > options_.max_total_bytes || wanted > options_.max_total_bytes - used) return;
  if (spares_.size() >= options_.spares) {
    spares_.erase(std::ranges::min_element(spares_, {}, [](const auto& s) { return s->used; }));
  }
  WorkerOptions options = options_.worker;
  options.skip_kernel = slot.setup.skip_kernel;
  auto started = Worker::Start(executor_, *slot.setup.toolchain, options);
  if (!started) return;  // a check that needs one will say why
  ++stats_.started;
  const auto spare = std::make_shared<Spare>();
  spare->setup = slot.setup;
  spare->imports = std::move(imports);
  spare->worker = std::move(*started);
  spare->used = now;
  spare->expected = wanted;
  spares_.push_back(spare);
  core::Launch(executor_, LoadSpare(alive_, spare, text.substr(0, syntax::HeaderEnd(text))));
}

Task<void> Pool::LoadSpare(std::shared_ptr<Pool*> alive, std::shared_ptr<Spare> spare,
                           std::string header) {
  CheckRequest request;
  request.text = std::move(header);
  request.deadline = core::Deadline::After(kLoadSpare);
  const auto loaded = co_await spare->worker->Load(std::move(request));
  if (loaded || *alive == nullptr) co_return;
  std::erase((*alive)->spares_, spare);
}

size_t Pool::spares() const {
  return static_cast<size_t>(std::ranges::count_if(spares_, [](const auto& spare) {
    return spare->worker->alive() && spare->worker->loaded();
  }));
}

}  // namespace zermelo::lean
