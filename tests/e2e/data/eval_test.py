#!/usr/bin/env python3
"""`zermelo eval` with real Lean: dry run, run, stop and resume, shards, models, and failing verification."""
import http.server
import json
import os
import shlex
import signal
import threading
import urllib.request

from testing.sim_model import HARD, SimModel
from testing.zermelo import LEAN, ROOT, ZermeloTest, main, wait_until

SET = ROOT / "bench/data/minif2f-core-valid.jsonl"
SAMPLES = ROOT / "src/eval/testdata/samples"
FAKE_LEAN = ROOT / "src/lean/testing/fake_lean.py"
# Six of its 60 problems: five that the built-in policy proves immediately, one that it does not.
SIX = "^(mathd_numbertheory_(188|132|236|45|640)|imo_1993_p5)$"
KEYS = {"dataset", "problems", "invalid", "solved", "pass_rate", "runs", "seconds", "samples", "tokens", "money",
        "by_category"}
EASY = [f"theorem easy{i} (a b : Nat) (h : a < b) : a + {i} < b + {i} := by" for i in range(4)]
HOPELESS = "theorem hopeless (a b c : Nat) (ha : 0 < a) (hb : 0 < b) : a ^ 3 + b ^ 3 ≠ c ^ 3 + 9 := by"


def rows(*statements):
    return "".join(json.dumps({"name": s.split()[1], "header": "", "formal_statement": s}) + "\n" for s in statements)


def results(folder):
    return [json.loads(line) for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()]


class TheBuiltInPolicy(ZermeloTest):
    def test_six_problems_of_minif2f_core(self):
        out = self.folder / "six"
        run = self.zermelo("eval", SET, "--filter", SIX, "--budget", "15s", "--out", out, "--json", limit=500)
        self.assertEqual(run.code, 0, run)
        self.assertEqual(set(run.json), KEYS)
        figures = run.json
        self.assertEqual((figures["problems"], figures["invalid"], figures["runs"]), (6, 0, 1))
        self.assertGreaterEqual(figures["solved"], 3, run)
        self.assertEqual(figures["pass_rate"], figures["solved"] / 6)
        self.assertEqual(sum(c["solved"] for c in figures["by_category"].values()), figures["solved"])
        self.assertIn("MATH Number Theory", figures["by_category"])
        self.assertIn("6/6, ", run.err)
        lines = results(out)
        self.assertEqual(len(lines), 6)
        proved = [r for r in lines if r["outcome"] == "proved"]
        self.assertEqual(len(proved), figures["solved"])
        self.assertEqual(len(list((out / "proofs").iterdir())), figures["solved"])
        for r in lines:
            self.assertEqual(bool(r["proof"]), r["outcome"] == "proved")
        self.assertTrue(any(r["attempt"] for r in lines if r["outcome"] == "unproved") or len(proved) == 6)
        # A proof is a self-contained file.
        first = out / "proofs" / f"{proved[0]['problem']}.lean"
        self.assert_ends(self.zermelo("check", first), 0)
        summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
        self.assertEqual({k: summary[k] for k in KEYS}, figures)
        self.assertEqual(self.report_data(out)["summary"], summary)
        setup = json.loads((out / "eval.json").read_text(encoding="utf-8"))
        self.assertEqual(setup["setup"]["lean"]["version"], "4.28.0-pre")
        self.assertEqual(setup["parameters"]["budget"], "15s")
        self.assertTrue(setup["setup"]["command"][1:3] == ["eval", str(SET)], setup["setup"]["command"])


class DryRun(ZermeloTest):
    def test_statements_that_do_not_elaborate_are_listed_with_reasons(self):
        self.write("set.jsonl", rows(EASY[0], "theorem bad (n : Nat) : n = \"x\" := by", EASY[1]))
        run = self.zermelo("eval", "set.jsonl", "--dry-run", "--json")
        self.assertEqual(run.code, 1, run)
        self.assertEqual((run.json["problems"], run.json["invalid"]), (3, 1))
        bad = run.json["list"][1]
        self.assertFalse(bad["elaborates"])
        self.assertRegex(bad["why"], "(?i)line 1: .*mismatch")
        self.assertEqual((bad["file"], bad["line"]), ("set.jsonl", 2))
        self.assertTrue(run.json["list"][2]["elaborates"])

    def test_statements_that_were_not_reached_do_not_count_as_fine(self):
        endless = {"name": "endless", "header": "#eval (IO.sleep 600000 : IO Unit)\n", "formal_statement": EASY[1]}
        self.write("long.jsonl", rows(EASY[0]) + json.dumps(endless) + "\n" + rows(EASY[2]))
        run = self.start("eval", "long.jsonl", "--dry-run", "--json", "--jobs", "1")
        run.wait_for("✓ easy0")
        os.kill(run.process.pid, signal.SIGINT)
        run.wait()
        self.assert_ends(run, 130, "1 of 3 statements", "0 do not; 2 were not checked")
        figures = json.loads(run.out)
        self.assertEqual((figures["invalid"], figures["unchecked"]), (0, 2))

    def test_a_benchmark_that_needs_mathlib_says_so(self):
        run = self.zermelo("eval", SAMPLES / "putnambench", "--dry-run", "--filter", "1962")
        self.assert_ends(run, 1, "∅ putnam_1962_a5", "Mathlib", "0 of 1 statements")


class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.answer(self.rfile.read(int(self.headers["Content-Length"])).decode())

    def reply(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def prove(self, statement):
        self.reply(200, {"choices": [{"index": 0, "finish_reason": "stop", "message": {
            "role": "assistant", "content": f"```lean4\n{statement}\n  omega\n```"}}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1}})

    def log_message(self, *_):
        pass


class Oracle(Model):
    """Proves the statement, and does not answer what the test calls the second prompt."""

    def answer(self, prompt):
        if self.server.is_second(prompt):
            self.server.asked.set()
            self.server.over.wait(300)
        else:
            self.prove(EASY[0])


class Filtered(Model):
    """Refuses what mentions easy1."""

    def answer(self, prompt):
        if "easy1" in prompt:
            self.reply(400, {"error": {"message": "the content filter was triggered", "type": "invalid_request_error"}})
        else:
            self.prove(next(statement for statement in EASY if statement.split()[1] in prompt))


class ModelServerTest(ZermeloTest):
    def serve_model(self, handler):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.write("zermelo.toml", "[models.m]\n"
                   f'endpoint = "http://127.0.0.1:{server.server_address[1]}/v1"\nformat = "chat"\n')
        return server


class RefusedPrompts(ModelServerTest):
    EVALUATION = ("eval", "set.jsonl", "--jobs", "1", "--model", "m", "--no-builtin", "--strategy", "whole_proof",
                  "--budget", "1x2", "--out")

    def test_they_are_problems_without_a_proof(self):
        self.serve_model(Filtered)
        self.write("set.jsonl", rows(EASY[0], EASY[1], EASY[2]))
        run = self.zermelo(*self.EVALUATION, "some")
        self.assertEqual((run.code, run.out[:13]), (0, "2 of 3 solved"), run)
        found = {r["problem"]: r for r in results(self.folder / "some")}
        self.assertEqual({name: r["outcome"] for name, r in found.items()},
                         {"easy0": "proved", "easy1": "unproved", "easy2": "proved"})
        self.assertIn("the content filter was triggered", found["easy1"]["message"])

    def test_a_server_that_has_answered_nothing_ends_the_evaluation(self):
        self.serve_model(Filtered)
        self.write("set.jsonl", rows(EASY[1], EASY[2]))
        self.assert_ends(self.zermelo(*self.EVALUATION, "all"), 2, "the content filter was triggered")
        self.assertEqual(results(self.folder / "all"), [])


class StoppedAfterTheFirstProof(ModelServerTest):
    def stopped(self, is_second, *arguments):
        """The results of an evaluation that is stopped while it waits for the second answer."""
        server = self.serve_model(Oracle)
        server.is_second, server.asked, server.over = is_second, threading.Event(), threading.Event()
        self.addCleanup(server.over.set)
        self.write("set.jsonl", rows(EASY[0]))
        out = "stopped" + arguments[0]
        run = self.start("eval", "set.jsonl", "--jobs", "1", "--out", out, "--model", "m", "--no-builtin",
                         "--strategy", "whole_proof", *arguments)
        wait_until(server.asked.is_set, 200, "the second prompt")
        os.kill(run.process.pid, signal.SIGINT)
        self.assert_ends(run.wait(), 130, "run the same command to resume")
        return results(self.folder / out)

    def test_the_accepted_proof_is_kept_where_the_negation_was_next(self):
        kept, = self.stopped(lambda prompt: "zermelo_negation" in prompt, "--or-disprove", "--budget", "400s")
        self.assertEqual((kept["outcome"], kept.get("negation")), ("proved", None))
        self.assertIn("omega", kept["proof"])

    def test_one_attempt_of_four_is_no_result_for_pass_at_four(self):
        first = threading.Semaphore()
        self.assertEqual(self.stopped(lambda _: not first.acquire(blocking=False), "--all-attempts", "--budget", "4x1"),
                         [])


class ProveOrDisprove(ZermeloTest):
    """The track of benchmarks where a disproof counts, such as lists of open conjectures."""

    def test_proved_disproved_and_open_are_counted_apart(self):
        false = "theorem wrong (n : Nat) : n + 1 = n := by"
        hard = "theorem hard (a b c n : Nat) (h : 2 < n) (e : a ^ n + b ^ n = c ^ n) : a * b * c = 0 := by"
        self.write("set.jsonl", rows(EASY[0], false, hard))
        run = self.zermelo("eval", "set.jsonl", "--or-disprove", "--budget", "6s", "--jobs", "1", "--out", "both",
                           "--json", limit=400)
        self.assertEqual(run.code, 0, run)
        self.assertEqual({key: run.json[key] for key in ("solved", "disproved", "open", "contradictions")},
                         {"solved": 1, "disproved": 1, "open": 1, "contradictions": []})
        by_name = {r["problem"]: r for r in results(self.folder / "both")}
        self.assertEqual({name: r["outcome"] for name, r in by_name.items()},
                         {"easy0": "proved", "wrong": "disproved", "hard": "unproved"})
        self.assertEqual(by_name["easy0"]["negation"]["outcome"], "unproved")
        self.assertIn("¬", by_name["wrong"]["negation"]["statement"])
        self.assert_ends(self.zermelo("check", self.folder / "both/proofs/wrong.lean"), 0)
        self.assertEqual(self.report_data(self.folder / "both")["summary"]["disproved"], 1)


class UsageErrors(ZermeloTest):
    def test_each_says_what_to_do(self):
        self.write("set.jsonl", rows(*EASY))
        for arguments, said in (([], "no DATASET given"), (["set.jsonl", "--budget", "16y2"], "16x6400"),
                                (["set.jsonl", "--shard", "3/2"], "--shard i/n"),
                                (["set.jsonl", "--split", "test"], "it has no splits"),
                                (["set.jsonl", "--strategy", "best-first"], "available: auto, whole_proof, rmaxts"),
                                (["set.jsonl", "--strategy", "rmaxts"], "add --model NAME"),
                                (["set.jsonl", "--set", "rmaxts.wrkers=1"], "rmaxts.workers"),
                                (["set.jsonl", "--budget", "$1"], "needs a model"),
                                (["set.jsonl", "--budget", "1", "--or-disprove"], "at least two samples"),
                                (["missing.jsonl"], "there is no missing.jsonl"),
                                (["merge"], "folders is required"), (["merge", "none"], "holds no evaluation")):
            with self.subTest(arguments=arguments):
                self.assert_ends(self.zermelo("eval", *arguments), 2, said)


class Resuming(ZermeloTest):
    def begin(self, *more):
        return self.start("eval", "set.jsonl", "--budget", "10s", "--jobs", "1", "--out", "run", *more)

    def test_finished_problems_are_never_run_again(self):
        self.write("set.jsonl", rows(EASY[0], HOPELESS, EASY[1]))
        out = self.folder / "run"
        run = self.begin()
        run.wait_for("✓ easy0")
        run.kill()  # no chance to clean up
        kept = (out / "results.jsonl").read_bytes()
        self.assertEqual([r["problem"] for r in results(out)], ["easy0"])
        with open(out / "results.jsonl", "ab") as log:
            log.write(b'{"problem": "hopel')  # as after a power cut
        run = self.begin()
        run.wait_for("resuming with 1 result")
        wait_until(run.lean_processes, 60, "a Lean worker")
        os.kill(run.process.pid, signal.SIGINT)
        run.wait()
        self.assert_ends(run, 130, "run the same command to resume")
        self.assertEqual(run.left_behind(), [])
        self.assertIn("INCOMPLETE: 2 of 3 results are missing.", run.out.splitlines()[0])
        self.assertEqual((out / "results.jsonl").read_bytes(), kept, "an interrupted problem has no result")
        run = self.begin().wait()
        self.assertEqual(run.code, 0, run)
        self.assertTrue((out / "results.jsonl").read_bytes().startswith(kept))
        self.assertEqual([r["problem"] for r in results(out)], ["easy0", "hopeless", "easy1"])
        self.assertEqual([r["outcome"] for r in results(out)], ["proved", "unproved", "proved"])
        other = self.zermelo("eval", "set.jsonl", "--budget", "11s", "--jobs", "1", "--out", "run")
        self.assert_ends(other, 2, 'budget: "10s" there, "11s" here')


class Samples(ZermeloTest):
    def test_candidates_count_towards_the_budget(self):
        self.write("set.jsonl", rows(HOPELESS))
        run = self.zermelo("eval", "set.jsonl", "--budget", "2x24", "--out", "run", "--json")
        self.assertEqual(run.code, 0, run)
        tried = run.json["samples"]
        self.assertGreaterEqual(tried, 2 * 24 - 6, "a candidate that hangs is not counted")
        self.assertLessEqual(tried, 2 * (24 + 2 * 12), "no more than the candidates in flight")


class NotVerified(ZermeloTest):
    def test_the_first_line_says_so(self):
        # A Lean that answers during search and dies when it has to compile.
        lean = self.write("lean", '#!/bin/sh\ncase " $* " in *" -o "*) kill -9 $$;; esac\n'
                          f'exec {shlex.quote(str(LEAN))} "$@"\n')
        lean.chmod(0o755)
        self.write("set.jsonl", rows(EASY[0]))
        run = self.zermelo("eval", "set.jsonl", "--budget", "60s", "--out", "run", "--lean", lean, "--no-sandbox",
                           "--quiet")
        self.assertEqual(run.code, 3, run)
        self.assertTrue(run.out.startswith("NOT VERIFIED: Lean could not judge 1 of 1 problems"), run)
        self.assertIn("0 of 1 solved", run.out.splitlines()[0])
        self.assertIn("NOT VERIFIED", self.report_data(self.folder / "run")["summary"]["first_line"])
        again = self.zermelo("eval", "set.jsonl", "--budget", "60s", "--out", "run", "--lean", LEAN, "--json")
        self.assertEqual((again.code, again.json["solved"]), (0, 1), again)


    def test_a_statement_at_which_lean_dies_is_tried_again(self):
        problem = json.loads(rows(EASY[0])) | {"header": "-- fake: crash\n"}
        self.write("set.jsonl", json.dumps(problem) + "\n")
        evaluation = ("eval", "set.jsonl", "--budget", "20s", "--out", "died", "--lean", FAKE_LEAN, "--no-sandbox")
        for session in (1, 2):
            run = self.zermelo(*evaluation)
            self.assertEqual(run.code, 3, run)
            self.assertEqual([(r["outcome"], r["verdict"]) for r in results(self.folder / "died")],
                             [("unverified", "crashed")] * session)


class Models(ZermeloTest):
    def test_independent_attempts_give_pass_at_k(self):
        sim = SimModel(self.folder, "--spoil", "0.5")
        self.addCleanup(sim.close)
        self.write("zermelo.toml", f'[models.sim]\nendpoint = "http://127.0.0.1:{sim.port}/v1"\nformat = "chat"\n'
                                   "[models.sim.price]\nprompt = 1\ncompletion = 2\n")
        self.write("set.jsonl", rows(HARD + " := by"))
        run = self.zermelo("eval", "set.jsonl", "--model", "sim", "--strategy", "whole_proof", "--budget", "4x1",
                           "--all-attempts", "--runs", "2", "--out", "a", "--json")
        self.assertEqual(run.code, 0, run)
        self.assertEqual(run.json["samples"], 8)
        self.assertGreater(run.json["money"], 0)
        lines = results(self.folder / "a")
        correct = sum(r["proved"] for r in lines)
        self.assertEqual([r["attempts"] for r in lines], [4, 4])
        self.assertEqual(len({r["seed"] for r in lines}), 2)
        summary = json.loads((self.folder / "a/summary.json").read_text(encoding="utf-8"))
        self.assertAlmostEqual(summary["pass_at_k"]["1"], correct / 8)
        role = summary["by_role"][0]
        self.assertEqual((role["model"], role["role"], role["calls"], role["samples"]), ("sim", "prover", 8, 8))
        self.assertGreater(summary["tokens_per_sample"], 0)
        parameters = json.loads((self.folder / "a/eval.json").read_text(encoding="utf-8"))["parameters"]
        self.assertEqual(parameters["models"]["sim"]["dollars_per_million_tokens"]["completion"], 2)
        # A model that solves nothing: every problem that the first one solved is solved only by it.
        ignorant = SimModel(self.folder, "--spoil", "1")
        self.addCleanup(ignorant.close)
        config = (self.folder / "zermelo.toml").read_text(encoding="utf-8")
        self.write("zermelo.toml", config.replace(f":{sim.port}/", f":{ignorant.port}/"))
        self.zermelo("eval", "set.jsonl", "--model", "sim", "--strategy", "whole_proof", "--budget", "2x1",
                     "--out", "b")
        compared = self.zermelo("eval", "compare", "a", "b", "--json").json
        self.assertEqual((compared["problems"], compared["only_b"], compared["mcnemar_p"]), (1, [], 1))
        # b has one run, so only the first run of a counts.
        first = any(r["proved"] for r in lines if r["run"] == 1)
        self.assertEqual(compared["only_a"], ["hard"] if first else [])

    def prompts_of(self, budget):
        """c and n for each call of a model with a CoT and a non-CoT prompt, in order."""
        sim = SimModel(self.folder, "--spoil", "1")
        self.addCleanup(sim.close)
        self.write("zermelo.toml", f'[models.sim]\nendpoint = "http://127.0.0.1:{sim.port}/v1"\n'
                                   'formats = { "deepseek-prover-v1.5" = 1, "deepseek-prover-v1.5-cot" = 1 }\n')
        self.write("set.jsonl", rows(HARD + " := by"))
        self.zermelo("eval", "set.jsonl", "--model", "sim", "--strategy", "whole_proof", "--no-builtin", "--set",
                     "whole_proof.calls=1", "--budget", budget, "--out", "mixture-" + budget)
        with urllib.request.urlopen(f"http://127.0.0.1:{sim.port}/sim/log", timeout=20) as answer:
            log = json.load(answer)
        prompts = [call["body"]["prompt"] for call in log if "prompt" in (call.get("body") or {})]
        return "".join("c" if "explanatory comments" in prompt else "n" for prompt in prompts)

    def test_attempts_divide_a_mixture_of_prompts(self):
        """(8 + 8) x 6400 of DeepSeek-Prover-V1.5, on a smaller scale: an attempt keeps to one prompt."""
        self.assertIn(self.prompts_of("4x3"), ("nnncccnnnccc", "cccnnncccnnn"))

    def test_a_single_attempt_mixes_the_prompts(self):
        self.assertIn(self.prompts_of("6"), ("ncncnc", "cncncn"))


if __name__ == "__main__":
    main()
