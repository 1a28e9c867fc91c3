#!/usr/bin/env python3
"""bench/ablation.py with a program in place of Zermelo that proves what its first lines say; and the data it reads."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parent.parent / "bench"
sys.path.insert(0, str(BENCH))

import ablation  # noqa: E402

# Proves the problems of minif2f-core whose length is even. A third of these need `cases`, and a third use it without need.
PROGRAM = '''#!/usr/bin/env python3
import json, pathlib, sys
args = sys.argv[1:]
after = lambda flag: args[args.index(flag) + 1]
without = [a.partition("=")[2] for a in args if a.startswith("builtin.without=")]
if args[0] == "events":
    print(pathlib.Path(after("--run-db")).read_text(encoding="utf-8"))
elif without == ["?"]:
    sys.exit("zermelo: there is no heuristic `?` (heuristics: close, cases, arith)")
else:
    with open(pathlib.Path(__file__).parent / "calls", "a") as calls:
        calls.write(after("--theorem") + "\\n")
    name, kind = after("--theorem"), len(after("--theorem")) % 3
    proved = len(name) % 2 == 0 and not (kind == 0 and without == ["cases"])
    events = [{"kind": "theorem_begun", "theorem": 0, "name": name}]
    if proved:
        origins = ["close"] if kind == 2 or without else ["cases", "close"]
        events.append({"kind": "proof_origins", "origins": origins})
    pathlib.Path(after("--run-db")).write_text("\\n".join(map(json.dumps, events)), encoding="utf-8")
    print(json.dumps({"run": {"id": 1}, "theorems": [
        {"name": name, "status": "proved" if proved else "failed", "proof": "simp", "seconds": 1}]}))
'''


class Ablation(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.program = pathlib.Path(self.folder.name) / "zermelo"
        self.program.write_text(PROGRAM, encoding="utf-8")
        self.program.chmod(0o755)

    def run_it(self, *arguments):
        done = subprocess.run([sys.executable, "-B", BENCH / "ablation.py", "--sets", "minif2f", *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True,
                              env={**os.environ, "ZERMELO_PROGRAM": str(self.program)})
        return done.stdout

    def calls(self):
        return len((self.program.parent / "calls").read_text(encoding="utf-8").splitlines())

    def test_counts_what_is_proved_only_with_a_heuristic(self):
        self.count(problems=60, few=False)

    def test_few_failures_are_attempted_again(self):
        self.count(problems=20, few=True)

    def count(self, problems, few):
        names = [name for file in ablation.problems_of("minif2f", problems).values() for name in file[1]]
        proved = [name for name in names if len(name) % 2 == 0]
        used = [name for name in proved if len(name) % 3 != 2]
        only = {name for name in used if len(name) % 3 == 0}
        self.assertEqual(0 < len(only) <= ablation.FEW, few, only)
        report = json.loads(self.run_it("--json", "--problems", str(problems)))
        self.assertEqual(report["metrics"]["solved_minif2f"], len(proved))
        cell = report["heuristics"]["cases"]["minif2f"]
        self.assertEqual((cell["used"], set(cell["only"])), (len(used), only))
        self.assertNotIn("close_only", report["metrics"])
        self.assertEqual(report["unused"], ["arith"])
        self.assertEqual(self.calls(), len(names) + len(used) + few * len(only))

    def test_goes_on_with_saved_results(self):
        results = str(self.program.parent / "results.json")
        first = self.run_it("--results", results, "--problems", "8")
        calls = self.calls()
        self.assertEqual(self.run_it("--results", results, "--problems", "8"), first)
        self.assertEqual(self.calls(), calls)
        self.assertRegex(first, r"cases +\d+ / \d+")


class Data(unittest.TestCase):
    def test_every_theorem_of_the_files_has_one_hole(self):
        self.assertGreater(sum(len(ablation.theorems_in(text)) for text in ablation.written().values()), 250)

    def test_proofs_take_the_places_of_holes(self):
        text = "theorem a : p := by sorry\n\ntheorem b.{u} : q := by\n  sorry\n"
        self.assertEqual(ablation.theorems_in(text), ["a", "b"])
        self.assertEqual(ablation.with_proofs(text, {"a": "intro h\nsimp"}),
                         "theorem a : p := by\n  intro h\n  simp\n\ntheorem b.{u} : q := by\n  sorry\n")


if __name__ == "__main__":
    unittest.main()
