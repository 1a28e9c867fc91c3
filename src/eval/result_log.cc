#include "eval/result_log.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "core/files/file.h"
#include "core/json.h"

namespace zermelo::eval {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

constexpr size_t kMaxLogBytes = size_t{4} << 30U;

tl::unexpected<core::Error> CannotUse(const fs::path& file) {
  return Fail(ErrorCode::kEnvironment,
              fmt::format("cannot write {}: {}", file.string(), std::strerror(errno)),
              "its results are kept; free disk space or choose another --out, and run again");
}

/// The size of the file up to and including its last line break.
Result<off_t> WholeLines(int fd, const fs::path& file) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return CannotUse(file);
  for (off_t end = status.st_size; end > 0; --end) {
    char last = 0;
    if (::pread(fd, &last, 1, end - 1) != 1) return CannotUse(file);
    if (last == '\n') return end;
  }
  return 0;
}

}  // namespace

Result<Results> ReadResults(const fs::path& file) {
  Results results;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return results;
  const auto text = core::ReadTextFile(file, kMaxLogBytes);
  if (!text) return Fail(text.error());
  size_t line = 0;
  for (size_t at = 0; at < text->size();) {
    const size_t end = text->find('\n', at);
    if (end == std::string::npos) break;  // an incomplete line
    const std::string_view row(text->data() + at, end - at);
    at = end + 1;
    ++line;
    auto result = ResultFromJson(core::JsonOrDiscarded(row));
    if (!result) {
      return Fail(ErrorCode::kInput, fmt::format("{}:{}: this is not a result: {}", file.string(),
                                                 line, result.error().message));
    }
    ResultKey key(result->problem, result->run);
    results.insert_or_assign(std::move(key), std::move(*result));
  }
  return results;
}

ResultLog::ResultLog(fs::path file, core::Fd fd) : file_(std::move(file)), fd_(std::move(fd)) {}

Result<ResultLog> ResultLog::Open(const fs::path& file) {
  core::Fd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (fd.get() < 0) return CannotUse(file);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    return Fail(ErrorCode::kEnvironment,
                "another evaluation is writing to " + file.parent_path().string(),
                "wait for it, or choose another --out");
  }
  const auto whole = WholeLines(fd.get(), file);
  if (!whole) return Fail(whole.error());
  if (::ftruncate(fd.get(), *whole) != 0) return CannotUse(file);
  return ResultLog(file, std::move(fd));
}

core::Status ResultLog::Append(const ProblemResult& result) {
  const std::string line = ResultLine(result) + '\n';
  struct stat before {};
  if (::fstat(fd_.get(), &before) != 0) return CannotUse(file_);
  if (core::WriteAll(fd_.get(), line) && ::fsync(fd_.get()) == 0) return {};
  auto failed = CannotUse(file_);
  // A part of a line would be glued to the next result.
  if (::ftruncate(fd_.get(), before.st_size) != 0) return CannotUse(file_);
  return failed;
}

}  // namespace zermelo::eval
