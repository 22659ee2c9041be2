#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Searches for a run whose result depends on how the host executes it.

    tests/campaign/one_hash.py [--planar PROGRAM] [--minutes M | --runs N] [--seed S] [--only MACHINE[:CARD]]

A benchmark is chosen at random: machine, card, sizes, length, seed, three out of four with a bus master, and often with
a slower memory, for which a master and the processor compete more often. It runs once undisturbed, then with things that
must change nothing: short blocks, flushed blocks, cut horizons, traces, snapshots at random times (restored, saved again
and restored again), or several of these. State hash, cycles and instructions must be the same. The first difference ends
the search: the commands are printed, ready to be run, with the virtual times between which the states begin to differ.
The exit code is 0 if there was no difference, 1 if there was one, 3 if planar failed. The same --seed gives the same
search.
"""
import argparse
import json
import os
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parents[2]
sizes = ("1024", "2048", "4096", "8192", "16384", "32767")
# By bus: the setting for which a master and the processor compete, and times in ns.
uncertain = {"micro-channel": ("channel.memory_cycle", (600, 800, 1000)), "pci": ("pci.read_access", (60, 150, 300))}
cells = ("state_hash", "cycles", "instructions")
# Exit codes: the guest failed, or did not finish, with these memory timings; this machine does not accept this card, or
# the card does not accept this option.
no_result = (1, 2, 5)


class Failed(Exception):
    """planar could not be run."""


class Planar:
    def __init__(self, program, folder):
        self.program, self.folder, self.count = program, folder, 0

    def run(self, arguments):
        self.count += 1
        return subprocess.run([self.program, *arguments], cwd=self.folder, capture_output=True, text=True)

    def result(self, arguments):
        """The parts of the result that must be the same, and its virtual time; None if there is no result."""
        done = self.run([*arguments, "--quiet", "--json", "result.json"])
        if done.returncode in no_result:
            return None
        if done.returncode != 0:
            raise Failed(f"{shown(arguments)}\nended with {done.returncode}: {done.stderr.strip()[-500:]}")
        result = json.loads((self.folder / "result.json").read_text())
        return {cell: result[cell] for cell in (*cells, "virtual_seconds")}

    def complete(self, arguments):
        done = self.run([*arguments, "--quiet"])
        if done.returncode != 0:
            raise Failed(f"{shown(arguments)}\nended with {done.returncode}: {done.stderr.strip()[-500:]}")

    def list(self, what):
        done = self.run(["list", what, "--json", "-"])
        if done.returncode != 0:
            raise Failed(done.stderr)
        return json.loads(done.stdout)


def shown(arguments):
    return " ".join(["planar", *(shlex.quote(a) for a in arguments)])


def at(microseconds):
    return f"{microseconds} us"


class Draw:
    """The random choices."""

    def __init__(self, seed, machines, cards, only):
        self.random = random.Random(seed)
        self.machines = [m for m in machines if only is None or m["name"] == only.partition(":")[0]]
        buses = {m["bus"] for m in self.machines}
        self.cards = {c["name"]: c for c in cards
                      if c["bus"] in buses and (only is None or only.partition(":")[2] in ("", c["name"]))}
        self.masters = [c["name"] for c in cards if c["name"] in self.cards and "master" in c["data_path"]]
        if not self.machines or not self.cards:
            raise Failed(f"--only {only}: no such machine or card; `planar list` names them")

    def one_in(self, n):
        return self.random.randrange(n) == 0

    def card(self):
        masters_only = self.masters and not self.one_in(4)
        return self.random.choice(self.masters if masters_only else list(self.cards))

    def machine(self, bus):
        return self.random.choice([m["name"] for m in self.machines if m["bus"] == bus])

    def benchmark(self):
        """A verb with its options, and whether it can be restored."""
        r, card = self.random, self.card()
        bus = self.cards[card]["bus"]
        slow = 6 if self.cards[card]["medium"] == "ethernet-1000" else 1  # that many times as much work per second
        common = ["--machine", self.machine(bus), "--card", card, "--seed", str(r.randrange(1, 1000)),
                  "--seconds", f"{r.uniform(0.05, 0.4) / slow:.3f}"]
        if not self.one_in(4):
            key, times = uncertain[bus]
            common += ["--set", f"{key}={r.choice(times)}ns"]
        if self.one_in(4):
            common += ["--set", f"memory.dram.read_miss={r.randrange(20, 64)}"]
        kind = r.randrange(20)
        if kind == 0:
            return ["flood", *common, "--rates", str(r.choice((200, 1000, 4000))), "--frame", str(r.choice((64, 512, 1518))),
                    "--depth", r.choice(("driver", "stack", "process"))], False
        if kind == 1:
            return ["netperf", *common, "--test", r.choice(("tcp_rr", "udp_rr", "udp_stream"))], True
        command = ["netio", *common, "--sizes", ",".join(r.sample(sizes, r.randrange(1, 3)))]
        if kind == 2:
            command += ["--generation", "2"]
        if kind == 3 and self.cards[card]["medium"].startswith("ethernet"):
            command += ["--bond", "2"]
        if kind == 4:
            same_medium = [c for c, described in self.cards.items()
                           if all(described[what] == self.cards[card][what] for what in ("medium", "bus"))]
            command += ["--against", f"{self.machine(bus)}:{r.choice(same_medium)}"]
        return command, True

    def checks(self):
        """Options that must not change a result."""
        r, options = self.random, []
        for option in r.sample(("flush", "flush", "blocks", "cuts", "trace"), r.randrange(1, 3)):
            if option == "flush":
                options += ["--check-flush-blocks", str(r.randrange(1, 1 << 30))]
            elif option == "blocks":
                options += ["--check-block-length", str(r.choice((1, 1, 2, 3, 5, 9, 64)))]
            elif option == "cuts":
                options += ["--check-cut-horizons", str(r.randrange(1, 1 << 30))]
            else:
                options += ["--trace", r.choice(("arbitration,irq", "bus", "cpu,bus")), "--trace-file", os.devnull]
        known = set()  # an option is given only once
        pairs = [p for p in zip(options[::2], options[1::2]) if not (p[0] in known or known.add(p[0]))]
        return [word for pair in pairs for word in pair]

    def trace_span(self, options, end, begin=0):
        """Traces of everything cover only some milliseconds, after `begin`, the time of the snapshot."""
        if "--trace" not in options:
            return options
        first = self.random.randrange(max(end // 2, begin + 1), end + 1)
        return [*options, "--trace-from", at(first), "--trace-to", at(first + 5000)]

    def moment(self, begin, end, busy):
        """Mostly while the benchmark runs, near the end."""
        begin = begin if self.one_in(4) else max(begin, end - busy)
        return self.random.randrange(begin, end)

    def disturbed(self, benchmark, restorable, end, busy):
        """For each comparison, commands that run one after another; the last one's result is compared. Most resume from
        one snapshot, which is quicker than the whole run."""
        if not restorable or self.one_in(4):
            yield [[*benchmark, *self.trace_span(self.checks(), end)]]
        if not restorable:
            return
        first = self.moment(100_000, end, busy)
        saving = [*benchmark, "--snapshot-at", at(first), "1.snap"]
        yield [saving]
        for _ in range(3):
            commands, t = [saving], first
            for n in range(1, 1 + self.random.choice((1, 1, 2, 3))):
                restored = [benchmark[0], "--restore", f"{n}.snap"]
                if not self.one_in(4):
                    restored += self.trace_span(self.checks(), end, t)
                t = self.moment(min(t + 1, end - 1), end, busy)
                commands.append([*restored, "--snapshot-at", at(t), f"{n + 1}.snap"])
            commands[-1] = commands[-1][:-3]
            yield commands


def state_at(planar, commands, microseconds):
    """The state hash at that time in the run of `commands`; None if it is not available."""
    for command in commands:
        if "--snapshot-at" in command:
            taken = int(command[command.index("--snapshot-at") + 1].split()[0])
            if taken >= microseconds:
                command = command[:command.index("--snapshot-at")]
            elif planar.run([*command, "--quiet"]).returncode == 0:
                continue
        if planar.run([*command, "--quiet", "--snapshot-at", at(microseconds), "there.snap"]).returncode != 0:
            return None
        done = planar.run(["run", "--restore", "there.snap", "--until", at(microseconds), "--quiet", "--json", "there.json"])
        return json.loads((planar.folder / "there.json").read_text())["state_hash"] if done.returncode == 0 else None
    return None


def first_difference(planar, benchmark, commands, end):
    """The last time found at which both are the same, and the first at which they differ; None if not available."""
    same, different = 0, end - 1
    if state_at(planar, [benchmark], different) in (None, state_at(planar, commands, different)):
        return None
    while different - same > 1:
        middle = (same + different) // 2
        plain, other = state_at(planar, [benchmark], middle), state_at(planar, commands, middle)
        if plain is None or other is None:
            return None
        same, different = (middle, different) if plain == other else (same, middle)
    return same, different


def report(planar, benchmark, expected, commands, found, end):
    print("\nDIFFERENT RESULTS")
    print(f"  {shown(benchmark)}\n    " + ", ".join(f"{c} {expected[c]}" for c in cells))
    for command in commands:
        print(f"  {shown(command)}")
    print("    " + ", ".join(f"{c} {found[c]}" for c in cells), flush=True)
    span = first_difference(planar, benchmark, commands, end)
    if span:
        print(f"  the states are the same at {span[0]} us and differ at {span[1]} us of virtual time")


def search(planar, draw, finished):
    """Runs benchmarks until `finished`; returns whether all results were the same."""
    started = told = time.monotonic()
    benchmarks = comparisons = refused = 0
    while not finished(comparisons):
        benchmark, restorable = draw.benchmark()
        expected = planar.result(benchmark)
        if expected is None:
            refused += 1
            continue
        benchmarks += 1
        end = round(expected["virtual_seconds"] * 1e6)
        busy = round(float(benchmark[benchmark.index("--seconds") + 1]) * 2e6) + 100_000
        done = None
        for commands in draw.disturbed(benchmark, restorable, end, busy):
            for command in commands[:-1]:
                if command != done:  # the snapshot from which several resume
                    planar.complete(command)
                    done = done or command
            found = planar.result(commands[-1])
            if found is None:
                raise Failed(f"{shown(commands[-1])}\nhas no result: {planar.run(commands[-1]).stderr.strip()[-500:]}")
            comparisons += 1
            if found != expected:
                report(planar, benchmark, expected, commands, found, end)
                print(f"after {time.monotonic() - started:.0f} s: {benchmarks} benchmarks, {comparisons} comparisons, "
                      f"{planar.count} runs")
                return False
            if finished(comparisons):
                break
        if time.monotonic() - told > 10:
            told = time.monotonic()
            print(f"{told - started:.0f} s: {benchmarks} benchmarks, {comparisons} comparisons, all the same", flush=True)
    print(f"{time.monotonic() - started:.0f} s: {benchmarks} benchmarks, {comparisons} comparisons in {planar.count} runs: "
          f"one hash, always ({refused} benchmarks more have no result)")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--planar", default=str(root / "build/release/frontend/planar"), help="the program")
    parser.add_argument("--minutes", type=float, default=60, help="how long to search (60)")
    parser.add_argument("--runs", type=int, help="compare so many results instead, however long that takes")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30), help="of the search (drawn, and printed)")
    parser.add_argument("--only", metavar="MACHINE[:CARD]", help="one machine, or one card in it")
    options = parser.parse_args()
    program = pathlib.Path(options.planar).resolve()
    if not program.is_file():
        print(f"one_hash.py: no program '{program}'; run make, or name it with --planar", file=sys.stderr)
        return 3
    print(f"seed {options.seed}", flush=True)
    deadline = time.monotonic() + options.minutes * 60
    with tempfile.TemporaryDirectory() as folder:
        planar = Planar(str(program), pathlib.Path(folder))
        try:
            draw = Draw(options.seed, planar.list("machines"), planar.list("cards"), options.only)
            if options.runs:
                return 0 if search(planar, draw, lambda n: n >= options.runs) else 1
            return 0 if search(planar, draw, lambda _: time.monotonic() > deadline) else 1
        except Failed as problem:
            print(f"one_hash.py: {problem}", file=sys.stderr)
            return 3


if __name__ == "__main__":
    sys.exit(main())
