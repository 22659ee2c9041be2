#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules that need the compiler. Usage: check_compile.py RULE --build DIR [--jobs N]

alone      every header, and every source file of the libraries, compiles alone: it includes what it uses. A header that
           its own source file includes before anything else is checked with that. What a file includes of LARGE, itself or
           through another, is precompiled for it: it hides nothing that the file does not have. Where it stands for its header,
           what the header includes.
tidy       the checks of .clang-tidy find nothing in the largest source file of each folder, and in what it includes

DIR is a configured build folder (compile_commands.json). Each violation names file and line; the exit code is 1.
"""
import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
LIBRARIES = ("adf", "bus", "core", "devices", "frontend", "machines", "roms", "tests")
LARGE = ("CLI/CLI.hpp", "nlohmann/json.hpp", "fmt/format.h")  # most of the time to compile the files that include them
INCLUDE = re.compile(r'\s*#\s*include\s*["<]([^">]+)[">]')


def sources(ending):
    out = []
    for library in LIBRARIES:
        for folder, folders, names in os.walk(os.path.join(ROOT, library)):
            folders[:] = [f for f in folders if f not in ("build", "corpus")]
            out += [os.path.relpath(os.path.join(folder, n), ROOT) for n in names if n.endswith(ending)]
    return sorted(out)


def commands(build):
    """{source: compiler call without its output and input}"""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as text:
        entries = json.load(text)
    found = {}
    for entry in entries:
        file = os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT)
        words = [w for w in shlex.split(entry["command"]) if os.path.basename(w) != "ccache"]
        for option, count in (("-o", 2), ("-c", 2), ("-MF", 2), ("-MT", 2)):
            if option in words:
                at = words.index(option)
                del words[at:at + count]
        found.setdefault(file, [w for w in words if w != "-MD"])
    return found


def flags_for(header, known):
    """The call of the source that lies nearest to the header."""
    parts = header.split("/")

    def shared(file):
        other = file.split("/")
        same = 0
        while same < min(len(parts), len(other)) - 1 and parts[same] == other[same]:
            same += 1
        return same, -abs(len(other) - len(parts))

    nearest = max((f for f in known if not f.startswith("..")), key=shared, default=None)
    return known[nearest] if nearest and shared(nearest)[0] > 0 else None


def included_first(header, known):
    """Whether a source file that is checked itself, the header's own, includes it before anything else."""
    source = header[:-len(".hpp")] + ".cpp"
    if source not in known or source.startswith("tests/"):
        return False
    with open(os.path.join(ROOT, source), encoding="utf-8") as text:
        for line in text:
            found = INCLUDE.match(line)
            if found:
                return found[1] == header
    return False


@functools.cache
def large_of(file):
    """Those of LARGE that the file includes, itself or through others."""
    found = set()
    with open(os.path.join(ROOT, file), encoding="utf-8") as text:
        for line in text:
            include = INCLUDE.match(line)
            if include and include[1] in LARGE:
                found.add(include[1])
            elif include and include[1].endswith(".hpp") and os.path.exists(os.path.join(ROOT, include[1])):
                found |= large_of(include[1])
    return frozenset(found)


@functools.cache
def precompiled(words, names, build):
    """The options that include `names`, precompiled with the options of a compiler call."""
    text = "".join("#include <%s>\n" % name for name in LARGE if name in names)
    key = hashlib.sha256("\n".join([*words, text]).encode()).hexdigest()[:12]
    header = os.path.join(build, "large", key + ".hpp")
    os.makedirs(os.path.dirname(header), exist_ok=True)
    with open(header, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([*words, "-x", "c++-header", header, "-o", header + ".gch"], cwd=ROOT, check=True)
    return ["-include", header]


def with_large(words, file, build):
    header = file[:-len(".cpp")] + ".hpp"  # of a header, itself
    names = large_of(header if os.path.exists(os.path.join(ROOT, header)) else file)
    options = tuple(word for word in words if not word.startswith(("-I", "-DPLANAR_")))  # no library asks for either
    return words + precompiled(options, names, build) if names else words


def check_alone(known, build):
    jobs = []
    for source in sources(".cpp"):
        if source in known and not source.startswith("tests/"):
            call = with_large(known[source], source, build)
            yield source, (call + ["-fsyntax-only", os.path.join(ROOT, source)], ""), \
                "does not compile alone; include what it uses"
    for header in sources(".hpp"):
        if included_first(header, known):
            continue
        call = flags_for(header, known)
        if call is None:
            yield header, None, "%s:1: no library compiles anything beside this header; take it out" % header
            continue
        jobs.append((header, with_large(call, header, build) + ["-I" + ROOT, "-fsyntax-only", "-x", "c++", "-"]))
    for header, call in jobs:
        yield header, (call, '#include "%s"\n' % header), "does not compile alone; include what it uses"


def check_tidy(known, build):
    largest = {}
    for file in sources(".cpp"):
        if file in known and not file.startswith("tests/"):
            folder = os.path.dirname(file)
            size = os.path.getsize(os.path.join(ROOT, file))
            if size > largest.get(folder, (0, ""))[0]:
                largest[folder] = (size, file)
    program = next((p for p in ("clang-tidy-14", "clang-tidy") if
                    subprocess.run(["sh", "-c", "command -v " + p], capture_output=True).returncode == 0), None)
    if program is None:
        sys.exit("check_compile.py: clang-tidy is not there; install clang-tidy-14")
    for _, file in sorted(largest.values()):
        yield file, ([program, "--quiet", "-p", build, os.path.join(ROOT, file)], ""), \
            "clang-tidy objects; fix it, or say why in a NOLINT comment"


def run(job):
    name, call, remedy = job
    if call is None:
        return remedy
    words, text = call
    done = subprocess.run(words, input=text, capture_output=True, text=True, cwd=ROOT)
    if done.returncode == 0:
        return None
    first = [line for line in (done.stdout + done.stderr).splitlines() if re.search(r":\d+:\d+: (fatal )?error: ", line)]
    said = "\n    ".join(first[:10]) or (done.stdout + done.stderr).strip()[-500:]
    return "%s:1: %s\n    %s" % (name, remedy, said)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rule", choices=("alone", "tidy"))
    parser.add_argument("--build", required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="a regular expression for the files")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    rule = {"alone": check_alone, "tidy": check_tidy}[options.rule]
    jobs = [job for job in rule(commands(build), build) if re.search(options.only, job[0])]
    if not jobs:
        sys.exit("check_compile.py: nothing to check; is %s configured with the tests?" % options.build)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = [line for line in pool.map(run, jobs) if line]
    for line in found:
        print(line)
    print("%s: %d files, %d with something to fix" % (options.rule, len(jobs), len(found)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
