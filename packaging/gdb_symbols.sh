#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The guest's and the firmware's symbols for gdb: gdb_symbols.sh FOLDER
# Built from roms/, and left out with a note where they would not be those of the committed images: without the compiler
# that these are built with (roms/Makefile), or after a change to roms/ that was not accepted.
set -euo pipefail
folder=$1 roms=$(dirname "$(dirname "$(realpath "$0")")")/roms
cross=${CROSS:-i686-linux-gnu-}
note() { echo "planar: no symbols of guest and firmware for gdb: $*" >&2; exit 0; }
mkdir -p "$folder"
command -v "${cross}gcc" >/dev/null && command -v nasm >/dev/null || note "install gcc-i686-linux-gnu and nasm"
pinned=$(sed -n 's/^PINNED = //p' "$roms/Makefile")
[ "$("${cross}gcc" -dumpversion | cut -d. -f1)" = "$pinned" ] || note "the images are built with GCC $pinned"
log=$(mktemp) && trap 'rm -f "$log"' EXIT
for part in guest firmware; do
  make -s --no-print-directory -C "$roms/$part" all >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
done
cmp -s "$roms/build/guest/planar-guest.img" "$roms/images/planar-guest.img" &&
  cmp -s "$roms/build/firmware/planar-firmware.rom" "$roms/images/planar-firmware.rom" &&
  cmp -s "$roms/build/firmware-pc/planar-pc-firmware.rom" "$roms/images/planar-pc-firmware.rom" ||
  note "roms/ has changed and its images were not accepted (make -C roms accept)"
put() { "${cross}objcopy" --compress-debug-sections "$roms/build/$1" "$folder/$2"; chmod 644 "$folder/$2"; }
for kernel in "$roms"/build/guest/kernel-*.elf; do put "guest/$(basename "$kernel")" "$(basename "$kernel")"; done
put guest/programs/user.elf user.elf
put firmware/firmware.elf firmware.elf
put firmware-pc/firmware.elf pc-firmware.elf
