#include "kernel/files/json.h"

#include <algorithm>
#include <cstring>

#include "core/text.h"

namespace zermelo::kernel {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

void AppendUtf8(uint32_t c, std::string* text) {
  const auto put = [&](uint32_t byte) { text->push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0U | c >> 6U);
    put(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    put(0xE0U | c >> 12U);
    put(0x80U | (c >> 6U & 0x3FU));
    put(0x80U | (c & 0x3FU));
  } else {
    put(0xF0U | c >> 18U);
    put(0x80U | (c >> 12U & 0x3FU));
    put(0x80U | (c >> 6U & 0x3FU));
    put(0x80U | (c & 0x3FU));
  }
}

}  // namespace

void JsonLine::Space() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n')) {
    ++at_;
  }
}

bool JsonLine::Take(char c) {
  Space();
  if (at_ >= text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

bool JsonLine::Word(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) return false;
  at_ += word.size();
  return true;
}

bool JsonLine::Number(std::string_view* text) {
  const size_t begin = at_;
  const auto digits = [&] {
    const size_t first = at_;
    while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
    return at_ > first;
  };
  if (text_[at_] == '-') ++at_;
  const size_t first = at_;
  if (!digits() || (text_[first] == '0' && at_ - first > 1)) return false;
  if (at_ < text_.size() && text_[at_] == '.') {
    ++at_;
    if (!digits()) return false;
  }
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    ++at_;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    if (!digits()) return false;
  }
  *text = text_.substr(begin, at_ - begin);
  return true;
}

bool JsonLine::HexUnit(uint32_t* unit) {
  if (text_.size() - at_ < 4) return false;
  *unit = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = text_[at_++];
    uint32_t digit = 0;
    if (IsDigit(c)) {
      digit = static_cast<uint32_t>(c - '0');
    } else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
      digit = static_cast<uint32_t>((c | 0x20) - 'a') + 10;
    } else {
      return false;
    }
    *unit = *unit << 4U | digit;
  }
  return true;
}

// After a backslash.
bool JsonLine::Escape(std::string* text) {
  constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  if (at_ >= text_.size()) return false;
  const char c = text_[at_++];
  if (const size_t plain = kNames.find(c); plain != kNames.npos) {
    text->push_back(kMeanings[plain]);
    return true;
  }
  uint32_t unit = 0;
  if (c != 'u' || !HexUnit(&unit) || (unit >= 0xDC00 && unit < 0xE000)) return false;
  if (unit >= 0xD800 && unit < 0xDC00) {
    uint32_t low = 0;
    if (!Word("\\u") || !HexUnit(&low) || low < 0xDC00 || low >= 0xE000) return false;
    unit = 0x10000 + ((unit - 0xD800) << 10U) + (low - 0xDC00);
  }
  AppendUtf8(unit, text);
  return true;
}

// After the opening quotation mark.
bool JsonLine::String(std::string_view* text) {
  const size_t begin = at_;
  const auto end_of_plain = [&] {
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
           static_cast<unsigned char>(text_[at_]) >= 0x20) {
      ++at_;
    }
    return at_ < text_.size() && static_cast<unsigned char>(text_[at_]) >= 0x20;
  };
  if (!end_of_plain()) return false;
  if (text_[at_] == '"') {
    *text = text_.substr(begin, at_++ - begin);
    return true;
  }
  if (decoded_used_ == decoded_.size()) decoded_.emplace_back();
  std::string& decoded = decoded_[decoded_used_++];
  decoded.assign(text_.substr(begin, at_ - begin));
  while (text_[at_] == '\\') {
    ++at_;
    if (!Escape(&decoded)) return false;
    const size_t plain = at_;
    if (!end_of_plain()) return false;
    decoded.append(text_.substr(plain, at_ - plain));
  }
  ++at_;
  *text = decoded;
  return true;
}

// A scalar, or the beginning of an array or object, which is then open.
bool JsonLine::Value(std::string_view key, uint32_t parent) {
  Space();
  if (at_ >= text_.size()) return false;
  const auto index = static_cast<uint32_t>(nodes_.size());
  Node node;
  node.key = key;
  const char c = text_[at_];
  bool good = true;
  if (c == '"') {
    ++at_;
    node.kind = Kind::kString;
    good = String(&node.text);
  } else if (c == '{' || c == '[') {
    ++at_;
    node.kind = c == '{' ? Kind::kObject : Kind::kArray;
    good = open_.size() < kMaxDepth;
  } else if (c == 't') {
    node.kind = Kind::kTrue;
    good = Word("true");
  } else if (c == 'f') {
    node.kind = Kind::kFalse;
    good = Word("false");
  } else if (c == 'n') {
    good = Word("null");
  } else {
    node.kind = Kind::kNumber;
    good = (c == '-' || IsDigit(c)) && Number(&node.text);
  }
  if (!good) return false;
  nodes_.push_back(node);
  if (index != 0) {
    uint32_t& last = last_.back();
    (last == 0 ? nodes_[parent].first : nodes_[last].next) = index;
    last = index;
    ++nodes_[parent].count;
  }
  if (node.kind == Kind::kObject || node.kind == Kind::kArray) {
    open_.push_back(index);
    last_.push_back(0);
  }
  return true;
}

bool JsonLine::Parse(std::string_view text) {
  text_ = text;
  at_ = 0;
  nodes_.clear();
  open_.clear();
  last_.clear();
  decoded_used_ = 0;
  if (core::FindInvalidUtf8(text).has_value() || !Value({}, 0)) return false;
  while (!open_.empty()) {
    const uint32_t parent = open_.back();
    const bool object = nodes_[parent].kind == Kind::kObject;
    if (Take(object ? '}' : ']')) {
      open_.pop_back();
      last_.pop_back();
      continue;
    }
    if (nodes_[parent].count > 0 && !Take(',')) return false;
    std::string_view key;
    if (object) {
      if (!Take('"') || !String(&key) || !Take(':') || nodes_[parent].count >= kMaxKeys ||
          Member(nodes_[parent], key) != nullptr) {
        return false;
      }
    }
    if (!Value(key, parent)) return false;
  }
  Space();
  return at_ == text_.size();
}

const JsonLine::Node* JsonLine::Member(const Node& object, std::string_view key) const {
  if (object.kind != Kind::kObject) return nullptr;
  for (uint32_t at = object.first; at != 0; at = nodes_[at].next) {
    if (nodes_[at].key == key) return &nodes_[at];
  }
  return nullptr;
}

}  // namespace zermelo::kernel
