#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the commands in docs/sweeps.md: check_sweeps.sh PLANAR ROOT. They are the page's own, with shorter runs; Slurm is
# replaced by a stand-in that runs an array's tasks one after another, and tools that are not installed are skipped.
set -euo pipefail
planar=$1 root=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "check_sweeps.sh: $*" >&2; exit 1; }
mkdir "$scratch/bin"
ln -s "$planar" "$scratch/bin/planar"
cat >"$scratch/bin/sbatch" <<'SBATCH'
#!/usr/bin/env bash
for word; do case $word in --array=1-*) last=${word#--array=1-} ;; esac; done
for ((n = 1; n <= last; ++n)); do SLURM_ARRAY_TASK_ID=$n sh -c "${!#}" >/dev/null || exit 1; done
SBATCH
chmod +x "$scratch/bin/sbatch"
export PATH=$scratch/bin:$PATH
cd "$scratch"

# The page's line that begins with $1; all of them must exist.
page=$(ls "$root"/docs/sweeps.*)
line() { grep -m 1 "^    $1" "$page" | sed 's/^    //' || fail "docs/sweeps.md has no line '$1'"; }
plan=$(line 'planar compare --machines' | sed 's/--seconds 1 /--seconds 0.05 --sizes 1024 --quiet /')
merge=$(line 'planar compare --merge')
[[ $plan == *0.05* ]] || fail "the plan's line has changed; shorten its runs here"

sweep() {  # NAME COMMAND
  rm -rf sweep plan.tsv
  eval "$plan"
  [ "$(wc -l <plan.tsv)" = 12 ] || fail "the plan has $(wc -l <plan.tsv) lines"
  eval "$2" >"$1.log" 2>&1 || { cat "$1.log"; fail "$1"; }
  eval "$merge --json $1.json" >/dev/null || fail "$1: merge"
  [ "$(find sweep/runs -name '*.json' | wc -l)" = 12 ] || fail "$1: not every run has its file"
  echo "$1: 12 runs"
}
sweep slurm "$(line sbatch)"
if command -v parallel >/dev/null && parallel --version 2>/dev/null | grep -q GNU; then
  sweep parallel "$(line 'cut -f3') --will-cite"
  planar diff slurm.json parallel.json || fail "parallel and slurm differ"
fi
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import distributed' 2>/dev/null; then
    sweep dask "$(line 'python3 docs/sweeps/dask_sweep.py plan.tsv --workers' | sed "s#^python3 #$python $root/#")"
    planar diff slurm.json dask.json || fail "dask and slurm differ"
    break
  fi
done
