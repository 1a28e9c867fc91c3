// A premise index on disk: the declarations of compiled modules, their words for BM25 (FTS5), the
// symbols of theorems' types, and embeddings by content. retrieve/ knows what the blobs mean.
#pragma once

#include <cstdint>
#include <functional>
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
  std::string stamp;  // changes when its file does
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
  std::string words;    // what name and notations are made of
  int64_t content = 0;  // a hash of what is embedded
};

struct SymbolRow {
  int64_t id = 0;
  std::string name;
  std::string last;  // its last component
};

/// The tables of a database of Content::kPremises. Calls block; errors as Database::Try.
class Premises {
 public:
  explicit Premises(Database& database) : database_(database) {}

  // ---- reading

  core::Result<std::vector<PremiseModule>> Modules();
  /// Calls `visit(module id, blob)` for every module.
  core::Status EachShapes(const std::function<void(int64_t, std::string_view)>& visit);
  core::Status EachTheorems(const std::function<void(int64_t, std::string_view)>& visit);
  core::Result<std::vector<SymbolRow>> Symbols();
  core::Result<int64_t> SymbolCount();
  /// The ids of the symbols of this name, or whose last component it is.
  core::Result<std::vector<SymbolRow>> SymbolsNamed(const std::string& name);
  core::Result<std::vector<SymbolRow>> SymbolsEndingIn(const std::string& last, int64_t limit);
  /// In the order of the ids; one that is not there is left out.
  core::Result<std::vector<PremiseRow>> Rows(const std::vector<int64_t>& ids);
  /// Premises whose names have all these pieces, upper and lower case of ASCII alike; short names
  /// first. Looks at every name.
  core::Result<std::vector<int64_t>> NamesWith(const std::vector<std::string>& pieces);
  core::Result<std::vector<PremiseRow>> Named(const std::string& name);
  /// Calls `visit(row)` for every premise, words left out, until it says false.
  core::Status EachRow(const std::function<bool(const PremiseRow&)>& visit);
  /// How many premises each word occurs in; 0 where it is few (below 64).
  core::Result<std::vector<int64_t>> Frequencies(const std::vector<std::string>& words);
  /// The first `limit` premises by id that match an expression of FTS5, with their bm25; larger is
  /// better. Ranking all matches of frequent words would take 1 µs each.
  core::Result<std::vector<std::pair<int64_t, double>>> Match(const std::string& expression,
                                                              int64_t limit);
  /// A fact about the index; empty when it is not known.
  core::Result<std::string> Fact(const std::string& name);

  // ---- writing; each function is a transaction unless a Batch is open

  class Batch {
   public:
    explicit Batch(Database& database) : transaction_(database.Begin()) {}
    void Commit() { transaction_.commit(); }

   private:
    SQLite::Transaction transaction_;
  };

  /// May throw SQLite::Exception: within Database::Try and a Batch. Gives the module its ids.
  void Insert(PremiseModule* module, std::vector<PremiseRow>* rows, std::string_view shapes,
              std::string_view theorems);
  void Remove(const PremiseModule& module);
  void InsertSymbol(const SymbolRow& symbol);
  void SetFact(const std::string& name, const std::string& value);

  /// Counts words and merges what FTS5 has written; after many changes.
  core::Status Tidy();

  // ---- embeddings

  /// Premises without a vector of this model, one for each content.
  core::Result<std::vector<int64_t>> WithoutVector(const std::string& model);
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
