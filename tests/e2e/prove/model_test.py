#!/usr/bin/env python3
"""`zermelo prove --model` against a simulated server: real HTTP, real Lean, known proofs."""
import json

from testing.sim_model import HARD, PROOF, SIM, SimModel
from testing.zermelo import ROOT, ZermeloTest, main


class AModel(ZermeloTest):
    def serve(self, *options, format="chat", extra=""):
        sim = SimModel(self.folder, *options)
        self.addCleanup(sim.close)
        self.write("zermelo.toml", f'[models.sim]\nendpoint = "http://127.0.0.1:{sim.port}/v1"\n'
                                   f'format = "{format}"\n{extra}\n[models.sim.price]\nprompt = 1\ncompletion = 2\n')
        self.write("Hard.lean", HARD + " := by\n  sorry\n")
        return sim

    def prove(self, *options, time="30s", **more):
        return self.zermelo("prove", "Hard.lean", "--time", time, "--json", "--out", "Out.lean",
                            "--model", "sim", *options, **more)

    def automatic(self, *options):
        """The default strategy, with far too little time for the built-in tactics to find the proof."""
        return self.prove("--set", "auto.builtin_share=0.005", *options, time="60s")

    def sample(self, *options):
        """Without the built-in tactics, whose share of the time would otherwise have to pass first."""
        return self.prove("--strategy", "whole_proof", *options)

    def test_the_model_proves_what_the_built_in_tactics_do_not_find_in_time(self):
        self.serve()
        run = self.automatic()
        self.assert_ends(run, 0, "1 of 1 proved", "models: ")
        self.assertEqual(run.json["theorems"][0]["status"], "proved")
        spent = run.json["models"]["sim"]
        self.assertGreater(spent["completion_tokens"], 0)
        self.assertGreater(spent["dollars"], 0)
        self.assert_ends(self.zermelo("check", "Out.lean", "--against", "Hard.lean"), 0)

    def test_a_model_in_a_completion_format(self):
        self.serve(format="deepseek-prover-v1.5")
        self.assert_ends(self.sample(), 0, "1 of 1 proved")

    def test_a_prompt_that_one_model_has_no_room_for_is_one_failed_call(self):
        """A small model with a context of 1,024 tokens; the file has more above the second theorem."""
        self.serve()
        toml = (self.folder / "zermelo.toml").read_text(encoding="utf-8")
        self.write("zermelo.toml", toml + f'[models.small]\npath = "{ROOT}/src/decoder/testing/models/qwen3"\n'
                                          'format = "deepseek-prover-v1.5"\nsampling = { max_tokens = 16 }\n')
        self.write("Long.lean", "theorem easy (p : Prop) (h : ∀ q : Prop, q) : p := by\n  sorry\n\n/- " +
                   "a long story; " * 400 + "-/\n\n" + HARD + " := by\n  sorry\n")
        whole = ["prove", "Long.lean", "--time", "30s", "--json", "--out", "Out.lean", "--strategy", "whole_proof"]
        run = self.zermelo(*whole, "--model", "small", "--set", "whole_proof.samples=3")
        self.assertEqual(run.code, 1, run)
        short, too_long = run.json["theorems"]
        self.assertNotIn("does not fit", short["message"], run)
        self.assertIn("the prompt does not fit into the model's context (3)", too_long["message"], run)
        run = self.zermelo(*whole, "--model", "small,sim", "--theorem", "hard")
        self.assert_ends(run, 0, "1 of 1 proved", "small: ")
        run = self.zermelo("prove", "Long.lean", "--time", "30s", "--model", "small", "--strategy", "rmaxts", "--theorem",
                           "hard", "--set", "rmaxts.generations=5")
        self.assert_ends(run, 1, "does not fit into the model's context (5)")

    def assert_members(self, run, *names):
        members = [m for m in run.json["members"] if m["share"] > 0]
        self.assertEqual([m["name"] for m in members], list(names), run)
        for free in (m for m in run.json["members"] if m["share"] == 0):
            self.assertEqual((free["name"], free["dollars"]), ("built-in", 0), run)
        self.assertGreater(sum(m["succeeded"] for m in members), 0, run)
        for member in members:
            self.assertIn(f"{member['name']}: {100 * member['share']:.0f} % of the samples", run.err)
        return members

    def test_the_simulated_models_proofs_are_right(self):
        rows = [json.loads(line) for line in (SIM.parent / "proofs.jsonl").read_text(encoding="utf-8").splitlines()]
        self.write("Table.lean", "\n\n".join(row["statement"] + " := by\n" + row["proof"] for row in rows) + "\n")
        self.assert_ends(self.zermelo("check", "Table.lean"), 0)

    def test_a_step_model(self):
        self.serve(format="bfs-prover")
        run = self.prove("--strategy", "best_first", "--no-builtin")
        self.assert_ends(run, 0, "1 of 1 proved")
        self.assertIn("exact key n", run.json["theorems"][0]["proof"], run)
        member, = self.assert_members(run, "sim")
        self.assertGreaterEqual(member["succeeded"], 2, run)
        self.assertGreater(member["dollars"], 0, run)

    def test_a_mixture_of_two_models(self):
        """Bourbaki's mixture: two models of equal weight, one of them in two formats."""
        self.serve("--spoil", "0.9")
        other = SimModel(self.folder)
        self.addCleanup(other.close)
        toml = (self.folder / "zermelo.toml").read_text(encoding="utf-8")
        first = toml.replace("models.sim", "models.deepseek").replace('format = "chat"', 'model = "sim"\nformats = '
                             '{ "deepseek-prover-v2-cot" = 3, "deepseek-prover-v2" = 1 }')
        port = toml.split("127.0.0.1:")[1].split("/")[0]
        second = toml.replace("models.sim", "models.kimina").replace('format = "chat"', 'model = "sim"\n'
                              'format = "kimina"').replace(port, str(other.port))
        self.write("zermelo.toml", first + "\n" + second)
        run = self.zermelo("prove", "Hard.lean", "--time", "60s", "--json", "--out", "Out.lean",
                           "--model", "deepseek,kimina", "--samples", "32", "--strategy", "whole_proof")
        self.assert_ends(run, 0, "1 of 1 proved")
        names = "deepseek/deepseek-prover-v2", "deepseek/deepseek-prover-v2-cot", "kimina"
        members = self.assert_members(run, *names)
        self.assertEqual([m["share"] for m in members], [0.125, 0.375, 0.5], run)
        self.assertGreater(members[2]["succeeded"], 0, run)
        self.assertAlmostEqual(sum(m["dollars"] for m in members),
                               sum(m["dollars"] for m in run.json["models"].values()), 6)

    def test_lemmas_before_the_theorem(self):
        """Two theorems, each with its own lemma `helper`, in a file with a namespace and variables."""
        proof = "  exact helper f h h0 n"
        lemma = ("set_option maxHeartbeats 400000\nopen Nat Real\n\n"
                 "lemma helper (f : Nat → Nat) (h : ∀ n, f (n + 1) = 2 * f n) (h0 : f 0 = 3) (n : Nat) :\n"
                 "    f n = 3 * 2 ^ n := by\n" + PROOF + "\n\n").replace("lemma", "theorem")
        rows = []
        for name in ("hard", "again"):
            statement = HARD.replace("hard", name)
            rows.append({"name": name, "statement": statement, "proof": proof, "before": lemma})
        table = self.folder / "lemmas.jsonl"
        table.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        self.serve("--proofs", str(table))
        theorems = "\n\n".join(HARD.replace("hard", name) + " := by\n  sorry" for name in ("hard", "again"))
        self.write("Hard.lean", "namespace N\nsection\nvariable (m : Nat)\n\n" + theorems +
                   "\n\ntheorem helper : m = m := rfl\nend\nend N\n")
        run = self.sample()
        self.assert_ends(run, 0, "2 of 2 proved")
        self.assertIn("theorem hard_helper", run.json["theorems"][0]["auxiliary"], run)
        self.assertIn("exact again_helper", run.json["theorems"][1]["proof"], run)
        self.assert_ends(self.zermelo("check", "Out.lean", "--against", "Hard.lean"), 0)

    def test_corrupted_answers_and_faults_only_cost_time(self):
        self.serve("--spoil", "0.3", "--fault", "429=0.1", "--fault", "500=0.1", "--fault", "half=0.1")
        self.assert_ends(self.sample("--samples", "64", "--seed", "1"), 0, "1 of 1 proved")

    def test_the_budget_of_samples_is_kept(self):
        sim = self.serve("--spoil", "1")
        run = self.automatic("--samples", "5")
        self.assert_ends(run, 1, "budget")
        self.assertEqual(run.json["models"]["sim"]["samples"], 5)
        self.assertIsNotNone(sim)

    def test_a_recorded_run_is_replayed_without_a_server(self):
        sim = self.serve("--spoil", "0.3")
        calls = ("--samples", "32", "--set", "whole_proof.calls=1", "--workers", "1")  # in one order
        first = self.sample("--record", "calls.db", "--seed", "3", *calls)
        self.assertEqual(first.code, 0, first)
        sim.process.terminate()
        again = self.sample("--replay", "calls.db", "--seed", "3", *calls)
        self.assertEqual(again.code, 0, again)
        self.assertEqual(again.json["theorems"][0]["proof"], first.json["theorems"][0]["proof"])
        other = self.sample("--replay", "calls.db", "--seed", "1000", *calls)
        self.assert_ends(other, 2, "seed")

    def test_the_doctor_reports_problems_with_a_model(self):
        sim = self.serve()
        run = self.zermelo("doctor", "--json")
        model, = (f for f in run.json["findings"] if f["subject"] == "model sim")
        self.assertEqual(model["level"], "ok", run)
        sim.process.terminate()
        sim.process.wait()
        run = self.zermelo("doctor", "--json")
        model, = (f for f in run.json["findings"] if f["subject"] == "model sim")
        self.assertEqual((run.code, model["level"]), (3, "problem"), run)
        self.assertTrue(model["advice"], run)

    def test_the_doctors_diagnoses(self):
        cases = {  # name: expected texts, more configuration, options of the server
            "wrong_key": (["401", "SIM_KEY"], 'key_env = "SIM_KEY"', "--key", "right"),
            "no_key": (["401", "API key"], "", "--key", "right"),
            "unknown": (["does not exist", "the server has: other"], "", "--model", "other"),
            "small": (["context of 4096 tokens is too small", "max_tokens = 16384"], "", "--context", "4096"),
            "roomy": ([], "sampling = { max_tokens = 1000 }", "--context", "4096"),
            "seedless": (['Unknown name "seed"', "dialect"], "", "--refuse", "seed"),
            "foreign": (['Unknown name "max_completion_tokens"', "dialect"], 'dialect = "openai"',
                        "--refuse", "max_completion_tokens"),
            "page": (["web page"], "", "--fault", "html=1"),
            "loading": (["503", "Loading"], "", "--fault", "503=1")}
        toml = ""
        for name, (_, extra, *options) in cases.items():
            sim = SimModel(self.folder, *options)
            self.addCleanup(sim.close)
            toml += (f'[models.{name}]\nendpoint = "http://127.0.0.1:{sim.port}/v1"\nmodel = "sim"\n'
                     f'format = "chat"\n{extra}\n')
        toml += '[models.refused]\nendpoints = ["http://127.0.0.1:9/v1"]\nformat = "chat"\n'
        cases["refused"] = (["check that the model server is running"], "")
        self.write("zermelo.toml", toml)
        run = self.zermelo("doctor", "--json", env={"SIM_KEY": "wrong"})
        findings = {f["subject"]: f for f in run.json["findings"]}
        for name, (said, *_) in cases.items():
            finding = findings["model " + name]
            self.assertEqual(finding["level"], "problem" if said else "ok", finding)
            for text in said:
                self.assertIn(text, finding["found"] + " / " + finding["advice"])

    def test_wrong_names_are_reported_with_the_nearest(self):
        self.serve()
        self.assert_ends(self.zermelo("prove", "Hard.lean", "--model", "sin"), 2, "sin", "sim")
        self.write("bad/zermelo.toml", '[models.sim]\nendpont = "http://x/v1"\n')
        self.write("bad/Hard.lean", HARD + " := by\n  sorry\n")
        self.assert_ends(self.zermelo("prove", "bad/Hard.lean", "--model", "sim"), 2, "endpoint", "zermelo.toml")


if __name__ == "__main__":
    main()
