#include "search/frontier.h"

namespace zermelo::search {

void Frontier::Set(NodeId node, double score) {
  if (node >= places_.size()) places_.resize(size_t{node} + 1, kNowhere);
  const Entry entry{score, node};
  if (places_[node] == kNowhere) {
    heap_.push_back(entry);
    Rise(heap_.size() - 1, entry);
  } else if (Before(entry, heap_[places_[node]])) {
    Rise(places_[node], entry);
  } else {
    Sink(places_[node], entry);
  }
}

void Frontier::Remove(NodeId node) {
  if (!Contains(node)) return;
  const size_t place = places_[node];
  places_[node] = kNowhere;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (last.node == node) return;
  places_[last.node] = static_cast<uint32_t>(place);
  heap_[place] = last;
  if (place > 0 && Before(last, heap_[(place - 1) / 2])) {
    Rise(place, last);
  } else {
    Sink(place, last);
  }
}

NodeId Frontier::Pop() {
  const NodeId best = Best();
  Remove(best);
  return best;
}

void Frontier::Put(size_t place, const Entry& entry) {
  heap_[place] = entry;
  places_[entry.node] = static_cast<uint32_t>(place);
}

void Frontier::Rise(size_t place, const Entry& entry) {
  while (place > 0 && Before(entry, heap_[(place - 1) / 2])) {
    Put(place, heap_[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  Put(place, entry);
}

void Frontier::Sink(size_t place, const Entry& entry) {
  for (;;) {
    size_t child = 2 * place + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && Before(heap_[child + 1], heap_[child])) ++child;
    if (!Before(heap_[child], entry)) break;
    Put(place, heap_[child]);
    place = child;
  }
  Put(place, entry);
}

}  // namespace zermelo::search
