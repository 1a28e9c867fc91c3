#!/usr/bin/env python3
# bench: small models on the CPU: tokens per second and memory, in bfloat16 and 32 bits (2 minutes)
"""Times src/decoder on random models of the Qwen3 kind, with weights in 32 bits and in bfloat16.

usage: decoder.py [--build DIR] [--json]

One thread; sequences of 64 to 128 tokens, each of which gets one more token in a pass. Baseline, measured in the
same run: OpenBLAS's sgemm for the same matrices in 32 bits, without attention and all else. Tokens are counted per
second of processor time, which other programs change less; the best of fifteen rounds.
"""
import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHAPES = {1: (5, 128, 4), 5: (6, 256, 4), 50: (11, 640, 10)}  # millions of parameters: layers, hidden, heads
BATCHES = (1, 2, 4, 8, 16, 64)
TARGETS = {"bfloat16_50m_bytes": {"op": "<=", "value": 0.5}, "bfloat16_50m_1": {"op": ">=", "value": 1},
           "sgemm_5m_1": {"op": ">=", "value": 1.5}}


def measure(build):
    made = subprocess.run(["cmake", "--build", build, "--target", "decoder_bench"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if made.returncode != 0:
        sys.exit(made.stdout + "decoder: the build failed")
    metrics = {}
    for millions, shape in SHAPES.items():
        run = subprocess.run([build / "src/decoder/decoder_bench", *map(str, shape)], stdout=subprocess.PIPE, text=True,
                             check=True)
        found = json.loads(run.stdout)
        metrics.update({f"{millions}m_{key}": value for key, value in found.items()})
        metrics[f"bfloat16_{millions}m_bytes"] = found["bfloat16_bytes"] / found["float32_bytes"]
        for batch in BATCHES:
            halves, floats, sgemm = (found[f"{kind}_{batch}_tokens_per_second"] for kind in ("bfloat16", "float32", "sgemm"))
            metrics[f"bfloat16_{millions}m_{batch}"] = halves / floats
            metrics[f"sgemm_{millions}m_{batch}"] = floats / sgemm
    return metrics


def show(metrics):
    print(f"{'':12}{'':10}{'tokens a second':>30}{'':8}{'ratios':>20}")
    print(f"{'parameters':12}{'sequences':>10}{'bfloat16':>10}{'32 bits':>10}{'sgemm':>10}{'bfloat16 / 32 bits':>22}"
          f"{'32 bits / sgemm':>18}")
    for millions in SHAPES:
        for batch in BATCHES:
            rates = [metrics[f"{millions}m_{kind}_{batch}_tokens_per_second"] for kind in ("bfloat16", "float32", "sgemm")]
            print(f"{millions:4} million{batch:10}" + "".join(f"{rate:10.0f}" for rate in rates)
                  + f"{metrics[f'bfloat16_{millions}m_{batch}']:22.2f}{metrics[f'sgemm_{millions}m_{batch}']:18.2f}")
        print(f"{millions:4} million   matrices: {metrics[f'{millions}m_bfloat16_bytes'] / 1e6:.1f} MB in bfloat16, "
              f"{metrics[f'{millions}m_float32_bytes'] / 1e6:.1f} MB in 32 bits")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    metrics = measure(args.build)
    if args.json:
        print(json.dumps({"name": "decoder", "machine": f"{os.cpu_count()} cores, {platform.machine()}",
                          "metrics": metrics, "targets": TARGETS}))
        return
    show(metrics)


if __name__ == "__main__":
    main()
