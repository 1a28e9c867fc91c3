#!/usr/bin/env python3
"""Rows of `zermelo export` as Parquet, read by pyarrow and by Hugging Face's `datasets`. Too much to install for every
change: it runs in `./zermelo test --all`, and where ZERMELO_TEST_ALL is set."""
import json
import os
import sys
import unittest

from testing.pypi import run_with
from testing.zermelo import ROOT, ZermeloTest

sys.path.insert(0, str(ROOT / "python"))

SOURCE = {"kind": "proof", "theorem": "t", "module": "M"}
PROMPTS = [{"prompt": f"Prove {i}", "pass_rate": i / 4, "samples": 4, "proved": i, "source": SOURCE,
            "theorem": {"name": "t", "header": "", "statement": f"theorem t : {i} = {i} := by"}} for i in range(4)]
ROWS = [{"prompt": "Complete:\n", "completion": "  simp\n```", "source": SOURCE},
        {"segments": [{"text": "a", "loss": False}, {"text": "b", "loss": True}], "source": SOURCE}]


class Parquet(ZermeloTest):
    def parquet(self, name, rows):
        from zermelo import parquet  # noqa: PLC0415
        lines = self.write(f"{name}.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        out = self.folder / f"{name}.parquet"
        self.assertEqual(parquet.main([str(lines), str(out)]), 0)
        return out

    def test_datasets_reads_prompts(self):
        import datasets
        read = datasets.load_dataset("parquet", data_files=str(self.parquet("rl", PROMPTS)), split="train",
                                     cache_dir=str(self.folder / "cache"))
        self.assertEqual(read.num_rows, 4)
        self.assertEqual(read[1]["prompt"], [{"role": "user", "content": "Prove 1"}])
        self.assertEqual(read[1]["reward_model"], {"style": "rule", "ground_truth": "theorem t : 1 = 1 := by\n  sorry\n"})
        self.assertEqual(read[1]["extra_info"]["pass_rate"], 0.25)

    def test_datasets_reads_answers(self):
        import datasets
        read = datasets.load_dataset("parquet", data_files=str(self.parquet("sft", ROWS)), split="train",
                                     cache_dir=str(self.folder / "cache"))
        self.assertEqual([row["response"] for row in read], ["  simp\n```", "b"])
        self.assertEqual(read[0]["messages"][1], {"role": "assistant", "content": "  simp\n```"})

    def test_datasets_reads_the_rows_themselves(self):
        import datasets
        path = self.write("plain.jsonl", "".join(json.dumps(row) + "\n" for row in PROMPTS))
        read = datasets.load_dataset("json", data_files=str(path), split="train", cache_dir=str(self.folder / "cache"))
        self.assertEqual(read[3]["pass_rate"], 0.75)


if __name__ == "__main__":
    if "ZERMELO_TEST_ALL" not in os.environ:
        print("skipped: ZERMELO_TEST_ALL is not set")
        sys.exit(77)
    run_with("parquet", "datasets==5.2.0")
    unittest.main(verbosity=2)
