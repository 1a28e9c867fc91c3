#!/usr/bin/env python3
"""Draws a terminal session as an SVG: runs a command on a pseudo-terminal and pictures what is left on its screen.

usage: terminal_picture.py [--columns N] [--title TEXT] OUTPUT.svg COMMAND [ARGUMENT...]

Needs the package `pyte` (a terminal emulator). README's picture is made by
    scripts/terminal_picture.py --columns 108 docs/quickstart.svg ./zermelo prove examples/quickstart.lean
"""
import argparse
import fcntl
import html
import os
import pathlib
import pty
import shlex
import struct
import subprocess
import termios

import pyte

COLOURS = {"default": "#d8dee9", "green": "#a3be8c", "red": "#bf616a", "brown": "#ebcb8b", "yellow": "#ebcb8b",
           "blue": "#81a1c1", "magenta": "#b48ead", "cyan": "#88c0d0", "black": "#4c566a", "white": "#eceff4"}
WIDTH, HEIGHT, MARGIN = 8.4, 19, 14  # of a cell and around the text, in pixels


def screen_after(command, columns):
    """The emulated screen when the command has ended; long enough to hold all of its lines."""
    screen = pyte.Screen(columns, 500)
    stream = pyte.ByteStream(screen)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns)}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        while True:
            try:
                data = os.read(ours, 65536)
            except OSError:
                break
            if not data:
                break
            stream.feed(data)
    os.close(ours)
    if process.returncode != 0:
        raise SystemExit(f"the command ended with {process.returncode}")
    return screen


def runs_of(row, columns):
    """(column, text, colour, bold): neighbours of the same look."""
    runs = []
    for column in range(columns):
        cell = row[column]
        colour = COLOURS.get(cell.fg, "#" + cell.fg if len(cell.fg) == 6 else COLOURS["default"])
        if runs and runs[-1][2:] == (colour, cell.bold):
            runs[-1] = (runs[-1][0], runs[-1][1] + cell.data, colour, cell.bold)
        else:
            runs.append((column, cell.data, colour, cell.bold))
    return [run for run in runs if run[1].strip()]


def svg(screen, prompt, columns):
    rows = [screen.buffer[line] for line in range(screen.lines)]
    while rows and not runs_of(rows[-1], columns):
        rows.pop()
    width, height = columns * WIDTH + 2 * MARGIN, (len(rows) + 1) * HEIGHT + 2 * MARGIN
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
           f'viewBox="0 0 {width:.0f} {height}" font-family="ui-monospace, DejaVu Sans Mono, Menlo, monospace" '
           f'font-size="14"><title>{html.escape(prompt)}</title>')
    yield '<rect width="100%" height="100%" rx="8" fill="#2e3440"/>'
    lines = [[(0, "$ ", COLOURS["green"], True), (2, prompt, COLOURS["white"], False)]]
    lines += [runs_of(row, columns) for row in rows]
    for number, runs in enumerate(lines):
        for column, text, colour, bold in runs:
            weight = ' font-weight="bold"' if bold else ""
            length = len(text.rstrip()) * WIDTH
            yield (f'<text x="{MARGIN + column * WIDTH:.1f}" y="{MARGIN + (number + 0.8) * HEIGHT:.1f}" fill="{colour}"'
                   f'{weight} textLength="{length:.1f}" xml:space="preserve">{html.escape(text.rstrip())}</text>')
    yield "</svg>"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", type=int, default=80)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    screen = screen_after(arguments.command, arguments.columns)
    picture = "\n".join(svg(screen, shlex.join(arguments.command), arguments.columns)) + "\n"
    arguments.output.write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
