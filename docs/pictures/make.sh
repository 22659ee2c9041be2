#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes the pictures of docs/: make.sh PLANAR FOLDER [buses|window|sizes]
# buses: docs/pci-and-micro-channel.md's, from a run of each bus. They need no display.
# window: those of README.md and docs/window.md. A Model 95 runs netio without a window up to a snapshot; windows on a display of their own (Xvfb) go on from there for
# some milliseconds, pause, and are told by the keyboard (xdotool) to save their picture. 4: these are not installed.
# sizes: those, and two to be looked at: a display of 768 lines, and one of 2160 with 192 dpi.
set -euo pipefail
planar=$(realpath "$1") folder=$(realpath "$2") which=${3:-all} here=$(dirname "$(realpath "$0")")

# A frame of 1518 bytes that each machine receives, in the middle of a stream of them.
buses() {
  local scratch; scratch=$(mktemp -d)
  local receive="--test udp_stream --receive --sizes 1472 --seconds 0.3 --quiet --timeline-for"
  "$planar" netperf --machine model95 --card 3c527 $receive "4 ms" --timeline-from "9.13 s" --timeline "$scratch/mca.json"
  "$planar" netperf --machine pc-p166 --card 3c905b $receive "2 ms" --timeline-from "21.1 s" --timeline "$scratch/pci.json"
  local names=(--name "Micro Channel of a Model 95, 3C527 at 10 Mbit/s" --name "PCI of pc-p166, 3C905B at 100 Mbit/s")
  "$planar" timeline "$scratch/mca.json" "$scratch/pci.json" "${names[@]}" --svg "$folder/bus-frame.svg" \
    --title "A frame of 1518 bytes is received"
  "$planar" timeline "$scratch/mca.json" "$scratch/pci.json" "${names[@]}" --svg "$folder/bus-burst.svg" --zoom "24 us" \
    --title "The frame's data go to memory, magnified"
  rm -r "$scratch"
}
[ "$which" = window ] || [ "$which" = sizes ] || buses
[ "$which" = buses ] && exit 0

command -v Xvfb >/dev/null && command -v xdotool >/dev/null || { echo "make.sh: install xvfb and xdotool"; exit 4; }
scratch=$(mktemp -d)
window= server=
trap 'kill $window $server 2>/dev/null || true; rm -rf "$scratch"' EXIT
export SDL_VIDEODRIVER=x11 SDL_RENDER_DRIVER=software SDL_AUDIODRIVER=dummy XDG_CONFIG_HOME=$scratch/config
fail() { echo "make.sh: $*" >&2; cat "$scratch/said" >&2; exit 1; }

# display SIZE [DPI]
display() {
  [ -z "$server" ] || { kill $server; wait $server || true; }
  for _ in 1 2 3; do  # two that start at once may take the same number, and one of them ends
    : >"$scratch/display"
    Xvfb -displayfd 3 -screen 0 "$1x24" -dpi "${2:-96}" -nolisten tcp 3>"$scratch/display" 2>"$scratch/xvfb" & server=$!
    for _ in $(seq 100); do [ -s "$scratch/display" ] && break; sleep 0.1; done
    export DISPLAY=:$(cat "$scratch/display")
    sleep 0.3
    kill -0 $server 2>/dev/null && xdotool getdisplaygeometry >/dev/null 2>&1 && break
  done
}

# Waits for the window with $2 in its title, and gives it the keyboard: focus NAME TITLE
focus() {
  local id='' title=''
  for _ in $(seq 300); do
    sleep 0.1
    id=$(xdotool search --name '^planar' 2>/dev/null | tail -1) || true
    [ -n "$id" ] && title=$(xdotool getwindowname "$id" 2>/dev/null) || true
    [[ "$title" == *"$2"* ]] && break
  done
  [[ "$title" == *"$2"* ]] || fail "$1: there is no window '$2'"
  # On a busy host the window may have its title before the display shows it, and then takes no focus yet.
  local focused=
  for _ in $(seq 100); do xdotool windowfocus "$id" 2>/dev/null && { focused=1; break; }; sleep 0.1; done
  [ -n "$focused" ] || fail "$1: the window takes no focus"
}

# Has the window save its picture as FILE, and ends it: keep NAME FILE
keep() {
  sleep "${settle:-0.5}"
  xdotool key ctrl+alt+w
  for _ in $(seq 100); do [ -s "$2" ] && break; sleep 0.1; done
  xdotool key ctrl+alt+q
  wait $window || fail "$1: planar"
  window=
  cp "$2" "$folder/$1.png" || fail "$1: no picture"
}

# picture NAME PANES [xdotool commands]
picture() {
  local name=$1 panes=$2; shift 2
  rm -rf planar-result "$XDG_CONFIG_HOME"
  "$planar" run --restore netio.snap --quiet --window --panes "$panes" --do 'wait 25 ms' --do pause >said 2>&1 & window=$!
  focus "$name" paused
  [ $# -eq 0 ] || xdotool "$@"
  keep "$name" planar-result/window-1.png
}

cd "$scratch"
"$planar" run "$here/../labs/window.toml" --quiet --until "8.63 s" --snapshot-at "8.58 s" netio.snap >said 2>&1 || fail snapshot

display 1440x1000
picture window-netio cpu,adapter=left,wire,bus=right-below
picture window-planar slots,planar=right,memory=bottom,log=right-below
picture window-menu cpu search --name '^planar' mousemove --window %1 90 9 click 1

xdotool mousemove 1400 960
"$planar" >said 2>&1 & window=$!
focus start-page planar
keep start-page planar-start.png

[ "$which" = sizes ] || exit 0
display 1024x768
picture window-768 cpu,memory=bottom,slots=left search --name '^planar' mousemove --window %1 90 9 click 1
display 3840x2160 192
settle=3  # a picture of that size takes a software renderer long, and a menu is drawn in the second one after the click
picture window-192dpi cpu,adapter=left,wire,bus=right-below search --name '^planar' mousemove --window %1 180 18 click 1
