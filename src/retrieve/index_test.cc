// From compiled modules, written here object by object, to search results.
#include <boost/asio/io_context.hpp>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <thread>

#include "core/files/fd.h"
#include "core/files/file.h"
#include "core/testing/testing.h"
#include "kernel/testing/olean_writer.h"
#include "retrieve/indexer.h"
#include "retrieve/premise_index.h"
#include "retrieve/ranking/embeddings.h"
#include "retrieve/ranking/vectors.h"

namespace zermelo::retrieve {
namespace {

namespace fs = std::filesystem;
using core::testing::Await;
using core::testing::Generous;
using kernel::OleanWriter;
using Word = OleanWriter::Word;

/// Writes a small library: basic constants, and theorems about them.
class LibraryWriter {
 public:
  LibraryWriter() : w(kernel::OleanFormat()) {}

  OleanWriter w;
  std::vector<OleanWriter::Declared> declared;
  std::vector<Word> docstrings, deprecated;

  Word Prop() { return w.Sort(OleanWriter::Box(0)); }
  Word Type() { return w.Sort(w.LevelSucc(OleanWriter::Box(0))); }
  void Axiom(const std::string& name, Word type) {
    declared.push_back({name, w.Axiom(name, type)});
  }
  void Theorem(const std::string& name, Word type) {
    declared.push_back({name, w.Theorem(name, type, w.Const("proof"))});
  }
  void Docstring(const std::string& name, const std::string& text) {
    docstrings.push_back(w.Constructor(0, {w.Name(name), w.String(text)}));
  }
  void Deprecated(const std::string& name) {
    deprecated.push_back(w.Constructor(0, {w.Name(name), OleanWriter::Box(0)}));
  }
  Word Apply(Word function, const std::vector<Word>& arguments) {
    for (const Word argument : arguments) function = w.App(function, argument);
    return function;
  }
  /// a + b and a = b on Nat.
  Word Sum(Word a, Word b) {
    const Word nat = w.Const("Nat");
    return Apply(w.Const("HAdd.hAdd"), {nat, nat, nat, w.Const("instHAdd"), a, b});
  }
  Word Equal(Word a, Word b) { return Apply(w.Const("Eq"), {w.Const("Nat"), a, b}); }
  Word ForNats(int count, Word body) {
    for (int i = 0; i < count; ++i) body = w.Forall(w.Const("Nat"), body);
    return body;
  }
  void Basics() {
    constexpr char kImplicit = 1;
    constexpr char kInstance = 3;
    Axiom("Nat", Type());
    Axiom("Eq", w.Forall(Type(), w.Forall(w.BVar(0), w.Forall(w.BVar(1), Prop())), kImplicit));
    const Word sum = w.Forall(w.BVar(3), w.Forall(w.BVar(3), w.BVar(3)));
    const Word with_instance = w.Forall(w.Const("HAdd"), sum, kInstance);
    Axiom("HAdd.hAdd",
          w.Forall(Type(), w.Forall(Type(), w.Forall(Type(), with_instance, kImplicit), kImplicit),
                   kImplicit));
  }
  std::string Finish(const std::vector<std::string>& imports) {
    const Word docs = w.Constructor(0, {w.Name("Lean.docStringExt"), w.Array(docstrings)});
    const Word old = w.Constructor(0, {w.Name("Lean.Linter.deprecatedAttr"), w.Array(deprecated)});
    return w.Finish(w.Module(imports, declared, {docs, old}));
  }
};

class IndexTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = core::TemporaryFolder::Create("index");
    ASSERT_TRUE(folder);
    folder_.emplace(std::move(*folder));
    fs::create_directories(library() / "Base");
    WriteBase("The summands may be swapped.");
    LibraryWriter more;
    more.Theorem("Nat.zero_thing", more.ForNats(1, more.Equal(more.w.BVar(0), more.w.BVar(0))));
    Write("Base/More.olean", more.Finish({"Base"}));
  }
  fs::path library() const { return folder_->path() / "lib"; }
  fs::path file() const { return folder_->path() / "cache" / "index.db"; }

  void Write(const std::string& name, const std::string& bytes) {
    fs::remove(library() / name);
    std::ofstream(library() / name, std::ios::binary) << bytes;
  }
  void WriteBase(const std::string& docstring) {
    LibraryWriter base;
    base.Basics();
    const Word a = base.w.BVar(1);
    const Word b = base.w.BVar(0);
    base.Theorem("Nat.add_comm", base.ForNats(2, base.Equal(base.Sum(a, b), base.Sum(b, a))));
    base.Docstring("Nat.add_comm", docstring);
    base.Theorem("Nat.old_add_comm", base.ForNats(2, base.Equal(base.Sum(a, b), base.Sum(b, a))));
    base.Deprecated("Nat.old_add_comm");
    base.Theorem("_private.Base.0.Nat.hidden", base.ForNats(1, base.Equal(b, b)));
    base.Theorem("Nat.add_comm._proof_1", base.ForNats(1, base.Equal(b, b)));
    base.Theorem("Nat.Internal.helper", base.ForNats(1, base.Equal(b, b)));
    Write("Base.olean", base.Finish({}));
  }
  IndexReport StopAtOnce() {
    const std::atomic<bool> stop = true;
    IndexRequest request;
    request.file = file();
    request.search_path = {library()};
    request.stop = &stop;
    return *UpdateIndex(request);
  }
  IndexReport Update() {
    IndexRequest request;
    request.file = file();
    request.search_path = {library()};
    const auto report = UpdateIndex(request);
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(IndexReport());
  }
  std::unique_ptr<PremiseIndex> Open() {
    auto index = PremiseIndex::Open(file());
    EXPECT_TRUE(index) << index.error().message;
    return std::move(*index);
  }
  static std::vector<std::string> Names(const std::vector<Premise>& premises) {
    std::vector<std::string> names;
    for (const Premise& premise : premises) names.push_back(premise.name);
    return names;
  }
  static PremiseQuery Goal(std::string text,
                           std::optional<std::vector<std::string>> imports = std::nullopt) {
    PremiseQuery query;
    query.text = std::move(text);
    query.formal = true;
    query.imports = std::move(imports);
    return query;
  }

  std::optional<core::TemporaryFolder> folder_;
};

TEST_F(IndexTest, PrintsSignaturesWithBindersAndNotations) {
  Update();
  const auto found = Open()->FindByName("Nat.add_comm");
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().signature, "(y y_1 : Nat) : y + y_1 = y_1 + y");
  EXPECT_EQ(found->front().kind, "theorem");
  EXPECT_EQ(found->front().module, "Base");
  EXPECT_EQ(found->front().docstring, "The summands may be swapped.");
}

TEST_F(IndexTest, ExcludesInternalPrivateAndDeprecatedNames) {
  const auto report = Update();
  EXPECT_EQ(report.modules, 2U);
  auto index = Open();
  for (const char* name : {"Nat.old_add_comm", "_private.Base.0.Nat.hidden", "Nat.Internal.helper",
                           "Nat.add_comm._proof_1"}) {
    EXPECT_TRUE(index->FindByName(name)->empty()) << name;
  }
}

TEST_F(IndexTest, FindsByWordsAndByDocstring) {
  Update();
  auto index = Open();
  PremiseQuery query;
  query.text = "addition is commutative";
  EXPECT_EQ(Names(*index->Search(query, {})).front(), "Nat.add_comm");
  query.text = "summands swapped";
  EXPECT_EQ(Names(*index->Search(query, {})), (std::vector<std::string>{"Nat.add_comm"}));
  query.text = "\" OR * NEAR(";
  EXPECT_TRUE(index->Search(query, {}));
}

TEST_F(IndexTest, FindsBySymbols) {
  Update();
  const auto found = Open()->Search(Goal("x z : Nat ⊢ z + x = x + z"), kSymbolsOnly);
  EXPECT_EQ(Names(*found).front(), "Nat.add_comm");
}

TEST_F(IndexTest, FindsDefinitionsThatAGoalNamesTheLessKnownFirst) {
  LibraryWriter own;
  OleanWriter& w = own.w;
  const Word nat = w.Const("Nat"), to_nat = w.Forall(nat, nat);
  const auto define = [&](const std::string& name, Word type) {
    own.declared.push_back({name, w.Definition(name, type, w.Const("value"))});
  };
  define("Nat.twice", to_nat);
  define("Nat.half", to_nat);
  define("Nat.IsEven", w.Forall(nat, own.Prop()));
  define("Nat.unused", to_nat);
  const Word twice = own.Apply(w.Const("Nat.twice"), {w.BVar(0)});
  own.Theorem("Nat.twice_eq", own.ForNats(1, own.Equal(twice, own.Sum(w.BVar(0), w.BVar(0)))));
  Write("Own.olean", own.Finish({"Base"}));
  Update();
  auto index = Open();
  const std::string goal = "n : Nat\nh : n.half.twice = n\n⊢ n.IsEven";
  EXPECT_EQ(Names(*index->Definitions(Goal(goal))),
            (std::vector<std::string>{"Nat.IsEven", "Nat.half", "Nat.twice"}));
  EXPECT_TRUE(index->Definitions(Goal(goal, std::vector<std::string>{"Base"}))->empty());
}

TEST_F(IndexTest, NamesakesHaveTheSameLastComponent) {
  LibraryWriter own;
  const auto theorem = [&](const std::string& name) {
    own.Theorem(name, own.ForNats(1, own.Equal(own.w.BVar(0), own.w.BVar(0))));
  };
  for (const char* name : {"Int.add_comm", "Std.Tree.add_comm", "Nat.my_add_comm", "Nat.ADD_COMM"})
    theorem(name);
  Write("Own.olean", own.Finish({"Base"}));
  Update();
  auto index = Open();
  EXPECT_EQ(Names(*index->Namesakes(Goal("Std.Tree.Wrapped.add_comm"))),
            (std::vector<std::string>{"Std.Tree.add_comm", "Nat.add_comm", "Int.add_comm"}));
  EXPECT_EQ(Names(*index->Namesakes(Goal("Nat.add_comm", std::vector<std::string>{"Own"}))),
            (std::vector<std::string>{"Int.add_comm", "Std.Tree.add_comm"}))
      << "not itself";
  EXPECT_EQ(Names(*index->Namesakes(Goal("My.add_comm", std::vector<std::string>{"Base"}))),
            (std::vector<std::string>{"Nat.add_comm"}));
}

TEST_F(IndexTest, ReturnsOnlyPremisesReachableFromTheImports) {
  Update();
  auto index = Open();
  const std::string goal = "x : Nat ⊢ x = x";
  const auto has_more = [&](const std::optional<std::vector<std::string>>& imports) {
    const auto names = Names(*index->Search(Goal(goal, imports), {}));
    return std::find(names.begin(), names.end(), "Nat.zero_thing") != names.end();
  };
  EXPECT_TRUE(has_more(std::nullopt));
  EXPECT_TRUE(has_more(std::vector<std::string>{"Base.More"}));
  EXPECT_FALSE(has_more(std::vector<std::string>{"Base"}));
  const std::vector<std::string> unknown = {"Unknown"}, none;
  EXPECT_TRUE(index->Search(Goal(goal, unknown), {})->empty());
  EXPECT_TRUE(index->Search(Goal(goal, none), {})->empty()) << "a prelude without imports";
}

TEST_F(IndexTest, ReadsOnlyChangedModules) {
  EXPECT_EQ(Update().read, 2U);
  EXPECT_TRUE(IsUpToDate(file(), {library()}));
  EXPECT_EQ(Update().read, 0U);
  WriteBase("A different docstring.");
  EXPECT_FALSE(IsUpToDate(file(), {library()}));
  EXPECT_EQ(Update().read, 1U);
  auto index = Open();
  EXPECT_EQ(index->FindByName("Nat.add_comm")->front().docstring, "A different docstring.");
  EXPECT_EQ(index->FindByName("Nat.zero_thing")->size(), 1U);
  fs::remove(library() / "Base/More.olean");
  EXPECT_EQ(Update().removed, 1U);
  EXPECT_TRUE(Open()->FindByName("Nat.zero_thing")->empty());
}

TEST_F(IndexTest, AReadOfOneModuleKnowsTheShapesOfItsImports) {
  Update();
  LibraryWriter more;
  const Word sum = more.Sum(more.w.BVar(0), more.w.BVar(0));
  more.Theorem("Nat.twice", more.ForNats(1, more.Equal(sum, sum)));
  Write("Base/More.olean", more.Finish({"Base"}));
  EXPECT_EQ(Update().read, 1U);
  EXPECT_EQ(Open()->FindByName("Nat.twice")->front().signature, "(y : Nat) : y + y = y + y");
}

TEST_F(IndexTest, SkipsAndReportsABrokenModule) {
  Write("Broken.olean", "no olean at all");
  const auto report = Update();
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_TRUE(report.notes[0].starts_with("Broken: "));
  EXPECT_EQ(report.modules, 2U);
}

TEST_F(IndexTest, ResumesAfterAStop) {
  EXPECT_TRUE(StopAtOnce().stopped);
  EXPECT_EQ(Update().read, 2U);
}

TEST_F(IndexTest, OneIndexerWaitsForTheOther) {
  std::filesystem::create_directories(file().parent_path());
  const auto other = std::make_unique<core::Fd>(
      ::open((file().string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  ASSERT_EQ(::flock(other->get(), LOCK_EX), 0);
  EXPECT_TRUE(StopAtOnce().stopped);
  EXPECT_FALSE(std::filesystem::exists(file()));
  std::thread end([&other] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    *other = core::Fd();
  });
  EXPECT_EQ(Update().read, 2U);
  end.join();
}

TEST_F(IndexTest, AMissingIndexOrLibraryIsAnError) {
  const auto none = PremiseIndex::Open(folder_->path() / "nothing.db");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, core::ErrorCode::kEnvironment);
  EXPECT_NE(none.error().hint.find("zermelo index"), std::string::npos);
  IndexRequest request;
  request.file = file();
  request.search_path = {folder_->path() / "empty"};
  EXPECT_EQ(UpdateIndex(request).error().code, core::ErrorCode::kEnvironment);
}

TEST_F(IndexTest, ContainingAnswersLoogleQueries) {
  Update();
  auto index = Open();
  Containment wanted;
  wanted.patterns = {"_ + _"};
  EXPECT_EQ(Names(index->Containing(wanted)->premises), (std::vector<std::string>{"Nat.add_comm"}));
  wanted.patterns = {"Nat"};
  wanted.in_name = {"ZERO"};
  EXPECT_EQ(Names(index->Containing(wanted)->premises),
            (std::vector<std::string>{"Nat.zero_thing"}));
  wanted.patterns = {"hAddd"};
  EXPECT_EQ(index->Containing(wanted)->unknown, "hAddd");
}

// ---- embeddings

/// A stand-in for a model: counts of letters.
Embed Letters(int* calls, size_t fails_from = SIZE_MAX) {
  return [calls, fails_from](
             std::vector<std::string> texts,
             core::Deadline) -> core::Task<core::Result<std::vector<std::vector<float>>>> {
    ++*calls;
    if (static_cast<size_t>(*calls) > fails_from) {
      co_return core::Fail(core::ErrorCode::kEnvironment, "the server is gone");
    }
    std::vector<std::vector<float>> vectors;
    for (const std::string& text : texts) {
      std::vector<float> vector(8);
      for (const char c : text) vector[static_cast<unsigned char>(c) % 8] += 1;
      vectors.push_back(std::move(vector));
    }
    co_return vectors;
  };
}

class EmbeddingTest : public IndexTest {
 protected:
  core::Result<EmbeddingReport> EmbedAll(Embed embed, const std::string& model = "letters") {
    EmbeddingRequest request;
    request.index = file();
    request.model = model;
    request.embed = std::move(embed);
    request.batch = 2;
    request.concurrency = 1;
    return Await(io_, EmbedPremises(std::move(request)));
  }
  boost::asio::io_context io_;
};

TEST_F(EmbeddingTest, FindsTheNearestPremise) {
  Update();
  int calls = 0;
  const auto report = EmbedAll(Letters(&calls));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->embedded, report->vectors);
  auto index = Open();
  EXPECT_EQ(index->embedding_model(), "letters");
  RankingWeights weights{.words = 0, .mepo = 0, .sine = 0, .embeddings = 1};
  IndexRetriever retriever(*index, weights, Letters(&calls), "letters");
  PremiseQuery query;
  query.text = "Nat.zero_thing (y : Nat) : y = y";
  const auto found = Await(io_, retriever.Search(query, Generous()));
  EXPECT_EQ(Names(*found).front(), "Nat.zero_thing");
  EXPECT_NEAR(found->front().score, 1.0 / 61, 1e-9);
}

TEST_F(EmbeddingTest, SymbolRankingsReturnTheoremsWithoutCallingTheModel) {
  Update();
  int calls = 0;
  ASSERT_TRUE(EmbedAll(Letters(&calls)));
  calls = 0;
  auto index = Open();
  IndexRetriever retriever(*index, {}, Letters(&calls), "letters");
  const auto theorems = [&](const std::string& goal, size_t limit) {
    PremiseQuery query{.text = goal,
                       .formal = true,
                       .imports = std::vector<std::string>{"Base.More"},
                       .limit = limit};
    query.rankings = Rankings::kSymbols;
    return Names(*Await(io_, retriever.Search(query, Generous())));
  };
  const std::string goal = "x z : Nat ⊢ z + x = x + z";
  const auto found = theorems(goal, 12);
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(std::ranges::find(found, "Nat.add_comm") != found.end());
  EXPECT_TRUE(std::ranges::find(found, "Nat") == found.end());
  EXPECT_EQ(theorems(goal, 1).size(), 1U);
  EXPECT_EQ(calls, 0);
}

TEST_F(EmbeddingTest, ResumesAfterTheLastStoredBatch) {
  Update();
  int calls = 0;
  ASSERT_FALSE(EmbedAll(Letters(&calls, 1)));  // fails in the second batch
  const auto rest = EmbedAll(Letters(&calls));
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->embedded + 2, rest->vectors);
  EXPECT_EQ(EmbedAll(Letters(&calls))->embedded, 0U);
}

TEST_F(EmbeddingTest, EmbedsOnlyAChangedPremiseAgain) {
  Update();
  int calls = 0;
  ASSERT_TRUE(EmbedAll(Letters(&calls)));
  WriteBase("A different docstring.");
  Update();
  const auto again = EmbedAll(Letters(&calls));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->embedded, 1U);
}

TEST_F(EmbeddingTest, IgnoresVectorsOfAnotherModel) {
  Update();
  int calls = 0;
  ASSERT_TRUE(EmbedAll(Letters(&calls)));
  auto index = Open();
  calls = 0;
  IndexRetriever retriever(*index, {}, Letters(&calls), "other");
  PremiseQuery query;
  query.text = "zero";
  EXPECT_FALSE(Await(io_, retriever.Search(query, Generous()))->empty());
  EXPECT_EQ(calls, 0);
}

TEST(Vectors, ALargeIndexFindsItsOwnVectorsAfterLoading) {
  constexpr size_t kCount = 6000;
  constexpr size_t kDimension = 16;
  std::vector<int64_t> ids;
  std::string rows;
  std::vector<std::vector<float>> vectors;
  uint32_t random = 1;
  for (size_t i = 0; i < kCount; ++i) {
    std::vector<float> vector(kDimension);
    for (float& x : vector) {
      random = random * 1664525U + 1013904223U;
      x = static_cast<float>(random >> 8U) / static_cast<float>(1U << 24U) - 0.5F;
    }
    Normalize(&vector);
    ids.push_back(static_cast<int64_t>(10 * i));
    rows += Quantize(vector);
    vectors.push_back(std::move(vector));
  }
  const auto index = VectorIndex::Build(ids, rows, kDimension);
  ASSERT_TRUE(index) << index.error().message;
  const auto folder = core::TemporaryFolder::Create("vectors");
  const fs::path file = folder->path() / "v.faiss";
  ASSERT_TRUE((*index)->Save(file, "mark"));
  const auto loaded = VectorIndex::Load(file);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ((*loaded)->fingerprint(), "mark");
  size_t found = 0;
  for (size_t i = 0; i < kCount; i += 60) {
    const auto ranking = (*loaded)->Search(vectors[i], 5, {});
    found += !ranking.empty() && ranking.front().first == ids[i] ? 1 : 0;
  }
  EXPECT_GE(found, 95U);  // of 100
  const auto even = (*loaded)->Search(vectors[1], 5, [](int64_t id) { return id % 20 == 0; });
  for (const auto& [id, score] : even) EXPECT_EQ(id % 20, 0);
  fs::resize_file(file.string() + ".vectors", 1000);
  EXPECT_FALSE(VectorIndex::Load(file));
}

TEST(Vectors, OneBytePerDimensionIsAccurateEnough) {
  std::vector<float> vector = {0.6F, -0.8F, 0.0F};
  const auto back = Dequantize(Quantize(vector));
  ASSERT_EQ(back.size(), 3U);
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(back[i], vector[i], 0.004);
  EXPECT_TRUE(Dequantize("").empty());
}

}  // namespace
}  // namespace zermelo::retrieve
