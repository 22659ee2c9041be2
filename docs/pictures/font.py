#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures of the firmware's font, to look at: font.py PLANAR FOLDER

The 256 characters of each cell height, 16 in a row, from roms/firmware/video/; and a text screen of a machine that shows them.
"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEIGHTS = (16, 14, 8)
GAP, SCALE = 4, 2


def characters(height):
    """{code: rows of '.' and '#'}"""
    glyphs, codes = {}, []
    for line in (ROOT / f"roms/firmware/video/font_8x{height}.txt").read_text(encoding="ascii").splitlines():
        if line.startswith("= "):
            codes = [int(code, 16) for code in line[2:].split()]
        elif re.match(r"[.#]{8}", line):
            for code, row in zip(codes, line.split()):
                glyphs.setdefault(code, []).append(row)
    assert len(glyphs) == 256 and all(len(rows) == height for rows in glyphs.values()), height
    return glyphs


def write_png(file, rows):
    """Grey values of 8 bits."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + bytes(r) for r in rows))) +
                     chunk(b"IEND", b""))
    print(file)


def sheet(height):
    glyphs, rows = characters(height), []
    for first in range(0, 256, 16):
        for y in range(height):
            row = []
            for code in range(first, first + 16):
                row += [30] * GAP + [220 if dot == "#" else 0 for dot in glyphs[code][y]]
            rows.append(row + [30] * GAP)
        rows += [[30] * len(rows[0])] * GAP
    return [[dot for dot in row for _ in range(SCALE)] for row in rows for _ in range(SCALE)]


def diskette():
    """Boots and shows the characters, each beside a blank, in boxes of single and double lines."""
    lines = ["\xda" + "\xc4" * 34 + "\xc2" + "\xc4" * 34 + "\xbf"]
    for first in range(0, 256, 32):
        half = [" ".join(chr(code if code not in (7, 8, 10, 13) else 32) for code in range(at, at + 16)) for at in (first, first + 16)]
        lines.append("\xb3 " + half[0] + "  \xb3 " + half[1] + "  \xb3")
    lines.append("\xc0" + "\xc4" * 34 + "\xc1" + "\xc4" * 34 + "\xd9")
    lines += ["", "\xc9" + "\xcd" * 77 + "\xbb"]
    lines += ["\xba " + text.ljust(76) + "\xba" for text in (
        "The quick brown fox jumps over the lazy dog. 0123456789 + - * / = < > ~", 'int main(void) { return a[0] != \'x\' && b |= "y" ? 1 : 0; }  // @ # $ % ^',
        "MMWWNN wwmm O0Q I1l| S5 Z2 B8 \xe4 \xf6 \xfc \x84 \x94 \x81 \xe1 \xb0\xb1\xb2\xdb \xdc\xdf\xdd\xde")]
    lines.append("\xc8" + "\xcd" * 77 + "\xbc")
    cells = b"".join(bytes([ord(c), 7]) for text in lines for c in text.ljust(80)[:80])
    text_at = 0x200
    code = bytes([0xFA, 0x31, 0xC0, 0x8E, 0xD8, 0xBE]) + struct.pack("<H", 0x7E00) + bytes(
        [0xB8, 0x00, 0xB8, 0x8E, 0xC0, 0xBF, 0xA0, 0x00, 0xB9]) + struct.pack("<H", len(cells) // 2)
    # The text follows in sectors 2 to 8: INT 13h reads them to 0:7E00h first.
    load = bytes([0x31, 0xC0, 0x8E, 0xC0, 0xBB, 0x00, 0x7E, 0xB8, 0x07, 0x02, 0xB9, 0x02, 0x00, 0x30, 0xF6, 0xCD, 0x13])
    program = load + code + bytes([0xFC, 0xF3, 0xA5, 0xF4, 0xEB, 0xFD])
    assert len(program) < 510 and len(cells) <= 7 * 512
    image = bytearray(1474560)
    image[:len(program)], image[510:512], image[text_at:text_at + len(cells)] = program, b"\x55\xaa", cells
    return image


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.splitlines()[0])
    planar, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    for height in HEIGHTS:
        write_png(out / f"font-8x{height}.png", sheet(height))
    with tempfile.TemporaryDirectory() as scratch:
        image = pathlib.Path(scratch) / "font.img"
        image.write_bytes(diskette())
        subprocess.run([planar, "run", "model95", "--image", image, "--until", "12 s", "--quiet", "--screen", f"png:{out / 'font-screen.png'}"],
                       check=True, stdout=subprocess.DEVNULL, cwd=scratch)
    print(out / "font-screen.png")


if __name__ == "__main__":
    main()
