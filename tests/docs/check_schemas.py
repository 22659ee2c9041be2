#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares every kind of result that the program writes with its schema in docs/schemas/: check_schemas.py PLANAR ROOT.

Needs the module jsonschema; ends with 4 (skipped) without it. It also shows that a schema refuses what it should: a
member that it does not name, and a missing one.
"""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: this Python has no jsonschema (python3-jsonschema)")
    sys.exit(4)

PLANAR = sys.argv[1]
SCHEMAS = pathlib.Path(sys.argv[2]) / "docs" / "schemas"
BRIEF = ["--seconds", "0.05", "--sizes", "1024", "--quiet"]
NETIO = ["netio", "--machine", "model56sx", "--card", "ne2", *BRIEF]
CELLS = ["--machines", "model95", "--cards", "ne2,3c523-old", "--jobs", "1", *BRIEF]
SETTLING = ["netio", "--card", "3c529", "--seconds", "2", "--sizes", "8192", "--quiet", "--converge", "1"]
ROUTER = ["compare", "--do", "flood-router", *CELLS[:4], "--seconds", "0.05", "--sizes", "1000", "--quiet"]
REGRESS = ["regress", *CELLS, "--baseline", "baseline.json"]

# Schema, exit code, and the arguments that write FILE.json, in order: later ones read what earlier ones wrote.
RESULTS = [
    ("netio", 0, [*NETIO, "--json", "netio.json"]),
    ("netio", 0, [*NETIO, "--against", "model56sx:3c523", "--json", "against.json"]),
    ("netio", 0, [*NETIO, "--generation", "2", "--json", "generation.json"]),
    ("netio", 0, [*SETTLING, "--json", "settled.json"]),
    ("netperf", 0, ["netperf", *NETIO[1:], "--json", "netperf.json"]),
    ("netperf", 0, ["netperf", *NETIO[1:], "--test", "tcp_rr", "--against", "model56sx:3c523", "--json", "rr.json"]),
    ("netperf", 0, ["netperf", *NETIO[1:], "--test", "udp_stream", "--json", "udp.json"]),
    ("netperf", 0, ["netperf", *NETIO[1:], "-i", "4,3", "-I", "95,0.5", "-c", "-C", "--against", "model56sx:3c523", "--json",
                    "confidence.json"]),
    ("netperf", 0, ["netperf", *NETIO[1:5], "--receive", "--seconds", "0.1", "--quiet", "--json", "receive.json"]),
    ("flood", 0, ["flood", *NETIO[1:5], "--seconds", "0.05", "--rates", "1000,14880", "--quiet", "--json", "flood.json"]),
    ("netio", 0, [*NETIO, "--bond", "2", "--json", "bond.json"]),
    ("netperf", 0, ["netperf", *NETIO[1:], "--bond", "3", "--test", "udp_stream", "--json", "bond-udp.json"]),
    ("flood", 0, ["flood", *NETIO[1:5], "--router", "--mode", "poll", "--seconds", "0.05", "--rates", "1000", "--quiet", "--json",
                  "router.json"]),
    ("flood-send", 0, ["flood", *NETIO[1:5], "--send", "both", "--seconds", "0.05", "--quiet", "--json", "send.json"]),
    ("runs", 0, [*NETIO, "--runs", "2", "--json", "runs.json"]),
    ("runs", 0, [*SETTLING, "--runs", "2", "--json", "settled-runs.json"]),
    ("runs", 0, [*NETIO, "--runs", "2", "--bond", "2", "--json", "bond-runs.json"]),
    ("runs", 0, ["netperf", *NETIO[1:], "--runs", "2", "--json", "netperf-runs.json"]),
    ("runs", 0, ["flood", *NETIO[1:5], "--seconds", "0.05", "--rates", "1000", "--mode", "timer", "--quiet", "--runs", "2", "--json",
                 "flood-runs.json"]),
    ("compare", 0, ["compare", *CELLS, "--report", "out", "--json", "compare.json"]),
    ("compare", 0, ["compare", *CELLS, "--runs", "2", "--report", "out", "--json", "compare-runs.json"]),
    ("run", 0, ["run", "model56sx", "--until", "10 ms", "--quiet", "--json", "run.json"]),
    ("run", 0, ["run", "model56sx", "--card", "ne2", "--quiet", "--do", "wait 5 ms", "--json", "steps.json"]),
    ("run", 0, ["run", "lab.toml", "--until", "10 ms", "--quiet", "--json", "lab.json"]),
    ("describe", 0, ["describe", "model56sx", "--until", "1 ms", "--json", "describe.json"]),
    ("baseline", 0, [*REGRESS, "--accept", "by a test"]),
    ("regress", 0, [*REGRESS, "--json", "regress.json"]),
    ("regress", 1, [*REGRESS, "--set", "ne2.data_port.ready_delay=550ns", "--json", "red.json"]),
    ("diff", 1, ["diff", "regress.json", "red.json", "--json", "diff.json"]),
    ("compare", 0, ["compare", *CELLS, "--json", "cached.json"]),
    ("compare", 0, ["compare", *CELLS, "--runs", "2", "--json", "cached-runs.json"]),
    ("compare", 0, [*ROUTER, "--json", "router-compare.json"]),
    ("compare", 0, [*ROUTER, "--json", "cached-router.json"]),
    ("regress", 0, [*REGRESS, "--json", "cached-regress.json"]),
    ("cache-info", 0, ["cache", "info", "--json", "cache.json"]),
    ("timeline", 0, [*NETIO, "--timeline", "timeline.json", "--timeline-frame", "10"]),
    ("timeline", 0, [*NETIO, "--timeline", "other-timeline.json", "--timeline-frame", "12"]),
    ("timeline-diff", 0, ["diff", "timeline.json", "timeline.json", "--json", "same-timeline.json"]),
    ("timeline-diff", 1, ["diff", "timeline.json", "other-timeline.json", "--json", "timeline-diff.json"]),
    ("diff", 1, ["diff", "regress.json", "red.json", "--timeline", "timeline.json", "other-timeline.json", "--json",
                 "diff-timelines.json"]),
    ("plan", 0, ["compare", *CELLS, "--report", ".", "--plan"]),
    ("plan", 0, ["compare", *CELLS, "--converge", "1", "--report", ".", "--plan"]),
    ("slots", 0, ["adf", "solve", "model56sx", "--card", "ne2", "--json", "slots.json"]),
    ("machines", 0, ["list", "machines", "--json", "machines.json"]),
    ("cards", 0, ["list", "cards", "--json", "cards.json"]),
    ("cards", 0, ["list", "storage", "--json", "storage.json"]),
    ("show-card", 0, ["show", "ne2", "--json", "show-card.json"]),
    ("show-card", 0, ["show", "3c905b", "--json", "show-pci-card.json"]),
    ("show-machine", 0, ["show", "model95", "--json", "show-machine.json"]),
    ("show-system", 0, ["show", "nt4", "--json", "show-system.json"]),
    ("disk-info", 0, ["disk", "info", "raw.img", "--json", "raw.json"]),
    ("disk-info", 0, ["disk", "info", "overlay.img", "--json", "overlay.json"]),
    ("bench-timing", 0, ["bench", "timing", "--machine", "model56sx", "--quiet", "--json", "timing.json"]),
    ("bench-cpu", 0, ["bench", "cpu", "--machine", "model56sx", "--repeat", "1", "--passes", "10", "--workload", "mix",
                      "--quiet", "--json", "cpu.json"]),
    ("published", 0, ["published", "--machines", "model56sx", *BRIEF, "--json", "published.json"]),
    ("published", 0, ["published", "--machines", "model56sx", "--cards", "ne2", "--converge", "1", *BRIEF, "--json",
                      "published-settled.json"]),
    ("published", 0, ["published", "--machines", "model56sx", *BRIEF, "--json", "cached-published.json"]),
    ("residuals", 0, ["published", "--machines", "model56sx", "--cards", "ne2", *BRIEF, "--record", "residuals.json"]),
    ("sensitivity", 0, ["published", "--sensitivity", "--machines", "model56sx", "--cards", "ne2", "--seconds", "0.05", "--sizes",
                        "4096,8192,16384,32767", "--quiet", "--json", "sensitivity.json"]),
]
LAB = '[[machine]]\nname = "a"\nmodel = "model56sx"\n[[machine]]\nname = "b"\nmodel = "model56sx"\n'
FILES = {"baseline": "baseline.json", "plan": "plan.json", "residuals": "residuals.json", "timeline": "timeline.json"}


def validator(name):
    schema = json.loads((SCHEMAS / f"{name}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    store = {f"{path.stem}.json": json.loads(path.read_text()) for path in SCHEMAS.glob("*.json")}
    resolver = jsonschema.RefResolver(base_uri=f"{name}.json", referrer=schema, store=store)
    return jsonschema.Draft202012Validator(schema, resolver=resolver)


def problems(name, document):
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
            for error in validator(name).iter_errors(document)]


def refused(name, document):
    """A result with a surplus member, or with a missing one, must not pass."""
    more = copy.deepcopy(document)
    more["nobody_named_this"] = 1
    fewer = copy.deepcopy(document)
    del fewer["schema"]
    return [f"{name}: a document with {what} passes" for what, changed in (("a member more", more), ("no schema", fewer))
            if not problems(name, changed)]


def main():
    bad, seen = [], set()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        environment = dict(os.environ, XDG_CACHE_HOME=str(path / "cache"))  # results from it are checked, too
        environment.pop("PLANAR_NO_CACHE", None)
        (path / "lab.toml").write_text(LAB)
        for arguments in (["disk", "create", "raw.img", "1M"], ["disk", "create", "overlay.img", "--base", "raw.img"]):
            subprocess.run([PLANAR, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for name, status, arguments in RESULTS:
            said = subprocess.run([PLANAR, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, check=False, env=environment)
            if said.returncode != status:
                bad.append(f"planar {' '.join(arguments)}: ends with {said.returncode}: {said.stderr.strip()[:300]}")
                continue
            written = arguments[arguments.index("--json") + 1] if "--json" in arguments else FILES[name]
            text = (path / written).read_text()
            document = json.loads(text)
            if written.startswith("cached") and "from_cache" not in text:
                bad.append(f"planar {' '.join(arguments)}: took nothing from the cache")
            bad += [f"{name} ({written}): {problem}" for problem in problems(name, document)]
            if isinstance(document, dict) and name in ("netio", "netperf", "flood", "flood-send", "runs", "regress", "diff", "plan", "baseline", "run"):
                bad += refused(name, document)
            seen.add(name)
        for kept in sorted((path / "out" / "runs").glob("*.json")):
            bad += [f"cell ({kept.name}): {problem}" for problem in problems("cell", json.loads(kept.read_text()))]
            seen |= {"cell", "result"}
    seen.add("netio-server")  # tests/frontend/network/test_netio_server.cpp has a client for it
    bad += [f"docs/schemas/{path.name}: nothing here is of this kind" for path in SCHEMAS.glob("*.json")
            if path.stem not in seen]
    for line in bad:
        print(line)
    print(f"{len(seen)} kinds of results, {len(bad)} problems")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
