#!/usr/bin/env python3
"""What found proofs teach: traces, `zermelo learn`, runs that learn, and evaluations."""
import json
import pathlib
import struct
import tempfile

from testing.zermelo import ZermeloTest, main, slow, wait_until

# Only whoever knows the number finds it: 654321 * 7919 + 13 modulo a prime.
SCRAMBLE = "def scramble (n : Nat) : Nat := (n * 7919 + 13) % 1000003\n\n"
VALUE = (654321 * 7919 + 13) % 1000003
ONE = SCRAMBLE + f"theorem one : ∃ n, scramble n = {VALUE} := by\n  exact ⟨654321, by decide⟩\n"
TWO = SCRAMBLE + f"theorem two : ∃ n, 0 < n ∧ scramble n = {VALUE} ∨ scramble n = {VALUE} := by\n  sorry\n"
EASY = """\
theorem first (a b : Nat) (h : a < b) : a ≤ b := by
  sorry

theorem second (x y : Nat) (hxy : x < y) : x ≤ y + 1 := by
  sorry
"""
# Found only by whoever knows the number, below a section's variables, and in a namespace.
SECTION = SCRAMBLE + f"""\
namespace Hidden
variable {{α : Type}} (xs : List α)

theorem own : ∃ n, xs ++ [] = xs ∧ scramble n = {VALUE} := by
  exact ⟨654321, by simp, by decide⟩
end Hidden
"""
RENAMED = f"theorem other {{β : Type}} (ys : List β) : ∃ k, ys ++ [] = ys ∧ scramble k = {VALUE} := by sorry"
SIMILAR = f"theorem similar {{β : Type}} (ys : List β) : ∃ k, ys ++ [] = ys ∧ scramble k = {VALUE} ∧ True := by sorry"
HOPELESS = """
theorem hopeless (a b c : Nat) (ha : 0 < a) (hb : 0 < b) : a ^ 3 + b ^ 3 ≠ c ^ 3 + 9 := by
  sorry
"""


def hash_of(text):
    """core::Hash64."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def record(content):
    """A record of the file of what was learned, with its length and its checksum."""
    checksum = len(content)
    for at in range(0, len(content), 8):
        word = int.from_bytes(content[at:at + 8].ljust(8, b"\0"), "little")
        checksum = (checksum ^ word) * 0x9E3779B97F4A7C15 % 2**64
        checksum ^= checksum >> 32
    return struct.pack("<IIQ", 0x5AE12E10, len(content), checksum) + content + bytes(-len(content) % 8)


def outcome(number):
    """Of an invented goal: every second one has a feature of its own, and is closed at once."""
    easy = number % 2
    tried = 1 << 31 | 5 if easy else 100
    return record(struct.pack("<QQQQQIIII", hash_of("an outcome of a goal"), number, 1 + number // 10, 0, 0, tried, 2,
                              7 << 20, (8 + easy) << 20))


OUTCOMES = b"zermelo learned 2\n".ljust(24, b"\0") + b"".join(map(outcome, range(1, 1001)))


class Learning(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.all_folders = cls.folder

    def setUp(self):
        type(self).folder = pathlib.Path(tempfile.mkdtemp(dir=self.all_folders))

    def learned(self):
        return self.folder / ".zermelo" / "learned"

    def known(self):
        """What `zermelo learn` shows."""
        shown = self.zermelo("learn", "--json")
        self.assert_ends(shown, 0)
        return shown.json

    def events(self, run, kind):
        shown = self.zermelo("events", run["id"], "--run-db", run["database"], "--jsonl", "--kind", kind)
        return [json.loads(line) for line in shown.out.splitlines()]

    def advice(self, run):
        return [event["answer"] for event in self.events(run, "advised")]


class AProjectsOwnProofs(Learning):
    def test_a_theorem_is_proved_only_thanks_to_the_proof_of_another(self):
        self.write("One.lean", ONE)
        self.write("Two.lean", TWO)
        self.assert_ends(self.zermelo("trace", "One.lean", "--out", "trace.jsonl", "--quiet"), 0)
        prove = ("prove", "Two.lean", "--json", "--no-premises", "--workers", "1", "--time")
        self.assert_ends(self.zermelo(*prove, "3s"), 1)
        learn = self.zermelo("learn", "trace.jsonl", "--json")
        self.assert_ends(learn, 0)
        self.assertEqual((learn.json["tactics"], learn.json["added"]), (2, 2))  # `exact …`, and `decide` in it
        content = self.learned().read_bytes()
        self.assertEqual(self.zermelo("learn", "trace.jsonl", "--json").json["added"], 0)
        self.assertEqual(self.learned().read_bytes(), content)

        self.assert_ends(self.zermelo(*prove, "3s", "--no-learning"), 1)
        self.assertEqual(self.learned().read_bytes(), content)
        proved = self.zermelo(*prove, "30s")
        self.assert_ends(proved, 0)
        self.assertIn("654321", proved.json["theorems"][0]["proof"])
        self.assertIn("exact ⟨654321, by decide⟩", json.dumps(self.advice(proved.json["run"]), ensure_ascii=False))
        self.assertGreater(len(self.learned().read_bytes()), len(content), "the new proof is kept")
        self.write("zermelo.toml", "[learning]\nenabled = false\n")
        self.assert_ends(self.zermelo(*prove, "3s"), 1)

    @slow
    def test_a_job_of_an_agent_learns_as_prove_does(self):
        self.write("One.lean", ONE)
        self.write("Two.lean", TWO)
        self.assert_ends(self.zermelo("trace", "One.lean", "--out", "trace.jsonl", "--quiet"), 0)
        self.assertEqual(self.job(5), 0)
        self.assertEqual(self.known()["examples"], 0, "nothing is learned from a tactic that failed")
        self.assert_ends(self.zermelo("learn", "trace.jsonl"), 0)
        content = self.learned().read_bytes()
        self.assertEqual(self.job(5, "--no-learning"), 0)
        self.assertEqual(self.learned().read_bytes(), content)
        self.assertEqual(self.job(30), 1)
        self.assertGreater(len(self.learned().read_bytes()), len(content), "the new proof is kept")

    def job(self, seconds, *options):
        """The number of theorems that it proves."""
        called = self.zermelo("mcp", "call", "prove_start", json.dumps({"file": "Two.lean", "seconds": seconds}), "--json",
                              "--no-premises", "--workers", "1", *options)
        self.assert_ends(called, 0)
        return sum(theorem["status"] == "proved" for theorem in called.json["theorems"])

    def test_another_file_in_its_place_is_left_alone(self):
        (self.folder / ".zermelo").mkdir()
        self.learned().write_text("my notes\n", encoding="utf-8")
        self.write("Easy.lean", EASY)
        run = self.zermelo("prove", "Easy.lean", "--json", "--no-premises", "--workers", "1")
        self.assert_ends(run, 0)
        self.assertIn("nothing is learned", run.err)
        self.assertEqual(self.learned().read_text(encoding="utf-8"), "my notes\n")


class ARun(Learning):
    PROVE = ("prove", "Easy.lean", "--strategy", "best_first", "--json", "--no-premises", "--workers", "1")

    def test_the_second_theorem_knows_the_first_ones_proof(self):
        self.write("Easy.lean", EASY)
        run = self.zermelo(*self.PROVE)
        self.assert_ends(run, 0)
        first, second = self.advice(run.json["run"])[:2]
        self.assertEqual(first["tactics"], [])
        self.assertEqual([tactic["theorem"] for tactic in second["tactics"]], ["first"])
        again = self.zermelo(*self.PROVE)
        own = [tactic["theorem"] for tactic in self.advice(again.json["run"])[0]["tactics"]]
        self.assertEqual(own, ["second"], "a theorem does not learn from itself")

    def test_a_killed_run_gets_the_same_advice_whatever_was_learned_and_moved_since(self):
        self.write("Easy.lean", EASY + HOPELESS)
        self.write("zermelo.toml", "")
        run = self.start(*self.PROVE, "--time", "8s")
        self.addCleanup(run.kill)
        database = self.folder / ".zermelo" / "runs.db"
        killed = {"id": 1, "database": database}
        wait_until(lambda: run.process.poll() is not None or database.exists() and
                   len(self.events(killed, "theorem_ended")) == 2, 100, "the second theorem")
        run.kill()
        before = self.advice(killed)
        self.assertIn("first", json.dumps(before))
        self.write("Other.lean", EASY.replace("first", "other").replace("a ≤ b", "a ≤ b + 2"))
        self.assert_ends(self.zermelo("prove", "Other.lean", "--json", "--no-premises", "--workers", "1"), 0)
        (self.folder / "Moved").mkdir()
        (self.folder / "Easy.lean").rename(self.folder / "Moved" / "Easy.lean")
        resumed = self.zermelo("runs", "resume", "1", "--json", "--file", "Moved/Easy.lean")
        self.assert_ends(resumed, 1)
        self.assertEqual([t["status"] for t in resumed.json["theorems"]], ["proved", "proved", "unproved"])
        self.assertEqual(self.advice(killed)[:len(before)], before)


class AValue(Learning):
    PROVE = ARun.PROVE

    def test_what_became_of_the_goals_of_searches_is_kept_and_shown(self):
        self.write("Hopeless.lean", HOPELESS)
        prove = ("prove", "Hopeless.lean", *self.PROVE[2:])
        self.assert_ends(self.zermelo(*prove, "--time", "2s", "--no-learning"), 1)
        self.assertFalse(self.learned().exists())
        run = self.zermelo(*prove, "--time", "8s")
        self.assert_ends(run, 1)
        self.assertEqual(self.events(run.json["run"], "estimated"), [])
        known = self.known()
        self.assertEqual(known["examples"], 0)
        self.assertGreaterEqual(known["value"]["goals"], 1)
        self.assertFalse(known["value"]["useful"])
        self.assertIn("value: not used yet", self.zermelo("learn").out)

    def test_a_search_asks_for_it_only_if_it_is_told_to(self):
        self.write("Easy.lean", EASY)
        run = self.zermelo(*self.PROVE, "--set", "best_first.value_weight=1")
        self.assert_ends(run, 0)
        self.assertEqual([event["answer"] for event in self.events(run.json["run"], "estimated")],
                         [{"chances": []}] * 2, "once for each theorem: too little is known")
        refused = self.zermelo(*self.PROVE, "--set", "best_first.value_weight=-1")
        self.assert_ends(refused, 2, "must not be below 0")

    @slow
    def test_a_killed_run_gets_the_same_chances_whatever_was_learned_since(self):
        self.write("Hopeless.lean", HOPELESS)
        self.write("zermelo.toml", "")
        self.learned().parent.mkdir()
        self.learned().write_bytes(OUTCOMES)
        self.assertTrue(self.known()["value"]["useful"])
        run = self.start("prove", "Hopeless.lean", *self.PROVE[2:], "--time", "10s", "--set", "best_first.value_weight=1")
        self.addCleanup(run.kill)
        database = self.folder / ".zermelo" / "runs.db"
        killed = {"id": 1, "database": database}
        wait_until(lambda: run.process.poll() is not None or database.exists() and
                   len(self.events(killed, "estimated")) >= 3, 100, "new states")
        run.kill()
        before = self.events(killed, "estimated")
        self.assertGreaterEqual(len(before), 3)
        for event in before:
            self.assertTrue(event["answer"]["chances"])
        self.assertTrue(all("value" in node for node in self.events(killed, "node_added")))
        self.learned().unlink()
        self.assert_ends(self.zermelo("runs", "resume", "1", "--json"), 1)
        self.assertEqual(self.events(killed, "estimated")[:len(before)], before)


class AnEvaluation(Learning):
    def run_evaluation(self, out, *options, statements=EASY.split("\n\n"), header="", time="30s"):
        statements = [text.strip().removesuffix("sorry").strip() for text in statements]
        rows = [{"name": text.split()[1], "header": header, "formal_statement": text} for text in statements]
        self.write("set.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        return self.zermelo("eval", "set.jsonl", "--budget", time, "--jobs", "1", "--strategy", "best_first",
                            "--no-premises", "--out", out, "--json", *options)

    def evaluate(self, out, *options, **more):
        self.assert_ends(self.run_evaluation(out, *options, **more), 0)
        return json.loads((self.folder / out / "eval.json").read_text(encoding="utf-8"))["parameters"]

    def outcomes(self, out):
        lines = (self.folder / out / "results.jsonl").read_text(encoding="utf-8").splitlines()
        return {result["problem"]: result["outcome"] for result in map(json.loads, lines)}

    def test_it_learns_nothing_unless_asked_and_says_what(self):
        self.assertNotIn("learning", self.evaluate("cold"))
        self.assertFalse((self.folder / "cold" / "learned").exists())
        self.assertEqual(self.evaluate("online", "--learn-online")["learning"], "its own proofs")
        self.assertTrue((self.folder / "online" / "learned").exists())
        taught = self.evaluate("taught", "--learn", "online/learned")["learning"]
        self.assertRegex(taught, r"^examples of learned \(sha256 [0-9a-f]{16}\)$")
        self.assertFalse((self.folder / "taught" / "learned").exists())
        self.assertFalse(self.learned().exists())

        (self.folder / "online" / "learned").write_bytes((self.folder / "cold" / "eval.json").read_bytes())
        resumed = self.run_evaluation("taught", "--learn", "online/learned")
        self.assert_ends(resumed, 0)
        self.assertIn("has changed since the evaluation began", resumed.err)
        self.assert_ends(self.run_evaluation("new", "--learn", "nowhere/learned"), 2)

    def test_several_runs_do_not_learn_from_each_other(self):
        refused = self.run_evaluation("online", "--learn-online", "--runs", "2")
        self.assert_ends(refused, 2)
        self.assertIn("--learn-online takes one run", refused.err)
        self.assertFalse((self.folder / "online").exists())

    @slow
    def test_a_renamed_theorem_below_variables_does_not_learn_from_its_own_proof(self):
        self.write("Section.lean", SECTION)
        self.assert_ends(self.zermelo("trace", "Section.lean", "--out", "trace.jsonl", "--quiet"), 0)
        self.assert_ends(self.zermelo("learn", "trace.jsonl", "--out", "section"), 0)
        self.evaluate("own", "--learn", "section", statements=[RENAMED], header=SCRAMBLE, time="6s")
        self.assertEqual(self.outcomes("own"), {"other": "unproved"})
        self.evaluate("near", "--learn", "section", statements=[SIMILAR], header=SCRAMBLE)
        self.assertEqual(self.outcomes("near"), {"similar": "proved"})


if __name__ == "__main__":
    main()
