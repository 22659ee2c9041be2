#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Host instructions per virtual second of netio, against the stored ones.

    tests/bench/gate.py [--planar PROGRAM] [--only NAME] [--accept "REASON"]

Each row of gate.json is a machine with a card: the guest is booted without measuring and saved when netio is sending;
callgrind then runs the snapshot to two later times, and the difference of both counts is what the time between them
costs, whatever the host is doing meanwhile. More than the stored count and its room: 1. The counts are those of one
compiler: with another one, or without valgrind, nothing is compared (4, which ctest counts as skipped). --accept
measures and writes gate.json.
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


def give_up(text, code):
    print(f"gate.py: {text}", file=sys.stderr)
    sys.exit(code)


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        give_up(f"'{' '.join(command)}' ended with {done.returncode}:\n{done.stderr[-2000:]}", 3)


def compiler_of(planar):
    """The compiler's name and version as it left them in the program."""
    shown = subprocess.run(["readelf", "-p", ".comment", planar], capture_output=True, text=True).stdout
    found = re.findall(r"\]\s+(.*)", shown)
    header = subprocess.run(["readelf", "-h", planar], capture_output=True, text=True).stdout
    machine = re.search(r"Machine:\s+(.*)", header)
    return f"{found[0].strip()}, {machine[1].strip()}" if found and machine else "unknown"


def instructions(planar, snapshot, until, scratch):
    count = scratch / "count"
    run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={count}", planar, "run", "--restore", str(snapshot),
         "--until", f"{until:.3f} s", "--quiet"])
    return int(re.search(r"^(?:totals|summary): (\d+)", count.read_text(), re.M)[1])


def measure(planar, row, scratch):
    """Millions of host instructions in a virtual second."""
    snapshot = scratch / "snapshot"
    run([planar, "netio", "--machine", row["machine"], "--card", row["card"], "--sizes", row["sizes"], "--seconds", "1",
         "--snapshot-at", f"{row['from']} s", str(snapshot), "--quiet"])
    first, last = row["from"] + 0.01, row["from"] + 0.01 + row["seconds"]
    return (instructions(planar, snapshot, last, scratch) - instructions(planar, snapshot, first, scratch)) / (
        row["seconds"] * 1e6)


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
    print(f"{'machine':<12}{'card':<8}{'million per virtual second':>28}{'stored':>9}{'change':>9}")
    for row in rows:
        with tempfile.TemporaryDirectory() as scratch:
            counted = measure(options.planar, row, pathlib.Path(scratch))
        change = counted / row["million"] - 1 if row["million"] else 0
        over = change > stored["room"]
        failed |= over
        print(f"{row['machine']:<12}{row['card']:<8}{counted:28.1f}{row['million']:9.1f}{change:+9.1%}"
              f"{'  too many' if over else '  fewer: --accept it' if change < -stored['room'] else ''}")
        if options.accept:
            row["million"] = round(counted, 1)
    if options.accept:
        stored |= {"compiler": compiler, "reason": options.accept}
        table.write_text(json.dumps(stored, indent=2) + "\n")
        print(f"written to {table}")
    elif failed:
        give_up(f"more than {stored['room']:.0%} above the stored count; find what became slower "
                f"(docs/performance.md), or accept it with --accept \"REASON\"", 1)


main()
