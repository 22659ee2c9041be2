#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules that need the compiler. Usage: check_compile.py RULE --build DIR [--jobs N]

alone      every header, and every source file of the libraries, compiles alone: it includes what it uses. A header that
           its own source file includes first is checked with that. Headers of the standard library and LARGE
           that a file includes, directly or through others, are precompiled for it, if other files need the same ones: this
           hides nothing that the file does not include. If a source stands for its header: those that the header includes.
tidy       the checks of .clang-tidy find nothing in the largest source file of each folder, or in what it includes

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
LARGE = ("CLI/CLI.hpp", "nlohmann/json.hpp", "fmt/format.h")
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
    """The call of the source that is nearest to the header."""
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
    """Whether the header's own source file, which is checked itself, includes it first."""
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
def external(file):
    """The headers of the standard library and those of LARGE that the file includes, directly or through others."""
    found = set()
    with open(os.path.join(ROOT, file), encoding="utf-8") as text:
        for line in text:
            include = INCLUDE.match(line)
            if include and (include[1] in LARGE or re.fullmatch("[a-z_]+", include[1])):
                found.add(include[1])
            elif include and include[1].endswith(".hpp") and os.path.exists(os.path.join(ROOT, include[1])):
                found |= external(include[1])
    return frozenset(found)


def stands_for(file):
    """The header of a source file that has one, otherwise the file."""
    header = re.sub("[.]cpp$", ".hpp", file)
    return header if os.path.exists(os.path.join(ROOT, header)) else file


def weights(names):
    """{header: bytes that the compiler reads for it}"""
    def size(name):
        return len(subprocess.run(["c++", "-std=c++20", "-E", "-P", "-x", "c++", "-"], input="#include <%s>" % name, text=True,
                                  capture_output=True, check=True).stdout)

    with concurrent.futures.ThreadPoolExecutor() as pool:
        return dict(zip(names, pool.map(size, names)))


def choose(wanted, weight):
    """The sets of headers that save more than they cost. `wanted` has the includes of each file: no file gets others."""
    candidates = {names: sum(weight[name] for name in names) for names in wanted}
    chosen, spared = [], [0] * len(wanted)
    while candidates:
        def gain(names):
            return sum(max(0, candidates[names] - had) for file, had in zip(wanted, spared) if names <= file)

        best = max(candidates, key=gain)
        if gain(best) <= 2 * candidates[best]:  # the cost of reading and writing it
            break
        chosen.append(best)
        spared = [max(had, candidates[best]) if best <= file else had for file, had in zip(wanted, spared)]
        del candidates[best]
    return chosen


def precompile(options, names, build):
    """The options that include `names`, precompiled with the options of a compiler call."""
    text = "".join("#include <%s>\n" % name for name in sorted(names))
    key = hashlib.sha256("\n".join([*options, text]).encode()).hexdigest()[:12]
    header = os.path.join(build, "precompiled", key + ".hpp")
    os.makedirs(os.path.dirname(header), exist_ok=True)
    with open(header, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([*options, "-x", "c++-header", header, "-o", header + ".gch"], cwd=ROOT, check=True)
    return ["-include", header]


def with_precompiled(calls, build, jobs):
    """[(file, compiler call)] with the best set of headers for each."""
    def common(words):  # outside planar no header needs these
        return tuple(word for word in words if not word.startswith(("-I", "-DPLANAR_")))

    groups = {}
    for file, words in calls:
        groups.setdefault(common(words), []).append(external(stands_for(file)))
    weight = weights(sorted({name for file, _ in calls for name in external(stands_for(file))}))
    chosen = [(options, names) for options, wanted in groups.items() for names in choose(wanted, weight)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        made = dict(zip(chosen, pool.map(lambda pair: precompile(*pair, build), chosen)))

    def best(file, words):
        fitting = [names for options, names in made if options == common(words) and names <= external(stands_for(file))]
        names = max(fitting, key=lambda names: sum(weight[name] for name in names), default=None)
        return made[common(words), names] if names else []

    return [(file, words + best(file, words)) for file, words in calls]


def check_alone(known, build, jobs, only):
    calls = [(source, known[source]) for source in sources(".cpp") if source in known and not source.startswith("tests/")]
    for header in sources(".hpp"):
        if included_first(header, known):
            continue
        call = flags_for(header, known)
        if call is None:
            yield header, None, "%s:1: no library compiles anything beside this header; take it out" % header
            continue
        calls.append((header, call + ["-I" + ROOT]))
    for file, call in with_precompiled([call for call in calls if re.search(only, call[0])], build, jobs):
        task = ["-fsyntax-only", os.path.join(ROOT, file)], ""
        if file.endswith(".hpp"):
            task = ["-fsyntax-only", "-x", "c++", "-"], '#include "%s"\n' % file
        yield file, (call + task[0], task[1]), "does not compile alone; include what it uses"


def check_tidy(known, build, _jobs, _only):
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
    jobs = [job for job in rule(commands(build), build, options.jobs, options.only) if re.search(options.only, job[0])]
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
