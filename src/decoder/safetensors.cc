#include "decoder/safetensors.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

#include "core/files/fd.h"
#include "core/files/file.h"
#include "core/json.h"

namespace zermelo::decoder {

using core::ErrorCode;
using core::Fail;
using core::Result;

namespace {

constexpr uint64_t kMaxHeader = 100'000'000;  // bytes, the format's own limit
constexpr size_t kLengthBytes = 8;

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

float FromBfloat16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16U);
}

float FromHalf(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000U) << 16U;
  const uint32_t exponent = (bits >> 10U) & 31U;
  const uint32_t mantissa = bits & 1023U;
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24
    const float size = static_cast<float>(mantissa) / static_cast<float>(1U << 24U);
    return sign != 0 ? -size : size;
  }
  const uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23U | mantissa << 13U);
}

/// A tensor's entry in the header.
struct Entry {
  std::string name;
  std::string type;
  std::vector<size_t> shape;
  uint64_t begin = 0, end = 0;  // bytes after the header
};

size_t BytesPerValue(const std::string& type) {
  if (type == "F32") return 4;
  if (type == "BF16" || type == "F16") return 2;
  return 0;
}

/// The product of a shape; nullopt if it exceeds `most`.
std::optional<uint64_t> CountOf(const std::vector<size_t>& shape, uint64_t most) {
  uint64_t count = 1;
  for (const size_t size : shape) {
    if (__builtin_mul_overflow(count, size, &count) || count > most) return std::nullopt;
  }
  return count;
}

/// Why an entry cannot be used; empty if it can. `room`: number of bytes after the header.
std::string Problem(const Entry& entry, uint64_t room) {
  const size_t width = BytesPerValue(entry.type);
  if (width == 0) return "has the type " + entry.type + "; F32, BF16 and F16 can be read";
  if (entry.begin > entry.end || entry.end > room) return "ends after the file does";
  const auto count = CountOf(entry.shape, room);
  if (!count || *count * width != entry.end - entry.begin) {
    return "has another number of bytes than its shape says";
  }
  return "";
}

Result<std::vector<Entry>> ReadHeader(std::string_view header, const std::string& name) {
  const auto json = core::JsonOrDiscarded(header);
  if (!json.is_object()) return Fail(ErrorCode::kInput, name + ": the header is not a JSON object");
  std::vector<Entry> entries;
  for (const auto& [key, value] : json.items()) {
    if (key == "__metadata__") continue;
    try {
      const auto offsets = value.at("data_offsets").get<std::vector<uint64_t>>();
      if (offsets.size() != 2) throw std::invalid_argument("data_offsets");
      entries.push_back({.name = key,
                         .type = value.at("dtype").get<std::string>(),
                         .shape = value.at("shape").get<std::vector<size_t>>(),
                         .begin = offsets[0],
                         .end = offsets[1]});
    } catch (const std::exception&) {
      return Fail(ErrorCode::kInput, fmt::format("{}: the entry of {} is malformed", name, key));
    }
  }
  return entries;
}

Tensor Convert(const Entry& entry, std::string_view data) {
  const char* bytes = data.data() + entry.begin;
  const size_t width = BytesPerValue(entry.type);
  Tensor tensor{.shape = entry.shape,
                .values = std::vector<float>((entry.end - entry.begin) / width)};
  if (width == 4) {
    std::memcpy(tensor.values.data(), bytes, entry.end - entry.begin);
    return tensor;
  }
  const auto convert = entry.type == "BF16" ? FromBfloat16 : FromHalf;
  for (size_t i = 0; i < tensor.values.size(); ++i) {
    uint16_t bits = 0;
    std::memcpy(&bits, bytes + 2 * i, sizeof bits);
    tensor.values[i] = convert(bits);
  }
  return tensor;
}

}  // namespace

Result<Tensors> ParseSafetensors(std::string_view bytes, const std::string& name) {
  uint64_t length = 0;
  if (bytes.size() < kLengthBytes) return Fail(ErrorCode::kInput, name + ": the file is truncated");
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMaxHeader || length > bytes.size() - kLengthBytes) {
    return Fail(ErrorCode::kInput,
                name + ": the file is truncated, or not of the safetensors format");
  }
  auto entries = ReadHeader(bytes.substr(kLengthBytes, length), name);
  if (!entries) return Fail(entries.error());
  const std::string_view data = bytes.substr(kLengthBytes + length);
  std::ranges::sort(*entries, {},
                    [](const Entry& entry) { return std::pair(entry.begin, entry.end); });
  Tensors tensors;
  uint64_t end = 0;
  for (const Entry& entry : *entries) {
    std::string problem = Problem(entry, data.size());
    if (problem.empty() && entry.begin != end)
      problem = "does not begin where the one before it ends";
    if (!problem.empty()) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{}: the tensor {} {}", name, entry.name, problem));
    }
    end = entry.end;
    tensors.emplace(entry.name, Convert(entry, data));
  }
  if (end != data.size()) return Fail(ErrorCode::kInput, name + ": bytes follow the last tensor");
  return tensors;
}

Result<Tensors> ReadSafetensors(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::streamoff>(file.tellg());
  if (!file || size < 0) return Fail(ErrorCode::kInput, "cannot read " + path.string());
  std::string bytes(static_cast<size_t>(size), '\0');
  file.seekg(0);
  if (!file.read(bytes.data(), size))
    return Fail(ErrorCode::kInput, "cannot read " + path.string());
  return ParseSafetensors(bytes, path.string());
}

core::Status WriteSafetensors(const std::filesystem::path& path,
                              const std::map<std::string, TensorView, std::less<>>& tensors) {
  nlohmann::json header{{"__metadata__", {{"format", "pt"}}}};
  uint64_t end = 0;
  for (const auto& [name, tensor] : tensors) {
    const uint64_t begin = end;
    end += tensor.values.size_bytes();
    header[name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
  const uint64_t length = text.size();
  std::string head(kLengthBytes, '\0');
  std::memcpy(head.data(), &length, kLengthBytes);
  const core::Fd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  bool written = file.get() >= 0 && core::WriteAll(file.get(), head + text);
  for (const auto& [name, tensor] : tensors) {
    written =
        written && core::WriteAll(file.get(), {reinterpret_cast<const char*>(tensor.values.data()),
                                               tensor.values.size_bytes()});
  }
  if (written && fsync(file.get()) == 0) return {};
  return Fail(ErrorCode::kEnvironment,
              fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
}

}  // namespace zermelo::decoder
