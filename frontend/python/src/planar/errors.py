# SPDX-License-Identifier: GPL-2.0-or-later
"""The program's exit codes as exceptions (docs/results.md#exit-codes)."""
from __future__ import annotations

from collections.abc import Sequence


class PlanarError(Exception):
    """The program ended with an exit code other than 0. `str()` gives the program's message."""

    code = -1

    def __init__(self, message: str, command: Sequence[str] = (), code: int | None = None) -> None:
        super().__init__(message)
        self.command = list(command)
        if code is not None:
            self.code = code


class ScenarioFailed(PlanarError):
    """A step, a benchmark in the guest, or a comparison with stored figures failed."""

    code = 1


class UsageError(PlanarError):
    """Bad configuration or usage; the message names the file, the line and the remedy."""

    code = 2


class FileProblem(PlanarError):
    """An image or file is missing, unreadable or cannot be written."""

    code = 3


class EmulationFault(PlanarError):
    """The emulation reached a state from which it cannot continue."""

    code = 4


class VirtualTimeout(PlanarError):
    """An awaited event did not happen within its limit of virtual time."""

    code = 5


class Interrupted(PlanarError):
    """The run was ended by a signal or a debugger."""

    code = 6


class ProgramNotFound(PlanarError):
    """There is no program `planar` in the PATH or at the path in the environment variable PLANAR."""


BY_CODE: dict[int, type[PlanarError]] = {
    kind.code: kind for kind in (ScenarioFailed, UsageError, FileProblem, EmulationFault, VirtualTimeout, Interrupted)}


def error_of(code: int, message: str, command: Sequence[str]) -> PlanarError:
    """The exception for an exit code."""
    return BY_CODE.get(code, PlanarError)(message, command, code)
