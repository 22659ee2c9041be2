#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# debian.sh RELEASE [FOLDER]: a newcomer's steps on a fresh Debian RELEASE (bookworm, trixie): a root to which only
# make, git and ca-certificates are added, a clone of HEAD, the README's two commands. Ends with the state hash of a
# netio run, which is the same in every release. The root is made in FOLDER (build/debian-RELEASE), or reused with what
# make has installed in it; remove it to start from scratch. Must be run as root; takes about 5 GB and, on two cores, 20
# minutes.
set -euo pipefail
release=${1:?which release? for example trixie}
folder=${2:-build/debian-$release}
source=$(git rev-parse --show-toplevel)
[ "$(id -u)" = 0 ] || { echo "debian.sh: debootstrap and chroot need root; run it with sudo" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "debian.sh: debootstrap is missing; apt-get install debootstrap" >&2; exit 2; }

mkdir -p "$folder"
root=$(cd "$folder" && pwd)
[ -e "$root/complete" ] || { debootstrap "$release" "$root" && touch "$root/complete"; }

# The mounts are visible only to this script and end with it.
if [ -z "${PLANAR_MOUNTS:-}" ]; then
  export PLANAR_MOUNTS=1
  exec unshare --mount "$0" "$release" "$root"
fi
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
cp /etc/resolv.conf "$root/etc/resolv.conf"
# A host with a proxy has its own certificates.
mkdir -p "$root/usr/local/share/ca-certificates"
find /usr/local/share/ca-certificates -name '*.crt' -exec cp {} "$root/usr/local/share/ca-certificates" \;
within() { chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }

within sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o DPkg::Use-Pty=0 \
  --no-install-recommends make git ca-certificates >/dev/null && update-ca-certificates >/dev/null'
rm -rf "$root/planar"
git clone -q --no-hardlinks "$source" "$root/planar"
for command in netio test; do
  echo "== Debian $(cat "$root/etc/debian_version"): make $command"
  time within make -C /planar "$command"
done
within sh -c 'cd /planar && build/release/frontend/planar netio --quiet --seconds 1 --json -' | grep '"state_hash"'
