#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the tables and pictures of docs/findings.md again: make.py PLANAR [FOLDER [BENCHMARK...]]

Runs planar compare for each benchmark and keeps the finished runs in FOLDER (build/findings), so that the same command goes on
from them; writes the tables between the marks of the page and the pictures beside this script. With BENCHMARKs only the tables and
pictures that need no other. Minutes on two cores.
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
FLOOD_RATES = "200,500,1000,1500,2000,2500,3000,4000,5000,6000,7000,8500,10000,11500,13000,14880"
WIRE = 14880
KNEE = "knee"
ACTIVITIES = ("interrupt", "bottom_half", "process")
# benchmark, its figure in a row, seconds, sizes
RUNS = {
    "netio": ("delivered_kb_per_s", "4", "4096"),
    "netio-receive": ("received_kb_per_s", "4", "4096"),
    "netperf-rr": ("transactions_per_s", "10", "1"),
    "netperf-udp": ("mbit_per_s", "4", "64,8192"),
    "flood": ("delivered_per_s", "0.5", FLOOD_RATES),
    "flood-stack": ("delivered_per_s", "0.5", FLOOD_RATES),
    "flood-driver": ("delivered_per_s", "0.5", FLOOD_RATES),
}
# table: (heading, benchmark, size) for each group of columns
TABLES = {
    "directions": (("sent, KB/s", "netio", 4096), ("received, KB/s", "netio-receive", 4096)),
    "round-trips": (("round trips a second", "netperf-rr", 1),),
    "datagrams": (("64 bytes, 10^6 bit/s", "netperf-udp", 64), ("8192 bytes, 10^6 bit/s", "netperf-udp", 8192)),
    "knees": (("process", "flood", KNEE), ("stack", "flood-stack", KNEE), ("driver", "flood-driver", KNEE)),
    "costs": tuple((name.replace("_", " ") + ", us", "flood", name) for name in ACTIVITIES),
    "collapse": (("process", "flood", WIRE), ("stack", "flood-stack", WIRE), ("driver", "flood-driver", WIRE)),
}
# of a comparison's page: what a picture's text holds, and how its file's name begins
PICTURES = {
    "netio": ("Where the time of a data frame goes", "frame"),
    "flood": ("frames delivered to a process", "flood"),
    "flood-driver": ("frames that the driver hands over", "flood-driver"),
}


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
                cells[result["card"], result["machine"], row.get("packet_bytes", row.get("rate"))] = row[figure]
        # what a frame more costs, from two rates that nothing is lost at
        few, more = (next((r for r in result.get("rows", ()) if r.get("rate") == rate), None) for rate in (200, 500))
        for name in ACTIVITIES if few and more else ():
            cells[result["card"], result["machine"], name] = (
                (more["cpu_percent"][name] - few["cpu_percent"][name]) / 100 / (more["offered_per_s"] - few["offered_per_s"]) * 1e6)
        if "knee_per_s" in result:
            cells[result["card"], result["machine"], KNEE] = result["knee_per_s"]
    return cells, [r["card"] for r in results], (report / "compare.html").read_text(encoding="utf-8")


def table(columns, cells, cards):
    lines = ["| card |" + "".join(" %s: %s |" % (heading, TITLES[m]) for heading, _, _ in columns for m in MACHINES),
             "|---|" + "---:|" * (len(columns) * len(MACHINES))]
    for card in cards:
        values = [cells[benchmark].get((card, m, size)) for _, benchmark, size in columns for m in MACHINES]
        if any(v is not None for v in values):
            lines.append("| `%s` |" % card + "".join(
                " - |" if v is None else (" %.0f |" if v >= 20 or v == 0 else " %.2f |") % v for v in values))
    return "\n".join(lines)


def main():
    if len(sys.argv) < 2 or not set(sys.argv[3:]) <= set(RUNS):
        sys.exit(__doc__.splitlines()[0])
    planar = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else HERE.parent.parent / "build/findings")
    chosen = sys.argv[3:] or list(RUNS)
    cells, cards = {}, []
    for benchmark in chosen:
        cells[benchmark], ran, page = compare(planar, folder, benchmark)
        cards = list(dict.fromkeys(cards + ran))
        if benchmark in PICTURES:
            for svg in re.findall(r"<svg.*?</svg>", page, re.S):
                if PICTURES[benchmark][0] in svg:
                    before = page[:page.index(svg)]
                    machine = re.findall(r"<h2>(.*?)</h2>", before)[-1]
                    name = next((m for m in MACHINES if re.search(r"\b%s\b" % TITLES[m], machine)), None)
                    if name and "10 Mbit/s Ethernet" in machine:
                        (HERE / ("%s-%s.svg" % (PICTURES[benchmark][1], name))).write_text(svg + "\n", encoding="utf-8")
    text = PAGE.read_text(encoding="utf-8")
    for name, columns in TABLES.items():
        if not all(benchmark in chosen for _, benchmark, _ in columns):
            continue
        begin, end = "<!-- table %s -->" % name, "<!-- end -->"
        if begin not in text:
            sys.exit("make.py: %s has no mark '%s'" % (PAGE, begin))
        first = text.index(begin) + len(begin)
        text = text[:first] + "\n" + table(columns, cells, cards) + "\n" + text[text.index(end, first):]
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
