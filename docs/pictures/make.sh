#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes the pictures of the window that README.md and docs/window.md show: make.sh PLANAR FOLDER
# A Model 95 runs netio without a window up to a snapshot; windows on a display of their own (Xvfb) go on from there for
# some milliseconds, pause, and are told by the keyboard (xdotool) to save their picture. 4: these are not installed.
set -euo pipefail
planar=$(realpath "$1") folder=$(realpath "$2") here=$(dirname "$(realpath "$0")")
command -v Xvfb >/dev/null && command -v xdotool >/dev/null || { echo "make.sh: install xvfb and xdotool"; exit 4; }
scratch=$(mktemp -d)
window= server=
trap 'kill $window $server 2>/dev/null || true; rm -rf "$scratch"' EXIT
for _ in 1 2 3; do  # two that start at once may take the same number, and one of them ends
  Xvfb -displayfd 3 -screen 0 1440x1000x24 -nolisten tcp 3>"$scratch/display" 2>"$scratch/xvfb" & server=$!
  for _ in $(seq 100); do [ -s "$scratch/display" ] && break; sleep 0.1; done
  export DISPLAY=:$(cat "$scratch/display") SDL_VIDEODRIVER=x11 SDL_RENDER_DRIVER=software
  sleep 0.3
  kill -0 $server 2>/dev/null && xdotool getdisplaygeometry >/dev/null 2>&1 && break
  : >"$scratch/display"
done
fail() { echo "make.sh: $*" >&2; cat "$scratch/said" >&2; exit 1; }

cd "$scratch"
"$planar" run "$here/../labs/window.toml" --quiet --until "8.63 s" --snapshot-at "8.58 s" netio.snap >said 2>&1 || fail snapshot

# picture NAME PANES [xdotool commands]
picture() {
  local name=$1 panes=$2; shift 2
  rm -rf planar-result
  "$planar" run --restore netio.snap --quiet --window --panes "$panes" --do 'wait 25 ms' --do pause >said 2>&1 & window=$!
  local id='' title=''
  for _ in $(seq 300); do
    sleep 0.1
    id=$(xdotool search --name '^planar' 2>/dev/null | tail -1) || true
    [ -n "$id" ] && title=$(xdotool getwindowname "$id" 2>/dev/null) || true
    [ "${title%paused*}" != "$title" ] && break
  done
  [ "${title%paused*}" != "$title" ] || fail "$name: the window does not pause"
  # On a busy host the window may have its title before the display shows it, and then takes no focus yet.
  local focused=
  for _ in $(seq 100); do xdotool windowfocus "$id" 2>/dev/null && { focused=1; break; }; sleep 0.1; done
  [ -n "$focused" ] || fail "$name: the window takes no focus"
  [ $# -eq 0 ] || xdotool "$@"
  sleep 0.5
  xdotool key ctrl+alt+w
  for _ in $(seq 100); do [ -s planar-result/window-1.png ] && break; sleep 0.1; done
  xdotool key ctrl+alt+q
  wait $window || fail "$name: planar"
  window=
  cp planar-result/window-1.png "$folder/$name.png" || fail "$name: no picture"
}

picture window-netio cpu,adapter=left,wire,bus=right-below
picture window-planar slots,planar=right,memory=bottom,log=right-below
