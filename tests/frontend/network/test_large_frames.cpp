// SPDX-License-Identifier: GPL-2.0-or-later
// Datagrams that do not fit into an Ethernet frame, between two stations of a ring.
#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/frontend/guest_diskette.hpp"

using program::run_planar;
using program::Scratch;

TEST_CASE("two machines on one ring exchange TCP segments of 4464 bytes", "[guest]") {
  const Scratch scratch;
  const auto capture = scratch.file("ring.pcapng");
  const auto run = run_planar(
      "netio --machine model95 --card lanstreamer --against model95:lanstreamer --mtu 4464 "
      "--seconds 0.3 --sizes 8192 --generation 3 --quiet --json - --capture " +
      capture);
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(run.json()["rows"][0]["kb_per_s"].get<double>() > 500);
  // Version and header length, type of service, and the length of the longest datagram that the MTU allows.
  const std::string bytes = program::read_file(capture);
  CHECK(bytes.find(std::string("\x08\x00\x45\x00\x11\x70", 6)) != std::string::npos);
}
