#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Kills a worker of docs/sweeps/dask_sweep.py in the middle of a sweep: nothing is lost, no cell is in the report twice.

check_worker_death.py PLANAR ROOT; ends with 4 (skipped) without dask.distributed.
"""
import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

try:
    import distributed  # noqa: F401
    import psutil
except ImportError as missing:
    print(f"skipped: {missing}; pip install distributed")
    sys.exit(4)

planar, root = sys.argv[1:3]
machines, cards, seeds = ["model56sx", "model95"], ["ne2", "3c523"], 3
cells = len(machines) * len(cards) * seeds


def workers(sweep):
    """The processes that run cells: children of children, as a worker may have a nanny."""
    return [p for p in psutil.Process(sweep.pid).children(recursive=True)
            if "spawn_main" in " ".join(p.cmdline()) and "resource_tracker" not in " ".join(p.cmdline())]


def main(folder):
    os.mkdir(folder / "bin")
    os.symlink(planar, folder / "bin/planar")
    environment = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}")
    plan = subprocess.run(["planar", "compare", "--machines", ",".join(machines), "--cards", ",".join(cards), "--runs",
                           str(seeds), "--seconds", "0.05", "--sizes", "1024", "--report", "sweep", "--plan", "--quiet"],
                          cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout
    (folder / "plan.tsv").write_text(plan)
    assert len(plan.splitlines()) == cells, plan
    sweep = subprocess.Popen([sys.executable, f"{root}/docs/sweeps/dask_sweep.py", "plan.tsv", "--workers", "2"],
                             cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    while sweep.poll() is None and len(list((folder / "sweep/runs").glob("*.json"))) < 2:
        time.sleep(0.05)
    victims = workers(sweep)
    assert victims, "the sweep was over before a worker could be killed"
    victims[0].send_signal(signal.SIGKILL)
    said, _ = sweep.communicate(timeout=300)
    assert sweep.returncode == 0 and f"{cells} of {cells} runs are finished" in said, said
    merged = subprocess.run(["planar", "compare", "--merge", "sweep", "--json", "merged.json"], cwd=folder,
                            env=environment, capture_output=True, text=True, check=False)
    assert merged.returncode == 0, merged.stderr
    report = json.loads((folder / "merged.json").read_text())
    found = collections.Counter((row["machine"], row["card"], seed) for row in report for seed in row["seeds"])
    assert len(found) == cells and set(found.values()) == {1}, found
    print(f"{cells} cells, a worker killed: each once in the report")


with tempfile.TemporaryDirectory() as scratch:
    main(pathlib.Path(scratch))
