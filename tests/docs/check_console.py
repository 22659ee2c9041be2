#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the shell sessions shown on the pages and compares their output: check_console.py PLANAR ROOT [--accept] [PAGE...]

A session is a listing marked `console`: lines that begin with `$ ` are commands, the others are their output (standard output and
standard error). In the output, `...` alone on a line stands for any number of lines, and within a line for any text. A command whose exit code is
not 0 ends with `# exit code N`. The sessions of a page run one after another in one empty folder, which has the source tree's `roms` and
`docs`; `planar` is the program under test.

--accept writes the figures of this program into the pages if only figures differ.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SESSION = re.compile(r"^```console\n(.*?)^```$", re.S | re.M)
EXIT_CODE = re.compile(r"\s+# exit code (\d+)$")
LIMIT_S = 120  # host seconds for one command


def commands(session):
    """[(command line as shown, the lines expected after it)] of a session."""
    found = []
    for line in session.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif not found:
            raise SystemExit("a session begins with '$ ', not with: " + line)
        else:
            found[-1][1].append(line)
    return found


def pattern(expected):
    """A regular expression for the whole output."""
    text = ""
    for line in expected:
        text += r"(?:[^\n]*\n)*?" if line == "..." else ".*?".join(map(re.escape, line.split("..."))) + "\n"
    return re.compile(text)


def run(command, folder, environment):
    """(exit code, lines of output) of a command line as shown."""
    said = subprocess.run(["bash", "-c", EXIT_CODE.sub("", command)], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S, check=False)
    return said.returncode, [line.rstrip() for line in said.stdout.splitlines()]


def form(line):
    """A line without its figures and without the width of its columns."""
    return re.sub(r"\s+", " ", re.sub(r"\d+(\.\d+)?", "0", line)).strip()


def refreshed(expected, lines):
    """The expected lines with the figures of `lines`; None if they differ in more than figures."""
    fresh, at = [], 0
    for line in expected:
        if line == "...":
            fresh.append(line)
            continue
        wanted = re.compile(".*?".join(re.escape(form(part)).replace("\\ ", " ") for part in line.split("...")))
        while at < len(lines) and not wanted.fullmatch(form(lines[at])):
            at += 1
        if at == len(lines):
            return None
        fresh.append(line if "..." in line else lines[at])
        at += 1
    return fresh


def self_test():
    """`...` stands for any text or any lines; different figures are found and adopted, different words are not."""
    expected = ["table", "NE/2   524.0  µs", "...", "host ... s", "1 of 1"]
    printed = ["table", "NE/2  1519.13  µs", "more", "host 0.5 s", "1 of 1"]
    assert pattern(expected).fullmatch("table\nNE/2   524.0  µs\na\nb\nhost 3 s\n1 of 1\n")
    assert not pattern(expected).fullmatch("\n".join(printed) + "\n")
    assert refreshed(expected, printed) == ["table", "NE/2  1519.13  µs", "...", "host ... s", "1 of 1"]
    assert refreshed(expected, ["chart", *printed[1:]]) is None


def check_page(page, root, environment, accept):
    """(sessions' commands run, problems) of a page; with `accept` its figures are written into it."""
    text = page.read_text(encoding="utf-8")
    problems, count, changes = [], 0, []
    with tempfile.TemporaryDirectory() as folder:
        for shared in ("roms", "docs"):
            os.symlink(root / shared, pathlib.Path(folder) / shared)
        for session in SESSION.finditer(text):
            fresh = []
            for command, expected in commands(session[1]):
                count += 1
                code, lines = run(command, folder, environment)
                wanted = int(found[1]) if (found := EXIT_CODE.search(command)) else 0
                place = "%s:%d" % (page.relative_to(root), text[:session.start()].count("\n") + 1)
                fits = pattern(expected).fullmatch("".join(line + "\n" for line in lines)) is not None
                kept = expected if fits else refreshed(expected, lines) if accept else None
                if code != wanted:
                    problems.append("%s: $ %s\nends with %d, not %d:\n%s" % (place, command, code, wanted, "\n".join(lines)))
                elif kept is None:
                    problems.append("%s: $ %s\nprints something else than the page has; now it is:\n%s" % (
                        place, command, "\n".join(lines)))
                fresh += ["$ " + command, *(kept or expected)]
            changes.append((session.span(1), "\n".join(fresh) + "\n"))
    if accept:
        for (begin, end), fresh in reversed(changes):
            text = text[:begin] + fresh + text[end:]
        page.write_text(text, encoding="utf-8")
    return count, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("planar")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("pages", nargs="*", type=pathlib.Path, help="all pages of docs/ and README.md by default")
    options = parser.parse_args()
    self_test()
    root = options.root.resolve()
    pages = [page.resolve() for page in options.pages] or [root / "README.md", *sorted((root / "docs").rglob("*.md")),
                                                            root / "frontend/python/README.md"]
    problems, count, with_sessions = [], 0, 0
    with tempfile.TemporaryDirectory() as programs:
        os.symlink(pathlib.Path(options.planar).resolve(), pathlib.Path(programs) / "planar")
        environment = dict(os.environ, PATH=programs + ":" + os.environ["PATH"], LC_ALL="C.UTF-8", COLUMNS="100")
        for variable in ("DISPLAY", "WAYLAND_DISPLAY"):
            environment.pop(variable, None)
        for page in pages:
            if page.exists() and SESSION.search(page.read_text(encoding="utf-8")):
                ran, bad = check_page(page, root, environment, options.accept)
                problems += bad
                count += ran
                with_sessions += 1
    for problem in problems:
        print(problem, end="\n\n")
    print("%d commands on %d pages, %d problems" % (count, with_sessions, len(problems)))
    if problems and not options.accept:
        print("Where only figures differ: tests/docs/check_console.py PLANAR . --accept")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
