# SPDX-License-Identifier: GPL-2.0-or-later
"""Stops, steps and examines a running machine through the port that `--gdb` opens (docs/debugging.md).

    with planar.debug("netio", card="ne2", seconds=0.05, sizes=[1024]) as machine:
        stop = machine.next_frame("slot1.ne2")
        print(stop.text, hex(machine.registers()["eip"]), machine.describe("ne2"))
        result = machine.finish()

Debugging changes nothing: `result` has the same state hash as the same run without a debugger.
"""
from __future__ import annotations

import json
import pathlib
import re
import subprocess
import tempfile
import threading
import types
import xml.etree.ElementTree as xml
from dataclasses import dataclass
from typing import IO, Any

from .errors import PlanarError, error_of
from .program import Option, Program, option_words
from .results import Run, result_of
from .rsp import Connection

ATTACH = re.compile(r"target remote ([^ ]+):(\d+)")


@dataclass(frozen=True)
class Stop:
    """Why a machine stopped. `reason`: breakpoint, watchpoint, step, beginning, ended; `text`: the program's message."""

    reason: str
    text: str
    machine: int


class Debugger:
    """A run that is stopped before its first instruction. Use `debug()`."""

    def __init__(self, program: Program, words: list[str], timeout: float | None = 600.0) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="planar-")
        self._result = pathlib.Path(self._folder.name) / "result.json"
        self._verb = words[0]
        json_words = [] if self._verb == "run" else ["--json", str(self._result)]
        self._command = [program.path, *words, *json_words, "--gdb", "wait:0"]
        self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                         text=True)
        self._said: list[str] = []
        assert self._process.stderr is not None
        place = self._listening(self._process.stderr)
        if place is None:
            code = self._process.wait()
            self._process.stderr.close()
            self._folder.cleanup()
            raise error_of(code, "".join(self._said).strip(), self._command)
        self._drain = threading.Thread(target=lambda: self._said.extend(self._process.stderr or ()), daemon=True)
        self._drain.start()
        self._stub = Connection(*place, timeout)
        self._names = self._register_names()
        self._breakpoints: list[str] = []
        self._over = False

    def _listening(self, errors: IO[str]) -> tuple[str, int] | None:
        for line in errors:
            self._said.append(line)
            if found := ATTACH.search(line):
                return found[1], int(found[2])
        return None

    def __enter__(self) -> Debugger:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: types.TracebackType | None) -> None:
        self.close()

    def _request(self, data: str) -> str:
        if self._over:
            raise PlanarError("the run has ended; finish() returns its result", self._command)
        try:
            return self._stub.request(data)
        except OSError as error:
            raise PlanarError(f"the run does not answer: {error}", self._command) from error

    # ---- examining: of these, only poke() changes the machine

    def _register_names(self) -> list[tuple[str, int]]:
        text = ""
        while True:
            part = self._stub.request(f"qXfer:features:read:target.xml:{len(text):x},1000")
            text += part[1:]
            if part[:1] != "m":
                break
        return [(register.attrib["name"], int(register.attrib["bitsize"])) for register in xml.fromstring(text).iter("reg")]

    def registers(self) -> dict[str, int]:
        """All registers by name: eax, eip (linear), ip, eflags, cr0, st0 (as its 80 bits)..."""
        data, at, found = bytes.fromhex(self._request("g")), 0, {}
        for name, bits in self._names:
            found[name] = int.from_bytes(data[at:at + bits // 8], "little")
            at += bits // 8
        return found

    def peek(self, address: int, length: int = 4) -> bytes:
        """Reads memory by linear address, without side effects or virtual time; fewer bytes if a page is not present."""
        data = b""
        while len(data) < length:
            answer = self._request(f"m{address + len(data):x},{min(length - len(data), 4096):x}")
            part = b"" if answer[:1] == "E" else bytes.fromhex(answer)
            data += part
            if not part:
                break
        return data

    def poke(self, address: int, data: bytes) -> None:
        """Writes memory by linear address; RAM only."""
        answer = self._request(f"M{address:x},{len(data):x}:{data.hex()}")
        if answer != "OK":
            raise PlanarError(f"memory at {address:#x} cannot be written ({answer})", self._command)

    def command(self, line: str) -> str:
        """Runs a command of planar's own debugger prompt and returns its output: `time`, `why`, `dis`, `translate`... (docs/debugging.md)."""
        answer = self._request("qRcmd," + line.encode("utf-8").hex())
        text = self._stub.console.strip()
        if answer != "OK" or text.startswith("planar: "):
            raise PlanarError(text.removeprefix("planar: ") or f"the command was refused ({answer})", self._command)
        return text

    def describe(self, device: str = "") -> str:
        """Registers and state of a device, or of all, without changing them."""
        return self.command(f"describe {device}".strip())

    # ---- stopping

    def break_at(self, address: int) -> None:
        """Stops before the instruction at a linear address."""
        self._insert(f"1,{address:x},1")

    def watch(self, address: int, length: int = 4, access: str = "write") -> None:
        """Stops after an access to memory: "write", "read" or "access" for both."""
        kind = {"write": 2, "read": 3, "access": 4}.get(access)
        if kind is None:
            raise ValueError(f"access is write, read or access, not {access!r}")
        self._insert(f"{kind},{address:x},{length:x}")

    def break_frame(self, sender: str = "") -> None:
        """Stops when a frame has left `sender`, or any sender by default."""
        self.command(f"break frame {sender}".strip())

    def clear(self) -> None:
        """Removes all breakpoints."""
        if self._over:
            return
        for where in self._breakpoints:
            self._request("z" + where)
        self._breakpoints.clear()
        self.command("delete all")

    def _insert(self, where: str) -> None:
        answer = self._request("Z" + where)
        if answer != "OK":
            raise PlanarError(f"the breakpoint was refused ({answer})", self._command)
        self._breakpoints.append(where)

    # ---- moving

    def _stopped(self, answer: str) -> Stop:
        text = self._stub.console.strip()
        thread = re.search(r"thread:([0-9a-f]+)", answer)
        machine = int(thread[1], 16) if thread else 1
        if answer[:1] == "W":
            self._over = True
            return Stop("ended", text, machine)
        if re.search("(watch|rwatch|awatch):", answer):
            return Stop("watchpoint", text, machine)
        if "replaylog:begin" in answer:
            return Stop("beginning", text, machine)
        if "break:" in answer or text.startswith("breakpoint "):
            return Stop("breakpoint", text, machine)
        if text.startswith("planar: "):
            raise PlanarError(text.removeprefix("planar: "), self._command)
        return Stop("step", text, machine)

    def step(self, count: int = 1) -> Stop:
        """Executes single instructions; an interrupt handler runs to its end within a step."""
        return self._steps("s", count)

    def reverse_step(self, count: int = 1) -> Stop:
        """Goes back by single instructions."""
        return self._steps("bs", count)

    def _steps(self, packet: str, count: int) -> Stop:
        stop = Stop("step", "", 1)
        for _ in range(count):
            stop = self._stopped(self._request(packet))
            if stop.reason != "step":
                break
        return stop

    def resume(self) -> Stop:
        """Runs to the next breakpoint or to the end."""
        return self._stopped(self._request("c"))

    def reverse_resume(self) -> Stop:
        """Goes back to the previous breakpoint or to the beginning."""
        return self._stopped(self._request("bc"))

    def next_frame(self, sender: str = "") -> Stop:
        """Runs until the next frame has left `sender`, or any sender by default."""
        number = re.search(r"\d+", self.command(f"break frame {sender}".strip()))
        stop = self.resume()
        if number and stop.reason != "ended":
            self.command(f"delete {number[0]}")
        return stop

    # ---- ending

    def finish(self) -> Run | None:
        """Continues to the end without the debugger; returns the result (None for `run`) or raises the exit code's exception."""
        if not self._over:
            self._request("D")
            self._over = True
        self._stub.close()
        code = self._process.wait()
        self._drain.join()
        if code != 0:
            said = "".join(line for line in self._said if not ATTACH.search(line))
            raise error_of(code, said.strip(), self._command)
        if not self._result.exists():
            return None
        raw: dict[str, Any] = json.loads(self._result.read_text(encoding="utf-8"))
        return result_of(raw)

    def close(self) -> None:
        """Ends the run."""
        if self._process.poll() is None:
            try:
                self._stub.send("k")
                self._process.wait(timeout=10)
            except (OSError, subprocess.TimeoutExpired):
                self._process.terminate()
                self._process.wait()
        self._stub.close()
        self._drain.join()
        if self._process.stderr is not None:
            self._process.stderr.close()
        self._folder.cleanup()


def debug(verb: str = "netio", machine: str = "model95", **options: Option) -> Debugger:
    """Starts a run, stopped before its first instruction: `debug("netio", card="ne2")`, `debug("run", "model77", image="dos.img")`."""
    words = [verb, machine] if verb == "run" else [verb, "--machine", machine]
    return Debugger(Program(), [*words, *option_words(options), "--quiet"])
