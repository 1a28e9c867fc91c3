#include "retrieve/ranking/vectors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <faiss/IndexFlat.h>
#include <faiss/IndexIVFPQ.h>
#include <faiss/impl/FaissException.h>
#include <faiss/impl/IDSelector.h>
#include <faiss/index_io.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <sys/mman.h>
#include <sys/stat.h>
#include <utility>

#include "core/files/fd.h"
#include "core/files/file.h"

namespace zermelo::retrieve {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Status;

namespace {

constexpr size_t kFew = 4000;  // fewer vectors than this are compared one by one
constexpr size_t kProbes = 8;  // cells searched per query
constexpr size_t kAgain = 2;   // candidates per requested result that are compared again
constexpr size_t kMaxCodeBytes = 96;
constexpr size_t kTrainingRows = 32'768;
constexpr size_t kChunk = 8192;
constexpr size_t kMaxDimension = 16'384;
constexpr std::string_view kMagic = "zermelo vectors 1\n";

/// A memory-mapped file. Its bytes do not change, since files are only ever replaced as a whole.
class Mapping {
 public:
  static Result<Mapping> Open(const fs::path& file) {
    const core::Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat stat = {};
    if (fd.get() < 0 || ::fstat(fd.get(), &stat) != 0 || stat.st_size == 0) {
      return Fail(ErrorCode::kInput, "cannot read " + file.string());
    }
    const auto size = static_cast<size_t>(stat.st_size);
    void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (at == MAP_FAILED) return Fail(ErrorCode::kEnvironment, "cannot map " + file.string());
    return Mapping(static_cast<const char*>(at), size);
  }
  Mapping(Mapping&& other) noexcept : at_(std::exchange(other.at_, nullptr)), size_(other.size_) {}
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping() {
    if (at_ != nullptr) ::munmap(const_cast<char*>(at_), size_);
  }
  std::string_view bytes() const { return {at_, size_}; }

 private:
  Mapping(const char* at, size_t size) : at_(at), size_(size) {}
  const char* at_;
  size_t size_;
};

size_t RowBytes(size_t dimension) { return sizeof(float) + dimension; }

void DequantizeInto(const char* row, size_t dimension, float* out) {
  float scale = 0;
  std::memcpy(&scale, row, sizeof scale);
  for (size_t i = 0; i < dimension; ++i) {
    out[i] = scale * static_cast<float>(static_cast<signed char>(row[sizeof scale + i]));
  }
}

float InnerProduct(const char* row, const std::vector<float>& query) {
  float scale = 0;
  std::memcpy(&scale, row, sizeof scale);
  const auto* const codes = reinterpret_cast<const signed char*>(row + sizeof scale);
  float sums[4] = {};
  size_t i = 0;
  for (; i + 4 <= query.size(); i += 4) {
    for (size_t j = 0; j < 4; ++j) sums[j] += query[i + j] * static_cast<float>(codes[i + j]);
  }
  for (; i < query.size(); ++i) sums[0] += query[i] * static_cast<float>(codes[i]);
  return scale * (sums[0] + sums[1] + sums[2] + sums[3]);
}

/// The largest number of bytes (codes) that divides the dimensions evenly, with at least 4 each.
size_t CodeBytes(size_t dimension) {
  for (size_t bytes = std::min(kMaxCodeBytes, dimension / 4); bytes > 1; --bytes) {
    if (dimension % bytes == 0) return bytes;
  }
  return 1;
}

}  // namespace

void Normalize(std::vector<float>* vector) {
  double sum = 0;
  for (const float x : *vector) sum += static_cast<double>(x) * x;
  if (!(sum > 0)) return;
  const auto scale = static_cast<float>(1 / std::sqrt(sum));
  for (float& x : *vector) x *= scale;
}

std::string Quantize(const std::vector<float>& vector) {
  constexpr float kLargest = 127;
  float most = 0;
  for (const float x : vector) most = std::max(most, std::abs(x));
  const float scale = most / kLargest;
  std::string bytes(RowBytes(vector.size()), '\0');
  std::memcpy(bytes.data(), &scale, sizeof scale);
  for (size_t i = 0; i < vector.size(); ++i) {
    const float code = scale > 0 ? std::round(vector[i] / scale) : 0;
    bytes[sizeof scale + i] = static_cast<char>(static_cast<signed char>(code));
  }
  return bytes;
}

std::vector<float> Dequantize(std::string_view bytes) {
  if (bytes.size() <= sizeof(float)) return {};
  std::vector<float> vector(bytes.size() - sizeof(float));
  DequantizeInto(bytes.data(), vector.size(), vector.data());
  return vector;
}

struct VectorIndex::Impl {
  size_t dimension = 0;
  size_t count = 0;
  std::string fingerprint;
  // Premise ids in ascending order, and for each a row encoded by Quantize. Both are in `owned_*`
  // or in the mapped file.
  std::string owned_ids;
  std::string owned_rows;
  std::optional<Mapping> mapping;
  const char* ids = nullptr;
  const char* rows = nullptr;
  std::unique_ptr<faiss::Index> index;  // finds row numbers

  int64_t IdOf(size_t row) const {
    int64_t id = 0;
    std::memcpy(&id, ids + row * sizeof id, sizeof id);
    return id;
  }
  const char* Row(size_t row) const { return rows + row * RowBytes(dimension); }

  std::vector<float> Floats(size_t first, size_t n, size_t step) const {
    std::vector<float> floats(n * dimension);
    for (size_t i = 0; i < n; ++i) {
      DequantizeInto(Row(first + i * step), dimension, &floats[i * dimension]);
    }
    return floats;
  }

  void Train() {
    const auto d = static_cast<int>(dimension);
    if (count < kFew) {
      index = std::make_unique<faiss::IndexFlatIP>(d);
    } else {
      const auto cells = static_cast<size_t>(std::sqrt(static_cast<double>(count)));
      auto quantizer = std::make_unique<faiss::IndexFlatIP>(d);
      auto ivf = std::make_unique<faiss::IndexIVFPQ>(
          quantizer.get(), dimension, cells, CodeBytes(dimension), 8, faiss::METRIC_INNER_PRODUCT);
      static_cast<void>(quantizer.release());  // now owned by `ivf`
      ivf->own_fields = true;
      ivf->cp.niter = 10;
      ivf->cp.min_points_per_centroid = 1;
      ivf->pq.cp.niter = 8;
      ivf->pq.cp.min_points_per_centroid = 1;
      ivf->pq.cp.max_points_per_centroid = 32;
      const size_t step = (count + kTrainingRows - 1) / kTrainingRows;
      const auto sample = Floats(0, count / step, step);
      ivf->train(static_cast<int64_t>(count / step), sample.data());
      index = std::move(ivf);
    }
    for (size_t at = 0; at < count; at += kChunk) {
      const size_t n = std::min(kChunk, count - at);
      index->add(static_cast<int64_t>(n), Floats(at, n, 1).data());
    }
  }
};

VectorIndex::VectorIndex(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
VectorIndex::~VectorIndex() = default;
size_t VectorIndex::size() const { return impl_->count; }
size_t VectorIndex::dimension() const { return impl_->dimension; }
const std::string& VectorIndex::fingerprint() const { return impl_->fingerprint; }

Result<std::unique_ptr<VectorIndex>> VectorIndex::Build(std::vector<int64_t> ids,
                                                        std::string vectors, size_t dimension) {
  if (dimension == 0 || dimension > kMaxDimension ||
      vectors.size() != ids.size() * RowBytes(dimension)) {
    return Fail(ErrorCode::kInput, "the embeddings have different dimensions");
  }
  auto impl = std::make_unique<Impl>();
  impl->dimension = dimension;
  impl->count = ids.size();
  impl->owned_ids.assign(reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(int64_t));
  impl->owned_rows = std::move(vectors);
  impl->ids = impl->owned_ids.data();
  impl->rows = impl->owned_rows.data();
  try {
    impl->Train();
  } catch (const faiss::FaissException& e) {
    return Fail(ErrorCode::kEnvironment,
                std::string("FAISS cannot index the embeddings: ") + e.what());
  }
  return std::unique_ptr<VectorIndex>(new VectorIndex(std::move(impl)));
}

Status VectorIndex::Save(const fs::path& file, const std::string& fingerprint) const {
  std::string bytes(kMagic);
  const uint64_t numbers[] = {impl_->count, impl_->dimension, fingerprint.size()};
  bytes.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
  bytes += fingerprint;
  bytes.append(impl_->ids, impl_->count * sizeof(int64_t));
  bytes.append(impl_->rows, impl_->count * RowBytes(impl_->dimension));
  const fs::path vectors = file.string() + ".vectors";
  const fs::path temporary = file.string() + ".new";
  // The FAISS file is written last; Load checks its size against the vectors.
  if (auto written = core::WriteFileAtomically(vectors, bytes); !written) return written;
  try {
    faiss::write_index(impl_->index.get(), temporary.c_str());
    fs::rename(temporary, file);
  } catch (const std::exception& e) {
    return Fail(ErrorCode::kEnvironment,
                fmt::format("cannot write {}: {}", file.string(), e.what()));
  }
  return {};
}

Result<std::unique_ptr<VectorIndex>> VectorIndex::Load(const fs::path& file) {
  const auto malformed = [&](const char* what) {
    return Fail(ErrorCode::kInput, fmt::format("{}: {}", file.string(), what),
                "rebuild it with `zermelo index --embeddings`");
  };
  auto mapping = Mapping::Open(file.string() + ".vectors");
  if (!mapping) return Fail(mapping.error());
  auto impl = std::make_unique<Impl>();
  impl->mapping.emplace(std::move(*mapping));
  std::string_view bytes = impl->mapping->bytes();
  uint64_t numbers[3] = {};
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + sizeof numbers) {
    return malformed("not a vector file");
  }
  bytes.remove_prefix(kMagic.size());
  std::memcpy(numbers, bytes.data(), sizeof numbers);
  bytes.remove_prefix(sizeof numbers);
  const auto [count, dimension, length] = numbers;
  if (dimension == 0 || dimension > kMaxDimension || length > bytes.size() ||
      count > bytes.size() / RowBytes(dimension) ||
      bytes.size() - length != count * (sizeof(int64_t) + RowBytes(dimension))) {
    return malformed("its size does not match its header");
  }
  impl->count = count;
  impl->dimension = dimension;
  impl->fingerprint = bytes.substr(0, length);
  impl->ids = bytes.data() + length;
  impl->rows = impl->ids + count * sizeof(int64_t);
  try {
    impl->index.reset(faiss::read_index(file.c_str()));
  } catch (const std::exception& e) {
    return malformed(e.what());
  }
  if (impl->index->ntotal != static_cast<int64_t>(count) ||
      impl->index->d != static_cast<int>(dimension) ||
      impl->index->metric_type != faiss::METRIC_INNER_PRODUCT) {
    return malformed("the index does not match its vectors");
  }
  return std::unique_ptr<VectorIndex>(new VectorIndex(std::move(impl)));
}

Ranking VectorIndex::Search(const std::vector<float>& query, size_t limit,
                            const std::function<bool(int64_t)>& offered) const {
  if (query.size() != impl_->dimension || limit == 0 || impl_->count == 0) return {};
  struct Offered : faiss::IDSelector {
    const Impl* impl = nullptr;
    const std::function<bool(int64_t)>* offered = nullptr;
    bool is_member(int64_t row) const override {
      return (*offered)(impl->IdOf(static_cast<size_t>(row)));
    }
  } selector;
  selector.impl = impl_.get();
  selector.offered = &offered;
  auto* const ivf = dynamic_cast<faiss::IndexIVFPQ*>(impl_->index.get());
  const size_t wanted = std::min(impl_->count, ivf == nullptr ? limit : kAgain * limit);
  std::vector<float> scores(wanted);
  std::vector<int64_t> rows(wanted, -1);
  faiss::SearchParameters flat;
  faiss::IVFPQSearchParameters cells;
  cells.nprobe = kProbes;
  faiss::SearchParameters* const parameters = ivf == nullptr ? &flat : &cells;
  if (offered) parameters->sel = &selector;
  try {
    impl_->index->search(1, query.data(), static_cast<int64_t>(wanted), scores.data(), rows.data(),
                         parameters);
  } catch (const faiss::FaissException&) {
    return {};
  }
  Ranking ranking;
  for (const auto row : rows) {
    if (row < 0) continue;
    const auto at = static_cast<size_t>(row);
    ranking.emplace_back(impl_->IdOf(at), InnerProduct(impl_->Row(at), query));
  }
  std::stable_sort(ranking.begin(), ranking.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (ranking.size() > limit) ranking.resize(limit);
  return ranking;
}

}  // namespace zermelo::retrieve
