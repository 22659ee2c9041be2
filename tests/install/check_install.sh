#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks an installation from outside the source tree: check_install.sh prefix|package BUILD
#   prefix    what `cmake --install` puts below an empty prefix
#   package   the contents of the Debian package, unpacked into an empty folder
# Runs the program without this shell's environment, reads the manual pages, and completes command lines in the
# available shells.
set -euo pipefail
kind=$1 build=$2 roms=$(dirname "$(realpath "$0")")/../../roms
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "check_install.sh: $*" >&2; exit 1; }

case $kind in
  prefix)
    cmake --install "$build" --component planar --prefix "$scratch/usr" >"$scratch/log" || { cat "$scratch/log"; fail "install"; } ;;
  package)
    command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || { echo "skipped: no dpkg-dev here"; exit 4; }
    # gzip: the same content, packed in a quarter of the time
    (cd "$build" && cpack -G DEB -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip -B "$scratch/packages") >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "cpack"; }
    deb=$(echo "$scratch"/packages/planar_*.deb)
    dpkg-deb --field "$deb" Depends | tee "$scratch/depends"
    for library in libc6 libfmt libslirp0 libpng16 libnettle libzstd1 libdeflate0; do
      grep -q "$library" "$scratch/depends" || fail "the package does not depend on $library"
    done
    dpkg -x "$deb" "$scratch" ;;
  *) fail "prefix or package" ;;
esac
usr=$scratch/usr
mkdir "$scratch/empty"
cd "$scratch/empty"
planar() { env -i PATH="$usr/bin:/usr/bin:/bin" LC_ALL=C.UTF-8 HOME="$scratch/empty" planar "$@"; }

# The program, with its embedded machines, ROMs and baseline.
planar --version
planar netio --seconds 0.2 --quiet >"$scratch/netio" || fail "netio"
grep -q 'netio .* on model95 with ne2' "$scratch/netio" || fail "netio printed no table"
planar regress --quiet --machines model56sx --cards ne2 >"$scratch/regress" || { cat "$scratch/regress"; fail "regress"; }
grep -q "1 run equals the baseline (this program's own)" "$scratch/regress" || fail "regress without the embedded baseline"

# Symbols for gdb, for the committed images, if the compiler of these images is available.
if [ "$(i686-linux-gnu-gcc -dumpversion 2>/dev/null | cut -d. -f1)" = "$(sed -n 's/^PINNED = //p' "$roms/Makefile")" ]; then
  for symbols in kernel-0 kernel-7 user firmware pc-firmware; do
    [ -s "$usr/share/planar/gdb/$symbols.elf" ] || fail "no share/planar/gdb/$symbols.elf"
  done
  i686-linux-gnu-nm "$usr/share/planar/gdb/kernel-0.elf" | grep -x "$(grep ' T ip_deliver$' "$roms/images/planar-guest.map")" ||
    fail "kernel-0.elf is not of the committed guest"
  if command -v gdb >/dev/null; then
    gdb -nx -batch -ex 'info line streamer.c:start_transmit' "$usr/share/planar/gdb/kernel-0.elf" | tee "$scratch/gdb"
    grep -q 'Line [0-9]* of "drivers/streamer.c" starts at address' "$scratch/gdb" || fail "gdb finds no line of the guest"
  fi
fi

# The manual: a page for each verb, without warnings, and with the same contents as --help-all.
for page in "$usr"/share/man/man1/planar*.1*; do
  MANWIDTH=80 man --warnings -l "$page" >"$scratch/page" 2>"$scratch/warnings" || fail "$page: man"
  [ ! -s "$scratch/warnings" ] || { cat "$scratch/warnings"; fail "$page: warnings"; }
done
for verb in $(planar --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
  page=$(echo "$usr/share/man/man1/planar-$verb".1*)
  [ -e "$page" ] || fail "no manual page of $verb"
  MANWIDTH=1000 man -l "$page" 2>/dev/null | col -b | tr -s ' ' >"$scratch/page"
  for option in $(planar "$verb" --help-all | sed -n 's/^  \(-[a-z], \)*\(--[a-z-]*\).*/\2/p'); do
    grep -q -- "$option" "$scratch/page" || fail "planar-$verb(1) has no $option"
  done
done

# Completion: `complete SHELL` prints what the shell suggests for the words after it.
bash_proposes() {
  env -i PATH=/usr/bin:/bin bash --norc -c 'source "$1"; shift; complete -p planar >/dev/null || exit 1
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _planar; printf "%s\n" "${COMPREPLY[@]}"' bash \
    "$usr/share/bash-completion/completions/planar" "$@"
}
fish_proposes() {
  HOME="$scratch/empty" fish --no-config -c "source $usr/share/fish/vendor_completions.d/planar.fish; complete -C '$*'" |
    cut -f1
}
expect() {  # SHELL EXPECTED WORD...
  local shell=$1 expected=$2; shift 2
  "${shell}_proposes" "$@" >"$scratch/proposed"
  grep -qx -- "$expected" "$scratch/proposed" ||
    { cat "$scratch/proposed"; fail "$shell does not complete '$*' to $expected"; }
}
shells=bash
if command -v fish >/dev/null; then shells="bash fish"; fi
for shell in $shells; do
  expect "$shell" netio planar net
  expect "$shell" --seconds planar netio --sec
  expect "$shell" model56sx planar netio --machine model5
  expect "$shell" ne2 planar compare --cards ne
  expect "$shell" create planar disk cr
  expect "$shell" --base planar disk create --ba
  expect "$shell" slirp:isolated planar run --net slirp
done
expect bash model95,model77 planar compare --machines model95,model77
touch work.img
expect bash work.img planar run --floppy wor
if command -v zsh >/dev/null; then
  file=$(echo "$usr"/share/zsh/*/_planar)
  zsh -n "$file" || fail "$file: zsh"
  zsh -f -c "fpath=(${file%/_planar} \$fpath); autoload -U compinit; compinit -u -d $scratch/zcompdump; autoload +X _planar &&
    [[ \${_comps[planar]} == _planar ]]" || fail "zsh does not load $file"
fi

# The desktop entry starts something that the program understands.
desktop=$usr/share/applications/planar.desktop
if command -v desktop-file-validate >/dev/null; then desktop-file-validate "$desktop"; fi
sed -n 's/^Exec=planar //p' "$desktop" | while read -r words; do
  planar --only-parse $words || fail "$desktop: $words"
done
[ -e "$usr/share/icons/hicolor/scalable/apps/planar.svg" ] || fail "no icon"
for page in README docs/README docs/results docs/installing docs/published; do
  [ -e "$usr/share/doc/planar/$page".md ] || fail "no documents"
done
echo "the installation is whole"
