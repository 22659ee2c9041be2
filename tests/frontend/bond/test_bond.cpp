// SPDX-License-Identifier: GPL-2.0-or-later
// Several adapters bonded: which adapter sends what, the effects of reordering and of a dead cable on TCP, and
// repeatability.
#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using namespace program;
using Catch::Matchers::Contains;

namespace {

struct Frame {
  std::uint32_t interface;
  std::string bytes;
  unsigned word(std::size_t at) const {
    return static_cast<unsigned char>(bytes[at]) << 8 | static_cast<unsigned char>(bytes[at + 1]);
  }
};

struct Capture {
  unsigned interfaces = 0;
  std::vector<Frame> frames;
};

/// Reads interface descriptions and enhanced packets as written by planar: little-endian.
Capture read_capture(const std::string& file) {
  Capture capture;
  const auto bytes = read_file(file);
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, 4);
    return value;
  };
  for (std::size_t at = 0; at + 12 <= bytes.size();) {
    const std::uint32_t length = number(at + 4);
    REQUIRE(length >= 12);
    REQUIRE(at + length <= bytes.size());
    capture.interfaces += number(at) == 1;
    if (number(at) == 6) capture.frames.push_back({number(at + 8), bytes.substr(at + 28, number(at + 20))});
    at += length;
  }
  return capture;
}

/// A machine file with the guest's `settings`, its adapters on `media`, and the station on `ports`.
std::string lab(const std::string& settings, const std::string& media, const std::string& ports) {
  std::string text = "machine = \"model77\"\n[net]\nbond = [" + ports + "]\n[guest]\n" + settings;
  unsigned slot = 1;
  for (const char medium : media) {
    text += "[slot." + std::to_string(slot++) + "]\ncard = \"ne2\"\nmedium = \"" + medium + "\"\n";
    text += std::string("[medium.") + medium + "]\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a bond sends frames over its adapters in turn, and the capture has an interface for each segment") {
  Scratch scratch;
  const auto file = scratch.file("bond.pcapng");
  const auto run = run_planar("netio --machine model77 --card ne2 --bond 2" + brief() + " --capture " + file);
  INFO(run.err);
  REQUIRE(run.status == 0);
  const auto capture = read_capture(file);
  CHECK(capture.interfaces == 2);
  const auto station = std::string("\x02PLAN\x01", 6);
  std::map<unsigned, std::uint32_t> segment_of;  // by the number of the guest's IP packet
  std::uint64_t of_guest[2] = {0, 0};
  for (const Frame& frame : capture.frames) {
    if (frame.bytes.substr(6, 6) == station) continue;
    REQUIRE(frame.interface < 2);
    ++of_guest[frame.interface];
    if (frame.word(12) == 0x0800) segment_of[frame.word(18)] = frame.interface;
  }
  REQUIRE(segment_of.size() > 30);
  unsigned in_turn = 0, out_of_turn = 0;
  for (auto one = segment_of.begin(), next = std::next(one); next != segment_of.end(); ++one, ++next)
    ++(one->second != next->second ? in_turn : out_of_turn);
  CHECK(in_turn > 30);
  CHECK(out_of_turn == 0);
  const auto cards = run.json().at("bond").at("cards");
  REQUIRE(cards.size() == 2);
  for (unsigned n = 0; n < 2; ++n) {
    CHECK(cards[n].at("frames").at("sent").get<std::uint64_t>() == of_guest[n]);
    CHECK(cards[n].at("peer_frames").at("received").get<std::uint64_t>() == of_guest[n]);
  }
}

TEST_CASE("data pass a bond intact both ways although segments arrive out of order") {
  Scratch scratch;
  const auto file =
      scratch.write("bond.toml", lab("adapters = \"3\"\nbond = \"1\"\ndo = \"sockets\"\nbytes = \"60000\"\n"
                                     "connections = \"3\"\nport = \"7\"\n",
                                     "abc", "\"a\", \"b\", \"c\""));
  const auto run = run_planar("run " + file + " --serial stdio --until serial:@done --timeout '120 s' --quiet");
  INFO(run.out << run.err);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.out, Contains("wrong=0"));
  CHECK_THAT(run.out, Contains("@done 0"));
  CHECK_THAT(run.out, Contains("@reordered segments="));
  CHECK_THAT(run.out, !Contains("@reordered segments=0"));
}

TEST_CASE("two different cards share the frames evenly, and reordered packets are counted") {
  const auto run = run_planar("netio --machine model95 --card 1=ne2 --card 2=3c529 --bond" + brief());
  INFO(run.err);
  REQUIRE(run.status == 0);
  const auto bond = run.json().at("bond");
  REQUIRE(bond.at("cards").size() == 2);
  CHECK(bond.at("cards")[0].at("card") == "ne2");
  CHECK(bond.at("cards")[1].at("card") == "3c529");
  const auto sent = [&](unsigned n) { return bond.at("cards")[n].at("frames").at("sent").get<std::int64_t>(); };
  CHECK(sent(0) > 30);
  CHECK(std::abs(sent(0) - sent(1)) <= 1);
  const auto peer = bond.at("segments_out_of_order").at("at_peer").get<std::uint64_t>();
  CHECK(bond.at("packets_overtaken_at_peer").get<std::uint64_t>() >= peer);
}

TEST_CASE("a bond of three on a fast processor has more than twice the throughput of one card") {
  if (short_runs()) SKIP("takes whole runs");
  const std::string options =
      " --machine model95 --card smc8013 --test udp_stream --sizes 8192 --seconds 1 --quiet --json -";
  const auto one = run_planar("netperf" + options), three = run_planar("netperf" + options + " --bond 3");
  INFO(three.err);
  REQUIRE(one.status == 0);
  REQUIRE(three.status == 0);
  const auto rate = [](const Said& run) { return run.json().at("rows").at(0).at("mbit_per_s").get<double>(); };
  CHECK(rate(three) > 2 * rate(one));
  CHECK(rate(three) < 3.01 * rate(one));
}

TEST_CASE("cards that negotiate full duplex do so in a bond, too") {
  const auto run = run_planar("netperf --machine pc-p166 --card 3c905b --bond 2 --seconds 1 --quiet --json -");
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(run.json().at("frames").at("collisions") == 0);
  const auto half =
      run_planar("netperf --machine pc-p166 --card 3c905b --bond 2 --seconds 1 --duplex half --quiet --json -");
  REQUIRE(half.status == 0);
  CHECK(half.json().at("frames").at("collisions") > 0);
}

TEST_CASE("a bond with an unconnected cable keeps sending, and the run ends") {
  Scratch scratch;
  const auto file = scratch.write(
      "pulled.toml", lab("adapters = \"3\"\nbond = \"1\"\ndo = \"netio\"\nseconds = \"2\"\nsizes = \"4096\"\n", "abx",
                         "\"a\", \"b\""));
  const auto run = run_planar("run " + file + " --serial stdio --until serial:@done --timeout '600 s' --quiet");
  INFO(run.out << run.err);
  REQUIRE(run.status == 1);  // so slow that close() times out, and the guest says so
  CHECK_THAT(run.err, Contains("the guest failed: close: error 110"));
  CHECK_THAT(run.out, Contains("@done"));
  // Every third frame is lost; what arrives has been retransmitted.
  CHECK_THAT(run.out, Contains("retransmitted="));
  CHECK_THAT(run.out, !Contains("retransmitted=0 "));
}

TEST_CASE("a bond's run is reproducible, also from a snapshot") {
  Scratch scratch;
  const auto snapshot = scratch.file("bond.snap");
  const std::string options = "netio --machine model77 --card 3c523 --bond 2" + brief();
  const auto first = run_planar(options);
  REQUIRE(first.status == 0);
  const double end = first.json().at("virtual_seconds").get<double>();  // the rows take at least its last half second
  const auto second = run_planar(options + fmt::format(" --snapshot-at '{:.3f} s' ", end - 0.2) + snapshot);
  INFO(second.err);
  REQUIRE(second.status == 0);
  CHECK(first.json().at("state_hash") == second.json().at("state_hash"));
  CHECK(first.json().at("bond") == second.json().at("bond"));
  const auto restored = run_planar("netio --restore " + snapshot + " --quiet --json -");
  INFO(restored.err);
  REQUIRE(restored.status == 0);
  CHECK(restored.json().at("state_hash") == first.json().at("state_hash"));
  CHECK(restored.json().at("bond") == first.json().at("bond"));
}

TEST_CASE(
    "two bonded machines: each card's frames arrive at its opposite, and reordered ones cause duplicate "
    "acknowledgements") {
  const auto run = run_planar(
      "netperf --machine pc-p3-600 --card 3c905b --bond 3 --against pc-p3-600 --seconds 0.3 --quiet --json -");
  INFO(run.err);
  REQUIRE(run.status == 0);
  const auto said = run.json();
  CHECK(said.at("against").at("machine") == "pc-p3-600");
  CHECK(said.at("against").at("card") == "3c905b");
  const auto bond = said.at("bond");
  CHECK(!bond.contains("packets_overtaken_at_peer"));
  REQUIRE(bond.at("cards").size() == 3);
  std::uint64_t sent = 0;
  for (const auto& card : bond.at("cards")) {
    CHECK(card.at("frames").at("sent") == card.at("peer_frames").at("received"));
    CHECK(card.at("frames").at("received") == card.at("peer_frames").at("sent"));
    sent += card.at("frames").at("sent").get<std::uint64_t>();
  }
  CHECK(sent > 1000);
  // Each out-of-order segment is acknowledged at once, with the same acknowledgement number as before; the window often
  // differs, as the data wait in the receive buffer.
  const auto out_of_order = bond.at("segments_out_of_order").at("at_peer").get<std::uint64_t>();
  const auto duplicates = bond.at("duplicate_acknowledgements").at("of_peer").get<std::uint64_t>();
  CHECK(out_of_order > 50);
  CHECK(duplicates > 0);
  CHECK(duplicates <= out_of_order + out_of_order / 10);
  // Overtaken, not lost.
  CHECK(bond.at("retransmitted").at("by_guest") == 0);
  CHECK(bond.at("retransmitted").at("by_peer") == 0);
}

TEST_CASE("a run from a snapshot has the duplicate acknowledgements of the whole run") {
  Scratch scratch;
  const auto snapshot = scratch.file("two.snap");
  const std::string options =
      "netperf --machine pc-p3-600 --card 3c905b --bond 3 --against pc-p3-600 --seconds 0.2 --quiet --json -";
  const auto whole = run_planar(options);
  REQUIRE(whole.status == 0);
  const double end = whole.json().at("virtual_seconds").get<double>();
  REQUIRE(run_planar(options + fmt::format(" --snapshot-at '{:.3f} s' ", end - 0.1) + snapshot).status == 0);
  const auto restored = run_planar("netperf --restore " + snapshot + " --quiet --json -");
  INFO(restored.err);
  REQUIRE(restored.status == 0);
  CHECK(restored.json().at("state_hash") == whole.json().at("state_hash"));
  CHECK(restored.json().at("bond") == whole.json().at("bond"));
  CHECK(whole.json().at("bond").at("duplicate_acknowledgements").at("of_peer") > 0);
}

TEST_CASE("a comparison of bonds has a result for each card that can be bonded") {
  const auto run = run_planar(
      "compare --machines model77 --cards ne2,tr4-a --bond 2 --seconds 0.05 --sizes 1024 --jobs 1 --quiet --json -");
  INFO(run.err);
  const auto cells = run.json();
  REQUIRE(cells.size() >= 1);
  CHECK(cells[0].at("card") == "ne2");
  CHECK(cells[0].at("bond").at("cards").size() == 2);
}

TEST_CASE("a comparison of bonds names them, with the capacity of all their wires") {
  const Scratch scratch;
  const std::string options = "compare --machines model95 --cards ne2 --bond 2 --seconds 0.3 --sizes 4096 --quiet";
  const auto report = scratch.file("report");
  const auto run = run_planar(options + " --report " + report);
  INFO(run.err << run.out);
  REQUIRE(run.status == 0);
  const auto page = read_file(report + "/compare.md");
  CHECK_THAT(
      page, Contains("Novell NE/2, 2 bonded: limited by the processor") && Contains("the wires would allow 2299 KB/s"));
  CHECK_THAT(read_file(report + "/compare.html"), Contains("2 x 10 Mbit/s Ethernet carry at most"));
  // A run made by another process is found by its plan.
  const auto sweep = scratch.file("sweep");
  REQUIRE(run_planar(options + " --plan --report " + sweep).status == 0);
  REQUIRE(run_planar(options + " --results " + sweep + "/runs").status == 0);
  const auto merged = run_planar("compare --merge " + sweep);
  INFO(merged.err);
  CHECK(merged.status == 0);
}

TEST_CASE("an impossible bond is refused with the reason") {
  const auto said = [](const std::string& options) {
    const auto run = run_planar("netio " + options + " --quiet --json -");
    CHECK(run.status == 2);
    return run.err;
  };
  CHECK_THAT(said("--card ne2 --bond"), Contains("one network adapter"));
  CHECK_THAT(said("--card 1=ne2 --bond 2"), Contains("--card ne2 --bond 2"));
  CHECK_THAT(said("--card 1=ne2 --card 2=ne2 --bond 3"), Contains("has 2 network adapters"));
  CHECK_THAT(said("--card tr4-a --bond 2"), Contains("not an Ethernet adapter"));
  CHECK_THAT(said("--card ne2 --bond 2 --net slirp"), Contains("only the reference station"));
  CHECK_THAT(said("--card ne2 --bond 2 --against pc-p166:3c905b"), Contains("3c905b") && Contains("segment-1"));
  CHECK_THAT(said("--card ne2 --bond 2 --against model56sx:tr4-a"), Contains("not an Ethernet adapter"));
  CHECK_THAT(said("--card ne2 --bond 2 --use 1"), Contains("--use"));
  CHECK_THAT(said("--card ne2 --bond 2 --os nt4"), Contains("Linux 2.2"));
}

TEST_CASE("--bond: every card of a PC receives the station's frames, in any order of cards", "[bond]") {
  const std::string receiving = "netperf --receive --seconds 0.05 --quiet --json - --machine ";
  for (const std::string cards :
       {"pc-p3-600 --card pro1000-82543 --bond 2", "pc-p3-600 --card pro1000-82542 --bond 2",
        "pc-p3-600 --card 3c905b --card pro1000-82543 --bond", "pc-p166 --card eepro100 --card lne100tx --bond"}) {
    const auto run = run_planar(receiving + cards);
    INFO(cards << run.err);
    REQUIRE(run.status == 0);
    const auto result = run.json();
    for (const auto& card : result["bond"]["cards"]) {
      CHECK(card["frames"]["received"] > 10);
      const unsigned received = card["frames"]["received"], sent = card["peer_frames"]["sent"];
      CHECK(received + 5 > sent);  // a few are on their way when the test ends
      CHECK(received <= sent);
    }
  }
}

TEST_CASE("--bond: netio waits until a slowly negotiating card has its link", "[bond]") {
  const auto run = run_planar(
      "netio --machine pc-p166 --card 1=lne100tx --card 2=3c905b --bond --seconds 0.2 "
      "--sizes 4096 --quiet --json -");
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(run.json()["rows"][0]["kb_per_s"] > 5000);
}

TEST_CASE("--bond: RTL8139s get one address in their EEPROMs, because their driver sets none", "[bond]") {
  const std::string options = "netperf --machine pc-p166 --seconds 0.05 --quiet --json - --bond ";
  const auto run = run_planar(options + "2 --card rtl8139");
  INFO(run.err);
  REQUIRE(run.status == 0);
  const auto said = run.json();
  for (const auto& card : said["bond"]["cards"]) CHECK(card["frames"]["received"] > 10);
  // The same as when given by the user.
  const auto given = run_planar(options + "2 --card rtl8139:mac=02:00:00:00:00:01");
  CHECK(given.json()["state_hash"] == said["state_hash"]);
  // After another card it gets that card's address.
  const auto mixed = run_planar(options + "--card 3c905b:mac=00:60:08:00:00:01 --card rtl8139");
  INFO(mixed.err);
  REQUIRE(mixed.status == 0);
  const auto with_mixed = mixed.json();
  for (const auto& card : with_mixed["bond"]["cards"]) CHECK(card["frames"]["received"] > 10);
  CHECK(run_planar(options + "--card 3c905b:mac=00:60:08:00:00:AB --card rtl8139:mac=00:60:08:00:00:ab").status == 0);
  const auto refused = run_planar(options + "--card 3c905b --card rtl8139:mac=00:E0:4C:00:00:01");
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("would receive nothing") && Contains("slot.2.mac"));
}
