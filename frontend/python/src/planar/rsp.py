# SPDX-License-Identifier: GPL-2.0-or-later
"""The client side of GDB's remote serial protocol (GDB manual, appendix E), as far as planar's `--gdb` supports it."""
from __future__ import annotations

import socket


class Connection:
    """A connection to a stub. Every request gets an answer; console output that precedes the answer is collected."""

    def __init__(self, host: str, port: int, timeout: float | None) -> None:
        self._socket = socket.create_connection((host, port), timeout=10)
        self._socket.settimeout(timeout)
        self._input = b""
        self._quiet = False
        self.console = ""
        if self.request("QStartNoAckMode") == "OK":
            self._quiet = True

    def close(self) -> None:
        """Closes the connection; the run continues."""
        self._socket.close()

    def send(self, data: str) -> None:
        """Sends a packet without waiting for an answer."""
        text = data.encode("ascii")
        self._socket.sendall(b"$" + text + b"#%02x" % (sum(text) & 0xFF))

    def _more(self) -> None:
        more = self._socket.recv(65536)
        if not more:
            raise ConnectionError("the run has ended")
        self._input += more

    def receive(self) -> str:
        """The next packet's data."""
        while True:
            begin = self._input.find(b"$")
            end = self._input.find(b"#", begin)
            if begin >= 0 and end >= 0 and len(self._input) >= end + 3:
                break
            self._more()
        text, check = self._input[begin + 1:end], int(self._input[end + 1:end + 3], 16)
        self._input = self._input[end + 3:]
        if sum(text) & 0xFF != check:
            raise ConnectionError("a packet has a wrong checksum")
        if not self._quiet:
            self._socket.sendall(b"+")
        return text.decode("latin-1")

    def answer(self) -> str:
        """The next packet that is not console output, which is added to `console`."""
        while True:
            data = self.receive()
            if data[:1] == "O" and data != "OK":
                self.console += bytes.fromhex(data[1:]).decode("utf-8", "replace")
            else:
                return data

    def request(self, data: str) -> str:
        """Sends a packet and returns its answer. The console output that it caused is in `console`."""
        self.console = ""
        self.send(data)
        return self.answer()
