#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Times planar's machines and Bochs on the same diskette, roms/images/bench/bench-mix.img, in alternating runs, and
# prints the median MIPS of each and planar's ratio to Bochs. MIPS: the mix's instruction count (REP counted once)
# divided by each program's processor time between "@mix start" and "@mix end" on COM1; elapsed time is also shown.
#   tests/bench/bochs.sh [PLANAR [RUNS [MACHINE...]]]    needs Debian's packages bochs, bochsbios, vgabios and jq
# Without machines: model95, model77 and model56sx. Not a test: its figures depend on the host. It ends with 1 if two
# disagree about the mix's checksum.
set -euo pipefail
cd "$(dirname "$0")/../.."
planar=${1:-build/release/frontend/planar}
runs=${2:-3}
machines=("${@:3}")
[ ${#machines[@]} -gt 0 ] || machines=(model95 model77 model56sx)
image=roms/images/bench/bench-mix.img
for tool in bochs jq; do
  command -v $tool >/dev/null || { echo "bochs.sh: no '$tool'; apt-get install bochs bochsbios vgabios jq" >&2; exit 3; }
done
[ -x "$planar" ] || { echo "bochs.sh: no program '$planar'; run make, or name it" >&2; exit 3; }
scratch=$(mktemp -d)
emulator=
trap '[ -z "$emulator" ] || kill -9 "$emulator" 2>/dev/null || true; rm -rf "$scratch"' EXIT
cat >"$scratch/bochsrc" <<END
megs: 32
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
floppya: 1_44=$PWD/$image, status=inserted, write_protected=1
boot: floppy
com1: enabled=1, mode=file, dev=$scratch/com1
display_library: rfb, options="timeout=0"
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
log: $scratch/log
cpu: model=pentium, ips=75000000
END

ticks=$(getconf CLK_TCK)
processor_seconds() {  # of process $1
  awk -v hz="$ticks" '{ sub(/^.*\) /, ""); print ($12 + $13) / hz }' "/proc/$1/stat"
}
# Runs Bochs once: sets host (processor seconds), elapsed, sum. Debian's Bochs has its debugger built in and waits for
# "c".
run_bochs() {
  rm -f "$scratch/com1" "$scratch/keys"; mkfifo "$scratch/com1" "$scratch/keys"
  bochs -q -f "$scratch/bochsrc" <"$scratch/keys" >"$scratch/out" 2>&1 &
  emulator=$!
  exec 8>"$scratch/keys"; echo c >&8
  host= elapsed= sum=
  local line from started
  while read -r -t 120 line; do
    case $line in
      "@mix start"*) from=$(processor_seconds $emulator); started=$EPOCHREALTIME ;;
      "@mix end"*) host=$(awk "BEGIN { print $(processor_seconds $emulator) - $from }")
                   elapsed=$(awk "BEGIN { print $EPOCHREALTIME - $started }")
                   sum=${line##*checksum=}; sum=${sum%$'\r'} ;;
      "@done"*) break ;;
    esac
  done <"$scratch/com1"
  kill -9 $emulator 2>/dev/null || true; wait $emulator 2>/dev/null || true
  emulator=; exec 8>&-
  [ -n "$sum" ] || { echo "bochs.sh: Bochs did not run the mix:" >&2; tail -5 "$scratch/out" "$scratch/log" >&2; exit 1; }
}
median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR+1)/2] : (v[NR/2] + v[NR/2+1]) / 2 }'; }

# Runs planar's $1 once: sets mips, elapsed_planar; count is the instruction count of the machine itself.
run_planar() {
  "$planar" bench cpu --machine "$1" --workload mix --repeat 1 --quiet --json "$scratch/planar.json" >/dev/null
  count=$(jq '.results[0].measured_instructions' "$scratch/planar.json")
  mips=$(jq '.results[0] | .measured_instructions / .host_seconds / 1e6' "$scratch/planar.json")
  elapsed_planar=$(jq '.results[0].elapsed_seconds' "$scratch/planar.json")
}
for machine in "${machines[@]}"; do
  sum=$("$planar" run "$machine" --image $image --serial stdio --until "serial:@done" --quiet | tr -d '\r' |
        sed -n 's/^@mix end.*checksum=//p')
  [ "${expected:=$sum}" = "$sum" ] || { echo "bochs.sh: checksum $sum from $machine, not $expected" >&2; exit 1; }
done
for ((n = 1; n <= runs; ++n)); do
  for machine in "${machines[@]}"; do
    run_planar "$machine"
    echo "$mips" >>"$scratch/$machine"
    printf 'run %d: %-10s %6.1f MIPS (%.2f s elapsed)\n' "$n" "$machine" "$mips" "$elapsed_planar"
  done
  run_bochs
  [ "$sum" = "$expected" ] || { echo "bochs.sh: checksum $sum from Bochs, $expected from planar" >&2; exit 1; }
  awk "BEGIN { print $count / $host / 1e6 }" >>"$scratch/bochs"
  printf 'run %d: %-10s %6.1f MIPS (%.2f s elapsed), checksum %s\n' "$n" Bochs "$(tail -1 "$scratch/bochs")" "$elapsed" "$sum"
done
theirs=$(median <"$scratch/bochs")
echo "host: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)"
for machine in "${machines[@]}"; do
  ours=$(median <"$scratch/$machine")
  printf 'median of %d: planar %s (all timing on) %.1f MIPS, Bochs %s (no timing) %.1f MIPS, ratio %.2f\n' "$runs" "$machine" \
    "$ours" "$(dpkg-query -W -f='${Version}' bochs 2>/dev/null || echo '?')" "$theirs" "$(awk "BEGIN { print $ours / $theirs }")"
done
