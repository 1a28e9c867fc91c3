"""The command `zermelo`: becomes the program, with the folders of this package in its environment."""
from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from zermelo import _program
from zermelo.errors import ZermeloError


def main() -> int:
    """Returns only when the program cannot be started."""
    arguments = sys.argv[1:]
    try:
        _end_cleanly_on_signals()
        program, environment = _program.path(), _program.environment(arguments)
    except ZermeloError as error:
        print(f"zermelo: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    # Python ignores these signals, and exec would pass that on; exec resets handlers by itself.
    for name in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(name, signal.SIG_DFL)
    os.execve(program, [program, *arguments], environment)


def _end_cleanly_on_signals() -> None:
    """Lets SIGTERM and SIGHUP remove an unfinished embedded Lean, as Ctrl-C does; ignored ones stay ignored."""
    def end(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    for name in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(name) == signal.SIG_DFL:
            signal.signal(name, end)
