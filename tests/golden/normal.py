"""Golden files: what the program prints is compared with a stored file, byte for byte, after hiding what differs
between two executions: folders, ports, measured times, dates, and the program's version.

With ZERMELO_GOLDEN_UPDATE=1 the stored files are written instead.
"""
import difflib
import os
import pathlib
import re
import shlex
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from testing.zermelo import EMBEDDED, PROGRAM, ROOT, ZermeloTest, environment  # noqa: E402

UPDATE = os.environ.get("ZERMELO_GOLDEN_UPDATE") == "1"
CMAKE = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
VERSION = re.escape(re.search(r"(?s)project\(zermelo.*?VERSION ([\d.]+)", CMAKE)[1])
# As printed for a measured double; chosen values such as 60.0 have fewer digits.
MEASURED = r"\d+(\.\d{4,}(e-\d+)?|(\.\d+)?e-\d+)"
TIMES = r"check_seconds|seconds|search_seconds|verification_seconds|lean_seconds|at|time|lean|trust|kernel"

HIDDEN = [(re.compile(pattern, re.MULTILINE), shown) for pattern, shown in (
    (r"/[\w./-]*zermelo-run-\w+/tmp", "<scratch>"),
    (r"\b127\.0\.0\.1:\d{4,}\b", "127.0.0.1:<port>"),
    (r"\b\d{4}-\d\d-\d\d([T ])\d\d:\d\d(:\d\d(\.\d+)?)?Z?", "<date>"),
    (rf'((\\?")(?:{TIMES})\2: ?){MEASURED}', r"\1<time>"),
    (r" +\d+\.\d{3}s  ", " <time>s  "),  # of events
    (r" +(\d+m)?\d+(\.\d)?s(?=  <folder>|, \d+ tried| with Lean | of wall time| of work)", " <time>s"),
    (r"^([✓✗∅] \S+) +(\d+m)?\d+(\.\d)?s", r"\1 <time>s"),
    (r"\bafter \d+ ms\b", "after <time> ms"),
    (r"\bCould not connect to server", "Couldn't connect to server"),  # libcurl, as of version 8.10
    (r"\bpremises-[0-9a-f]{16}\.db\b", "premises-<search path>.db"),
    (r"\b\d+\.\d( ?s)\b", r"<time>\1"),
    (r"^(zermelo_worker_resident_bytes) \d+", r"\1 <bytes>"),
    (rf'(?<=[" ]){VERSION}(?=["\n<])', "<version>"),
)]


def hide_folders(text, folders):
    """Longest first, so that a folder in another one keeps its own name; only whole names."""
    for path, name in sorted(folders, key=lambda pair: -len(str(pair[0]))):
        text = re.sub(rf"(?<![\w.-]){re.escape(str(path))}(?![\w-])", name, text)
    return text


def unfolded(text):
    """JSON on one line with a line for each member or element; nothing but line breaks and blanks is added."""
    lines, depth = [], 0
    for token in re.findall(r'"(?:\\.|[^"\\])*"|[\[{][\]}]|[\[{\]},]|[^"\[\]{},]+', text):
        if token in "]}":
            depth -= 1
            lines.append("\n" + " " * depth)
        lines.append(token)
        if token in "[{":
            depth += 1
        if token in "[{,":
            lines.append("\n" + " " * depth)
    return "".join(lines)


def printed(text):
    """For a file: JSON unfolded; a missing line break at the end is shown."""
    whole = text if text.endswith("\n") or not text else text + "<no line break>\n"
    one_object = text.startswith("{") and text.count("\n") == 1
    return unfolded(whole) if one_object else whole


class GoldenTest(ZermeloTest):
    """Each test compares what it has said with one file in `stored`."""

    stored = HERE

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cache = environment({})["ZERMELO_CACHE"]
        cls.folders = [(cls.folder, "<folder>"), (cache, "<cache>"), (PROGRAM, "<program>"), (EMBEDDED, "<embedded>"),
                       (ROOT, "<root>"), (pathlib.Path.home(), "<home>")]

    @classmethod
    def normal(cls, text):
        text = hide_folders(text, cls.folders)
        for pattern, shown in HIDDEN:
            text = pattern.sub(shown, text)
        return text

    @staticmethod
    def transcript(run, *files):
        """The command, all that it printed, and the files that it left."""
        text = f"$ zermelo {shlex.join(run.arguments)}\nexit code {run.code}\n"
        for name, content in (("stdout", run.out), ("stderr", run.err),
                              *((path.name, path.read_text(encoding="utf-8")) for path in files)):
            if content:
                text += f"--- {name}\n{printed(content)}"
        return text + "\n"

    def pinned(self, name, text):
        """Compares with the stored file, or writes it."""
        path, text = self.stored / name, self.normal(text)
        if UPDATE:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            return
        self.assertTrue(path.exists(), f"there is no {path}; write it with ZERMELO_GOLDEN_UPDATE=1")
        stored = path.read_bytes().decode()
        if text != stored:
            difference = difflib.unified_diff(stored.splitlines(True), text.splitlines(True), f"stored {name}", "found")
            self.fail("not as stored (see tests/golden/README.md)\n" + "".join(difference))

    def pinned_runs(self, name, *runs):
        self.pinned(name, "".join(run if isinstance(run, str) else self.transcript(run) for run in runs))
