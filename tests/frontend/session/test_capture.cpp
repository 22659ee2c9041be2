// SPDX-License-Identifier: GPL-2.0-or-later
// Every frame is in the capture, and a network analyser agrees with its contents.

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using program::brief;
using program::read_file;
using program::run_planar;
using program::Scratch;

TEST_CASE("the capture contains every frame of the run, at 10 and 100 Mbit/s") {
  const std::string card = GENERATE("ne2", "oc2335");
  INFO(card);
  Scratch scratch;
  const auto file = scratch.file("net.pcapng");
  const auto run = run_planar("netio --machine model95 --card " + card + brief() + " --capture " + file);
  REQUIRE(run.status == 0);
  const auto bytes = read_file(file);
  std::uint64_t packets = 0;
  for (std::size_t at = 0; at + 12 <= bytes.size();) {
    std::uint32_t type = 0, length = 0;
    std::memcpy(&type, bytes.data() + at, 4);
    std::memcpy(&length, bytes.data() + at + 4, 4);
    REQUIRE(length >= 12);
    REQUIRE(at + length <= bytes.size());
    packets += type == 6;
    at += length;
  }
  const auto frames = run.json().at("frames");
  CHECK(packets == frames.at("sent").get<std::uint64_t>() + frames.at("received").get<std::uint64_t>());
}

TEST_CASE("tshark finds delayed ACKs but no malformed packet, lost segment or retransmission in a capture") {
  Scratch scratch;
  const auto file = scratch.file("net.pcapng");
  REQUIRE(run_planar("netio --machine model95" + brief() + " --capture " + file).status == 0);
  const auto frames = [&](const std::string& filter) {
    const auto out = scratch.file("frames");
    const auto command = "tshark -r " + file + " -Y '" + filter + "' >" + out + " 2>" + scratch.file("err");
    INFO("tshark must be installed: " << command);
    REQUIRE(std::system(command.c_str()) == 0);
    const auto text = read_file(out);
    return std::count(text.begin(), text.end(), '\n');
  };
  // A FIN may be repeated: its first copy may stay in the ring unseen (docs/hardware/dp8390.md#what-linux-does).
  CHECK(frames("_ws.malformed || tcp.analysis.lost_segment || (tcp.analysis.retransmission && tcp.flags.fin == 0)") ==
        0);
  const auto segments = frames("tcp.len > 0"), acknowledgements = frames("tcp.len == 0 && tcp.flags == 0x10");
  CHECK(segments > 20);
  CHECK(acknowledgements > 5);
  CHECK(acknowledgements < segments);
}
