#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the tables and pictures of docs/findings.md again: make.py PLANAR [FOLDER]

Runs planar compare for each benchmark and keeps the finished runs in FOLDER (build/findings), so that the same command goes on
from them; writes the tables between the marks of the page and the pictures beside this script. Minutes on two cores.
"""
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent / "findings.md"
MACHINES = ("model56sx", "model77", "model95")
TITLES = {"model56sx": "56 SX", "model77": "77", "model95": "95"}
# benchmark, its figure in a row, seconds, sizes
RUNS = {
    "netio": ("delivered_kb_per_s", "4", "4096"),
    "netio-receive": ("received_kb_per_s", "4", "4096"),
    "netperf-rr": ("transactions_per_s", "10", "1"),
    "netperf-udp": ("mbit_per_s", "4", "64,8192"),
}
# table: (heading, benchmark, size) for each group of columns
TABLES = {
    "directions": (("sent, KB/s", "netio", 4096), ("received, KB/s", "netio-receive", 4096)),
    "round-trips": (("round trips a second", "netperf-rr", 1),),
    "datagrams": (("64 bytes, 10^6 bit/s", "netperf-udp", 64), ("8192 bytes, 10^6 bit/s", "netperf-udp", 8192)),
}
PICTURES = {"netio": "Where the time of a data frame goes"}


def compare(planar, folder, benchmark):
    figure, seconds, sizes = RUNS[benchmark]
    report = folder / benchmark
    report.mkdir(parents=True, exist_ok=True)
    subprocess.run([planar, "compare", "--do", benchmark, "--machines", ",".join(MACHINES), "--seconds", seconds, "--sizes", sizes,
                    "--report", report], check=False, stdout=subprocess.DEVNULL)
    results = json.loads((report / "compare.json").read_text(encoding="utf-8"))
    cells = {}
    for result in results:
        for row in result.get("rows", ()):
            if figure in row:
                cells[result["card"], result["machine"], row["packet_bytes"]] = row[figure]
    return cells, [r["card"] for r in results], (report / "compare.html").read_text(encoding="utf-8")


def table(columns, cells, cards):
    lines = ["| card |" + "".join(" %s: %s |" % (heading, TITLES[m]) for heading, _, _ in columns for m in MACHINES),
             "|---|" + "---:|" * (len(columns) * len(MACHINES))]
    for card in cards:
        values = [cells[benchmark].get((card, m, size)) for _, benchmark, size in columns for m in MACHINES]
        if any(v is not None for v in values):
            lines.append("| `%s` |" % card + "".join(
                " - |" if v is None else (" %.0f |" if v >= 20 else " %.2f |") % v for v in values))
    return "\n".join(lines)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.splitlines()[0])
    planar = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else HERE.parent.parent / "build/findings")
    cells, cards = {}, []
    for benchmark in RUNS:
        cells[benchmark], ran, page = compare(planar, folder, benchmark)
        cards = list(dict.fromkeys(cards + ran))
        if benchmark in PICTURES:
            for svg in re.findall(r"<svg.*?</svg>", page, re.S):
                if PICTURES[benchmark] in svg:
                    before = page[:page.index(svg)]
                    machine = re.findall(r"<h2>(.*?)</h2>", before)[-1]
                    name = next((m for m in MACHINES if re.search(r"\b%s\b" % TITLES[m], machine)), None)
                    if name and "10 Mbit/s Ethernet" in machine:
                        (HERE / ("frame-%s.svg" % name)).write_text(svg + "\n", encoding="utf-8")
    text = PAGE.read_text(encoding="utf-8")
    for name, columns in TABLES.items():
        begin, end = "<!-- table %s -->" % name, "<!-- end -->"
        if begin not in text:
            sys.exit("make.py: %s has no mark '%s'" % (PAGE, begin))
        first = text.index(begin) + len(begin)
        text = text[:first] + "\n" + table(columns, cells, cards) + "\n" + text[text.index(end, first):]
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
