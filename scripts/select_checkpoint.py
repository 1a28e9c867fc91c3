#!/usr/bin/python3
"""Finds the checkpoint of a training run that proves most of the validation problems.

All checkpoints of the run are evaluated with the same samples of whole proofs (Pass@N) on the same problems. The best one, of
equals the earliest, is evaluated again with other seeds, several times: the mean of these is not too good for having been chosen
(DeepSeek-Prover-V1.5, B.1: Pass@128 every 100 steps, 16 times for the peak).
"""
import argparse
import json
import os
import pathlib
import statistics

from expert_iteration import (SEEDS_OF_A_ROUND, Driver, Failure, add_proving_options, at_least_one, check_settings,
                              existing_folder, failures_reported, prove, read_lines, write)

SAME_RUN = ("quiet", "jobs", "workers")


def checkpoints(run):
    """(step, folder) of the checkpoints, in order."""
    found = [(int(path.name.removeprefix("checkpoint-")), path) for path in run.glob("checkpoint-*")
             if path.name.removeprefix("checkpoint-").isdigit() and (path / "model.safetensors").exists()]
    if not found:
        raise Failure(f"{run} has no checkpoints")
    return sorted(found)


def pass_rates(results):
    """The share of problems that were proved, in each trial. The last result of a problem counts: one that could not be
    verified is followed by another."""
    trials = {}
    for (trial, _), result in {(r.get("run", 1), r["problem"]): r for r in results}.items():
        trials.setdefault(trial, []).append(result["outcome"] == "proved")
    return [statistics.fmean(proved) for _, proved in sorted(trials.items())]


def peak(curve):
    """The line with the highest mean; of equals, the first."""
    return max(curve, key=lambda line: (line["mean"], -line["step"]))


class Selection:
    def __init__(self, options, driver):
        self.options, self.driver = options, driver
        self.out, self.run_folder = options.out.resolve(), options.run.resolve()

    def evaluate(self, step, model, out, trials, seed):
        options = self.options
        prove(self.driver, options, model, options.problems, out, "--strategy", "whole_proof", "--no-builtin", "--budget",
              options.samples, "--runs", trials, "--seed", seed)
        rates = pass_rates(read_lines(out / "results.jsonl"))
        return {"step": step, "samples": options.samples, "trials": trials, "mean": statistics.fmean(rates),
                "deviation": statistics.stdev(rates) if len(rates) > 1 else None}

    def run(self):
        options = self.options
        self.out.mkdir(parents=True, exist_ok=True)
        self.driver.hold(self.out)
        check_settings(self.out, options, SAME_RUN)
        folders = dict(checkpoints(self.run_folder))
        curve = []
        for number, (step, folder) in enumerate(folders.items(), 1):
            self.driver.say(f"checkpoint {number} of {len(folders)}, after step {step}")
            curve.append(self.evaluate(step, folder, self.out / folder.name, 1, options.seed))
            write(self.out / "curve.jsonl", "".join(json.dumps(line) + "\n" for line in curve))
        best = peak(curve)["step"]
        self.driver.say(f"the checkpoint after step {best} proves most; it is evaluated again")
        chosen = self.evaluate(best, folders[best], self.out / f"{folders[best].name}-again", options.trials,
                               options.seed + SEEDS_OF_A_ROUND)
        write(self.out / "chosen.json", json.dumps(chosen) + "\n")
        link = self.out / "model.new"
        link.unlink(missing_ok=True)
        link.symlink_to(os.path.relpath(folders[best], self.out))
        os.replace(link, self.out / "model")
        spread = f" ± {100 * chosen['deviation']:.1f}" if options.trials > 1 else ""
        self.driver.say(f"the model is in {self.out / 'model'}: after step {best}, Pass@{options.samples} "
                        f"{100 * chosen['mean']:.1f}{spread} %")


def arguments():
    parser = argparse.ArgumentParser(
        prog="zermelo train select", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Example:\n  zermelo train select runs/grpo valid.jsonl --samples 32 --out runs/selected\n\n"
               "Keep all checkpoints of the run (--set keep=1000). Run the same command again to continue one that ended early.")
    parser.add_argument("run", type=existing_folder, metavar="RUN", help="folder of a run of `zermelo train`")
    parser.add_argument("problems", metavar="BENCHMARK", help="validation problems, as `zermelo eval` reads them")
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR", help="folder of the evaluations")
    parser.add_argument("--samples", type=at_least_one, default=128, metavar="N", help="for each problem (default: 128)")
    parser.add_argument("--trials", type=at_least_one, default=16, metavar="T",
                        help="evaluations of the best checkpoint (default: 16)")
    add_proving_options(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="print only errors")
    return parser.parse_args()


def main():
    options = arguments()
    with failures_reported():
        Selection(options, Driver(options.quiet)).run()


if __name__ == "__main__":
    main()
