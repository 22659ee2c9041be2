# SPDX-License-Identifier: GPL-2.0-or-later
# make netio   boots a Model 95 with an NE/2 and runs netio inside it
# make test    release and sanitizer builds, all tests, and the ROM images rebuilt byte for byte
# Both install the packages they need first (Debian 12), with sudo when not root.

PACKAGES = cmake g++ ninja-build pkg-config ccache libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libfmt-dev \
           libspdlog-dev nettle-dev libzstd-dev
TEST_PACKAGES = catch2 gcc-i686-linux-gnu binutils-i686-linux-gnu nasm make python3 tshark

SUDO = $(shell test "$$(id -u)" = 0 || echo sudo)
LAUNCHER = $(shell command -v ccache >/dev/null && echo -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)

# $(call install,PACKAGES): installs what is missing and says so; nothing to do costs nothing.
define install
@missing=$$(for p in $(1); do dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
if [ -n "$$missing" ]; then echo "planar: installing" $$missing; \
  $(SUDO) apt-get update -qq && \
  $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; fi
endef

.PHONY: all netio test test-release test-sanitizer test-images profile packages test-packages clean

all: build/release/frontend/planar

packages:
	$(call install,$(PACKAGES))

test-packages:
	$(call install,$(PACKAGES) $(TEST_PACKAGES))

.PHONY: build/release/frontend/planar
build/release/frontend/planar: packages
	@cmake --preset release -DPLANAR_TESTS=OFF $(LAUNCHER) >/dev/null
	@cmake --build --preset release --target planar

netio: build/release/frontend/planar
	build/release/frontend/planar netio

test: test-release test-sanitizer test-images

test-release: test-packages
	cmake --preset release -DPLANAR_TESTS=ON $(LAUNCHER)
	cmake --build --preset release
	ctest --preset release

test-sanitizer: test-packages
	cmake --preset asan $(LAUNCHER)
	cmake --build --preset asan
	PLANAR_SHORT=1 ctest --preset asan

test-images: test-packages
	$(MAKE) -C roms check

# Profile-guided and link-time optimised: build/profile/frontend/planar
profile: packages
	cmake --preset profile-generate && cmake --build build/profile --target planar
	build/profile/frontend/planar netio --seconds 1 >/dev/null
	build/profile/frontend/planar netio --machine model56sx --seconds 1 >/dev/null
	cmake --preset profile-use && cmake --build build/profile --target planar

clean:
	rm -rf build roms/build
