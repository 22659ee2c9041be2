#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/guest-placement.md and the pages in docs/guest-placement/: the rows of the baselines before and after a change of the guest, with their spread over its placements.

  for n in 1 2 3 4 5 6 7; do
    planar regress --placement $n --baseline netio-$n.json --accept "placement $n"
    planar regress --placement $n --do flood --baseline flood-$n.json --accept "placement $n"
  done
  docs/placement/make.py --before REVISION --placements DIR

REVISION has the baselines before; those in tests/baselines are after, and placement 0; DIR holds the files made above. The rows of
a machine that was not run in all placements (`regress --machines`) stay as the pages have them, and the pages say so.
"""
import argparse
import json
import math
import os
import statistics
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
HEAD = """\
# The guest's placements

*For those who ask whether a difference of a few per cent means anything.*

Where the guest's code, variables and pages lie moves figures by some per cent ([results.md](results.md#spread) says why). This page shows
by how much, in summary; the rows of the baselines in the guest's eight placements, same seed, are on the pages for
[netio](guest-placement/netio.md) and [flood](guest-placement/flood.md). *before* is the baseline at the previous run of the placements,
*after* the present one, which is placement 0; guest and models have changed in between. *mean ±* is the mean over the eight placements and
half of its 95 % confidence interval (Student's t). A spread in the summaries is the difference between the least and the most of the eight
in per cent of their mean; *before within the placements* counts rows whose figure before lies between them, or within 0.5 % of that.

A placement far from the others is due to an event, not to caches: in a run of half a second one lost frame costs a retransmission timeout
of 0.2 s. The 3C527's driver of Linux 2.4.0 can lose a frame that arrives while it walks its ring: it restarts reception from the
descriptor at which it began. Whether that happens depends on when two acknowledgements arrive back to back.

Made by `docs/placement/make.py`."""
ROWS_HEAD = """\
# The guest's placements: {title}

*For those who look up a card in a machine.*

The columns are explained in [docs/guest-placement.md](../guest-placement.md).
"""
T7 = 2.365  # the 97.5 % quantile of Student's t with 7 degrees of freedom


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write(docs, page, lines):
    with open(os.path.join(docs, page), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def committed(revision, name):
    text = subprocess.run(["git", "-C", ROOT, "show", "%s:tests/baselines/%s.json" % (revision, name)],
                          check=True, capture_output=True, text=True).stdout
    return json.loads(text)


def number(value):
    return "-" if value is None else "%.0f" % value if abs(value) >= 100 else "%.1f" % value


def figure(text):
    return None if text == "-" else float(text)


def present(path, sizes):
    """The rows of a page by machine: lines, and for each size what `table` gives as spreads (rounded as on the page)."""
    rows = {}
    if not os.path.exists(path):
        return rows
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = [c.strip() for c in line.strip().strip("|").split("|")]
            if len(cells) != 2 + 4 * len(sizes) or cells[0] in ("machine", "---"):
                continue
            row = rows.setdefault(cells[0], {"lines": [], "spreads": []})
            row["lines"].append(line.rstrip("\n"))
            for n, size in enumerate(sizes):
                old, _, mean, span = cells[2 + 4 * n:6 + 4 * n]
                if " to " in span:
                    mean = float(mean.split(" ")[0])
                    low, high = (float(v) for v in span.split(" to "))
                    row["spreads"].append((size, (100 * (high - low) / mean if mean else 0, cells[0], cells[1], figure(old),
                                                  mean, low, high)))
    return rows


def table(name, before, after, placements, page):
    """Lines of a table with a row for each machine and card, the spreads in percent of the mean, the unit, and the
    machines whose rows are those of the page."""
    unit = next(k for cards in after["cells"].values() for cell in cards.values() for k in cell if "/s" in k).split(" ", 1)[1]
    sizes = [k for k in next(c for cards in after["cells"].values() for c in cards.values() if "problem" not in c)
             if k.endswith(unit)]
    out = ["| machine | card |" + "".join(" %s before | after | mean ± | least to most |" % k[:-len(unit) - 1]
                                         for k in sizes),
           "|---|---|" + "---:|" * 4 * len(sizes)]
    spreads, kept, known = {}, [], present(page, sizes)
    for machine, cards in after["cells"].items():
        if any(machine not in p["cells"] for p in placements):
            if machine in known:
                kept.append(machine)
                out += known[machine]["lines"]
                for size, spread in known[machine]["spreads"]:
                    spreads.setdefault(size, []).append(spread)
            continue
        for card, cell in cards.items():
            if "problem" in cell:
                continue
            old = before["cells"].get(machine, {}).get(card, {})
            line = "| %s | %s |" % (machine, card)
            for size in sizes:
                values = [p["cells"][machine].get(card, {}).get(size) for p in placements]
                if None in values:
                    line += " %s | %s | - | - |" % (number(old.get(size)), number(cell.get(size)))
                    continue
                mean, deviation = statistics.mean(values), statistics.stdev(values)
                spreads.setdefault(size, []).append((100 * (max(values) - min(values)) / mean if mean else 0,
                                                     machine, card, old.get(size), mean, min(values), max(values)))
                line += " %s | %s | %s ± %s | %s to %s |" % (
                    number(old.get(size)), number(cell[size]), number(mean),
                    number(T7 * deviation / math.sqrt(len(values))), number(min(values)), number(max(values)))
            out.append(line)
    return out, spreads, unit, kept


def summary(spreads, unit):
    """Lines that say how wide the spreads are, and where the figure before lies."""
    out = ["| column | rows | median spread | widest spread | before within the placements |", "|---|---:|---:|---|---:|"]
    for size, rows in spreads.items():
        widest = max(rows)
        known = [r for r in rows if r[3] is not None]
        inside = sum(r[5] - 0.005 * r[4] <= r[3] <= r[6] + 0.005 * r[4] for r in known)
        out.append("| %s | %d | %.1f %% | %.1f %% (%s %s) | %d of %d |" % (
            size, len(rows), statistics.median(r[0] for r in rows), *widest[:3], inside, len(known)))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", required=True, help="revision with the baselines before")
    parser.add_argument("--placements", required=True, help="folder with netio-1.json to flood-7.json")
    parser.add_argument("--docs", default=os.path.join(ROOT, "docs"), help="folder of the pages")
    args = parser.parse_args()
    os.makedirs(os.path.join(args.docs, "guest-placement"), exist_ok=True)
    overview = [HEAD]
    for name, title in (("netio", "netio, KB/s by packet size"), ("flood", "flood, frames/s delivered by frames/s offered")):
        after = read(os.path.join(ROOT, "tests/baselines/%s.json" % name))
        placements = [after] + [read(os.path.join(args.placements, "%s-%d.json" % (name, n))) for n in range(1, 8)]
        for p in placements:
            if p["guest_image_sha256"] != after["guest_image_sha256"]:
                raise SystemExit("%s: the placements were run with another guest than the baseline" % name)
            if p["seconds"] != after["seconds"] or p["sizes"] != after["sizes"]:
                raise SystemExit("%s: the placements were run with other sizes or seconds than the baseline" % name)
        page = os.path.join(args.docs, "guest-placement/%s.md" % name)
        rows, spreads, unit, kept = table(name, committed(args.before, name), after, placements, page)
        older = ["Not run again this time, so *after* is an earlier baseline: %s.\n" % ", ".join(kept)] if kept else []
        overview += ["\n## %s\n" % title, *older, *summary(spreads, unit)]
        write(args.docs, "guest-placement/%s.md" % name, [ROWS_HEAD.format(title=title), *older, *rows])
    write(args.docs, "guest-placement.md", overview)


if __name__ == "__main__":
    main()
