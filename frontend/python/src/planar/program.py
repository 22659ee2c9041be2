# SPDX-License-Identifier: GPL-2.0-or-later
"""The program `planar`: finding it, running command lines, reading its JSON."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

from .errors import ProgramNotFound, error_of

# The value of an option: True gives the option without a value; None and False omit it. A sequence becomes a comma-separated list,
# a mapping one option per item ({"ne2.data_port.ready_delay": "1us"}).
Option = Union[str, int, float, bool, None, "os.PathLike[str]", Sequence[Union[str, int]], Mapping[str, Union[str, int, float]]]


def option_words(options: Mapping[str, Option]) -> list[str]:
    """Keyword arguments as words of a command line: `until="2 s"` is `--until "2 s"`, `net_time=...` is `--net-time`."""
    words: list[str] = []
    for name, value in options.items():
        flag = "--" + name.strip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
        elif isinstance(value, Mapping):
            for key, item in value.items():
                words += [flag, f"{key}={item}"]
        elif isinstance(value, Sequence) and not isinstance(value, str):
            words += [flag, ",".join(str(item) for item in value)]
        else:
            words += [flag, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    return words


class Program:
    """A planar program. `path`: the program; by default the one that PLANAR names, or else `planar` in the PATH."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        wanted = os.fspath(path) if path is not None else os.environ.get("PLANAR", "planar")
        found = shutil.which(wanted)
        if found is None:
            raise ProgramNotFound(f"there is no program {wanted!r}; install planar, or set PLANAR to the path of the program")
        self.path = found

    def version(self) -> str:
        """The program's version, such as "0.1.0"."""
        return self.text("--version").split()[1]

    def text(self, *words: str, accept: Iterable[int] = (0,)) -> str:
        """The output of a command line. Raises the exception of its exit code unless the code is in `accept`."""
        command = [self.path, *words]
        said = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if said.returncode not in set(accept):
            raise error_of(said.returncode, said.stderr.strip() or said.stdout.strip(), command)
        return said.stdout

    def json(self, *words: str, accept: Iterable[int] = (0,)) -> Any:
        """The JSON result of a command line, obtained with `--json FILE`."""
        with tempfile.TemporaryDirectory(prefix="planar-") as folder:
            file = pathlib.Path(folder) / "result.json"
            self.text(*words, "--json", str(file), accept=accept)
            if not file.exists():  # an accepted exit code without a result
                raise error_of(1, "the program wrote no result", [self.path, *words])
            return json.loads(file.read_text(encoding="utf-8"))
