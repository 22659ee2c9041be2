#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# compare.sh PROGRAM...: each PROGRAM is a build of planar by a different compiler or for a different processor (a
# command with blanks is a program under an emulator: "qemu-aarch64 -L SYSROOT build/aarch64/frontend/planar"). A short
# netio run of each machine must end with the same state hash in all of them, also when a snapshot taken by one is
# resumed by the next; so must a gigabit flood, which cannot be restored.
set -euo pipefail
runs=("model56sx --card ne2" "model56sx --card tr4-a" "model77 --card 3c527" "model77 --card tr16-4a-1994"
      "model95 --card etherstreamer" "model95 --card lanstreamer" "model9595 --card sknet" "model9595 --card madge-mc32"
      "att3325 --card smc8013" "att3325 --card madge-mc" "pc-p166 --card 3c905b" "pc-p166 --card eepro100"
      "pc-p3-600 --card rtl8139" "pc-p2-400 --card lne100tx")
floods=("pc-p3-800 --card pro1000-82543 --mode delayed" "pc-p3-800 --card pro1000-82542 --mode poll")
netio_brief="--quiet --seconds 0.05 --sizes 2048,8192"
flood_brief="--quiet --no-cache --seconds 0.02 --rates 400000"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
hash() { sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$1"; }
field() { sed -n "s/.*\"$2\": \([0-9.]*\).*/\1/p" "$1"; }
bad=0
# same VERB "MACHINE --card CARD" OPTIONS PROGRAM...: sets `first`, the hash
same() {
  local verb=$1 run=$2 brief=$3 program result
  shift 3
  first=""
  for program in "$@"; do
    $program $verb --machine $run $brief --json "$scratch/result.json" >/dev/null
    result=$(hash "$scratch/result.json")
    [ -n "$result" ] || { echo "no hash: $program"; exit 1; }
    if [ -z "$first" ]; then
      first=$result
      echo "$verb $run: ${first:0:16}, $(field "$scratch/result.json" cycles) cycles"
    elif [ "$result" != "$first" ]; then
      echo "  DIFFERS: $result in $program"
      bad=1
    fi
  done
}
# passed_on "MACHINE --card CARD" OPTIONS PROGRAM...: a snapshot from each is resumed by the next
passed_on() {
  local run=$1 brief=$2 middle n takes goes
  shift 2
  middle=$(awk "BEGIN { print $(field "$scratch/result.json" virtual_seconds) - 0.06 }")
  for ((n = 0; n < $#; ++n)); do
    takes=${@:n+1:1} goes=${@:(n+1)%$#+1:1}
    $takes netio --machine $run $brief --snapshot-at "$middle s" "$scratch/lab.snap" --json /dev/null >/dev/null
    $goes netio --restore "$scratch/lab.snap" $brief --json "$scratch/result.json" >/dev/null
    if [ "$(hash "$scratch/result.json")" != "$first" ]; then
      echo "  DIFFERS after a snapshot: $takes, then $goes"
      bad=1
    fi
  done
}
for run in "${runs[@]}"; do
  same netio "$run" "$netio_brief" "$@"
  passed_on "$run" "$netio_brief" "$@"
done
for run in "${floods[@]}"; do same flood "$run" "$flood_brief" "$@"; done
[ $bad = 0 ] && echo "the same on $# hosts: ${#runs[@]} runs, each also across snapshots, ${#floods[@]} floods"
exit $bad
