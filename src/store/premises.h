// A premise index on disk: the declarations of compiled modules, their words for BM25 (FTS5), the
// symbols of theorems' types, and embeddings by content hash. retrieve/ defines the blobs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "store/database.h"

namespace zermelo::store {

/// A module whose premises have the ids first, …, first + count - 1.
struct PremiseModule {
  int64_t id = 0;
  std::string name;
  std::string stamp;  // changes when the module's file does
  std::vector<std::string> imports;
  int64_t first = 0;
  int64_t count = 0;
};

struct PremiseRow {
  int64_t id = 0;
  std::string name;
  std::string kind;
  std::string signature;
  std::string docstring;
  std::string words;    // of its name and notations
  int64_t content = 0;  // hash of the text to embed
};

struct SymbolRow {
  int64_t id = 0;
  std::string name;
  std::string last;  // last component of the name
};

/// The tables of a database of Content::kPremises. Calls block; errors as Database::Try.
class Premises {
 public:
  explicit Premises(Database& database) : database_(database) {}

  // ---- reading

  core::Result<std::vector<PremiseModule>> Modules();
  /// Calls `visit(module id, blob)` for every module, with its `shapes` or `theorems`.
  core::Status EachShapes(const std::function<void(int64_t, std::string_view)>& visit);
  core::Status EachTheorems(const std::function<void(int64_t, std::string_view)>& visit);
  core::Result<std::vector<SymbolRow>> Symbols();
  /// One more than the highest symbol ID; 0 if there are no symbols.
  core::Result<int64_t> SymbolCount();
  /// The symbols with this name.
  core::Result<std::vector<SymbolRow>> SymbolsNamed(const std::string& name);
  /// At most `limit` symbols whose last component this is.
  core::Result<std::vector<SymbolRow>> SymbolsEndingIn(const std::string& last, int64_t limit);
  /// The premises with these IDs, in the same order; skips missing ones.
  core::Result<std::vector<PremiseRow>> Rows(const std::vector<int64_t>& ids);
  /// IDs of the premises whose names contain all these pieces, ignoring ASCII case; short names
  /// first. Scans every name.
  core::Result<std::vector<int64_t>> NamesWith(const std::vector<std::string>& pieces);
  /// The theorems whose names have this last component, by ID. Scans every name.
  core::Result<std::map<int64_t, std::string>> TheoremsEndingIn(const std::string& last);
  /// The premises with this name.
  core::Result<std::vector<PremiseRow>> FindByName(const std::string& name);
  /// Number of premises in which each word occurs; 0 if fewer than 64.
  core::Result<std::vector<int64_t>> Frequencies(const std::vector<std::string>& words);
  /// The first `limit` premises by ID that match an FTS5 expression, with their BM25 scores; larger
  /// is better. Ranking all matches of frequent words would take 1 µs each.
  core::Result<std::vector<std::pair<int64_t, double>>> Match(const std::string& expression,
                                                              int64_t limit);
  /// A fact about the index; empty if unknown.
  core::Result<std::string> Fact(const std::string& name);

  // ---- writing

  /// A write transaction, rolled back unless committed. May throw SQLite::Exception.
  class Batch {
   public:
    explicit Batch(Database& database) : transaction_(database.Begin()) {}
    void Commit() { transaction_.commit(); }

   private:
    SQLite::Transaction transaction_;
  };

  /// Inserts a module and its premises and sets their IDs. Insert, Remove, InsertSymbol and SetFact
  /// may throw SQLite::Exception: call them inside Database::Try and a Batch.
  void Insert(PremiseModule* module, std::vector<PremiseRow>* rows, std::string_view shapes,
              std::string_view theorems);
  void Remove(const PremiseModule& module);
  void InsertSymbol(const SymbolRow& symbol);
  void SetFact(const std::string& name, const std::string& value);

  /// Recounts the words and merges FTS5's segments, in a transaction; call after many changes.
  core::Status Tidy();

  // ---- embeddings

  /// IDs of premises without a vector of this model, one per content hash.
  core::Result<std::vector<int64_t>> WithoutVector(const std::string& model);
  /// Stores (content hash, vector) pairs in a transaction, replacing existing vectors.
  core::Status AddVectors(const std::string& model,
                          const std::vector<std::pair<int64_t, std::string>>& vectors);
  /// Calls `visit(premise id, vector)` for every premise with a vector of this model.
  core::Status EachVector(const std::string& model,
                          const std::function<void(int64_t, std::string_view)>& visit);

 private:
  core::Status EachBlob(const char* column,
                        const std::function<void(int64_t, std::string_view)>& visit);

  Database& database_;
};

}  // namespace zermelo::store
