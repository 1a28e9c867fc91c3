#include "kernel/testing/olean_writer.h"

#include <algorithm>

#include "core/text.h"

namespace zermelo::kernel {

OleanWriter::OleanWriter(OleanFormat format, uint64_t base) : format_(format), base_(base) {
  bytes_ = "olean";
  bytes_ += static_cast<char>(format.version);
  bytes_ += format.gmp ? '\1' : '\0';
  std::string version = "4.30.0", commit = "0123456789abcdef0123456789abcdef01234567";
  version.resize(33);
  bytes_ += version + commit;
  Put(base, word());
  if (format.version == 3) Put(0, word());  // size of the data, set by Finish
  Put(0, word());                           // root, set by Finish
}

void OleanWriter::Put(uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) bytes_ += static_cast<char>(value >> (8 * i));
}

void OleanWriter::Align() {
  while (bytes_.size() % static_cast<size_t>(word()) != 0) bytes_ += '\xee';
}

OleanWriter::Word OleanWriter::Next() const {
  const auto w = static_cast<size_t>(word());
  return base_ + (bytes_.size() + w - 1) / w * w;
}

OleanWriter::Word OleanWriter::Begin(uint8_t tag, uint8_t other, uint16_t size) {
  Align();
  const Word at = Next();
  Put(0, 4);
  Put(size, 2);
  Put(other, 1);
  Put(tag, 1);
  return at;
}

OleanWriter::Word OleanWriter::Constructor(uint8_t tag, const std::vector<Word>& fields,
                                           std::string_view scalars) {
  const size_t pointers = 8 + fields.size() * static_cast<size_t>(word());
  const size_t w = static_cast<size_t>(word());
  const size_t size = (pointers + scalars.size() + w - 1) / w * w;
  const Word at = Begin(tag, static_cast<uint8_t>(fields.size()), static_cast<uint16_t>(size));
  for (const Word field : fields) Put(field, word());
  bytes_ += scalars;
  bytes_.append(size - pointers - scalars.size(), '\xdd');
  return at;
}

OleanWriter::Word OleanWriter::Array(const std::vector<Word>& elements) {
  const Word at = Begin(246, 0, 1);
  Put(elements.size(), word());
  Put(elements.size(), word());
  for (const Word element : elements) Put(element, word());
  return at;
}

OleanWriter::Word OleanWriter::String(std::string_view text) {
  const Word at = Begin(249, 0, 1);
  size_t length = 0;
  for (size_t i = 0; i < text.size(); ++length) i += core::DecodeUtf8(text, i).length;
  Put(text.size() + 1, word());
  Put(text.size() + 1, word());
  Put(length, word());
  bytes_ += text;
  bytes_ += '\0';
  return at;
}

OleanWriter::Word OleanWriter::Nat(uint64_t number) {
  if (number < uint64_t{1} << 31U) return Box(number);
  return BigNat({static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32U)});
}

OleanWriter::Word OleanWriter::BigNat(std::vector<uint32_t> limbs) {
  // GMP's limbs are words.
  if (format_.gmp && format_.wide && limbs.size() % 2 != 0) limbs.push_back(0);
  const int head = 8 + (format_.gmp ? 8 : 2 * word()) + word();
  const auto size = static_cast<uint16_t>(head + 4 * static_cast<int>(limbs.size()));
  const Word at = Begin(250, 0, size);
  if (format_.gmp) {
    const uint64_t count = format_.wide ? limbs.size() / 2 : limbs.size();
    Put(count, 4);
    Put(count, 4);
  } else {
    Put(0, word());
    Put(limbs.size(), word());
  }
  Put(at + static_cast<Word>(head), word());
  for (const uint32_t limb : limbs) Put(limb, 4);
  return at;
}

OleanWriter::Word OleanWriter::List(const std::vector<Word>& elements) {
  Word list = Box(0);
  for (size_t i = elements.size(); i-- > 0;) list = Constructor(1, {elements[i], list});
  return list;
}

OleanWriter::Word OleanWriter::Name(std::string_view dotted) {
  Word name = Box(0);
  while (!dotted.empty()) {
    const size_t dot = dotted.find('.');
    const std::string_view part = dotted.substr(0, dot);
    dotted.remove_prefix(dot == dotted.npos ? dotted.size() : dot + 1);
    const bool numeric =
        std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    const Word component = numeric ? Nat(std::stoull(std::string(part))) : String(part);
    name = Constructor(numeric ? 2 : 1, {name, component}, std::string(8, '\x5a'));
  }
  return name;
}

OleanWriter::Word OleanWriter::Expr(uint8_t tag, const std::vector<Word>& fields, char info) {
  return Constructor(tag, fields, std::string(8, '\xa5') + info);
}

OleanWriter::Word OleanWriter::Constant(uint8_t kind, std::string_view name, Word type,
                                        const std::vector<Word>& fields, std::string_view scalars,
                                        const std::vector<std::string>& level_params) {
  std::vector<Word> params;
  params.reserve(level_params.size());
  for (const auto& param : level_params) params.push_back(Name(param));
  const Word head = Constructor(0, {Name(name), List(params), type});
  std::vector<Word> all = {head};
  all.insert(all.end(), fields.begin(), fields.end());
  return Constructor(kind, {Constructor(0, all, scalars)});
}

OleanWriter::Word OleanWriter::Definition(std::string_view name, Word type, Word value,
                                          char safety) {
  const Word hints = Constructor(2, {}, std::string("\7\0\0\0", 4));
  return Constant(1, name, type, {value, hints, List({Name(name)})}, {&safety, 1});
}

OleanWriter::Word OleanWriter::Theorem(std::string_view name, Word type, Word value) {
  return Constant(2, name, type, {value, List({Name(name)})}, {});
}

OleanWriter::Word OleanWriter::Module(const std::vector<std::string>& imports,
                                      const std::vector<Declared>& constants,
                                      const std::vector<Word>& entries, bool is_module) {
  std::vector<Word> import_words, names, words;
  for (const auto& import : imports) {
    import_words.push_back(Constructor(0, {Name(import)}, {"\0\1\0", 3}));
  }
  for (const Declared& declared : constants) {
    names.push_back(Name(declared.name));
    words.push_back(declared.constant);
  }
  const Word import_array = Array(import_words), name_array = Array(names), array = Array(words);
  const Word extra = Array({}), entry_array = Array(entries);
  return Constructor(0, {import_array, name_array, array, extra, entry_array},
                     std::string(1, is_module ? '\1' : '\0'));
}

std::string OleanWriter::Finish(Word root) {
  const size_t header = 80 + static_cast<size_t>(word());
  const size_t data = header + (format_.version == 3 ? static_cast<size_t>(word()) : 0);
  const auto patch = [&](size_t at, uint64_t value) {
    for (int i = 0; i < word(); ++i)
      bytes_[at + static_cast<size_t>(i)] = static_cast<char>(value >> (8 * i));
  };
  patch(data, root);
  if (format_.version == 3) {
    patch(header, bytes_.size() - data);
    Put(0, 8);  // no closures, no libraries
  }
  return bytes_;
}

}  // namespace zermelo::kernel
