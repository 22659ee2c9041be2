#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The words of words.txt in comments, messages and pages. Usage: check_words.py [--root DIR]

Each violation is one line, `file:line: the words; what to write`, and the exit code is 1.
"""
import argparse
import os
import re
import sys

from check_tree import tracked, tree_of
from prose import prose

HERE = os.path.dirname(os.path.abspath(__file__))
LIST = "tests/rules/words.txt"
# Texts by others, inputs and results.
LEFT_OUT = re.compile(r"^(tests/fuzz/corpus|tests/baselines)/|^tests/rules/(words\.txt|check_words\.py)$")


class Entry:
    def __init__(self, pattern, line):
        self.pattern, self.line, self.write, self.exceptions, self.only, self.without = compiled(pattern), line, "", [], None, None

    def reads(self, file):
        return (not self.only or self.only.search(file)) and not (self.without and self.without.search(file))

    def finds(self, text):
        found = list(self.pattern.finditer(text))
        allowed = [a.span() for e in self.exceptions for a in e.finditer(text)] if found else []
        return [f for f in found if not any(a <= f.start() and f.end() <= b for a, b in allowed)]


def compiled(pattern):
    return re.compile(pattern.replace(" ", r"\s+"))


def entries(text):
    out = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            out.append(Entry(line.rstrip(), number))
            continue
        key, value = line.split(None, 1)
        entry = out[-1]
        if key == "write":
            entry.write = value.strip()
        elif key == "except":
            entry.exceptions.append(compiled(value.strip()))
        elif key == "in":
            entry.only = re.compile(value.strip())
        elif key == "not":
            entry.without = re.compile(value.strip())
        else:
            sys.exit("%s:%d: '%s' is not write, except, in or not" % (LIST, number, key))
    for entry in out:
        if not entry.write:
            sys.exit("%s:%d: an entry needs a line `write` that says what to write instead" % (LIST, entry.line))
    return out


def check(root, wanted):
    for file in tracked(root):
        if LEFT_OUT.search(file):
            continue
        with open(os.path.join(root, file), "rb") as data:
            text = prose(file, data.read().decode("utf-8", "replace"))
        if text is None:
            continue
        text = text.lower()
        for entry in wanted:
            if not entry.reads(file):
                continue
            for found in entry.finds(text):
                yield "%s:%d: \"%s\"; write: %s" % (
                    file, text.count("\n", 0, found.start()) + 1, " ".join(found[0].split()), entry.write)


# A tree that breaks the rule in each kind of text, with text in which nothing must be found.
SELF_TEST_LIST = "\\bbehind\\b\n  write   after\n  except  \\bleft behind\\b\n\n\\bin front of\\b\n  write   before\n  not     ^b/\n"
BROKEN = {
    "a/one.cpp": '#include "a/behind it.hpp"\nint behind = 1;  // the one behind it\n// nothing is left behind\n'
                 '/* in front\n   of it */\nconst char* s = "in "\n    "front of it";\nconst char c = \'"\', *k = "behind";\n',
    "a/two.py": 'behind = 1  # behind it\n"""Stands\nbehind it."""\nprint("x = behind")\nkey["behind"] = behind\n',
    "a/three.md": "It stands behind it, `behind`.\n\n    a listing behind it\n\n```\nbehind\n```\n[a](behind.md) in front\nof it\n",
    "a/four.toml": 'source = "the word behind it"\n',
    "a/five.asm": "behind: mov ax, bx ; behind it\n",
    "b/six.hpp": "/// in front of it\nint behind();  ///< `behind` is behind\n",
}
FOUND = ["a/five.asm:1", "a/four.toml:1", "a/one.cpp:2", "a/one.cpp:4", "a/one.cpp:6", "a/three.md:1", "a/three.md:8", "a/two.py:1",
         "a/two.py:3", "a/two.py:4", "b/six.hpp:2"]


def self_test():
    with tree_of(BROKEN) as root:
        found = sorted(":".join(line.split(":")[:2]) for line in check(root, entries(SELF_TEST_LIST)))
    if found != FOUND:
        sys.exit("check_words.py: in a tree that breaks the rule it finds %s instead of %s" % (found, FOUND))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=os.path.join(HERE, "..", ".."))
    options = parser.parse_args()
    self_test()
    with open(os.path.join(HERE, "words.txt"), encoding="utf-8") as text:
        wanted = entries(text.read())
    found = list(check(os.path.normpath(options.root), wanted))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
