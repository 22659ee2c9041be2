#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the lines of `planar compare --plan` with dask.distributed: dask_sweep.py PLAN [--scheduler ADDRESS | --workers N].

Ends with 1 if a run failed; running the same command again resumes after the finished ones.
"""
import argparse
import pathlib
import subprocess
import sys

from dask.distributed import Client, LocalCluster, as_completed


def run(line):
    """The exit code of a run, and what it said if that is not 0."""
    _, file, command = line.split("\t")
    said = subprocess.run(command, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    return file, said.returncode, said.stderr.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plan")
    parser.add_argument("--scheduler", help="address of a running scheduler")
    parser.add_argument("--workers", type=int, default=None, help="workers on this host, unless a scheduler is given")
    options = parser.parse_args()
    lines = pathlib.Path(options.plan).read_text().splitlines()
    cluster = None if options.scheduler else LocalCluster(n_workers=options.workers, threads_per_worker=1,
                                                          host="127.0.0.1", dashboard_address=None)
    failed = 0
    with Client(options.scheduler or cluster) as client:
        # A worker's death gives its run to another: it did not fail. Priorities keep the plan's order.
        futures = [client.submit(run, line, key=f"planar-{n}", priority=-n, retries=5, pure=False)
                   for n, line in enumerate(lines)]
        for done in as_completed(futures):
            file, status, words = done.result()
            if status:
                failed += 1
                print(f"{file}: exit code {status}: {words}", file=sys.stderr)
    if cluster:
        cluster.close()
    print(f"{len(lines) - failed} of {len(lines)} runs are finished")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
