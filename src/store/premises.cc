#include "store/premises.h"

#include <fmt/format.h>

namespace zermelo::store {

using core::Result;
using core::Status;

namespace {

constexpr int64_t kFrequent = 64;  // rarer words are not counted
constexpr const char* kColumns = "id, name, kind, signature, docstring, words, content";

std::string Joined(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

PremiseRow ReadRow(const SQLite::Statement& select) {
  PremiseRow row;
  row.id = select.getColumn(0).getInt64();
  row.name = select.getColumn(1).getString();
  row.kind = select.getColumn(2).getString();
  row.signature = select.getColumn(3).getString();
  row.docstring = select.getColumn(4).getString();
  row.words = select.getColumn(5).getString();
  row.content = select.getColumn(6).getInt64();
  return row;
}

SymbolRow ReadSymbol(const SQLite::Statement& select) {
  SymbolRow symbol;
  symbol.id = select.getColumn(0).getInt64();
  symbol.name = select.getColumn(1).getString();
  symbol.last = select.getColumn(2).getString();
  return symbol;
}

std::string_view Blob(const SQLite::Column& column) {
  const void* const bytes = column.getBlob();
  return {static_cast<const char*>(bytes), static_cast<size_t>(column.getBytes())};
}

void BindBlob(SQLite::Statement& statement, int at, std::string_view bytes) {
  statement.bindNoCopy(at, bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace

// ---- reading

Result<std::vector<PremiseModule>> Premises::Modules() {
  return database_.Try("list modules", [&] {
    std::vector<PremiseModule> modules;
    auto select =
        database_.Prepare("SELECT id, name, stamp, imports, first, count FROM modules ORDER BY id");
    while (select.executeStep()) {
      PremiseModule module;
      module.id = select.getColumn(0).getInt64();
      module.name = select.getColumn(1).getString();
      module.stamp = select.getColumn(2).getString();
      module.imports = Split(select.getColumn(3).getString());
      module.first = select.getColumn(4).getInt64();
      module.count = select.getColumn(5).getInt64();
      modules.push_back(std::move(module));
    }
    return modules;
  });
}

Status Premises::EachBlob(const char* column,
                          const std::function<void(int64_t, std::string_view)>& visit) {
  return database_.Try("read modules", [&] {
    auto select = database_.Prepare(fmt::format("SELECT id, {} FROM modules ORDER BY id", column));
    while (select.executeStep()) {
      visit(select.getColumn(0).getInt64(), Blob(select.getColumn(1)));
    }
  });
}

Status Premises::EachShapes(const std::function<void(int64_t, std::string_view)>& visit) {
  return EachBlob("shapes", visit);
}

Status Premises::EachTheorems(const std::function<void(int64_t, std::string_view)>& visit) {
  return EachBlob("theorems", visit);
}

Result<std::vector<SymbolRow>> Premises::Symbols() {
  return database_.Try("list symbols", [&] {
    std::vector<SymbolRow> symbols;
    auto select = database_.Prepare("SELECT id, name, last FROM symbols ORDER BY id");
    while (select.executeStep()) symbols.push_back(ReadSymbol(select));
    return symbols;
  });
}

Result<int64_t> Premises::SymbolCount() {
  return database_.Try("count symbols", [&]() -> int64_t {
    auto select = database_.Prepare("SELECT coalesce(max(id) + 1, 0) FROM symbols");
    select.executeStep();
    return select.getColumn(0).getInt64();
  });
}

Result<std::vector<SymbolRow>> Premises::SymbolsNamed(const std::string& name) {
  return database_.Try("look up a symbol", [&] {
    std::vector<SymbolRow> symbols;
    auto select = database_.Prepare("SELECT id, name, last FROM symbols WHERE name = ?");
    select.bind(1, name);
    while (select.executeStep()) symbols.push_back(ReadSymbol(select));
    return symbols;
  });
}

Result<std::vector<SymbolRow>> Premises::SymbolsEndingIn(const std::string& last, int64_t limit) {
  return database_.Try("look up a symbol", [&] {
    std::vector<SymbolRow> symbols;
    auto select = database_.Prepare("SELECT id, name, last FROM symbols WHERE last = ? LIMIT ?");
    select.bind(1, last);
    select.bind(2, limit);
    while (select.executeStep()) symbols.push_back(ReadSymbol(select));
    return symbols;
  });
}

Result<std::vector<PremiseRow>> Premises::Rows(const std::vector<int64_t>& ids) {
  return database_.Try("read premises", [&] {
    std::vector<PremiseRow> rows;
    auto select = database_.Prepare(fmt::format("SELECT {} FROM premises WHERE id = ?", kColumns));
    for (const int64_t id : ids) {
      select.bind(1, id);
      if (select.executeStep()) rows.push_back(ReadRow(select));
      select.reset();
    }
    return rows;
  });
}

Result<std::vector<PremiseRow>> Premises::FindByName(const std::string& name) {
  return database_.Try("read premises", [&] {
    std::vector<PremiseRow> rows;
    auto select =
        database_.Prepare(fmt::format("SELECT {} FROM premises WHERE name = ?", kColumns));
    select.bind(1, name);
    while (select.executeStep()) rows.push_back(ReadRow(select));
    return rows;
  });
}

Result<std::vector<int64_t>> Premises::NamesWith(const std::vector<std::string>& pieces) {
  return database_.Try("search names", [&] {
    std::string condition = "1";
    for (size_t i = 0; i < pieces.size(); ++i) condition += " AND instr(lower(name), lower(?)) > 0";
    auto select = database_.Prepare(
        fmt::format("SELECT id FROM premises WHERE {} ORDER BY length(name), id", condition));
    for (size_t i = 0; i < pieces.size(); ++i) select.bind(static_cast<int>(i) + 1, pieces[i]);
    std::vector<int64_t> ids;
    while (select.executeStep()) ids.push_back(select.getColumn(0).getInt64());
    return ids;
  });
}

Result<std::map<int64_t, std::string>> Premises::TheoremsEndingIn(const std::string& last) {
  return database_.Try("search names", [&] {
    auto select = database_.Prepare(
        "SELECT id, name FROM premises WHERE kind = 'theorem' AND "
        "(name = ?1 OR substr(name, -length(?1) - 1) = '.' || ?1)");
    select.bind(1, last);
    std::map<int64_t, std::string> names;
    while (select.executeStep())
      names.emplace(select.getColumn(0).getInt64(), select.getColumn(1).getString());
    return names;
  });
}

Result<std::vector<int64_t>> Premises::Frequencies(const std::vector<std::string>& words) {
  return database_.Try("count words", [&] {
    std::vector<int64_t> counts;
    auto select = database_.Prepare("SELECT premises FROM words WHERE word = ?");
    for (const std::string& word : words) {
      select.bind(1, word);
      counts.push_back(select.executeStep() ? select.getColumn(0).getInt64() : 0);
      select.reset();
    }
    return counts;
  });
}

Result<std::vector<std::pair<int64_t, double>>> Premises::Match(const std::string& expression,
                                                                int64_t limit) {
  return database_.Try("search premises", [&] {
    std::vector<std::pair<int64_t, double>> matches;
    auto select = database_.Prepare(
        "SELECT rowid, rank FROM premise_text WHERE premise_text MATCH ? LIMIT ?");
    select.bind(1, expression);
    select.bind(2, limit);
    while (select.executeStep()) {
      matches.emplace_back(select.getColumn(0).getInt64(), -select.getColumn(1).getDouble());
    }
    return matches;
  });
}

Result<std::string> Premises::Fact(const std::string& name) {
  return database_.Try("read a fact of the index", [&]() -> std::string {
    auto select = database_.Prepare("SELECT value FROM facts WHERE name = ?");
    select.bind(1, name);
    return select.executeStep() ? select.getColumn(0).getString() : "";
  });
}

// ---- writing

void Premises::Insert(PremiseModule* module, std::vector<PremiseRow>* rows, std::string_view shapes,
                      std::string_view theorems) {
  auto next = database_.Prepare("SELECT coalesce(max(first + count), 1) FROM modules");
  next.executeStep();
  module->first = next.getColumn(0).getInt64();
  module->count = static_cast<int64_t>(rows->size());
  next.reset();
  auto insert = database_.Prepare(
      "INSERT INTO modules (name, stamp, imports, first, count, shapes, theorems) "
      "VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id");
  insert.bind(1, module->name);
  insert.bind(2, module->stamp);
  insert.bind(3, Joined(module->imports));
  insert.bind(4, module->first);
  insert.bind(5, module->count);
  BindBlob(insert, 6, shapes);
  BindBlob(insert, 7, theorems);
  insert.executeStep();
  module->id = insert.getColumn(0).getInt64();
  insert.executeStep();
  auto premise = database_.Prepare(
      "INSERT INTO premises (id, name, kind, signature, docstring, words, content) "
      "VALUES (?, ?, ?, ?, ?, ?, ?)");
  auto text = database_.Prepare(
      "INSERT INTO premise_text (rowid, name, words, signature, docstring) VALUES (?, ?, ?, ?, ?)");
  for (size_t i = 0; i < rows->size(); ++i) {
    PremiseRow& row = (*rows)[i];
    row.id = module->first + static_cast<int64_t>(i);
    premise.bind(1, row.id);
    premise.bind(2, row.name);
    premise.bind(3, row.kind);
    premise.bind(4, row.signature);
    premise.bind(5, row.docstring);
    premise.bind(6, row.words);
    premise.bind(7, row.content);
    premise.exec();
    premise.reset();
    text.bind(1, row.id);
    text.bind(2, row.name);
    text.bind(3, row.words);
    text.bind(4, row.signature);
    text.bind(5, row.docstring);
    text.exec();
    text.reset();
  }
}

void Premises::Remove(const PremiseModule& module) {
  const int64_t end = module.first + module.count;
  // An FTS5 table with external content needs the old text to delete a row.
  auto forget = database_.Prepare(
      "INSERT INTO premise_text (premise_text, rowid, name, words, signature, docstring) "
      "SELECT 'delete', id, name, words, signature, docstring FROM premises "
      "WHERE id >= ? AND id < ?");
  forget.bind(1, module.first);
  forget.bind(2, end);
  forget.exec();
  auto premises = database_.Prepare("DELETE FROM premises WHERE id >= ? AND id < ?");
  premises.bind(1, module.first);
  premises.bind(2, end);
  premises.exec();
  auto row = database_.Prepare("DELETE FROM modules WHERE id = ?");
  row.bind(1, module.id);
  row.exec();
}

void Premises::InsertSymbol(const SymbolRow& symbol) {
  auto insert = database_.Prepare("INSERT INTO symbols (id, name, last) VALUES (?, ?, ?)");
  insert.bind(1, symbol.id);
  insert.bind(2, symbol.name);
  insert.bind(3, symbol.last);
  insert.exec();
}

void Premises::SetFact(const std::string& name, const std::string& value) {
  auto set = database_.Prepare("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)");
  set.bind(1, name);
  set.bind(2, value);
  set.exec();
}

Status Premises::Tidy() {
  return database_.Try("count words", [&] {
    Batch batch(database_);
    database_.Prepare("INSERT INTO premise_text (premise_text) VALUES ('optimize')").exec();
    database_.Prepare("DELETE FROM words").exec();
    auto count =
        database_.Prepare("INSERT INTO words SELECT term, doc FROM premise_words WHERE doc >= ?");
    count.bind(1, kFrequent);
    count.exec();
    batch.Commit();
  });
}

// ---- embeddings

Result<std::vector<int64_t>> Premises::WithoutVector(const std::string& model) {
  return database_.Try("look for premises without embeddings", [&] {
    std::vector<int64_t> ids;
    auto select = database_.Prepare(
        "SELECT min(id) FROM premises p WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model = "
        "? "
        "AND v.content = p.content) GROUP BY content ORDER BY 1");
    select.bind(1, model);
    while (select.executeStep()) ids.push_back(select.getColumn(0).getInt64());
    return ids;
  });
}

Status Premises::AddVectors(const std::string& model,
                            const std::vector<std::pair<int64_t, std::string>>& vectors) {
  return database_.Try("store embeddings", [&] {
    Batch batch(database_);
    auto insert = database_.Prepare(
        "INSERT OR REPLACE INTO vectors (model, content, vector) VALUES (?, ?, ?)");
    for (const auto& [content, vector] : vectors) {
      insert.bind(1, model);
      insert.bind(2, content);
      BindBlob(insert, 3, vector);
      insert.exec();
      insert.reset();
    }
    batch.Commit();
  });
}

Status Premises::EachVector(const std::string& model,
                            const std::function<void(int64_t, std::string_view)>& visit) {
  return database_.Try("read embeddings", [&] {
    auto select = database_.Prepare(
        "SELECT p.id, v.vector FROM premises p JOIN vectors v ON v.model = ? AND "
        "v.content = p.content ORDER BY p.id");
    select.bind(1, model);
    while (select.executeStep()) {
      visit(select.getColumn(0).getInt64(), Blob(select.getColumn(1)));
    }
  });
}

}  // namespace zermelo::store
