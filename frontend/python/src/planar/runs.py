# SPDX-License-Identifier: GPL-2.0-or-later
"""What can be run: a cell, a matrix, a flood, the published tables. Any other option of the verb is a keyword argument.

    planar.netio(card="ne2", duplex="half", set={"ne2.data_port.ready_delay": "1us"})

is `planar netio --card ne2 --duplex half --set ne2.data_port.ready_delay=1us`. Failures are exceptions (planar.errors).
"""
from __future__ import annotations

import json
import os
import pathlib
import tempfile
from collections.abc import Sequence
from typing import Any

from .program import Option, Program, option_words
from .results import Difference, Flood, Json, Netio, Published, Run, difference_of, flood_of, netio_of, published_of, result_of

GREEN_OR_RED = (0, 1)  # exit codes of a completed comparison


def _json(verb: str, options: dict[str, Option], *words: str, accept: Sequence[int] = (0,), quiet: bool = True) -> Any:
    return Program().json(verb, *words, *option_words(options), *(["--quiet"] if quiet else []), accept=accept)


def netio(machine: str = "model95", card: str = "ne2", *, seconds: float | None = None, sizes: Sequence[int] | None = None,
          runs: int | None = None, **options: Option) -> Netio:
    """Boots the guest in a machine and runs netio; with `runs`, gives the means over that many placements and seeds."""
    return netio_of(_json("netio", {"machine": machine, "card": card, "seconds": seconds, "sizes": sizes, "runs": runs, **options}))


def flood(machine: str = "model95", card: str = "ne2", *, seconds: float | None = None, rates: Sequence[int] | None = None,
          **options: Option) -> Flood:
    """Sends frames to a machine at increasing rates."""
    return flood_of(_json("flood", {"machine": machine, "card": card, "seconds": seconds, "rates": rates, **options}))


def compare(machines: Sequence[str], cards: Sequence[str] | None = None, *, do: str | None = None, seconds: float | None = None,
            sizes: Sequence[int] | None = None, **options: Option) -> list[Run]:
    """Runs the same benchmark with many cards (all by default) in many machines: returns a result for each that was run."""
    raw: list[Json] = _json("compare", {"machines": machines, "cards": cards, "do": do, "seconds": seconds, "sizes": sizes, **options})
    return [result_of(cell) for cell in raw if "rows" in cell]


def published(machines: Sequence[str] | None = None, cards: Sequence[str] | None = None, *, seconds: float | None = None,
              placements: int | None = None, **options: Option) -> Published:
    """Runs the published measurements. By default, like `planar published`, runs everything: some minutes per core."""
    return published_of(_json("published", {"machines": machines, "cards": cards, "seconds": seconds, "placements": placements, **options},
                              accept=GREEN_OR_RED))


def diff(before: Run, after: Run) -> Difference:
    """What differs between two results, and why (`planar diff`)."""
    with tempfile.TemporaryDirectory(prefix="planar-") as folder:
        files = [os.path.join(folder, name) for name in ("before.json", "after.json")]
        for file, result in zip(files, (before, after)):
            pathlib.Path(file).write_text(json.dumps(result.raw), encoding="utf-8")
        raw = _json("diff", {}, *files, accept=GREEN_OR_RED, quiet=False)
    return difference_of(raw)


def describe(machine: str = "model95", *devices: str, until: str, **options: Option) -> Json:
    """Registers and state of a machine's devices (all by default) at a virtual time: `planar.describe/1`."""
    found: Json = _json("describe", {"until": until, **options}, machine, *devices, quiet=False)
    return found


def show(name: str) -> Json:
    """Describes a card (timing values with their sources), a machine or an operating system of the guest."""
    found: Json = _json("show", {}, name, quiet=False)
    return found


def run(machine: str = "model95", **options: Option) -> str:
    """Runs a machine with your own disk or kernel; returns what the command prints, such as the screen with screen="text"."""
    return Program().text("run", machine, *option_words(options), "--quiet")
