# SPDX-License-Identifier: GPL-2.0-or-later
"""Results as data classes. Each keeps the whole JSON object as `raw` (docs/results.md describes every member)."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class FrameTime:
    """Where the time of a full-size frame goes, in µs. The parts add up to `us`."""

    us: float
    frame_bytes: int
    parts_us: dict[str, float]

    @property
    def limited_by(self) -> str:
        """The largest part: cpu_copy, stack, bus_wait, card, wire or idle."""
        return max(self.parts_us, key=lambda part: self.parts_us[part])


@dataclass(frozen=True)
class NetioRow:
    """One packet size: netio's figure, the rate delivered and, with `runs`, half of the 95 % confidence interval of the mean."""

    packet_bytes: int
    kb_per_s: float
    delivered_kb_per_s: float
    ci95: float | None = None


@dataclass(frozen=True)
class Run:
    """What every run reports."""

    machine: str
    card: str
    state_hash: str | None
    cycles: float
    virtual_seconds: float
    raw: Json = field(repr=False)


@dataclass(frozen=True)
class Netio(Run):
    """A result of netio: `planar.netio/2`, or the means of `planar.runs/1`."""

    rows: list[NetioRow]
    cpu_load_percent: float | None
    true_busy_percent: float
    frame_time: FrameTime | None


@dataclass(frozen=True)
class FloodRow:
    """One offered rate: frames offered and delivered, where the rest were lost, and latencies in µs."""

    rate: int
    offered_per_s: float
    delivered_per_s: float
    lost: dict[str, int]
    latency_us: dict[str, float] | None


@dataclass(frozen=True)
class Flood(Run):
    """A result of flood: `planar.flood/1`."""

    rows: list[FloodRow]
    knee_per_s: float | None
    depth: str


@dataclass(frozen=True)
class PublishedCell:
    """One published figure and planar's. `use`: prediction, calibration or informed-by-published."""

    source: str
    machine: str
    card: str
    packet_bytes: int
    published: float
    planar: float
    unit: str
    residual_percent: float
    use: str


@dataclass(frozen=True)
class Published:
    """The published tables with planar's figures: `planar.published/2`. Rows that were not run are left out."""

    cells: list[PublishedCell]
    scores: list[Json]
    missed: list[Any]
    raw: Json = field(repr=False)


@dataclass(frozen=True)
class Difference:
    """What differs between two results: `planar.diff/1`. True if anything differs."""

    differs: bool
    causes: dict[str, tuple[str, str]]
    figures: dict[str, tuple[str, str]]
    raw: Json = field(repr=False)

    def __bool__(self) -> bool:
        return self.differs


def _common(raw: Json) -> Json:
    return {"machine": raw["machine"], "card": raw["card"], "state_hash": raw.get("state_hash"), "cycles": raw.get("cycles", 0),
            "virtual_seconds": raw.get("virtual_seconds", 0.0), "raw": raw}


def netio_of(raw: Json) -> Netio:
    """A result of netio from its JSON."""
    spread = raw.get("spread", {})
    rows = [NetioRow(row["packet_bytes"], row["kb_per_s"], row["delivered_kb_per_s"],
                     spread.get(f"/rows/{at}/kb_per_s", {}).get("ci95")) for at, row in enumerate(raw.get("rows", []))]
    parts = raw.get("frame_time")
    time = FrameTime(parts["us"], parts["frame_bytes"], parts["parts_us"]) if parts else None
    return Netio(**_common(raw), rows=rows, cpu_load_percent=raw.get("cpu_load_percent"),
                 true_busy_percent=raw.get("true_busy_percent", 0.0), frame_time=time)


def flood_of(raw: Json) -> Flood:
    """A result of flood from its JSON."""
    rows = [FloodRow(row["rate"], row["offered_per_s"], row["delivered_per_s"], row["lost"], row.get("latency_us"))
            for row in raw.get("rows", [])]
    return Flood(**_common(raw), rows=rows, knee_per_s=raw.get("knee_per_s"), depth=raw["depth"])


def result_of(raw: Json) -> Run:
    """A result of any benchmark from its JSON. Benchmarks without their own class of rows give a Run with everything in `raw`."""
    row: Json = next(iter(raw.get("rows", [])), {})
    if "delivered_kb_per_s" in row:
        return netio_of(raw)
    return flood_of(raw) if "offered_per_s" in row else Run(**_common(raw))


def difference_of(raw: Json) -> Difference:
    """The differences between two results from their JSON; names begin with machine and card if there are several rows."""
    several = len(raw["rows"]) > 1

    def collected(part: str) -> dict[str, tuple[str, str]]:
        return {(f"{row['name']}: " if several else "") + item["name"]: (item["was"], item["is"])
                for row in raw["rows"] for item in row.get(part, [])}

    return Difference(not raw["equal"], collected("configuration"), collected("figures"), raw)


def published_of(raw: Json) -> Published:
    """The published tables with planar's figures, from their JSON."""
    cells = [PublishedCell(row["source"], row["machine"], row["card"], cell["packet_bytes"], cell["published"], cell["planar"],
                           row["unit"], cell["residual_percent"], row["use"])
             for row in raw["rows"] for cell in row["cells"] if cell["planar"] is not None]
    return Published(cells, raw["scores"], raw["missed"], raw)
