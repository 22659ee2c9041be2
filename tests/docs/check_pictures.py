#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the pictures of README.md and docs/ with new ones: check_pictures.py PLANAR SOURCE

docs/pictures/make.sh makes the new ones. Figures in them change with every change of a timing model, so a picture may differ
in a few dots; a pane that is missing or elsewhere differs in far more. 4: skipped, the programs to make them are not installed.
"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

MOST_BYTES = 150_000
MOST_DIFFERENT = 0.06
NOTICED = 48  # of 255, in one colour


def decode(file):
    """(width, height, rows of bytes) of an 8-bit RGB PNG without interlacing."""
    data = file.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", file
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert (depth, colour) == (8, 2), file
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    raw, stride = zlib.decompress(packed), 3 * width
    rows, above = [], bytearray(stride)
    for y in range(height):
        begin = y * (stride + 1)
        how, row = raw[begin], bytearray(raw[begin + 1:begin + 1 + stride])
        for x in range(stride) if how else ():
            left, up, corner = (row[x - 3] if x >= 3 else 0), above[x], (above[x - 3] if x >= 3 else 0)
            if how == 1:
                row[x] = row[x] + left & 255
            elif how == 2:
                row[x] = row[x] + up & 255
            elif how == 3:
                row[x] = row[x] + (left + up) // 2 & 255
            else:
                guess = left + up - corner
                distances = [abs(guess - n) for n in (left, up, corner)]
                row[x] = row[x] + (left, up, corner)[distances.index(min(distances))] & 255
        rows.append(row)
        above = row
    return width, height, rows


def words(svg):
    """The words in a drawn picture, without figures."""
    return [re.sub(r"[0-9][0-9.]*", "#", text) for text in re.findall(r"<text [^>]*>([^<]*)<", svg.read_text())]


def check_drawn(planar, folder):
    """The SVG pictures, which need no display."""
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        if subprocess.run([folder / "make.sh", planar, scratch, "buses"], check=False).returncode:
            return 1
        names = {file.name for place in (folder, pathlib.Path(scratch)) for file in place.glob("*.svg")}
        for name in sorted(names):
            kept, new = folder / name, pathlib.Path(scratch) / name
            if not kept.exists() or not new.exists():
                print(f"{name}: docs/pictures/make.sh and docs/pictures/ do not have the same pictures")
                failed = 1
            elif set(words(kept)) != set(words(new)):
                print(f"{name}: shows something else now; run docs/pictures/make.sh, look at it, and commit")
                failed = 1
    return failed


def main():
    planar, source = sys.argv[1:]
    folder = pathlib.Path(source) / "docs/pictures"
    if check_drawn(planar, folder):
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        made = subprocess.run([folder / "make.sh", planar, scratch, "window"], check=False)
        if made.returncode == 4:
            return 4
        if made.returncode:
            return 1
        failed = 0
        for kept in sorted(folder.glob("*.png")):
            new = pathlib.Path(scratch) / kept.name
            if kept.stat().st_size > MOST_BYTES:
                print(f"{kept}: has {kept.stat().st_size} bytes, more than {MOST_BYTES}")
                failed = 1
            if not new.exists():
                print(f"{kept}: docs/pictures/make.sh does not make it; remove one of the two")
                failed = 1
                continue
            if kept.read_bytes() == new.read_bytes():
                print(f"{kept.name}: the same")
                continue
            a, b = decode(kept), decode(new)
            if a[:2] != b[:2]:
                print(f"{kept}: is {a[0]} by {a[1]}, now {b[0]} by {b[1]}; run docs/pictures/make.sh and commit")
                failed = 1
                continue
            other = sum(1 for ra, rb in zip(a[2], b[2]) if ra != rb for x in range(0, len(ra), 3)
                        if any(abs(ra[x + n] - rb[x + n]) > NOTICED for n in range(3)))
            share = other / (a[0] * a[1])
            print(f"{kept.name}: {share:.2%} of its dots differ")
            if share > MOST_DIFFERENT:
                print(f"{kept}: is not what the window looks like; run docs/pictures/make.sh, look at it, and commit")
                failed = 1
        return failed


if __name__ == "__main__":
    sys.exit(main())
