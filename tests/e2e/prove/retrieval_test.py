"""The premise index: built, searched by words and by goals, used by prove, and served over HTTP."""
import json
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from testing.server import ServerTest
from testing.zermelo import ZermeloTest


class Embeddings(BaseHTTPRequestHandler):
    """/v1/embeddings with a model that counts letters."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        data = []
        for index, text in enumerate(body["input"]):
            vector = [0] * 8
            for c in text.encode():
                vector[c % 8] += 1
            data.append({"index": index, "embedding": vector})
        self.server.texts += len(data)
        answer = json.dumps({"data": data, "model": body["model"], "usage": {"prompt_tokens": 1}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


class IndexTest(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.index = cls.folder / "premises.db"
        began = time.monotonic()
        cls.first = cls.zermelo("index", "--index", cls.index, "--json")
        cls.first_seconds = time.monotonic() - began

    def search(self, *arguments, code=0):
        run = self.zermelo("search", *arguments, "--index", self.index, "--json")
        self.assertEqual(run.code, code, run)
        return run.json["premises"]

    def names(self, *arguments):
        return [p["name"] for p in self.search(*arguments)]

    def test_leans_own_library_is_indexed(self):
        self.assertEqual(self.first.code, 0, self.first)
        report = self.first.json
        self.assertGreater(report["modules"], 1500)
        self.assertGreater(report["premises"], 60_000)
        self.assertEqual(report["notes"], [])
        self.assertLess(self.first_seconds, 60)
        self.assertLess(self.index.stat().st_size / report["premises"], 800)

    def test_the_second_time_nothing_is_read(self):
        again = self.zermelo("index", "--index", self.index, "--json").json
        self.assertEqual((again["read"], again["premises"]), (0, self.first.json["premises"]))

    def test_words_find_a_theorem_with_its_signature(self):
        found = self.search("addition of naturals is commutative", "--import", "Init")
        add_comm = [p for p in found if p["name"] == "Nat.add_comm"]
        self.assertTrue(add_comm, found)
        self.assertEqual(add_comm[0]["signature"], "(n m : Nat) : n + m = m + n")
        self.assertEqual(add_comm[0]["kind"], "theorem")

    def test_signatures_look_like_leans(self):
        for name, signature in {
            "List.length_append": "{α : Type u} {as bs : List α} : (as ++ bs).length = as.length + bs.length",
            "Nat.le_of_lt_succ": "{m n : Nat} : m < n.succ → m ≤ n",
            "Option.some_inj": "{α : Type u_1} {a b : α} : some a = some b ↔ a = b",
        }.items():
            found = {p["name"]: p["signature"] for p in self.search(name, "-n", "20")}
            self.assertEqual(found.get(name), signature)

    def test_a_goal_is_read_from_lean_and_only_imports_are_offered(self):
        file = self.write("Goal.lean", "theorem t (a b c : Nat) (h : a ∣ b) : a ∣ b * c := by\n"
                                       "  have h2 : 1 = 1 := rfl\n  sorry\n")
        found = self.search("--goal", f"{file}:3", "-n", "20")
        self.assertIn("Nat.dvd_mul_right_of_dvd", [p["name"] for p in found])
        self.assertTrue(all(p["module"].startswith("Init") for p in found), found)

    def test_errors_say_what_to_do(self):
        none = self.zermelo("search", "x", "--index", self.folder / "none.db")
        self.assert_ends(none, 3, "zermelo index")
        self.assert_ends(self.zermelo("search"), 2, "--goal FILE:LINE")
        self.assert_ends(self.zermelo("search", "--goal", "nowhere"), 2, "FILE:LINE")
        self.search("zzzzqqqq", code=1)

    def test_prove_searches_premises_and_records_the_results(self):
        file = self.write("Needs.lean",
                          "theorem t (xs ys : List Nat) (h : xs.Perm ys) : ys.Perm xs := by\n  sorry\n")
        cache = {"ZERMELO_CACHE": str(self.folder / "cache")}
        self.zermelo("index", env=cache)
        search = ("prove", file, "--strategy", "best_first", "--time", "60s", "--json")
        proved = self.zermelo(*search, env=cache)
        self.assertEqual(proved.code, 0, proved)
        run = proved.json["run"]
        events = self.zermelo("events", run["id"], "--run-db", run["database"], "--jsonl", "--kind", "retrieved")
        found = [json.loads(line) for line in events.out.splitlines()]
        self.assertGreaterEqual(len(found), 2, "theorems for the goal, and those that rewrite it")
        self.assertIn("List.Perm.symm", [p["name"] for p in found[0]["answer"]["premises"]])
        without = self.zermelo(*search, "--no-premises", env=cache)
        run = without.json["run"]
        events = self.zermelo("events", run["id"], "--run-db", run["database"], "--jsonl", "--kind", "retrieved")
        self.assertEqual(events.out, "")


class EmbeddingTest(ZermeloTest):
    """All premises, with embeddings from a test server."""

    def test_embeddings_are_stored_and_searched(self):
        server = ThreadingHTTPServer(("127.0.0.1", 0), Embeddings)
        server.texts = 0
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.write("zermelo.toml", f"[models.letters]\nendpoint = \"http://127.0.0.1:{server.server_port}/v1\"\n")
        index = self.folder / "e.db"
        first = self.zermelo("index", "--index", index, "--embeddings", "letters", "--json", cwd=self.folder)
        self.assertEqual(first.code, 0, first)
        vectors = first.json["embeddings"]
        self.assertEqual(vectors["vectors"], first.json["premises"])
        self.assertEqual(vectors["embedded"], server.texts)
        again = self.zermelo("index", "--index", index, "--embeddings", "letters", "--json", cwd=self.folder)
        self.assertEqual(again.json["embeddings"]["embedded"], 0)
        before = server.texts
        found = self.zermelo("search", "Nat.add_comm (n m : Nat) : n + m = m + n", "--index", index, "--json",
                             cwd=self.folder)
        self.assertEqual(server.texts, before + 1)
        self.assertEqual(found.json["premises"][0]["name"], "Nat.add_comm")


class SearchServerTest(ServerTest):
    """The requests that LeanSearchClient sends and the answers that it reads."""

    @classmethod
    def setUpClass(cls):
        # In the cache that all tests share, so that the server does not have to wait for its own index.
        super(ServerTest, cls).setUpClass()
        cls.zermelo("index")
        super().setUpClass()

    def test_leansearch(self):
        answers = self.post("/search", {"query": ["addition is commutative on naturals"], "num_results": 30})
        self.assertEqual(len(answers), 1)
        self.assertLessEqual(len(answers[0]), 30)
        results = [entry["result"] for entry in answers[0]]
        add_comm = [r for r in results if r["name"] == ["Nat", "add_comm"]]
        self.assertEqual(add_comm[0]["type"], "∀ (n m : Nat), n + m = m + n", results)
        self.assertEqual(sorted(e["distance"] for e in answers[0]), [e["distance"] for e in answers[0]])
        for field in ("module_name", "kind", "name", "signature", "type", "value", "docstring", "informal_name",
                      "informal_description"):
            self.assertIn(field, results[0])
        status, _, error = self.request("POST", "/search", {"query": 3})
        self.assertEqual(status, 422, error)

    def test_loogle(self):
        status, _, answer = self.request("GET", "/json?q=List.length%2C%20List.reverse")
        self.assertEqual(status, 200, answer)
        self.assertIn("List.length_reverse", [h["name"] for h in answer["hits"]])
        self.assertEqual(set(answer["hits"][0]), {"name", "type", "module", "doc"})
        self.assertGreaterEqual(answer["count"], len(answer["hits"]))
        _, _, named = self.request("GET", "/json?q=%22length_rev%22")
        self.assertIn("List.length_reverse", [h["name"] for h in named["hits"]])
        _, _, unknown = self.request("GET", "/json?q=Foo.length")
        self.assertIn("error", unknown)
        self.assertIn("List.length", unknown["suggestions"])
        _, _, empty = self.request("GET", "/json")
        self.assertIn("error", empty)


if __name__ == "__main__":
    unittest.main()
