#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules on the source tree that no compiler checks. Usage: check_tree.py RULE [--root DIR]

includes   no circle of #include between files, nor between the folders of the guest
sizes      no source file over 600 lines, no folder with more than 25 files
places     nothing in the guest has a fixed address: its linker scripts have no offsets, its code no sections and fillers
names      a file with test cases is named test_*.cpp, and every other test source holds none
format     clang-format with .clang-format leaves the C++ sources unchanged (--clang-format PROGRAM)

Each violation is one line, `file:line: what is wrong; what to do`, and the exit code is 1. Without clang-format 14 `format` says
SKIP, and the exit code is 4.
"""
import argparse
import collections
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 4  # ctest: SKIP_RETURN_CODE
MAX_LINES = 600
MAX_FILES = 25
SOURCE = re.compile(r"\.(cpp|hpp|c|h|inc|asm|py|sh|cmake)$|/CMakeLists\.txt$|/Makefile$")
# Inputs that tests read one by one: such a folder is a list, which may be long.
DATA_FOLDERS = ("tests/fuzz/corpus/", "adf/files", "docs/", "tests/baselines")
INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')
TEST_CASE = re.compile(r"^[A-Z_]*(TEST_CASE|SCENARIO)[A-Z_]*\(")
# Each folder below these is an -I of the C compiler.
C_ROOTS = ("roms/guest/", "roms/firmware/")
GUEST = "roms/guest/"


def tracked(root):
    """Files under version control, or all files if there is no git (a source archive)."""
    try:
        out = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"],
                             check=True, capture_output=True, text=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        out = []
        for folder, folders, names in os.walk(root):
            folders[:] = [f for f in folders if f != "build" and not f.startswith(".")]
            out += [os.path.relpath(os.path.join(folder, n), root) for n in names]
    return sorted(f for f in out if os.path.isfile(os.path.join(root, f)))


def lines(root, file):
    with open(os.path.join(root, file), encoding="utf-8", errors="replace") as text:
        return text.read().splitlines()


def include_graph(root, files):
    """{file: {included file: line}} for files in the tree; generated files have no node."""
    known = set(files)
    rooms = {top: sorted({os.path.dirname(f) for f in files if f.startswith(top)}) for top in C_ROOTS}
    graph = {}
    for file in files:
        folders = [os.path.dirname(file), ""]
        for top in C_ROOTS:
            if file.startswith(top):
                folders += rooms[top]
        edges = graph.setdefault(file, {})
        for number, line in enumerate(lines(root, file), 1):
            found = INCLUDE.match(line)
            if not found:
                continue
            for folder in folders:
                target = os.path.normpath(os.path.join(folder, found[1]))
                if target in known:
                    edges.setdefault(target, number)
                    break
    return graph


def circles(graph):
    """One shortest circle through each node that is on one; every circle once."""
    found = {}
    for start in graph:
        before = {start: None}
        queue = collections.deque([start])
        closed = None
        while queue and closed is None:
            node = queue.popleft()
            for target in graph.get(node, ()):
                if target == start:
                    closed = node
                    break
                if target not in before:
                    before[target] = node
                    queue.append(target)
        if closed is not None:
            way = []
            while closed is not None:
                way.append(closed)
                closed = before[closed]
            way.reverse()
            found.setdefault(frozenset(way), way)
    return list(found.values())


def check_includes(root, _):
    files = [f for f in tracked(root) if re.search(r"\.(cpp|hpp|c|h|inc)$", f)]
    graph = include_graph(root, files)
    for way in circles(graph):
        steps = list(zip(way, way[1:] + way[:1]))
        yield "%s:%d: these files include each other in a circle: %s; move what both need to a header of its own" % (
            way[0], graph[way[0]][steps[0][1]], " -> ".join(way + way[:1]))
    rooms, where = {}, {}
    for file, edges in graph.items():
        if not file.startswith(GUEST):
            continue
        for target, line in edges.items():
            a, b = os.path.dirname(file), os.path.dirname(target)
            if a != b and target.startswith(GUEST):
                rooms.setdefault(a, {})[b] = line
                where.setdefault((a, b), (file, line, target))
    for way in circles(rooms):
        steps = list(zip(way, way[1:] + way[:1]))
        first = where[steps[0]]
        yield "%s:%d: folders of the guest include each other in a circle: %s; declare it in the folder that " \
              "all may include" % (first[0], first[1], ", ".join("%s includes %s" % (where[s][0], where[s][2]) for s in steps))


def check_sizes(root, _):
    count = collections.Counter()
    for file in tracked(root):
        folder = os.path.dirname(file)
        if not (folder + "/").startswith(DATA_FOLDERS) and not folder.startswith(DATA_FOLDERS):
            count[folder] += 1
        if SOURCE.search("/" + file):
            length = len(lines(root, file))
            if length > MAX_LINES:
                yield "%s:%d: the file has %d lines, the limit is %d; split it by topic" % (
                    file, MAX_LINES + 1, length, MAX_LINES)
    for folder, files in sorted(count.items()):
        if files > MAX_FILES:
            yield "%s:1: the folder holds %d files, the limit is %d; give it subfolders by topic" % (
                folder or ".", files, MAX_FILES)


PINNED = [(r"\.ld$", re.compile(r"^\s*(\*|[^*]*;)?\s*\.\s*=\s*0x[0-9A-Fa-f]{1,5}\s*;"), "an offset within a section"),
          (r"\.[ch]$", re.compile(r'section\("\.(text|rodata|data|bss|cold)|"\s*\.(skip|org|fill)\b'), "code or data with a place of its own"),
          (r"guest/(?!cost/).*\.asm$", re.compile(r"^\s*times\s+\d+\s+nop\b"), "a filler")]


def check_places(root, _):
    for file in tracked(root):
        if not file.startswith(GUEST):
            continue
        for suffix, pattern, what in PINNED:
            if re.search(suffix, file):
                for n, line in enumerate(lines(root, file), 1):
                    if pattern.search(line):
                        yield "%s:%d: %s; leave places to the linker, the placements measure what they do " \
                              "(roms/guest/README.md)" % (file, n, what)


def check_names(root, _):
    for file in tracked(root):
        if not file.startswith("tests/") or not file.endswith((".cpp", ".hpp")) or file.startswith("tests/fuzz/"):
            continue
        cases = [n for n, line in enumerate(lines(root, file), 1) if TEST_CASE.match(line)]
        named = re.match(r"test_.*\.cpp$", os.path.basename(file))
        if cases and not named:
            yield "%s:%d: test cases in a file that is not named test_*.cpp; rename it to test_%s" % (
                file, cases[0], os.path.basename(file).replace(".hpp", ".cpp"))
        if named and not cases:
            yield "%s:1: named as a test, but holds no test case; support code has no test_ prefix" % file


def check_format(root, options):
    program = options.clang_format
    files = [f for f in tracked(root) if f.endswith((".cpp", ".hpp"))]
    seen = set()
    for at in range(0, len(files), 100):
        said = subprocess.run([program, "--dry-run", "-Werror"] + files[at:at + 100], cwd=root, capture_output=True,
                              text=True).stderr
        for file, line in re.findall(r"^(.+?):(\d+):\d+: error:", said, re.M):
            if file not in seen:
                seen.add(file)
                yield "%s:%s: not formatted; run %s -i %s" % (file, line, os.path.basename(program), file)


def other_formatter(program):
    """Why the formatting cannot be checked here; None if it can. Another version formats differently."""
    if not shutil.which(program):
        return "clang-format 14 is not here; install clang-format-14"
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
    if " version 14." in version:
        return None
    return "the sources are formatted by clang-format 14, this is %s; install clang-format-14" % version.strip()


RULES = {"includes": check_includes, "sizes": check_sizes, "places": check_places, "names": check_names, "format": check_format}

# A tree that breaks each rule, with the expected messages: a rule that finds nothing would always pass.
BROKEN = {
    "includes": ({"a/one.hpp": '#include "a/two.hpp"\n', "a/two.hpp": '\n#include "three.hpp"\n',
                  "a/three.hpp": '#include "a/one.hpp"\n', "a/good.cpp": '#include "a/one.hpp"\n',
                  "roms/guest/kernel/k.h": '#include "n.h"\n', "roms/guest/net/n.h": "",
                  "roms/guest/net/m.c": '#include "k.h"\n'},
                 ["a/one.hpp:1: ", "a/one.hpp -> a/two.hpp -> a/three.hpp -> a/one.hpp", "roms/guest/"], 2),
    "sizes": ({"a/long.cpp": "\n" * 601, "a/whole.cpp": "\n" * 600, **{"b/%d.hpp" % n: "" for n in range(26)},
               **{"c/%d.hpp" % n: "" for n in range(25)}},
              ["a/long.cpp:601: ", "b:1: "], 2),
    "places": ({"roms/guest/kernel/k.ld": ". = 0xC0100000;\n.text : {\n . = 0xBE00;  *a.o(.text)\n . = ALIGN(4096);\n}\n",
                "roms/guest/net/n.c": '__asm__ volatile(".skip 20, 0x90");\n__attribute__((section(".cold"))) int x;\n',
                "roms/guest/kernel/e.asm": "        times 5 nop\n", "roms/guest/cost/c.asm": "        times 32 nop\n"},
               ["roms/guest/kernel/k.ld:3: ", "roms/guest/net/n.c:1: ", "roms/guest/net/n.c:2: ",
                "roms/guest/kernel/e.asm:1: "], 4),
    "names": ({"tests/core/clock.cpp": '\nTEST_CASE("x") {}\n', "tests/core/test_none.cpp": "int x;\n",
               "tests/core/test_good.cpp": 'TEST_CASE("x") {}\n', "tests/core/bench.hpp": "int y;\n"},
              ["tests/core/clock.cpp:2: ", "tests/core/test_none.cpp:1: "], 2),
    "format": ({"a/bad.cpp": "int  x;\n", "a/good.cpp": "int x;\n", ".clang-format": "BasedOnStyle: Google\n"},
               ["a/bad.cpp:1: not formatted"], 1),
}


@contextlib.contextmanager
def tree_of(files):
    """A folder that contains these files, by name and text, while a rule is tried on it."""
    with tempfile.TemporaryDirectory() as root:
        for file, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, file)), exist_ok=True)
            with open(os.path.join(root, file), "w", encoding="utf-8") as out:
                out.write(text)
        yield root


def self_test(rule, options):
    files, wanted, count = BROKEN[rule]
    with tree_of(files) as root:
        found = list(RULES[rule](root, options))
    for text in wanted:
        if not any(text in line for line in found):
            sys.exit("check_tree.py: rule %s does not find %r in a tree that breaks it; it says: %s" % (rule, text, found))
    if len(found) != count:
        sys.exit("check_tree.py: rule %s says %d things of a tree that breaks it %d times: %s" % (
            rule, len(found), count, found))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rule", choices=RULES)
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    parser.add_argument("--clang-format", default="clang-format")
    options = parser.parse_args()
    if options.rule == "format" and (reason := other_formatter(options.clang_format)):
        print("SKIP: " + reason)
        return SKIPPED
    self_test(options.rule, options)
    found = list(RULES[options.rule](os.path.normpath(options.root), options))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
