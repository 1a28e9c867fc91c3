#!/usr/bin/env python3
"""examples/slurm with a real slurmctld and slurmd on this machine: an array of shards, then their merge."""
import json
import os
import re
import sys
import unittest

from testing.slurm_cluster import Cluster, missing
from testing.zermelo import ROOT, ZermeloTest, skip, wait_until


class Slurm(ZermeloTest):
    def test_an_array_of_shards_and_their_merge(self):
        cluster = Cluster(self.folder)
        self.addCleanup(cluster.close)
        if trouble := cluster.start():
            (self.fail if os.environ.get("CI") else self.skipTest)(f"Slurm does not start here: {trouble}")
        self.write("set.jsonl", "".join(json.dumps(
            {"name": f"p{i}", "statement": f"theorem p{i} (a b : Nat) (h : a < b) : a + {i} < b + {i}"}) + "\n"
            for i in range(3)))
        out = self.folder / "runs"
        submitted = cluster.run(ROOT / "examples/slurm/submit.sh", self.folder / "set.jsonl", out, 2,
                                "--", "--budget", "2m", "--jobs", "1", "--workers", "1")
        self.assertEqual(submitted.returncode, 0, submitted.stderr)
        self.assertRegex(submitted.stdout, r"array \d+, merge \d+: .*/runs/report.html")
        merge = re.search(r"merge (\d+)", submitted.stdout)[1]

        def ended():
            return merge not in cluster.run("squeue", "-h", "-o", "%A").stdout.split()
        wait_until(ended, 400, "the end of the merge")
        logs = {p.name: p.read_text() for p in out.glob("*.log")}
        self.assertEqual(sorted(logs), ["merge.log", "shard-1.log", "shard-2.log"])
        self.assertIn("3 of 3 solved", logs["merge.log"], logs)
        summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
        self.assertEqual((summary["problems"], summary["solved"], summary["left"]), (3, 3, 0))
        self.assertEqual(sorted(p.name for p in (out / "proofs").iterdir()), ["p0.lean", "p1.lean", "p2.lean"])
        self.assertTrue((out / "report.html").is_file())
        merged = json.loads((out / "eval.json").read_text(encoding="utf-8"))
        self.assertEqual([p["name"] for p in merged["problems"]], ["p0", "p1", "p2"])


if __name__ == "__main__":
    if missing():
        skip(f"not installed: {', '.join(missing())} (Debian: munge slurmctld slurmd slurm-client)")
    done = unittest.main(verbosity=2, exit=False).result
    sys.exit(77 if done.skipped else not done.wasSuccessful())
