# SPDX-License-Identifier: GPL-2.0-or-later
# make netio      boots a Model 95 with an NE/2 and runs netio inside it
# make test       rebuilds the ROM images byte for byte, builds once (release) and runs every test
# make test-all   the same, then a long lockstep, the bench gate, headers alone and the sanitizer build with its tests
# make test-tidy test-lockstep   clang-tidy, and a lockstep run of 100 million instructions: by hand
# make bench-gate                host instructions of short runs against the stored counts (part of test-all)
# make test-hosts                one state hash from GCC's, Clang's and the AArch64 program, tests on AArch64: by hand
# make test-campaign             searches an hour for a result that depends on the host (MINUTES=60, SEED=N): by hand
# make site       the documentation as a site with search, in build/site
# make wheel      the Python package, in build/wheel (frontend/python)
# make install    installs the program, manual pages, completions and gdb symbols (PREFIX=/usr/local, DESTDIR=)
# make package    makes a Debian package and an archive in build/release/packages
# make test-debian12 test-debian13   builds and tests in a fresh root of that release (debootstrap, as root): by hand
# All say which packages are missing and install them first (Debian 12 and 13), with sudo when not root.

PACKAGES = cmake g++ ninja-build pkg-config ccache libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libfmt-dev \
           nettle-dev libzstd-dev libdeflate-dev libslirp-dev libpng-dev libsdl2-dev libimgui-dev \
           libzydis-dev libedit-dev
TEST_PACKAGES = catch2 gcc-i686-linux-gnu binutils-i686-linux-gnu nasm tshark gdb parallel python3-jsonschema \
                man-db zsh fish dpkg-dev file desktop-file-utils xvfb xdotool \
                syslinux syslinux-common isolinux mtools dosfstools e2fsprogs xorriso grub-common grub-pc-bin memtest86+ mkdocs \
                $(WHEEL_PACKAGES) python3-venv mypy python3-pandas python3-matplotlib python3-nbclient python3-ipykernel
LINT_PACKAGES = clang-tidy
SITE_PACKAGES = mkdocs
WHEEL_PACKAGES = python3-pip python3-setuptools python3-wheel
# Debian 13 has neither version 14 of clang-format, which formats the sources (rules/format is skipped there), nor GRUB Legacy.
ifneq ($(shell . /etc/os-release 2>/dev/null && echo $$ID$$VERSION_ID),debian13)
TEST_PACKAGES += clang-format-14 mkdocs-material grub-legacy
LINT_PACKAGES = clang-tidy-14
SITE_PACKAGES += mkdocs-material
endif
BENCH_PACKAGES = valgrind python3 binutils
# The guest's and the firmware's symbols for gdb are built at installation.
SYMBOL_PACKAGES = gcc-i686-linux-gnu binutils-i686-linux-gnu nasm
PACKAGING_PACKAGES = dpkg-dev file gzip $(SYMBOL_PACKAGES)
HOST_PACKAGES = clang g++-aarch64-linux-gnu qemu-user
SANITIZER_PACKAGES = clang libclang-rt-dev llvm

JOBS := $(shell nproc 2>/dev/null || echo 2)
# Looked up at each use: the packages above may have brought it.
LAUNCHER = $(shell command -v ccache >/dev/null && echo -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
# What ccache asks for before it caches a compilation with a precompiled header.
export CCACHE_SLOPPINESS = pch_defines,time_macros
# Names of files below this folder are relative for it, so that a second clone finds what the first has compiled.
export CCACHE_BASEDIR = $(CURDIR)

# $(call install,PACKAGES): says what is missing and installs it; with nothing missing it says and costs nothing.
# DPkg::Use-Pty=0: no complaint where there is no terminal (containers, CI).
define install
@if ! command -v apt-get >/dev/null; then \
  echo "planar: no apt-get here; the build needs what Debian calls:" $(1); exit 0; fi; \
missing=$$(for p in $(1); do dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
[ -n "$$missing" ] || exit 0; \
sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
if [ -n "$$sudo" ] && ! command -v sudo >/dev/null; then \
  echo "planar: missing packages and no sudo; as root run: apt-get install" $$missing >&2; exit 1; fi; \
echo "planar: installing with $$sudo apt-get:" $$missing; \
$$sudo apt-get update -qq && \
$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o DPkg::Use-Pty=0 --no-install-recommends $$missing \
  >/dev/null && echo "planar: packages installed" || \
  { echo "planar: apt-get failed (its reason stands above); then run make again" >&2; exit 1; }
endef

.PHONY: all netio test test-all test-images test-release test-long test-headers test-tidy test-sanitizer test-lockstep \
        test-hosts test-campaign test-debian12 test-debian13 bench-gate profile site wheel install package packages test-packages lint-packages clean
.NOTPARALLEL:

all: build/release/frontend/planar

packages:
	$(call install,$(PACKAGES))

test-packages:
	$(call install,$(PACKAGES) $(TEST_PACKAGES))

lint-packages:
	$(call install,$(LINT_PACKAGES))

.PHONY: build/release/frontend/planar
build/release/frontend/planar: packages
	@cmake --preset release -DPLANAR_TESTS=OFF $(LAUNCHER) >/dev/null
	@cmake --build --preset release --target planar

netio: build/release/frontend/planar
	build/release/frontend/planar netio

# The images first: they take seconds.
test: test-images test-release

# Each part can be run by itself. The sanitizer build takes longest and comes last.
test-all: test test-long bench-gate test-headers test-sanitizer

test-images: test-packages
	$(MAKE) -C roms check -j$(JOBS)

test-release: test-packages
	cmake --preset release -DPLANAR_TESTS=ON -DPLANAR_UNICORN=ON $(LAUNCHER)
	cmake --build --preset release
	ctest --preset release -j$$(($(JOBS) + 1))  # one more: those of the host's network wait for most of their time

# Instructions that make test has not run: twice as many, of another seed for each commit. SEED=N chooses it.
LONG_SEED = $(or $(SEED),$(shell printf %d 0x$$(git rev-parse --short=7 HEAD 2>/dev/null || echo 1)))
test-long: test-release
	@echo "lockstep with seed $(LONG_SEED); make test-long SEED=$(LONG_SEED) repeats it"
	PLANAR_LONG=$(LONG_SEED) ctest --preset release -R '^lockstep/test_lockstep$$'

# Every header and every source of the libraries compiles by itself, which the builds with precompiled headers do not show.
test-headers: test-packages
	cmake --preset alone -DPLANAR_UNICORN=ON
	cmake --build build/alone --target planar_commit
	python3 tests/rules/check_compile.py alone --build build/alone --jobs $(JOBS)

# The checks of .clang-tidy over the largest source file of each folder, and over the headers that those include.
test-tidy: test-packages lint-packages
	cmake --preset alone -DPLANAR_UNICORN=ON
	cmake --build build/alone --target planar_commit
	python3 tests/rules/check_compile.py tidy --build build/alone --jobs $(JOBS)

# Another seed than the test's, and four times as many instructions.
test-lockstep: test-packages
	cmake --preset release -DPLANAR_TESTS=ON -DPLANAR_UNICORN=ON $(LAUNCHER)
	cmake --build --preset release --target planar-lockstep
	build/release/tests/lockstep/planar-lockstep --seed 2 --instructions 100M

# With Clang, which compiles this build in half the time. PLANAR_SHORT: whole netio runs with short sizes only. The program
# computes ten times slower here: of its tests (frontend), which the release build does all, each commit does a fifth.
# make test-sanitizer FIFTH= does them all.
FIFTH = $$((0x$$(git rev-parse --short=7 HEAD 2>/dev/null || echo 1) % 5 + 1))
test-sanitizer: test-packages
	$(call install,$(SANITIZER_PACKAGES))
	cmake --preset asan -DPLANAR_UNICORN=ON -DPLANAR_FRONTEND_FIFTH=$(FIFTH) $(LAUNCHER)
	cmake --build --preset asan
	PLANAR_SHORT=1 ctest --preset asan -j$$(($(JOBS) + 1))

# The same runs, and snapshots passed on, with three builds: GCC, Clang, and AArch64 under qemu-user (tests/hosts); and the
# tests of processor, bus and devices on AArch64. Lockstep is left out there: Unicorn's wheel is for x86-64.
test-hosts: build/release/frontend/planar
	$(call install,$(HOST_PACKAGES))
	cmake -S . -B build/clang -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++ -DPLANAR_TESTS=OFF $(LAUNCHER)
	cmake --build build/clang --target planar
	tests/hosts/sysroot.sh build/sysroot
	cmake -S . -B build/aarch64 -G Ninja -DCMAKE_BUILD_TYPE=Release -DPLANAR_TESTS=ON -DPLANAR_UNICORN=OFF \
	  -DCMAKE_TOOLCHAIN_FILE=tests/hosts/aarch64.cmake $(LAUNCHER)
	cmake --build build/aarch64 --target planar $(AARCH64_TESTS)
	for tests in $(AARCH64_TESTS); do \
	  PLANAR_SHORT=1 qemu-aarch64 -L build/sysroot build/aarch64/tests/$$tests || exit 1; done
	tests/hosts/compare.sh build/release/frontend/planar build/clang/frontend/planar \
	  "qemu-aarch64 -L build/sysroot build/aarch64/frontend/planar"

# What a newcomer does, in an empty root of a release: make netio and make test of a clone of HEAD. Needs root and 5 GB.
test-debian12: ; tests/hosts/debian.sh bookworm
test-debian13: ; tests/hosts/debian.sh trixie

# Random benchmarks, each with blocks, flushes, horizons, traces and snapshots that must not change its state hash.
MINUTES = 60
test-campaign: build/release/frontend/planar
	tests/campaign/one_hash.py --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

# Under cachegrind: what else the host does makes no difference. 4: the stored counts are another compiler's.
bench-gate: packages
	$(call install,$(BENCH_PACKAGES))
	@cmake --preset release $(LAUNCHER) >/dev/null
	@cmake --build --preset release --target planar
	tests/bench/gate.py || [ $$? -eq 4 ]

AARCH64_TESTS = tests_core tests_bus tests_devices

# The pages as a site. Its search needs a server: python3 -m http.server --directory build/site
site:
	$(call install,$(SITE_PACKAGES))
	/usr/bin/python3 docs/site/build.py --out build/site

wheel:
	$(call install,$(WHEEL_PACKAGES))
	/usr/bin/python3 frontend/python/wheel_of_planar.py build/wheel

# Profile-guided: build/profile/frontend/planar
profile: packages
	cmake --preset profile-generate && cmake --build build/profile --target planar
	for machine in model95 model77 model56sx; do \
	  build/profile/frontend/planar netio --machine $$machine --seconds 1 >/dev/null || exit 1; done
	build/profile/frontend/planar netperf --machine pc-p166 --seconds 1 >/dev/null
	build/profile/frontend/planar netperf --machine pc-p3-600 --seconds 1 >/dev/null
	build/profile/frontend/planar bench cpu --workload mix --repeat 1 --passes 8000 --quiet >/dev/null
	cmake --preset profile-use && cmake --build build/profile --target planar

# DESTDIR stands before every installed path, for who makes packages.
PREFIX = /usr/local
install: build/release/frontend/planar
	$(call install,$(SYMBOL_PACKAGES))
	@cmake --build --preset release --target planar_installed_files
	DESTDIR=$(DESTDIR) cmake --install build/release --component planar --prefix $(PREFIX)

package: build/release/frontend/planar
	$(call install,$(PACKAGING_PACKAGES))
	@cmake --build --preset release --target planar_installed_files
	cd build/release && cpack

clean:
	rm -rf build roms/build
