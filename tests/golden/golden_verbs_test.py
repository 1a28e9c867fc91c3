#!/usr/bin/env python3
"""Everything that each verb prints and writes, compared with verbs/ (README.md). The inputs are chosen so that no
number depends on the speed of the machine: one Lean process, one call of a model at a time, a strategy without
alarms, and theorems that end long before their time."""
import http.client
import json
import re
import subprocess
import urllib.parse

from normal import HERE, PROGRAM, GoldenTest, environment, unfolded
from testing.scripted import Sim, says, verifies  # after normal, which finds the end-to-end tests
from testing.zermelo import EMBEDDED, LEAN, main, processes_of, wait_until

VERBS = ("prove", "check", "recheck", "kernel", "kernel export", "audit", "eval", "eval merge", "eval compare", "runs", "runs show",
         "runs resume", "events", "blueprint", "view", "trace", "learn", "export", "export sft", "export rl", "index", "search",
         "serve", "mcp", "mcp call", "mcp tools", "lsp", "doctor", "completion")
BUILTIN = ("--strategy", "best_first", "--workers", "1", "--seed", "1", "--no-premises")
MODELS = ("--model", "sim", "--no-builtin", "--workers", "1", "--seed", "1", "--no-premises")
SAMPLING = (*MODELS, "--strategy", "whole_proof", "--set", "whole_proof.calls=1")

SUM = "theorem sum : 2 + 2 = 4 := by\n  sorry\n"
HOLES = SUM + """
/-- Both. -/
theorem both (p q : Prop) (hp : p) (hq : q) : q ∧ p := by
  have h : q := by
    sorry
  constructor
  · exact h
  · sorry

theorem by_term : True := sorry
"""
ERRORS = SUM + """
theorem unknown_name : Nat.undefined = 3 := by
  sorry

theorem wrong : 1 = 2 := rfl

#check doesNotExist
"""
MODEL = """theorem square (f : Nat → Nat) (h : ∀ n, f n = n * n) : f 12 = 144 := by
  sorry

theorem never (n : Nat) (h : n * n = 2) : n = 7 := by
  sorry
"""
DIRTY = """namespace N
theorem with_sorry (n : Nat) : n = n := by
  sorry

theorem with_error (n : Nat) : n < 3 := by
  omega

theorem with_warning (p q : Prop) (h : p) (unused : q) : p := by
  exact h
end N
#check doesNotExist
"""
COMM = "theorem t (a b : Nat) : a + b = b + a := by\n  sorry\n"
GOOD, BAD = COMM.replace("sorry", "omega"), COMM.replace("b + a", "b + a + 1").replace("sorry", "omega")
MODULE = """axiom magic : 1 = 2
theorem spell : 2 = 1 := magic.symm
theorem hole : 3 = 4 := by sorry
theorem fine (a b : Nat) : a + b = b + a := Nat.add_comm a b
unsafe def raw (n : Nat) : Nat := raw (n + 1)
"""
TACTICS = """theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by
  obtain ⟨hp, hq⟩ := h
  constructor
  · exact hq
  · exact hp

theorem broken : 1 = 2 := by
  skip
  rfl
"""
CHEAT = "axiom cheat : False\n\ntheorem t (a b : Nat) : a + b = b + a := cheat.elim\n"
# Axioms P, Q, p : P and q : Q, and a theorem t : P whose proof is expression %d.
EXPORT = """{"meta":{"exporter":{"name":"test","version":"1"},"lean":{"githash":"","version":"4.28.0"},"format":{"version":"3.1.0"}}}
{"in":1,"str":{"pre":0,"str":"P"}}
{"in":2,"str":{"pre":0,"str":"Q"}}
{"in":3,"str":{"pre":0,"str":"p"}}
{"in":4,"str":{"pre":0,"str":"q"}}
{"in":5,"str":{"pre":0,"str":"t"}}
{"ie":0,"sort":0}
{"ie":1,"const":{"name":1,"us":[]}}
{"ie":2,"const":{"name":2,"us":[]}}
{"ie":3,"const":{"name":3,"us":[]}}
{"ie":4,"const":{"name":4,"us":[]}}
{"axiom":{"name":1,"levelParams":[],"type":0,"isUnsafe":false}}
{"axiom":{"name":2,"levelParams":[],"type":0,"isUnsafe":false}}
{"axiom":{"name":3,"levelParams":[],"type":1,"isUnsafe":false}}
{"axiom":{"name":4,"levelParams":[],"type":2,"isUnsafe":false}}
{"thm":{"name":5,"levelParams":[],"type":1,"value":%d,"all":[5]}}
"""
RULES = [
    says("The square.\n```lean4\n" + MODEL.split("\n\n")[0].replace("sorry", "rw [h]") + "\n```",
         last=["theorem square"]),
    verifies("theorem chain (p q : Prop) (hp : p) (h : p → q) : q := (both p q hp h).2", last=["Lean accepts `both`"]),
    verifies("theorem both (p q : Prop) (hp : p) (h : p → q) : p ∧ q := ⟨hp, h hp⟩", last=["theorem chain"]),
    says("```lean4\n" + MODEL.split("\n\n")[1].replace("sorry", "simp at h") + "```", last=["theorem never"]),
]


class VerbsTest(GoldenTest):
    stored = HERE / "verbs"


class Help(VerbsTest):
    def test_help(self):
        runs = [self.zermelo("--help"), self.zermelo("--version")]
        self.pinned_runs("help.txt", *runs)
        for verb in VERBS:
            self.pinned_runs(f"help_{verb.replace(' ', '_')}.txt", self.zermelo(*verb.split(), "--help"))

    def test_completion(self):
        for shell in ("bash", "zsh", "fish"):
            self.pinned_runs(f"completion_{shell}.txt", self.zermelo("completion", shell))


class Errors(VerbsTest):
    """Everything that is refused before Lean starts."""

    def test_usage(self):
        self.zermelo("index")  # else the searches' output depends on whether another test has made the index
        folder = self.write("usage/Sum.lean", SUM).parent
        commands = """|prov Sum.lean|prove|prove Sum.lean --theorme t|prove Sum.lean --time soon
            |prove Sum.lean --workers 0|prove Sum.lean --in-place --out B.lean|prove Sum.lean --strategy best-first
            |prove Sum.lean --strategy rmaxts|prove Sum.lean --set best_first.bacth=3
            |prove Sum.lean --set best_first.batch=many|prove Sum.lean --set batch|prove Sum.lean --model sim
            |prove Sum.lean --samples 3|prove Sum.lean --samples 0|prove Sum.lean --record calls.db
            |prove Sum.lean --replay calls.db|prove Sum.lean --cache|prove Sum.lean --no-record --run-db runs.db
            |prove Sum.lean --config missing.toml|prove Sum.lean --theorem nothing
            |prove Sum.lean --lean /nonexistent|prove missing.lean --json
            |prove Sum.lean --run-db no/such/folder/runs.db|check|check missing.lean --json|check .
            |check Sum.lean --against missing.lean|check Sum.lean --against Sum.lean --jobs 0|check Sum.lean --wfial
            |eval|eval missing.jsonl|eval Sum.lean --budget 16y2|eval Sum.lean --budget $1|eval Sum.lean --shard 3/2
            |eval Sum.lean --split test|eval Sum.lean --format unknown|eval merge|eval merge none
            |eval compare none none|runs|runs show|runs show x|runs show 1|runs resume 1|events 1
            |events 1 --run-db missing.db|events|blueprint 1|search|search x --index none.db|search --goal nowhere
            |search --goal Sum.lean:99|index --embeddings nothing|serve --workers 0|serve --project /nonexistent
            |serve --port 99999|serve --lean /nonexistent|serve --memory much|mcp --workers 0
            |mcp --root /nonexistent|mcp extra|doctor --jsn|doctor --workers many|completion|completion tcsh"""
        self.pinned_runs("errors_usage.txt", *[self.zermelo(*c.split(), cwd=folder) for c in commands.split("|")])

    def test_configurations(self):
        bad = {
            "syntax": "[models.sim\n", "unknown": "[modles.sim]\n", "key": '[models.sim]\nendpont = "http://x/v1"\n',
            "type": "[models.sim]\nendpoint = 3\n",
            "format": '[models.sim]\nendpoint = "http://x/v1"\nformat = "kimia"\n',
            "dialect": '[models.sim]\nendpoint = "http://x/v1"\nformat = "chat"\ndialect = "vlm"\n',
            "none": "[models.sim]\n", "url": '[models.sim]\nendpoint = "nowhere"\nformat = "chat"\n',
            "noformat": '[models.sim]\nendpoint = "http://x/v1"\n',
            "role": '[models.sim]\nendpoint = "http://x/v1"\nformat = "chat"\n[roles]\nprover = "sin"\n',
            "nokey": '[models.sim]\nendpoint = "http://x/v1"\nformat = "chat"\nkey_env = "GOLDEN_KEY"\n',
            "strategy": '[strategy]\nname = "besst"\n[models.sim]\nendpoint = "http://x/v1"\nformat = "chat"\n',
            "parameter": '[strategy.rmaxts]\nwrokers = 3\n', "axioms": '[trust]\naxioms = "propext"\n',
        }
        runs = []
        for name, toml in bad.items():
            self.write(f"{name}/zermelo.toml", toml)
            self.write(f"{name}/Sum.lean", SUM)
            runs.append(self.zermelo("prove", f"{name}/Sum.lean", "--model", "sim", "--strategy", "whole_proof"))
        self.pinned_runs("errors_configuration.txt", *runs)

    def test_files(self):
        self.write("Folder.lean/Basic.lean", SUM)
        self.write("Binary.lean", b"theorem t : 1 = 1 := by sorry\n\0\1\2")
        self.write("Latin.lean", "-- café\n".encode("latin-1"))
        self.write("Nothing.lean", "theorem t : 1 = 1 := rfl -- sorry\n")
        self.write("Data.lean", "def data : Nat := sorry\n")
        self.write("notes.db", "This is a text file, and no database at all. " * 10)
        self.write("Sum.lean", SUM)
        runs = [self.zermelo(verb, name, "--json") for verb in ("prove", "check")
                for name in ("Folder.lean", "Binary.lean", "Latin.lean")]
        runs += [self.zermelo("prove", name, "--json") for name in ("Nothing.lean", "Data.lean")]
        runs += [self.zermelo(*verb, "--run-db", "notes.db") for verb in (("prove", "Sum.lean"), ("runs",))]
        self.pinned_runs("errors_files.txt", *runs)


class Runs(VerbsTest):
    """Runs of prove, and what the verbs about runs print about them."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, text in (("Holes", HOLES), ("Errors", ERRORS), ("Model", MODEL), ("Sum", SUM),
                           ("Chain", "theorem chain (p q : Prop) (hp : p) (h : p → q) : q := by\n  sorry\n")):
            cls.write(name + ".lean", text)
        sim = Sim(cls.folder, RULES)
        cls.addClassCleanup(sim.close)
        cls.write("zermelo.toml", f'[models.sim]\nendpoint = "http://127.0.0.1:{sim.port}/v1"\nformat = "chat"\n'
                                  "[models.sim.price]\nprompt = 1\ncompletion = 2\n")
        cls.proved = {
            "holes": [cls.prove("Holes.lean", *BUILTIN, "--json", "--trace"), cls.folder / "Holes.proved.lean"],
            "model": [cls.prove("Model.lean", *SAMPLING, "--samples", "5", "--set", "whole_proof.samples=2", "--json"),
                      cls.folder / "Model.proved.lean"],
            "all": [cls.prove("Model.lean", *SAMPLING, "--theorem", "square", "--all", "--samples", "3", "--out",
                              "All.lean"), cls.folder / "All.lean"],
            "agent": [cls.prove("Chain.lean", *MODELS, "--strategy", "agent", "--json"),
                      cls.folder / "Chain.proved.lean"],
            "errors": [cls.prove("Errors.lean", *BUILTIN, "--json"), cls.folder / "Errors.proved.lean"],
            "in_place": [cls.prove("Sum.lean", *BUILTIN, "--in-place"), cls.folder / "Sum.lean"],
            "no_policy": [cls.prove("Sum.lean", *BUILTIN, "--no-builtin")],
            "no_policy_auto": [cls.prove("Chain.lean", "--no-builtin", "--workers", "1", "--no-premises")],
        }

    @classmethod
    def prove(cls, *arguments):
        return cls.zermelo("prove", *arguments, "--time", "300s", "--run-db", "runs.db", limit=400)

    def about(self, *arguments):
        return self.zermelo(*arguments, "--run-db", "runs.db")

    def test_prove(self):
        for name, told in self.proved.items():
            with self.subTest(name):
                self.pinned(f"prove_{name}.txt", self.transcript(*told))

    def test_runs(self):
        self.pinned_runs("runs.txt", self.about("runs"), self.about("runs", "--json"), self.about("runs", "-n", "2"))
        for run, name in enumerate(list(self.proved)[:6], 1):
            with self.subTest(name):
                self.pinned_runs(f"runs_show_{name}.txt", self.about("runs", "show", run),
                                 self.about("runs", "show", run, "--json"))
        self.pinned_runs("runs_errors.txt", self.about("runs", "show", 9), self.about("runs", "resume", 1),
                         self.about("events", 9), self.about("events", 1, "--kind", "prooved"),
                         self.about("blueprint", 9))

    def test_events(self):
        for run, name in ((1, "holes"), (2, "model"), (4, "agent")):
            with self.subTest(name):
                told = map(self.transcript, (self.about("events", run), self.about("events", run, "--jsonl"),
                                             self.about("events", run, "--jsonl", "--kind", "proved,failed")))
                text = re.sub(r'(?<="diagnostics":\[).+?(?=\],"seconds")', self.ordered, "".join(told))
                self.pinned(f"events_{name}.txt", text)

    @staticmethod
    def ordered(diagnostics):
        """Lean reports declarations in the order in which it finishes them, which differs."""
        return ",".join(sorted(re.split(r',(?=\{"begin":)', diagnostics[0])))

    def test_blueprint(self):
        self.pinned_runs("blueprint.txt", *[self.about("blueprint", run, *how) for run in (1, 4)
                                            for how in ((), ("--json",), ("--dot",))])


class Check(VerbsTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, text in (("Good", GOOD), ("Comm", COMM), ("Dirty", DIRTY), ("Cheat", CHEAT), ("problems/A", COMM),
                           ("problems/B", COMM), ("answers/A", GOOD), ("answers/B", BAD),
                           ("Dies", "#eval (IO.Process.exit 7 : IO Unit)\n"),
                           ("Warned", "theorem t (p q : Prop) (h : p) (unused : q) : p := h\n")):
            cls.write(name + ".lean", text)

    def test_check(self):
        files = "Good.lean", "Dirty.lean", "Warned.lean", "Dies.lean"
        self.pinned_runs("check.txt", self.zermelo("check", *files, "--json"),
                         self.zermelo("check", *files[:3], "--wfail"), self.zermelo("check", "Good.lean", "--quiet"))

    def test_against(self):
        runs = [self.zermelo("check", name, "--against", "Comm.lean", *how)
                for name, how in (("Good.lean", ("--json",)), ("Cheat.lean", ("--json",)), ("Cheat.lean", ()))]
        runs.append(self.zermelo("check", "answers", "--against", "problems", "--json"))
        self.pinned_runs("check_against.txt", *runs)


class Recheck(VerbsTest):
    def test_recheck(self):
        self.write("Comm.lean", COMM)
        self.write("Good.lean", GOOD)
        receipt = self.folder / "receipt.json"
        self.zermelo("check", "Good.lean", "--against", "Comm.lean", "--receipt", receipt.name)
        self.write("worse.json", receipt.read_text(encoding="utf-8").replace('"allow_more_imports": false', '"allow_more_imports": true')
                   .replace('"outcome": "accepted"', '"outcome": "rejected"'))
        self.write("changed.json", receipt.read_text(encoding="utf-8").replace("omega", "simp"))
        self.pinned_runs("recheck.txt", *[self.zermelo("recheck", *names, *how) for how in (("--json",), ())
                                          for names in (("receipt.json", "worse.json"), ("changed.json",))])


class Audit(VerbsTest):
    def test_audit(self):
        library, built = EMBEDDED / "build/lib/lean", self.folder / "project/.lake/build/lib/lean"
        built.mkdir(parents=True)
        self.write("project/lakefile.toml", 'name = "project"\n')
        source = self.write("project/Basic.lean", MODULE)
        subprocess.run([LEAN, "-o", built / "Basic.olean", source], check=True, timeout=120, capture_output=True,
                       env=environment({"LEAN_PATH": library}))
        self.pinned_runs("audit.txt", *[self.zermelo("audit", "project", "--path", library, *how) for how in (
            ("--json",), ("--json", "--all", "--allow-axiom", "magic"), (), ("--write-baseline",), ("--json",))])


class Training(VerbsTest):
    """From the proofs of a project to what is learned from them."""

    def test_traces(self):
        self.write("project/Proofs.lean", TACTICS)
        self.write("project/Open.lean", COMM)
        trace = "trace", "project", "--workers", "1", "--json"
        runs = [self.zermelo(*trace), self.zermelo(*trace)]
        text = self.transcript(runs[0], self.folder / "trace.jsonl") + self.transcript(runs[1])
        self.pinned("trace.txt", re.sub(r"\(\d+\.\d/s\)", "(<speed>/s)", text))
        learn = [self.zermelo("learn", *what, *how) for what in (("trace.jsonl",), ()) for how in (("--json",), ())]
        self.pinned_runs("learn.txt", *learn)
        rows = "--from", "trace.jsonl", "--json", "--out"
        sft = self.zermelo("export", "sft", *rows, "sft.jsonl", "--cuts", "2")
        rl = self.zermelo("export", "rl", *rows, "rl.jsonl", "--format", "chat")
        self.pinned("export.txt", self.transcript(sft, self.folder / "sft.jsonl") +
                    self.transcript(rl, self.folder / "rl.jsonl"))


class Kernel(VerbsTest):
    def test_exports(self):
        self.write("accepted.ndjson", EXPORT % 3)
        self.write("rejected.ndjson", EXPORT % 4)
        self.write("declined.ndjson", EXPORT.replace("3.1.0", "4.0.0") % 3)
        self.write("malformed.ndjson", (EXPORT % 3).replace('"type":1', '"type":9'))
        runs = [self.zermelo("kernel", f"{name}.ndjson", "--json", "--threads", "1")
                for name in ("accepted", "rejected", "declined", "malformed")]
        runs += [self.zermelo("kernel", *arguments)
                 for arguments in (("rejected.ndjson",), ("missing.ndjson",), (), ("--project", "."))]
        self.pinned_runs("kernel.txt", *runs)


class Doctor(VerbsTest):
    MACHINE = ("cores", "memory", "sandbox: files", "sandbox: network", "Lean's sandbox")

    def test_doctor(self):
        """What was found about this machine is hidden."""
        self.write("zermelo.toml", '[models.sim]\nendpoint = "http://127.0.0.1:9/v1"\nformat = "chat"\n')
        self.write("bad/zermelo.toml", '[models.m]\nendpoint = "http://127.0.0.1:9/v1"\nwieght = 2\n')
        text = self.transcript(self.zermelo("doctor", "--json")) + self.transcript(self.zermelo("doctor"))
        text += self.transcript(self.zermelo("doctor", "--json", cwd=self.folder / "bad"))
        subjects = "|".join(re.escape(subject) for subject in self.MACHINE)
        text = re.sub(rf'"advice":"[^"]*",(\s*)"found":"[^"]*",(\s*)"level":"\w+",(\s*)"subject":"({subjects})"',
                      r'<machine>,\1<machine>,\2<machine>,\3"subject":"\4"', text)
        text = re.sub(rf"(?m)^[✓!✗] ({subjects}) .*(\n +.*)*$", r"<machine> \1", text)
        self.pinned("doctor.txt", text)


class Eval(VerbsTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        sim = Sim(cls.folder, RULES)
        cls.addClassCleanup(sim.close)
        cls.write("zermelo.toml", f'[models.sim]\nendpoint = "http://127.0.0.1:{sim.port}/v1"\nformat = "chat"\n'
                                  "[models.sim.price]\nprompt = 1\ncompletion = 2\n")
        statements = [s.replace("\n  sorry", "").strip() for s in MODEL.split("\n\n")]
        statements.append('theorem bad (n : Nat) : n = "x" := by')
        rows = [{"name": s.split()[1], "header": "", "formal_statement": s, "category": f"kind {len(s) % 2}"}
                for s in statements]
        cls.write("set.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        cls.command = ("eval", "set.jsonl", *SAMPLING, "--budget", "2x1", "--all-attempts", "--jobs", "1")

    @staticmethod
    def without_times(text):
        """Of figures: the machine, the commit of the program, and where a time is on an axis."""
        for pattern, shown in (
                (r'"(cores|memory_bytes)": \d+', r'"\1": <machine>'),
                (r'("zermelo": \{\s*"commit": )"[0-9a-f]*"', r"\1<commit>"),
                (r'("seconds": \[\s*\[\s*)[0-9.e-]+', r"\1<time>"), (r"ETA [\w.<>]+", "ETA <time>")):
            text = re.sub(pattern, shown, text)
        return text

    def files_of(self, folder):
        """Those for programs: the report is a template around the data, which report_test.py reads in a browser."""
        return sorted(path for path in (self.folder / folder).rglob("*")
                      if path.suffix in (".json", ".jsonl", ".lean"))

    def test_eval(self):
        dry = [self.zermelo("eval", "set.jsonl", "--dry-run", "--jobs", "1", *how) for how in ((), ("--json",))]
        self.pinned_runs("eval_dry_run.txt", *dry)
        shards = [self.zermelo(*self.command, "--shard", f"{i}/2", "--out", f"shards/{i}", "--json") for i in (1, 2)]
        merged = self.zermelo("eval", "merge", "shards/1", "shards/2")
        again = self.zermelo(*self.command, "--shard", "1/2", "--out", "shards/1")
        self.pinned("eval.txt", self.without_times("".join(map(self.transcript, (*shards, again, merged)))))
        self.pinned_runs("eval_merge.txt", self.zermelo("eval", "merge", "shards/1", "shards/2", "--json", "--out", "merged"))
        for path in self.files_of("shards"):
            name = str(path.relative_to(self.folder)).replace("/", "_")
            with self.subTest(name):
                self.pinned(f"eval_{name}.txt", self.without_times(path.read_text(encoding="utf-8")))
        self.pinned_runs("eval_compare.txt", self.zermelo("eval", "compare", "shards/1", "shards", "--json"),
                         self.zermelo("eval", "compare", "shards/1", "shards"),
                         self.zermelo(*self.command, "--shard", "2/2", "--out", "shards/1"))


class Search(VerbsTest):
    def test_search(self):
        """In the index of Lean's library in the tests' cache, which the first run makes if it is missing."""
        self.zermelo("index")
        goal = self.write("Goal.lean", "theorem t (a b c : Nat) (h : a ∣ b) : a ∣ b * c := by\n"
                                       "  have h2 : 1 = 1 := rfl\n  sorry\n")
        self.pinned_runs("search.txt", self.zermelo("index"), self.zermelo("index", "--json"),
                         self.zermelo("search", "addition of naturals is commutative", "-n", "8", "--json"),
                         self.zermelo("search", "addition of naturals is commutative", "-n", "3"),
                         self.zermelo("search", "commutative", "--import", "Init.Core", "-n", "5", "--json"),
                         self.zermelo("search", "--goal", f"{goal}:3", "-n", "8", "--json"),
                         self.zermelo("search", "zzzzqqqq"))


class Serve(VerbsTest):
    POSTS = [
        ("/api/check", {"snippets": [{"id": str(i), "code": code} for i, code in enumerate((GOOD, BAD, COMM, CHEAT))]}),
        ("/api/check", {"snippets": [{"id": "rules", "code": CHEAT}], "rules": False}),
        ("/api/check", {"snippets": [{"id": "notation",
                                      "code": 'local notation "ℕ" => Nat\ntheorem t (n : ℕ) : n = n := rfl\n'}]}),
        ("/api/check", {"snippets": [{"id": 1, "code": ""}]}), ("/api/check", {"snippets": "x"}), ("/api/check", b"{"),
        ("/verify", {"codes": [{"custom_id": 1, "proof": GOOD}, {"custom_id": "b", "proof": BAD}], "timeout": 60}),
        ("/one_pass_verify_batch", {"codes": [{"custom_id": 1, "proof": COMM}]}),
        ("/get_reward", {"query": [f"See.\n```lean4\n{code}```<|im_end|>" for code in (GOOD, BAD, COMM, CHEAT)],
                         "labels": [COMM] * 4}),
        ("/get_reward", {"query": ["theorem t : True := trivial"], "labels": ["theorem t : Nope := by\n  sorry\n"]}),
        ("/get_reward", {"query": ["x"]}),
        ("/execute", {"generated_code": COMM, "language": "lean4", "timeout": 30.0, "max_output_characters": 1000}),
        ("/execute", {"generated_code": BAD, "language": "lean4", "timeout": 30.0, "max_output_characters": 100}),
        ("/execute", {"generated_code": GOOD, "language": "python"}),
        ("/search", {"query": ["addition is commutative on naturals"], "num_results": 2}), ("/search", {"query": 3}),
        ("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "golden", "version": "1"}}}),
        ("/health", {}), ("/nothing", {}),
    ]
    GETS = ("/", "/health", "/json?q=List.length%2C%20List.reverse", "/json?q=Foo.length", "/json", "/api/check",
            "/nothing", "/mcp", "/metrics")
    HIDDEN = {"Date", "Content-Length", "Mcp-Session-Id"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.zermelo("index")
        cls.server = cls.start("serve", "--port", "0", "--workers", "1")
        cls.server.wait_for("listening on")
        cls.address = urllib.parse.urlsplit(re.search(r"listening on (\S+)", cls.server.err)[1])

    def exchange(self, method, path, body=None):
        connection = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=300)
        self.addCleanup(connection.close)
        data = body if isinstance(body, bytes) or body is None else json.dumps(body, ensure_ascii=False).encode()
        connection.request(method, path, data, {"Content-Type": "application/json",
                                                "Accept": "application/json, text/event-stream"})
        response = connection.getresponse()
        text = response.read().decode()
        headers = [f"{name}: {'#' if name in self.HIDDEN else value}\n" for name, value in response.getheaders()]
        question = f"$ {method} {path} {'' if data is None else data.decode()}\n"
        return f"{question}{response.status} {response.reason}\n{''.join(headers)}\n{self.body(text)}\n\n"

    @staticmethod
    def body(text):
        """Without the histograms of times, and with JSON unfolded."""
        if text.startswith("# "):
            return "".join(line + "\n" for line in text.splitlines() if "_seconds_" not in line)
        return unfolded(text) if text.startswith(("{", "[")) else text

    def test_serve(self):
        text = "".join(self.exchange("POST", path, body) for path, body in self.POSTS)
        text += "".join(self.exchange("GET", path) for path in self.GETS)
        self.server.process.terminate()
        self.server.wait(60)
        text = re.sub(r'(?s)"lean_seconds":\[.*?\]', lambda times: re.sub(r"\d+\.\d{4,}", "<time>", times[0]), text)
        log = re.sub(r'"bytes_out":\d+', '"bytes_out":#', self.transcript(self.server))  # times have different lengths
        self.pinned("serve.txt", text + log)


class Mcp(VerbsTest):
    """Each tool that needs no model, over stdio, one call after the other."""

    CALLS = [
        ("check", {"file": "Good.lean"}), ("check", {"text": BAD}), ("check", {"text": DIRTY}),
        ("check", {"text": CHEAT}),
        ("goals", {"text": HOLES, "line": 8}), ("goals", {"text": HOLES, "line": 5, "column": 3}),
        ("goals", {"text": HOLES, "line": 2}),
        ("try_proofs", {"text": COMM, "proofs": ["rfl", "by omega", "induction a", "nonsense", "sorry"]}),
        ("premise_search", {"query": "addition of naturals is commutative", "limit": 3}),
        ("premise_search", {"query": "a b : Nat\n⊢ a + b = b + a", "formal": True, "limit": 3}),
        ("verdict", {"text": GOOD}), ("verdict", {"text": CHEAT, "original_text": COMM}), ("verdict", {"text": COMM}),
        ("disprove", {"text": "theorem wrong : 2 + 2 = 5 := by\n  sorry\n", "strategy": "best_first"}),
        ("prove_start", {"text": SUM, "strategy": "best_first"}),
        ("prove_result", {"job": "<job>", "wait_seconds": 200}),
        ("prove_status", {"job": "<job>"}), ("prove_cancel", {"job": "<job>"}), ("prove_status", {"job": "?"}),
        ("prove_start", {"text": GOOD}), ("prove_result", {"job": "<job>", "wait_seconds": 200}),
        ("prove_start", {"text": SUM, "strategy": "rmaxts"}), ("prove_result", {"job": "<job>", "wait_seconds": 200}),
        ("prove_start", {"text": SUM, "models": ["sim"]}), ("prove_result", {"job": "<job>", "wait_seconds": 200}),
        ("check", {"txt": ""}), ("check", {"text": 7}), ("check", {}), ("check", {"file": "nowhere.lean"}),
        ("goals", {"text": GOOD}),
        ("try_proofs", {"text": COMM, "proofs": []}), ("chek", {}),
    ]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.zermelo("index")
        cls.write("Good.lean", GOOD)
        cls.write("Holes.lean", HOLES)
        (cls.folder / "tmp").mkdir()
        cls.process = subprocess.Popen([PROGRAM, "mcp", "--workers", "1"], cwd=cls.folder, text=True,
                                       start_new_session=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, env=environment({"TMPDIR": cls.folder / "tmp"}))
        cls.addClassCleanup(cls.process.kill)
        cls.job = None

    def ask(self, line):
        self.process.stdin.write(line.replace("<job>", self.job or "") + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        job = re.search(r'"job":"([^"]+)"', answer)
        self.job = job[1] if job else self.job
        return f"> {line}\n{unfolded(answer)}\n".replace(self.job or "<job>", "<job>")

    def request(self, number, method, parameters):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
        return self.ask(json.dumps(message, ensure_ascii=False))

    def test_tools(self):
        tools = [self.zermelo("mcp", "tools", *how) for how in ((), ("--json",), ("goals",), ("goals", "--json"), ("gaols",))]
        calls = [("check", '{"file": "Good.lean"}'), ("goals", '{"file": "Holes.lean", "line": 8}'),
                 ("check", '{"file": "nowhere.lean"}'), ("check", '{"txt": ""}')]
        answers = [self.zermelo("mcp", "call", *call, *how, "--workers", "1") for call in calls for how in (("--json",), ())]
        unknown = self.zermelo("mcp", "call", "chek", "{}", "--json")
        text = "".join(map(self.transcript, (*tools, *answers, unknown)))
        self.pinned("mcp_call.txt", re.sub(r"(?m)^seconds: [\d.e-]+", "seconds: <time>", text))

    def test_mcp(self):
        client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "golden", "version": "1"}}
        meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                          "io.modelcontextprotocol/clientInfo": {"name": "golden", "version": "1"},
                          "io.modelcontextprotocol/clientCapabilities": {}}}
        text = self.request(1, "server/discover", meta) + self.request(1, "initialize", client)
        self.process.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        self.pinned("mcp_protocol.txt", text + self.request(2, "ping", {}) + self.request(3, "tools/list", {}) +
                    self.request(4, "resources/list", {}) + self.request(5, "server/discover", {}) + self.ask("{") +
                    self.ask("[]") + self.ask('{"jsonrpc":"2.0","id":6}'))
        wait_until(lambda: "not ready" not in self.request(9, "tools/call", {
            "name": "premise_search", "arguments": {"query": "addition"}}), 100, "the index of premises")
        text = "".join(self.request(number, "tools/call", {"name": name, "arguments": arguments})
                       for number, (name, arguments) in enumerate(self.CALLS, 10))
        self.process.stdin.close()
        text += f"exit code {self.process.wait(60)}\n--- stderr\n{self.process.stderr.read()}"
        self.pinned("mcp_tools.txt", text)
        wait_until(lambda: not processes_of(self.process.pid), 30, "the end of the server and its Leans")


if __name__ == "__main__":
    main()
