#!/usr/bin/env python3
"""`--model FILE.gguf`: a server for the file, as users see it. tests/e2e/data/llama_cpp_test.py has llama.cpp's own; here
a stand-in answers `simp`."""
import json
import os
import shutil
import signal

from testing.zermelo import ROOT, ZermeloTest, main, path_without_lean, processes_of, wait_until

SERVER = ROOT / "src/engine/testing/fake_llama_server.py"
HARD = "theorem hard (f : Nat → Nat) (h : ∀ n, f (f n) = n + 1) : False := by\n  sorry\n"


class Gguf(ZermeloTest):
    def setUp(self):
        self.write("tiny.gguf", "GGUF and the rest")
        self.write("Hard.lean", HARD)
        self.log = self.folder / f"{self.id()}.log"

    def settings(self, mode=""):
        return {"ZERMELO_LLAMA_SERVER": SERVER, "FAKE_LLAMA": mode, "FAKE_LLAMA_LOG": self.log}

    def starts(self):
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0

    def prove(self, *arguments, mode="", model="tiny.gguf", run=None):
        return (run or self.zermelo)("prove", "Hard.lean", "--model", model, "--strategy", "whole_proof", "--samples", "4",
                                     "--time", "60s", "--no-record", *arguments, env=self.settings(mode))

    def test_a_server_runs_for_the_run(self):
        run = self.prove("--json")
        self.assertEqual(run.code, 1, run)
        self.assertEqual(run.json["models"]["tiny.gguf"]["samples"], 4, run)
        self.assertEqual(self.starts(), 1)

    def test_roles_and_names_of_one_file_share_a_server(self):
        self.write("shared/zermelo.toml", '[models.one]\npath = "../tiny.gguf"\nformat = "chat"\n'
                   '[models.two]\npath = "../tiny.gguf"\nformat = "kimina"\n[roles]\nreasoner = "two"\n')
        self.write("shared/Hard.lean", HARD)
        run = self.zermelo("prove", "shared/Hard.lean", "--model", "one,two", "--strategy", "whole_proof", "--samples", "8",
                           "--time", "60s", "--no-record", "--json", env=self.settings())
        self.assertEqual(run.code, 1, run)
        self.assertEqual({name: m["samples"] for name, m in run.json["models"].items()}, {"one": 4, "two": 4}, run)
        self.assertEqual(self.starts(), 1)

    def test_attempts_of_an_evaluation_share_a_server(self):
        self.write("set.jsonl", "".join(json.dumps({"name": f"p{i}", "header": "", "formal_statement": HARD.replace("hard", f"p{i}")})
                                        + "\n" for i in range(3)))
        run = self.zermelo("eval", "set.jsonl", "--model", "tiny.gguf", "--strategy", "whole_proof", "--budget", "2x2", "--jobs", "1",
                           "--out", "run", "--json", env=self.settings())
        self.assertEqual(run.code, 0, run)
        self.assertEqual(self.starts(), 1)

    def test_what_is_wrong_is_said_before_the_search(self):
        self.assert_ends(self.prove(mode="broken"), 3, "llama-server cannot load", "tiny.gguf (exit code 1)",
                         "'output.weight' is missing", "incomplete download")
        self.write("page.gguf", "<html>not found")
        self.assert_ends(self.prove(model="page.gguf"), 2, "page.gguf is not a GGUF file")
        self.assert_ends(self.prove(model="none.gguf"), 2, "cannot read", "none.gguf")
        self.write("big-00001-of-00002.gguf", "GGUF")
        self.assert_ends(self.prove(model="big-00001-of-00002.gguf"), 2, "cannot read", "big-00002-of-00002.gguf", "2 files")
        path = os.pathsep.join(f for f in path_without_lean().split(os.pathsep) if not shutil.which("llama-server", path=f))
        run = self.zermelo("prove", "Hard.lean", "--model", "tiny.gguf", env={"ZERMELO_LLAMA_SERVER": None, "PATH": path})
        self.assert_ends(run, 3, "llama-server", "ZERMELO_LLAMA_SERVER", "scripts/llama_cpp.sh")

    def loading(self):
        run = self.prove(mode="slow", run=self.start)
        run.wait_for("loading tiny.gguf (0 MB) into llama-server", 60)
        self.assertTrue([c for _, c in processes_of(run.process.pid) if "fake_llama" in c])
        return run

    def test_ctrl_c_and_sigterm_end_the_server_that_loads(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            run = self.loading()
            run.process.send_signal(number)
            self.assertEqual(run.wait(30).code, 130, run)
            self.assertEqual(run.left_behind(), [])

    def test_nothing_is_left_after_kill_9(self):
        run = self.loading()
        os.kill(run.process.pid, signal.SIGKILL)
        run.process.wait()
        wait_until(lambda: not processes_of(run.process.pid), 10, f"the end of {processes_of(run.process.pid)}")

    def test_the_doctor_starts_it_too(self):
        self.write("doctor/zermelo.toml", '[models.one]\npath = "../tiny.gguf"\nformat = "chat"\n')
        run = self.zermelo("doctor", "--json", cwd=self.folder / "doctor", env=self.settings())
        finding = next(f for f in run.json["findings"] if f["subject"] == "model one")
        self.assertEqual(finding["level"], "ok", run)

    def test_a_client_of_a_server_cannot_name_a_file(self):
        request = json.dumps({"text": HARD, "models": ["tiny.gguf"], "seconds": 60, "samples": 4})
        refused = self.zermelo("mcp", "call", "prove_start", request, "--json", env=self.settings())
        self.assertIn("tiny.gguf is not a model of this server", refused.json["reason"], refused)
        self.assertEqual(self.starts(), 0)
        served = self.zermelo("mcp", "call", "prove_start", request, "--json", "--model", "tiny.gguf", "--strategy", "whole_proof",
                              env=self.settings())
        self.assertNotIn("is not a model", served.out, served)
        self.assertEqual(self.starts(), 1, served)


if __name__ == "__main__":
    main()
