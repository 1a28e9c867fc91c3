"""Scripted chat models for end-to-end tests, with rules for tests/sim_model/rules.py."""
import json
import subprocess
import sys

from .zermelo import ROOT, ZermeloTest

SIM = ROOT / "tests/sim_model/sim_model.py"


def says(reply, **conditions):
    return {"reply": reply, **conditions}


def verifies(*codes, **conditions):
    return {"calls": [["verify_lean", {"code": code}] for code in codes], **conditions}


class Sim:
    """`rules` None: it answers from its table of proofs."""

    def __init__(self, folder, rules, *options):
        if rules is not None:
            script = folder / "rules.json"
            script.write_text(json.dumps(rules), encoding="utf-8")
            options = ["--rules", str(script), *options]
        self.process = subprocess.Popen([sys.executable, "-B", str(SIM), *options],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = json.loads(self.process.stdout.readline())["port"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


class ScriptedTest(ZermeloTest):
    """Tests with a chat model "sim" that follows rules; runs are recorded in runs.db."""

    @classmethod
    def serve(cls, rules, *options):
        sim = Sim(cls.folder, rules, *options)
        cls.addClassCleanup(sim.close)
        cls.write("zermelo.toml", f'[models.sim]\nendpoint = "http://127.0.0.1:{sim.port}/v1"\nformat = "chat"\n')

    @classmethod
    def prove(cls, file, strategy, *options):
        return cls.zermelo("prove", file, "--time", "200s", "--json", "--workers", "1", "--model", "sim", "--no-builtin",
                           "--strategy", strategy, "--run-db", "runs.db", *options)

    @classmethod
    def events(cls, run, *kinds):
        printed = cls.zermelo("events", str(run), "--jsonl", "--kind", ",".join(kinds), "--run-db", "runs.db")
        return [json.loads(line) for line in printed.out.splitlines()]
