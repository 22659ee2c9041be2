#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules for pages (Markdown). Usage: check_pages.py [--root DIR]

A page has at most 2000 words: in its text and tables; figures, listings and comments are not counted. Each violation is one line,
`file:1: what is wrong; what to do`, and the exit code is 1.
"""
import argparse
import os
import re
import sys

from check_tree import tracked, tree_of

MAX_WORDS = 2000
# Longer pages, with the reason.
EXCEPT = {
    "CHANGELOG.md": "a list of changes by version",
    "docs/machine-files.md": "the reference that `planar config --reference` prints: a table per section",
}
NOT_COUNTED = re.compile(r"<!--.*?-->|^(```|~~~).*?^\1|^    .*?$", re.S | re.M)
WORD = re.compile(r"[^\W\d_][\w'’-]*")


def words(text):
    """The number of words that a reader sees."""
    return len(WORD.findall(NOT_COUNTED.sub("", text)))


def finds(root):
    for file in tracked(root):
        if not file.endswith(".md") or file in EXCEPT:
            continue
        with open(os.path.join(root, file), encoding="utf-8") as page:
            count = words(page.read())
        if count > MAX_WORDS:
            yield "%s:1: the page has %d words, the limit is %d; split it by topic, or shorten it" % (file, count, MAX_WORDS)


def self_test():
    """A page with one word too many is found; figures, listings and comments do not count."""
    uncounted = "\n12 3.5 | 7 |\n\n    a listing\n\n```console\n$ planar netio\n```\n<!-- a\ncomment -->\n"
    with tree_of({"long.md": "word " * (MAX_WORDS + 1) + uncounted, "whole.md": "word " * MAX_WORDS + uncounted}) as root:
        found = list(finds(root))
    if len(found) != 1 or not found[0].startswith("long.md:1: the page has 2001 words"):
        sys.exit("check_pages.py: does not find what breaks the rule: %s" % found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    options = parser.parse_args()
    self_test()
    found = list(finds(os.path.normpath(options.root)))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
