// One line of JSON, parsed without recursion into nodes that the next line reuses. Strict RFC
// 8259; also rejects duplicate keys, lone surrogates and more than kMaxDepth levels.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zermelo::kernel {

class JsonLine {
 public:
  static constexpr size_t kMaxDepth = 64;
  static constexpr size_t kMaxKeys = 256;  // of one object

  enum class Kind : uint8_t { kNull, kTrue, kFalse, kNumber, kString, kArray, kObject };
  struct Node {
    Kind kind = Kind::kNull;
    std::string_view key;   // in an object
    std::string_view text;  // of a string, decoded; of a number, as written
    uint32_t first = 0;     // child, or 0
    uint32_t next = 0;      // sibling, or 0
    uint32_t count = 0;     // of children
  };

  /// False if the text is not one JSON value. Views stay valid until the next call, as long as the
  /// text does.
  bool Parse(std::string_view text);
  const Node& root() const { return nodes_[0]; }
  const Node& operator[](uint32_t node) const { return nodes_[node]; }
  /// The member of an object, or null.
  const Node* Member(const Node& object, std::string_view key) const;

 private:
  bool Value(std::string_view key, uint32_t parent);
  bool String(std::string_view* text);
  bool Escape(std::string* text);
  bool HexUnit(uint32_t* unit);
  bool Number(std::string_view* text);
  bool Word(std::string_view word);
  void Space();
  bool Take(char c);

  std::string_view text_;
  size_t at_ = 0;
  std::vector<Node> nodes_;
  std::vector<uint32_t> open_;
  std::vector<uint32_t> last_;       // child of each node of open_, or 0
  std::deque<std::string> decoded_;  // views refer to them, so they must not move
  size_t decoded_used_ = 0;
};

}  // namespace zermelo::kernel
