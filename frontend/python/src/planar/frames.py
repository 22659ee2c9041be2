# SPDX-License-Identifier: GPL-2.0-or-later
"""Results as pandas frames. pandas is an optional extra: `pip install planar[pandas]`."""
from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .results import Flood, Netio, Published, Run

if TYPE_CHECKING:
    import pandas


def _rows(result: Run | Published) -> list[dict[str, Any]]:
    if isinstance(result, Published):
        return [dataclasses.asdict(cell) for cell in result.cells]
    head = {"machine": result.machine, "card": result.card}
    if isinstance(result, Netio):
        parts = result.frame_time.parts_us if result.frame_time else {}
        whole = {"cpu_load_percent": result.cpu_load_percent, "true_busy_percent": result.true_busy_percent,
                 "frame_us": result.frame_time.us if result.frame_time else None, **{f"{name}_us": us for name, us in parts.items()}}
        return [{**head, **dataclasses.asdict(row), **whole} for row in result.rows]
    if isinstance(result, Flood):
        return [{**head, "rate": row.rate, "offered_per_s": row.offered_per_s, "delivered_per_s": row.delivered_per_s,
                 **{f"lost_{where}": count for where, count in row.lost.items()},
                 **{f"latency_{which}_us": us for which, us in (row.latency_us or {}).items()}} for row in result.rows]
    return [{**head, **row} for row in result.raw.get("rows", [])]


def to_frame(results: Run | Published | Iterable[Run]) -> pandas.DataFrame:
    """One row per machine, card and packet size (or rate, or published figure), for one result or several."""
    try:
        import pandas as pd
    except ImportError as missing:
        raise ImportError("frames need pandas; install planar[pandas]") from missing
    several = [results] if isinstance(results, (Run, Published)) else list(results)
    return pd.DataFrame([row for result in several for row in _rows(result)])
