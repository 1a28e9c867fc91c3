#include "data/trace/trace_log.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

#include "core/files/file.h"
#include "core/json.h"

namespace zermelo::data {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

bool IsHead(const json& line) {
  return line.is_object() && line.contains("file") && line.contains("sha256") &&
         line.value("theorems", json()).is_number_unsigned();
}

/// Calls `each` with every whole entry and the number of its first line. Returns the size of the
/// file without an incomplete end.
Result<std::streamoff> ForEachEntry(const fs::path& path,
                                    const std::function<void(TracedFile, size_t line)>& each) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return core::CannotUse(path);
  std::streamoff whole = 0;
  std::string text;
  TracedFile entry;
  size_t missing = 0;  // lines of the entry
  for (size_t line = 1; std::getline(in, text) && !in.eof(); ++line) {
    json value = core::JsonOrDiscarded(text);
    const bool head = missing == 0;
    if (head ? !IsHead(value) : !value.is_object() || !value.contains("tactics")) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{}:{}: this is not a trace", path.string(), line));
    }
    if (head) {
      missing = value["theorems"];
      entry.failed = value.contains("error");
      entry.head = std::move(value);
    } else {
      --missing;
      entry.tactics += value["tactics"].size();
      entry.theorems.push_back(std::move(value));
    }
    if (missing > 0) continue;
    whole = in.tellg();
    const size_t first_line = line - entry.theorems.size();
    each(std::exchange(entry, TracedFile()), first_line);
  }
  return whole;
}

}  // namespace

core::Status ReadTrace(const fs::path& path, const std::function<void(const TracedFile&)>& each) {
  std::map<std::string, size_t> last;  // the first line of the last entry of a file
  const auto found = ForEachEntry(path, [&](const TracedFile& entry, size_t line) {
    if (!entry.failed) last[entry.head["file"]] = line;
  });
  if (!found) return Fail(found.error());
  const auto read = ForEachEntry(path, [&](const TracedFile& entry, size_t line) {
    const auto wanted = last.find(entry.head["file"]);
    if (wanted != last.end() && wanted->second == line) each(entry);
  });
  if (!read) return Fail(read.error());
  return {};
}

Result<TraceLog> TraceLog::Open(const fs::path& path) {
  core::Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (fd.get() < 0) return core::CannotUse(path);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    return Fail(ErrorCode::kInput, "another trace is writing to " + path.string(),
                "wait for it, or choose another --out");
  }
  TraceLog log(path, std::move(fd));
  const auto whole = ForEachEntry(path, [&](const TracedFile& entry, size_t) {
    if (!entry.failed) log.hashes_[entry.head["file"]] = entry.head["sha256"];
  });
  if (!whole) return Fail(whole.error());
  if (::ftruncate(log.fd_.get(), *whole) != 0) return core::CannotUse(path);
  return log;
}

bool TraceLog::Has(const std::string& file, const std::string& sha256) const {
  const auto found = hashes_.find(file);
  return found != hashes_.end() && found->second == sha256;
}

core::Status TraceLog::Append(const TracedFile& traced) {
  const auto text = [](const json& line) { return core::Dump(line) + '\n'; };
  std::string lines = text(traced.head);
  for (const json& theorem : traced.theorems) lines += text(theorem);
  if (!core::WriteAll(fd_.get(), lines) || ::fsync(fd_.get()) != 0) return core::CannotUse(path_);
  if (!traced.failed) hashes_[traced.head["file"]] = traced.head["sha256"];
  return {};
}

}  // namespace zermelo::data
