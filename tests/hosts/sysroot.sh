#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sysroot.sh FOLDER: unpacks Debian's AArch64 libraries that planar needs into FOLDER, with their dependencies. Needs no
# privileges and does not touch this system's packages.
set -euo pipefail
packages="libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libfmt-dev nettle-dev libzstd-dev libdeflate-dev
          libslirp-dev libglib2.0-dev libpng-dev libzydis-dev libedit-dev catch2
          libstdc++6"
mkdir -p "$1"
root=$(cd "$1" && pwd)
[ -e "$root/complete" ] && exit 0
state=$root/apt
mkdir -p "$state/lists/partial" "$state/archives/partial"
touch "$state/status"
apt="-o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State=$state -o Dir::State::status=$state/status
     -o Dir::Cache=$state -o APT::Install-Recommends=false -o Debug::NoLocking=1 -o APT::Sandbox::User="
apt-get $apt -qq update
apt-get $apt -qq -y --download-only install $packages
for package in "$state"/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
rm -r "$state"
touch "$root/complete"
