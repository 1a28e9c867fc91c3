#include "serve/http/handle.h"

#include <array>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/random.h>

namespace zermelo::serve {

std::string NewHandle() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw std::runtime_error("the kernel returned no random bytes");
  }
  std::string handle;
  for (const unsigned char byte : bytes) handle += fmt::format("{:02x}", byte);
  return handle;
}

}  // namespace zermelo::serve
