#!/usr/bin/env python3
# bench: the page of runs in headless Chromium: panning a search tree of 100,000 nodes (half a minute)
"""Drags a tree about in headless Chromium without a GPU, with all nodes in view and with about 1,000.

usage: page.py [--nodes N] [--json]

Frames a second are those of the machine as it is. The processor time of a frame, of all of the browser's processes
together, depends little on what else runs: at 33 ms, one idle core draws 30 frames a second.
"""
import argparse
import json
import os
import platform
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e/page"))

import page_test  # noqa: E402
from testing import chromium  # noqa: E402

TARGETS = {f"{what}_frames_per_s": {"op": ">=", "value": 30} for what in ("all", "thousand")}
TARGETS |= {f"{what}_cpu_ms_per_frame": {"op": "<=", "value": 33} for what in ("all", "thousand")}


class Page(page_test.PageTest):
    """The tests' way to a page, without a test."""

    def runTest(self):
        pass


def measure(page, nodes):
    database = page_test.invented(page.folder / "big.db", page_test.big_tree(nodes))
    page.open_file(page.exported(database), "#view=tree")
    page.until(f"document.querySelector('select option')?.textContent.includes('({nodes:,})')")
    metrics = {}
    for what in ("all", "thousand"):
        if what == "thousand":
            page.browser.ask(page_test.ZOOM)
        before = page.browser.processor_seconds()
        frames, seconds = page.browser.ask(page_test.PAN)
        used = page.browser.processor_seconds() - before
        metrics[f"{what}_frames_per_s"] = round(frames / seconds, 1)
        metrics[f"{what}_cpu_ms_per_frame"] = round(1000 * used / frames, 1)
    return metrics


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if chromium.PROGRAM is None:
        sys.exit("page: Chromium is not installed (Debian: apt install chromium)")
    with tempfile.TemporaryDirectory() as folder:
        Page.folder, Page.browser = Path(folder), chromium.Chromium()
        metrics = measure(Page(), arguments.nodes)
        Page.browser.close()
    if arguments.json:
        print(json.dumps({"name": "page", "machine": f"{os.cpu_count()} cores, {platform.machine()}", "metrics": metrics, "targets": TARGETS}))
        return
    for what, shown in (("all", f"all {arguments.nodes:,} nodes"), ("thousand", "about 1,000 nodes")):
        print(f"{shown} in view: {metrics[f'{what}_frames_per_s']} frames/s (target >= 30), "
              f"{metrics[f'{what}_cpu_ms_per_frame']} ms of processor time a frame (target <= 33)")


if __name__ == "__main__":
    main()
