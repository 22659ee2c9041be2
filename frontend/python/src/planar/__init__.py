# SPDX-License-Identifier: GPL-2.0-or-later
"""planar from Python: run benchmarks in emulated machines with Micro Channel or PCI, and look inside them.

    import planar
    result = planar.netio(machine="model56sx", card="ne2", seconds=4, sizes=[4096])
    result.rows[0].kb_per_s, result.frame_time.parts_us["bus_wait"]

The package is a thin layer over the program `planar`, which must be in the PATH or named by the environment variable PLANAR.
"""
from .debugger import Debugger, Stop, debug
from .errors import (EmulationFault, FileProblem, Interrupted, PlanarError, ProgramNotFound, ScenarioFailed, UsageError,
                     VirtualTimeout)
from .frames import to_frame
from .program import Option, Program
from .results import Difference, Flood, FloodRow, FrameTime, Netio, NetioRow, Published, PublishedCell, Run
from .runs import compare, describe, diff, flood, netio, published, run, show

__all__ = [
    "Debugger", "Difference", "EmulationFault", "FileProblem", "Flood", "FloodRow", "FrameTime", "Interrupted", "Netio", "NetioRow",
    "Option", "PlanarError", "Program", "ProgramNotFound", "Published", "PublishedCell", "Run", "ScenarioFailed", "Stop", "UsageError",
    "VirtualTimeout", "compare", "debug", "describe", "diff", "flood", "netio", "published", "run", "show", "to_frame",
]
