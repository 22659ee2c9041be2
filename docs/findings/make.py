#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Regenerates the tables and pictures of the pages beside it, docs/findings/*.md: make.py PLANAR [FOLDER [BENCHMARK...]]

Runs planar compare for each benchmark and keeps the finished runs in FOLDER (build/findings): running the same command again
resumes. Bonds of two different cards are run each time (minutes), gigabit floods if planar's cache of results has none of this build. Writes the tables between the marks of the pages and the pictures next to this script. With BENCHMARKs, only the tables and
pictures that need no other benchmark. Minutes on two cores.
"""
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGES = sorted(HERE.glob("*.md"))
MACHINES = ("model56sx", "model77", "model95")
TITLES = {"model56sx": "56 SX", "model77": "77", "model95": "95"}
FLOOD_RATES = "200,500,1000,1500,2000,2500,3000,4000,5000,6000,7000,8500,10000,11500,13000,14880"
MODE_RATES = "500,1000,1500,2000,3000,4000,6000,8000,10000,12000,14880"
WIRE = 14880
KNEE = "knee"
OVERTAKEN = "overtaken"
# two different cards as one, each in a slot
PAIRS = (("ne2", "3c529"), ("ne2", "smc8013"), ("3c523", "smc8013"), ("3c527", "smc8013"), ("sknet", "smc8013"), ("ne2", "lan-a"),
         ("3c529", "3c523"))
# the gigabit cards, each in every mode and sending, on the machine of the report of 2000
GIGABIT = "gigabit"
GIGABIT_MACHINE, GIGABIT_CARDS = "pc-p3-800", ("pro1000-82542", "pro1000-82543")
GIGABIT_MODES = ("interrupt", "delayed", "poll")
GIGABIT_RATES = "50000,75000,100000,150000,200000,300000,400000,500000,600000,1000000,1488000"
# the same on the Micro Channel, whose cards cannot delay their interrupts: batch in its place
BESIDE_MACHINE, BESIDE_CARD = "model77", "3c529"
BESIDE_MODES = ("interrupt", "batch", "poll")
BESIDE_RATES = "500,1000,1500,2000,2500,3000,3500,4000,5000,6000,7000,8000,10000,12000,14880"
ACTIVITIES = ("interrupt", "bottom_half", "process")
# runs, the figure in a row, seconds, sizes; "netio:2" is netio with two of the card as one (--bond 2)
RUNS = {
    "netio": ("delivered_kb_per_s", "4", "4096"),
    "netio-receive": ("received_kb_per_s", "4", "4096"),
    "netperf-rr": ("transactions_per_s", "10", "1"),
    "netperf-udp": ("mbit_per_s", "4", "64,8192"),
    "netio:2": ("delivered_kb_per_s", "4", "4096"),
    "netio:3": ("delivered_kb_per_s", "4", "4096"),
    "netperf-udp:2": ("mbit_per_s", "4", "8192"),
    "netperf-udp:3": ("mbit_per_s", "4", "8192"),
    "flood": ("delivered_per_s", "0.5", FLOOD_RATES),
    "flood-stack": ("delivered_per_s", "0.5", FLOOD_RATES),
    "flood-driver": ("delivered_per_s", "0.5", FLOOD_RATES),
    "flood-batch": ("delivered_per_s", "0.2", MODE_RATES),
    "flood-timer": ("delivered_per_s", "0.2", MODE_RATES),
    "flood-poll": ("delivered_per_s", "0.2", MODE_RATES),
    "flood-router": ("delivered_per_s", "0.2", MODE_RATES),
    "flood-router-poll": ("delivered_per_s", "0.2", MODE_RATES),
    "flood-send": ("sent_per_s", "0.3", "64"),
    "flood-send-process": ("sent_per_s", "0.3", "64"),
}
# table: (heading, benchmark, size) for each group of columns
TABLES = {
    "directions": (("sent, KB/s", "netio", 4096), ("received, KB/s", "netio-receive", 4096)),
    "round-trips": (("round trips/s", "netperf-rr", 1),),
    "datagrams": (("64 bytes, 10^6 bit/s", "netperf-udp", 64), ("8192 bytes, 10^6 bit/s", "netperf-udp", 8192)),
    "bond-stream": (("1", "netio", 4096), ("2", "netio:2", 4096), ("3", "netio:3", 4096)),
    "bond-datagrams": (("1", "netperf-udp", 8192), ("2", "netperf-udp:2", 8192), ("3", "netperf-udp:3", 8192)),
    "bond-order": (("2, %", "netio:2", OVERTAKEN), ("3, %", "netio:3", OVERTAKEN)),
    "knees": (("process", "flood", KNEE), ("stack", "flood-stack", KNEE), ("driver", "flood-driver", KNEE)),
    "costs": tuple((name.replace("_", " ") + ", µs", "flood", name) for name in ACTIVITIES),
    "mode-knees": (("interrupt", "flood", KNEE), ("batch", "flood-batch", KNEE), ("timer", "flood-timer", KNEE),
                   ("poll", "flood-poll", KNEE)),
    "mode-collapse": (("interrupt", "flood", WIRE), ("batch", "flood-batch", WIRE), ("timer", "flood-timer", WIRE),
                      ("poll", "flood-poll", WIRE)),
    "sending": (("from the kernel", "flood-send", 64), ("from a process", "flood-send-process", 64)),
    "router": (("knee", "flood-router", KNEE), ("at the wire's rate", "flood-router", WIRE),
               ("polled: knee", "flood-router-poll", KNEE), ("polled: at the wire's rate", "flood-router-poll", WIRE)),
    "collapse": (("process", "flood", WIRE), ("stack", "flood-stack", WIRE), ("driver", "flood-driver", WIRE)),
}
# pictures of a comparison's page: part of the picture's text, and the prefix of its file name
PICTURES = {
    "netio": ("Where the time of a data frame goes", "frame"),
    "flood": ("flood, delivered frames/s by offered", "flood"),
    "flood-driver": ("frames/s handed over by the driver", "flood-driver"),
    "flood-batch": ("several frames per interrupt", "flood-batch"),
    "flood-timer": ("driver run by a timer", "flood-timer"),
    "flood-poll": ("adapter polled", "flood-poll"),
    "flood-router": ("frames/s forwarded by a router with two", "router"),
    "flood-router-poll": ("frames/s forwarded by a router that polls", "router-poll"),
}


def compare(planar, folder, runs):
    figure, seconds, sizes = RUNS[runs]
    benchmark, _, bond = runs.partition(":")
    report = folder / runs.replace(":", "-bond-")
    report.mkdir(parents=True, exist_ok=True)
    subprocess.run([planar, "compare", "--do", benchmark, "--machines", ",".join(MACHINES), "--seconds", seconds, "--sizes", sizes,
                    "--report", report, *(["--bond", bond] if bond else [])], check=False, stdout=subprocess.DEVNULL)
    results = json.loads((report / "compare.json").read_text(encoding="utf-8"))
    cells = {}
    for result in results:
        for row in result.get("rows", ()):
            if figure in row:
                cells[result["card"], result["machine"], row.get("packet_bytes", row.get("rate", row.get("frame_bytes")))] = row[figure]
        # the cost of one more frame, from two rates at which nothing is lost
        few, more = (next((r for r in result.get("rows", ()) if r.get("rate") == rate), None) for rate in (200, 500))
        for name in ACTIVITIES if few and more else ():
            cells[result["card"], result["machine"], name] = (
                (more["cpu_percent"][name] - few["cpu_percent"][name]) / 100 / (more["offered_per_s"] - few["offered_per_s"]) * 1e6)
        if "bond" in result:
            frames = sum(card["peer_frames"]["received"] for card in result["bond"]["cards"])
            cells[result["card"], result["machine"], OVERTAKEN] = 100 * result["bond"]["packets_overtaken_at_peer"] / frames
        if "knee_per_s" in result:
            cells[result["card"], result["machine"], KNEE] = result["knee_per_s"]
    return cells, [r["card"] for r in results], (report / "compare.html").read_text(encoding="utf-8")


def table(columns, cells, cards):
    lines = ["| card |" + "".join(" %s: %s |" % (heading, TITLES[m]) for heading, _, _ in columns for m in MACHINES),
             "|---|" + "---:|" * (len(columns) * len(MACHINES))]
    for card in cards:
        values = [cells[benchmark].get((card, m, size)) for _, benchmark, size in columns for m in MACHINES]
        # a table of bonds has only the cards of which two make one
        shown = values[len(MACHINES):] if any(":" in benchmark for _, benchmark, _ in columns) and len(columns) > 2 else values
        if any(v is not None for v in shown):
            lines.append("| `%s` |" % card + "".join(
                " - |" if v is None else (" %.0f |" if v >= 20 or v == 0 else " %.2f |") % v for v in values))
    return "\n".join(lines)


def pairs(planar, folder, alone):
    """The table of two different cards: each alone, both as one, with the share of packets that were overtaken."""
    lines = ["| cards |" + "".join(" %s: alone | %s: as one | %s: overtaken, %% |" % ((TITLES[m],) * 3) for m in MACHINES),
             "|---|" + "---:|" * (3 * len(MACHINES))]
    (folder / "pairs").mkdir(parents=True, exist_ok=True)
    for first, second in PAIRS:
        line = "| `%s`, `%s` |" % (first, second)
        for machine in MACHINES:
            file = folder / "pairs" / ("%s-%s-%s.json" % (machine, first, second))
            subprocess.run([planar, "netio", "--machine", machine, "--card", "1=" + first, "--card", "2=" + second, "--bond",
                            "--seconds", "4", "--sizes", "4096", "--quiet", "--json", file], check=True)
            result = json.loads(file.read_text(encoding="utf-8"))
            frames = sum(card["peer_frames"]["received"] for card in result["bond"]["cards"])
            line += " %s | %.0f | %.1f |" % (
                ", ".join("%.0f" % alone[card, machine, 4096] for card in (first, second)),
                result["rows"][0]["delivered_kb_per_s"], 100 * result["bond"]["packets_overtaken_at_peer"] / frames)
        lines.append(line)
    return "\n".join(lines)


def gigabit(planar, folder):
    """The tables of the gigabit cards: delivered by offered frames in each mode, beside a card of the Micro Channel's; what they send."""
    (folder / GIGABIT).mkdir(parents=True, exist_ok=True)

    def run(card, mode, name, *options, machine=GIGABIT_MACHINE):
        file = folder / GIGABIT / ("%s-%s-%s.json" % (name, card, mode))
        subprocess.run([planar, "flood", "--machine", machine, "--card", card, "--mode", mode, "--quiet", "--json", file, *options],
                       check=True)
        return json.loads(file.read_text(encoding="utf-8"))["rows"]

    def curves(columns, names, rows):
        lines = ["| offered |" + "".join(" %s |" % name for name in names), "|---:|" + "---:|" * len(columns)]
        for n, first in enumerate(rows[columns[0]]):
            lines.append("| %d |" % first["rate"] + "".join(" %.0f |" % rows[c][n]["delivered_per_s"] for c in columns))
        return "\n".join(lines)

    def knees(columns, names, rows):
        lines = ["| | knee | most | at the wire's rate |", "|---|---:|---:|---:|"]
        for column, name in zip(columns, names):
            whole = 0
            for row in rows[column]:
                if row["delivered_in_time"] < 0.99 * row["offered"]:
                    break
                whole = row["rate"]
            delivered = [row["delivered_per_s"] for row in rows[column]]
            lines.append("| %s | %d | %.0f | %.0f |" % (name, whole, max(delivered), delivered[-1]))
        return "\n".join(lines)

    columns = [(card, mode) for card in GIGABIT_CARDS for mode in GIGABIT_MODES]
    names = ["%s: %s" % (card.split("-")[1], mode) for card, mode in columns]
    rows = {(card, mode): run(card, mode, "receive", "--depth", "hook", "--seconds", "0.02", "--rates", GIGABIT_RATES)
            for card, mode in columns}
    beside = [(BESIDE_CARD, mode) for mode in BESIDE_MODES]
    beside_rows = {(card, mode): run(card, mode, "beside", "--depth", "hook", "--seconds", "0.5", "--rates", BESIDE_RATES,
                                     machine=BESIDE_MACHINE) for card, mode in beside}
    sent = ["| card | interrupt | delayed |", "|---|---:|---:|"]
    for card in GIGABIT_CARDS:
        sent.append("| `%s` |" % card + "".join(
            " %.0f |" % run(card, mode, "send", "--send", "kernel", "--seconds", "0.05")[0]["sent_per_s"] for mode in GIGABIT_MODES[:2]))
    return {"gigabit-receive": curves(columns, names, rows), "gigabit-knees": knees(columns, names, rows),
            "gigabit-beside": curves(beside, BESIDE_MODES, beside_rows), "gigabit-beside-knees": knees(beside, BESIDE_MODES, beside_rows),
            "gigabit-send": "\n".join(sent)}


def put(name, rows):
    """Writes a table into the page that has its mark."""
    begin, end = "<!-- table %s -->" % name, "<!-- end -->"
    pages = [page for page in PAGES if begin in page.read_text(encoding="utf-8")]
    if len(pages) != 1:
        sys.exit("make.py: %d pages of %s have the mark '%s'; one should have it" % (len(pages), HERE, begin))
    text = pages[0].read_text(encoding="utf-8")
    first = text.index(begin) + len(begin)
    pages[0].write_text(text[:first] + "\n" + rows + "\n" + text[text.index(end, first):], encoding="utf-8")


def main():
    if len(sys.argv) < 2 or not set(sys.argv[3:]) <= {*RUNS, GIGABIT}:
        sys.exit(__doc__.splitlines()[0])
    planar = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else HERE.parent.parent / "build/findings")
    chosen = sys.argv[3:] or [*RUNS, GIGABIT]
    if GIGABIT in chosen:
        chosen.remove(GIGABIT)
        for name, rows in gigabit(planar, folder).items():
            put(name, rows)
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
    for name, columns in TABLES.items():
        if not all(benchmark in chosen for _, benchmark, _ in columns):
            continue
        put(name, table(columns, cells, cards))
    if "netio" in chosen and "netio:2" in chosen:
        put("bond-pairs", pairs(planar, folder, cells["netio"]))


if __name__ == "__main__":
    main()
