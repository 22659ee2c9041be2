#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""No include between the folders of a library runs upward. Usage: check_layers.py [--root DIR] [--count]

layers.txt lists the folders of each library, lowest first. Includes that follow such an order cannot form a circle. Each
violation is one line, `file:line: what is wrong; what to do`, and the exit code is 1. --count prints the number of arrows
between folders, of upward ones and of pairs of folders that include each other, and never fails.
"""
import argparse
import collections
import os
import sys

from check_tree import include_graph, tracked, tree_of

LAYERS = "tests/rules/layers.txt"


def read_layers(root):
    """{library: [(folder, line)]}, lowest first."""
    layers, library = {}, None
    with open(os.path.join(root, LAYERS), encoding="utf-8") as text:
        for number, line in enumerate(text, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if line[0].isspace():
                layers[library].append((words[0], number))
            else:
                library = words[0]
                layers[library] = []
    return layers


def arrows(library, graph):
    """{(folder, included folder): [(file, line, included file)]} within the library; its own folder is "."."""
    def folder(file):
        return os.path.relpath(os.path.dirname(file), library)

    found = collections.defaultdict(list)
    for file, edges in sorted(graph.items()):
        for target, line in edges.items():
            if file.startswith(library + "/") and target.startswith(library + "/") and folder(file) != folder(target):
                found[folder(file), folder(target)].append((file, line, target))
    return found


def check(root):
    files = [f for f in tracked(root) if f.endswith((".cpp", ".hpp"))]
    graph = include_graph(root, files)
    for library, order in read_layers(root).items():
        place = {folder: n for n, (folder, _) in enumerate(order)}
        present = {os.path.relpath(os.path.dirname(f), library): f for f in files if f.startswith(library + "/")}
        for folder, line in order:
            if folder not in present:
                yield "%s:%d: %s has no sources in a folder %s; take the line out" % (LAYERS, line, library, folder)
        for folder, file in sorted(present.items()):
            if folder not in place:
                yield "%s:1: the folder %s of %s has no place among the others; list it in %s above all folders that it " \
                      "includes" % (file, folder, library, LAYERS)
        for (low, high), includes in sorted(arrows(library, graph).items()):
            if place.get(low, len(place)) < place.get(high, -1):
                for file, line, target in includes:
                    yield "%s:%d: includes %s, but %s is above %s (%s); move what both need down, or take it as a " \
                          "parameter" % (file, line, target, high, low, LAYERS)


def count(root):
    graph = include_graph(root, [f for f in tracked(root) if f.endswith((".cpp", ".hpp"))])
    for library, order in read_layers(root).items():
        place = {folder: n for n, (folder, _) in enumerate(order)}
        found = arrows(library, graph)
        upward = [a for a in found if place.get(a[0], len(place)) < place.get(a[1], -1)]
        mutual = [a for a in found if a[0] < a[1] and a[::-1] in found]
        print("%s: %d arrows between folders, %d upward, %d pairs that include each other" % (
            library, len(found), len(upward), len(mutual)))


# A tree that breaks the rule in each way, and the expected messages.
BROKEN = {LAYERS: "# order\nhouse\n  floor  the lowest\n  wall\n  cellar\n  .\n",
          "house/floor/a.hpp": '\n#include "house/wall/b.hpp"\n', "house/wall/b.hpp": "",
          "house/wall/c.cpp": '#include "house/floor/a.hpp"\n#include "house/wall/b.hpp"\n#include "shed/s.hpp"\n',
          "house/roof/d.cpp": '#include "house/wall/b.hpp"\n', "house/main.cpp": '#include "house/wall/b.hpp"\n',
          "shed/s.hpp": '#include "house/floor/a.hpp"\n'}
SAID = ["house/floor/a.hpp:2: includes house/wall/b.hpp, but wall is above floor", LAYERS + ":5: house has no sources in a folder "
        "cellar", "house/roof/d.cpp:1: the folder roof of house has no place"]


def self_test():
    with tree_of(BROKEN) as root:
        found = list(check(root))
    if len(found) != len(SAID) or not all(any(line.startswith(text) for line in found) for text in SAID):
        sys.exit("check_layers.py: of a tree that breaks the rule it says: %s" % found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    parser.add_argument("--count", action="store_true")
    options = parser.parse_args()
    root = os.path.normpath(options.root)
    self_test()
    if options.count:
        count(root)
        return 0
    found = list(check(root))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
