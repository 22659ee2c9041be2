#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the host's cost of a virtual second of netio with the stored figures: its instructions, and the misses of its
first-level instruction cache per instruction of the guest.

    tests/bench/gate.py [--planar PROGRAM] [--only NAME] [--accept "REASON"]

Each row of gate.json is a machine with a card: the guest is booted without measuring and saved when netio is sending;
cachegrind then runs the snapshot to two later times, and the difference of both counts is the cost of the time between
them, whatever the host is doing meanwhile. The simulated instruction cache is the same on every host: 32 KB in one set.
With eight ways, as in real hosts, the misses of a row varied by 9 % with the addresses that the linker gave the same
functions; one set counts what is executed, not where it is. Exit code 1: a figure exceeds the stored one by more than
its tolerance. The figures are those of one compiler: with a different one, or without valgrind, nothing is compared (4,
which ctest counts as skipped). --accept measures and writes gate.json.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
table = root / "tests/bench/gate.json"
skipped = 4
CACHES = "--I1=32768,512,64", "--D1=32768,8,64", "--LL=8388608,16,64"


def give_up(text, code):
    print(f"gate.py: {text}", file=sys.stderr)
    sys.exit(code)


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        give_up(f"'{' '.join(command)}' ended with {done.returncode}:\n{done.stderr[-2000:]}", 3)


def compiler_of(planar):
    """The compiler's name and version, as recorded in the program."""
    shown = subprocess.run(["readelf", "-p", ".comment", planar], capture_output=True, text=True).stdout
    found = re.findall(r"\]\s+(.*)", shown)
    header = subprocess.run(["readelf", "-h", planar], capture_output=True, text=True).stdout
    machine = re.search(r"Machine:\s+(.*)", header)
    return f"{found[0].strip()}, {machine[1].strip()}" if found and machine else "unknown"


COUNTS = "instructions", "misses", "guest"  # of the host; of its instruction cache; instructions of the guest


def counts(planar, snapshot, until, scratch):
    out, result = scratch / "counts", scratch / "result.json"
    run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", *CACHES, f"--cachegrind-out-file={out}", planar, "run", "--restore",
         str(snapshot), "--until", f"{until:.3f} s", "--quiet", "--json", str(result)])
    text = out.read_text()
    events = re.search(r"^events: (.*)", text, re.M)[1].split()
    totals = dict(zip(events, map(int, re.search(r"^summary: (.*)", text, re.M)[1].split())))
    return dict(zip(COUNTS, (totals["Ir"], totals["I1mr"], json.loads(result.read_text())["instructions"])))


def measure(planar, row, scratch):
    """The figures of a row: millions of host instructions per virtual second, and misses."""
    snapshot = scratch / "snapshot"
    run([planar, "netio", "--machine", row["machine"], "--card", row["card"], "--sizes", row["sizes"], "--seconds", "1",
         "--snapshot-at", f"{row['from']} s", str(snapshot), "--quiet"])
    begin = row["from"] + 0.01
    before, after = (counts(planar, snapshot, at, scratch) for at in (begin, begin + row["seconds"]))
    cost = {name: after[name] - before[name] for name in COUNTS}
    return {"million": round(cost["instructions"] / (row["seconds"] * 1e6), 1),
            "misses": round(cost["misses"] / cost["guest"], 3)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--planar", default=str(root / "build/release/frontend/planar"), help="the program")
    parser.add_argument("--only", help="one row, by machine and card: model95-ne2")
    parser.add_argument("--accept", metavar="REASON", help="write what is measured to gate.json")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        give_up("no valgrind here; apt-get install valgrind", skipped)
    if not pathlib.Path(options.planar).is_file():
        give_up(f"no program '{options.planar}'; run make, or name it with --planar", 3)
    stored = json.loads(table.read_text())
    compiler = compiler_of(options.planar)
    if not options.accept and compiler != stored["compiler"]:
        give_up(f"{options.planar} is by {compiler}, the stored counts are by {stored['compiler']}", skipped)
    rows = [r for r in stored["rows"] if options.only in (None, f"{r['machine']}-{r['card']}")]
    if not rows:
        give_up(f"no row '{options.only}' in {table}", 3)
    failed = False
    print(f"{'machine':<11}{'card':<17}{'million per virtual second':>26}{'stored':>9}{'change':>9}"
          f"{'I-cache misses per instruction':>32}{'stored':>9}{'change':>9}")
    for row in rows:
        with tempfile.TemporaryDirectory() as scratch:
            measured = measure(options.planar, row, pathlib.Path(scratch))
        line, remark = f"{row['machine']:<11}{row['card']:<17}", ""
        for (name, value), width, places in zip(measured.items(), (26, 32), (1, 3)):
            known = row.get(name)
            change = value / known - 1 if known else 0
            if change > stored["room"][name]:
                failed, remark = True, "  too many"
            elif change < -stored["room"][name]:
                remark = remark or "  fewer: --accept it"
            line += f"{value:{width}.{places}f}{known or 0:9.{places}f}{change:+9.1%}"
        print(line + remark, flush=True)
        if options.accept:
            row |= measured
    if options.accept:
        stored |= {"compiler": compiler, "reason": options.accept}
        table.write_text(json.dumps(stored, indent=2) + "\n")
        print(f"written to {table}")
    elif failed:
        give_up("more above a stored figure than its room; find what became slower (docs/performance.md), or accept it with "
                "--accept \"REASON\"", 1)


main()
