#!/usr/bin/env python3
"""All commands of docs/training.md but its first eight (train_test.py has these), at toy size and with real Lean. A simulated
model takes the place of large ones. ZERMELO_TRAINER names the trainer (default: beside the program)."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from testing.scripted import Sim
from testing.zermelo import PROGRAM, ROOT, ZermeloTest, environment, main

TRAINER = pathlib.Path(os.environ.get("ZERMELO_TRAINER", PROGRAM.parent / "zermelo-train"))
SCRIPTS = {"expert-iteration": "expert_iteration.py", "select": "select_checkpoint.py"}
FORMAT = "deepseek-prover-v1.5"
PROMPT = (ROOT / f"prompts/{FORMAT}.txt").read_text(encoding="utf-8").split("=== prompt\n")[1].split("{header}")[0]
PROBLEMS = [("one", "1 + 1 = 2", "rfl"), ("swap", "∀ p q : Prop, p ∧ q → q ∧ p", "intro p q h\n  constructor\n  · exact h.2\n  · exact h.1"),
            ("zero", "∀ a : Nat, a + 0 = a", "intro a\n  rfl"), ("less", "∀ a : Nat, a < a + 1", "intro a\n  omega")]
# Where other tests run these.
ELSEWHERE = {"--sampler": "train_test.py, ServedTest", "tools=true": "train_test.py, ToolsTest", "sketches=true": "train_test.py, SketchTest"}
# By the command's first words: words that follow, for a toy's size.
SMALLER = {
    "zermelo prove Basic.lean": ["--time", "60s"],
    "zermelo prove Problems.lean": ["--time", "60s", "--no-builtin", "--workers", "1"],
    "./zermelo train grpo": ["--set", "steps=2", "--set", "prompts=2", "--set", "group=4", "--set", "max_tokens=16", "--set",
                             "checkpoint_every=1", "--workers", "1"],
    "./zermelo train select": ["--samples", "2", "--trials", "1", "--jobs", "1"],
    "./zermelo train expert-iteration": ["--rounds", "1", "--budget", "4", "--max-tokens", "16", "--jobs", "1", "--set", "steps=2",
                                         "--set", "batch=2"],
}
REPLACED = {"32x1": "4x1", "16x1": "3x1"}


def commands():
    """The page's commands after the first block, as lists of words, without the remarks beside them."""
    page = (ROOT / "docs/training.md").read_text(encoding="utf-8")
    blocks = re.findall(r"(?:^    .*\n)+", page, re.MULTILINE)
    lines = "".join(blocks[1:]).replace("\\\n", " ").splitlines()
    found = [re.sub(r"\s+", " ", re.split(r"(?<=\S)\s{3,}(?=[^-\s])", line.strip())[0]) for line in lines]
    return [line.split() for line in found if line.startswith(("zermelo ", "./zermelo ", "python -m "))]


def statement(name, claim):
    return f"theorem {name} : {claim} := by"


class Page(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        proofs = cls.write("proofs.jsonl", "".join(
            json.dumps({"name": name, "statement": f"theorem {name} : {claim}", "proof": f"  {proof}"}) + "\n"
            for name, claim, proof in PROBLEMS))
        sim = Sim(cls.folder, None, "--proofs", str(proofs), "--spoil", "0.5", "--sketches")
        cls.addClassCleanup(sim.close)
        served = f'endpoint = "http://127.0.0.1:{sim.port}/v1"\nmodel = "sim"\n'
        cls.write("zermelo.toml", f'[models.sft]\n{served}format = "{FORMAT}"\n[models.large]\n{served}format = "chat"\n'
                  '[roles]\nagent = "large"\ninformal = "large"\n')
        theorems = "\n\n".join(f"{statement(name, claim)}\n  sorry" for name, claim, _ in PROBLEMS) + "\n"
        cls.write("Basic.lean", theorems)
        cls.write("Problems.lean", theorems)
        cls.write("my-project/Proofs.lean", "\n\n".join(f"{statement(*p[:2])}\n  {p[2]}" for p in PROBLEMS) + "\n")
        cls.write("miniF2F-lean4/Test.lean", f"{statement('other', '2 + 2 = 4')}\n  sorry\n")
        for name in ("problems", "valid"):
            cls.write(f"{name}.jsonl", "".join(json.dumps({"name": n, "header": "", "formal_statement": statement(n, claim)}) + "\n"
                                               for n, claim, _ in PROBLEMS))
        rows = [{"prompt": f"{PROMPT}{statement(name, claim)}\n", "completion": f"  {proof}\n```"} for name, claim, proof in PROBLEMS]
        cls.write("rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        for words in (["tokenizer", "--data", "rows.jsonl", "--size", "400", "--out", "tokenizer.json"],
                      ["init", "--tokenizer", "tokenizer.json", "--layers", "1", "--hidden", "32", "--context", "16384", "--out", "new"],
                      ["sft", "--model", "new", "--data", "rows.jsonl", "--out", "sft", "--set", "steps=20", "--set", "batch=2"]):
            subprocess.run([TRAINER, *words], cwd=cls.folder, check=True, capture_output=True, timeout=120)

    def run_words(self, words):
        words = [REPLACED.get(word, word) for word in words]
        more = next((more for first, more in SMALLER.items() if " ".join(words).startswith(first)), [])
        if words[:2] == ["python", "-m"]:
            command = [sys.executable, *words[1:]]
        elif words[0] == "zermelo":
            command = [PROGRAM, *words[1:]]
        elif words[2] in SCRIPTS:
            command = [sys.executable, ROOT / "scripts" / SCRIPTS[words[2]], *words[3:]]
        else:
            command = [TRAINER, *words[2:]]
        if words[1] in ("prove", "eval"):
            more = [*more, "--no-learning"] if words[1] == "prove" else more
        variables = {"OMP_NUM_THREADS": 1, "ZERMELO_PROGRAM": PROGRAM, "ZERMELO_TRAINER": TRAINER, "PYTHONPATH": ROOT / "python"}
        done = subprocess.run([*map(str, command), *more], cwd=self.folder, text=True, timeout=400, check=False,
                              env=environment(variables), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        # A toy need not prove anything, nor is there always a theorem that it proves once to three times.
        allowed = (0, 1) if words[1] in ("prove", "eval") else (0,)
        self.assertIn(done.returncode, allowed, f"{' '.join(words)}\n{done.stdout}")

    def test_they_end_as_the_page_says(self):
        ran = []
        for words in commands():
            where = next((where for word, where in ELSEWHERE.items() if word in words), None)
            if where is not None:
                continue
            if words[-1] == "rl.parquet" and not self.has_pyarrow():
                continue
            if words[1] == "eval":
                shutil.rmtree(self.folder / "runs/sft", ignore_errors=True)
            elif "runs/sft" in words and not (self.folder / "runs/sft").exists():
                self.run_words(next(each for each in commands() if each[1] == "eval"))  # which the page has further below
            if words[:3] == ["./zermelo", "train", "grpo"]:  # the page's problems.jsonl is that of `export rl` here
                self.prompts()
                words = ["prompts.jsonl" if word == "problems.jsonl" else word for word in words]
            self.run_words(words)
            ran.append(" ".join(words))
            if "--replies" in words:
                self.learn_what_agents_said()
        self.assertGreater(len(ran), 15, ran)
        for made in ("tactics.jsonl", "rl.jsonl", "sft.jsonl", "expert/model", "selected/model", "small.gguf"):
            self.assertTrue((self.folder / made).exists(), made)

    def learn_what_agents_said(self):
        rows = [json.loads(line) for line in (self.folder / "sft.jsonl").read_text().splitlines()]
        kinds = {row["source"]["kind"] for row in rows}
        self.assertIn("conversation", kinds, rows)
        self.run_words("./zermelo train sft --model new --data sft.jsonl --out cold --set steps=1 --set batch=1 --set micro_batch=1 "
                       "--set drop_long=true".split())

    @classmethod
    def prompts(cls):
        cls.write("prompts.jsonl", "".join(json.dumps({"prompt": f"{PROMPT}{statement(name, claim)}\n", "theorem": {
            "name": name, "header": "", "statement": statement(name, claim)}}) + "\n" for name, claim, _ in PROBLEMS))

    @staticmethod
    def has_pyarrow():
        return subprocess.run([sys.executable, "-c", "import pyarrow"], capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    if not TRAINER.is_file():
        print(f"there is no {TRAINER}: skipped")
        sys.exit(77)
    main()
