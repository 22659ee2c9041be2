// SPDX-License-Identifier: GPL-2.0-or-later
// Labs with rings: eight stations, some of which are inserted and removed, two machines on one ring, machines on
// separate rings connected by a switch. Nothing that TCP has acknowledged is lost, and nothing depends on how a run was
// cut.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using namespace program;
using Catch::Matchers::Contains;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != std::string::npos);
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::uint64_t number(const std::string& line, const std::string& key) {
  const auto at = line.find(" " + key + "=");
  REQUIRE(at != std::string::npos);
  return std::stoull(line.substr(at + key.size() + 2));
}

/// The documented lab, run once, for less than a minute.
struct RingOfEight {
  RingOfEight() {
    auto lab = read_file(PLANAR_SOURCE_DIR "/docs/labs/ring-of-eight.toml");
    lab = replaced(lab, "repeat 100 times", short_runs() ? "repeat 1 times" : "repeat 3 times");
    lab = replaced(lab, "seconds = \"97\"", short_runs() ? "seconds = \"0.4\"" : "seconds = \"1.5\"");
    lab = replaced(lab, "bytes = \"20000000\"", short_runs() ? "bytes = \"100000\"" : "bytes = \"400000\"");
    said = run_planar("run " + scratch.write("lab.toml", lab) + " --quiet --json " + scratch.file("result.json") +
                      " --capture " + capture);
  }
  static const RingOfEight& once() {
    static const RingOfEight run;
    return run;
  }
  nlohmann::ordered_json result() const {
    return nlohmann::ordered_json::parse(read_file(scratch.file("result.json")));
  }
  /// Lines written by a machine to COM1.
  std::vector<std::string> lines(const std::string& machine) const {
    std::istringstream in(said.out);
    std::vector<std::string> list;
    for (std::string line; std::getline(in, line);)
      if (line.starts_with(machine + ": ")) list.push_back(line.substr(machine.size() + 2));
    return list;
  }
  /// Bytes counted by netio.
  std::uint64_t counted(const std::string& machine) const {
    std::uint64_t bytes = 0;
    for (const std::string& line : lines(machine))
      if (line.starts_with("@row ")) bytes += number(line, "bytes") * number(line, "blocks");
    return bytes;
  }

  Scratch scratch;
  std::string capture = scratch.file("ring.pcapng");
  Said said{};
};

bool has_tshark() { return std::system("tshark --version >/dev/null 2>&1") == 0; }

std::string quick() {
  return " --quiet --sizes 8192 --json - --seconds " + std::string(short_runs() ? "0.05" : "0.15");
}

}  // namespace

TEST_CASE("eight stations on a ring, one leaving and one joining every second: TCP loses nothing", "[ring]") {
  const RingOfEight& run = RingOfEight::once();
  INFO(run.said.err << run.said.out);
  REQUIRE(run.said.status == 0);
  for (const char* machine : {"streamer", "madge", "shared"}) {
    INFO(machine);
    const auto lines = run.lines(machine);
    CHECK(std::count(lines.begin(), lines.end(), "@done 0") == 1);
  }
  CHECK_THAT(run.said.out, Contains("shared: @sockets end bytes=") && Contains(" wrong=0"));

  const auto result = run.result();
  CHECK(result.at("ended") == "all steps done");
  std::map<std::string, nlohmann::ordered_json> stations;
  for (const auto& station : result.at("stations")) stations[station.at("name")] = station.at("fields");
  REQUIRE(stations.size() == 5);
  CHECK(run.counted("streamer") > 500'000);
  CHECK(stations["alpha"].at("bytes received") == run.counted("streamer"));
  CHECK(run.counted("madge") > 500'000);
  CHECK(stations["beta"].at("bytes received") == run.counted("madge"));
  CHECK(stations["gamma"].at("bytes received") == stations["gamma"].at("bytes sent"));
  for (const auto& [name, station] : stations) {
    INFO(name);
    CHECK(station.at("malformed") == 0);
  }
  const auto& ring = result.at("media").at(0);
  CHECK(ring.at("fields").at("medium") == "Token Ring, 16 Mbit/s, half duplex");
  CHECK(ring.at("parts").size() == 8);
  CHECK(ring.at("fields").at("purges").get<unsigned>() > (short_runs() ? 5u : 15u));
}

TEST_CASE("tshark reads every frame of a ring with stations joining and leaving", "[ring]") {
  if (!has_tshark()) SKIP("tshark is not installed");
  const RingOfEight& run = RingOfEight::once();
  REQUIRE(run.said.status == 0);
  const Scratch scratch;
  const auto out = scratch.file("out");
  const auto command = "tshark -r " + run.capture +
                       " -T fields -E separator='|' -e tr -e _ws.malformed -e _ws.unreassembled -e _ws.expert.severity"
                       " -e trmac.mvec >" +
                       out + " 2>/dev/null";
  REQUIRE(std::system(command.c_str()) == 0);
  std::istringstream in(read_file(out));
  unsigned frames = 0, faulty = 0;
  std::set<std::string> vectors;
  for (std::string line; std::getline(in, line); ++frames) {
    std::vector<std::string> fields(1);
    for (const char c : line)
      if (c == '|')
        fields.emplace_back();
      else
        fields.back() += c;
    REQUIRE(fields.size() == 5);
    constexpr const char* error_severity = "8388608";
    const bool good = !fields[0].empty() && fields[1].empty() && fields[2].empty() &&
                      fields[3].find(error_severity) == std::string::npos;
    faulty += !good;
    vectors.insert(fields[4]);
  }
  CHECK(frames > 1000);
  CHECK(faulty == 0);
  for (const char* vector : {"0x03", "0x04", "0x05", "0x06", "0x07", "0x20", "0x25", "0x26"}) {
    INFO("major vector " << vector);
    CHECK(vectors.contains(vector));
  }
}

TEST_CASE("two machines on rings with two source-routing bridges between them: no frame goes round", "[ring]") {
  const Scratch scratch;
  const auto lab = scratch.write("lab.toml", R"(
[net]
attach = "none"
[medium.left]
kind = "token-ring"
ring_number = 10
[medium.right]
kind = "token-ring"
ring_number = 11
[bridge.one]
kind = "source-route"
media = ["left", "right"]
number = 1
[bridge.two]
kind = "source-route"
media = ["left", "right"]
number = 2

[[machine]]
name = "client"
model = "model95"
serial = "stdio"
guest.do = "sockets"
guest.peer = "192.168.10.3"
guest.port = "2000"
guest.connections = "1"
guest.bytes = "20000"
[machine.slot.1]
card = "lanstreamer"
medium = "left"

[[machine]]
name = "server"
model = "model95"
serial = "stdio"
guest.do = "serve"
guest.ip = "192.168.10.3"
guest.port = "2000"
[machine.slot.1]
card = "lanstreamer"
medium = "right"
)");
  const auto run = run_planar("run " + lab + " --quiet --until '16 s' --json " + scratch.file("json"));
  INFO(run.err << run.out);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.out, Contains("client: @sockets end bytes=20000 wrong=0") && Contains("server: @done 0"));
  const auto result = nlohmann::ordered_json::parse(read_file(scratch.file("json")));
  std::uint64_t routed = 0;
  for (const auto& bridge : result.at("stations")) {
    CHECK(bridge.at("fields").at("explored") <= 10);
    routed += bridge.at("fields").at("routed").get<std::uint64_t>();
  }
  CHECK(routed > 20);
  for (const auto& ring : result.at("media")) CHECK(ring.at("fields").at("frames") < 100);
}

TEST_CASE("a ring of another speed: the message names the item that the card has", "[ring]") {
  const auto said = [](const std::string& options) {
    const auto run = run_planar("netio --quiet --seconds 0.05 --sizes 1024 --card " + options);
    CHECK(run.status == 1);
    return run.err;
  };
  for (const std::string card : {"lanstreamer", "madge-mc"})
    CHECK_THAT(said(card + " --rate '4 Mbit/s'"), Contains("by --rate or the card's data-rate\n"));
  CHECK_THAT(said("tr16-4a-1989 --rate '4 Mbit/s'"), Contains("by --rate or the card's adapter-data-rate\n"));
  CHECK_THAT(said("tr4-a --rate '16 Mbit/s'"), Contains("give both the same, by --rate\n"));
}

TEST_CASE("two machines on one ring: cut horizons, short blocks and a snapshot do not change the result", "[ring]") {
  const Scratch scratch;
  const auto base = "netio --machine model95 --card lanstreamer --against model77:tr16-4a-1990" + quick();
  const auto whole = run_planar(base);
  INFO(whole.err);
  REQUIRE(whole.status == 0);
  const auto expected = without_host_time(whole.json());
  CHECK(expected.at("against").at("frames").at("received") == expected.at("frames").at("sent"));
  CHECK(expected.at("rows").at(0).at("kb_per_s").get<double>() > 300);
  const auto hash = [](const std::string& arguments) {
    const auto run = run_planar(arguments);
    INFO(arguments << run.err);
    REQUIRE(run.status == 0);
    return run.json().at("state_hash");
  };
  CHECK(hash(base + " --check-cut-horizons 3 --check-flush-blocks 4") == expected.at("state_hash"));
  const auto file = scratch.file("lab.snap");
  const auto at = std::to_string(expected.at("virtual_seconds").get<double>() - 0.1234567);
  CHECK(hash(base + " --snapshot-at '" + at + " s' " + file) == expected.at("state_hash"));
  CHECK(hash("netio --restore " + file + quick()) == expected.at("state_hash"));
}

TEST_CASE("machines on separate rings and on Ethernet behind a switch: a run is reproducible and can be restored",
          "[ring]") {
  const Scratch scratch;
  const auto lab = scratch.write("lab.toml", R"(
[net]
attach = "peer"
medium = "uplink"
[medium.left]
kind = "token-ring"
duplex = "full"
[medium.right]
kind = "token-ring"
rate = "4 Mbit/s"
[medium.floor]
[medium.uplink]
rate = "100 Mbit/s"
duplex = "full"
[switch.core]
media = ["left", "right", "floor", "uplink"]

[scenario]
steps = ["wait 8 s", "pull cable server", "wait 300 ms", "plug cable server"]

[[machine]]
name = "client"
model = "model9595"
serial = "stdio"
guest.do = "sockets"
guest.peer = "192.168.10.3"
guest.port = "2000"
guest.connections = "1"
guest.bytes = "150000"
[machine.slot.1]
card = "autolanstreamer"
medium = "left"

[[machine]]
name = "server"
model = "model95"
serial = "stdio"
guest.do = "serve"
guest.ip = "192.168.10.3"
guest.port = "2000"
[machine.slot.1]
card = "tr4-a"
medium = "right"

[[machine]]
name = "third"
model = "model77"
serial = "stdio"
guest.do = "netio"
guest.ip = "192.168.10.4"
guest.seconds = "1"
guest.sizes = "4096"
[machine.slot.1]
card = "ne2"
medium = "floor"
)");
  const auto run = [&](const std::string& arguments) {
    const auto said = run_planar("run " + arguments + " --quiet --until '16 s' --json " + scratch.file("json"));
    INFO(said.err << said.out);
    REQUIRE(said.status == 0);
    return std::pair(said.out, nlohmann::ordered_json::parse(read_file(scratch.file("json"))).at("state_hash"));
  };
  const auto [said, hash] = run(lab);
  INFO(said);
  CHECK_THAT(said, Contains("client: @sockets end bytes=150000 wrong=0") && Contains("client: @done 0"));
  CHECK_THAT(said, Contains("server: @served sent=150000 received=150000") && Contains("server: @done 0"));
  CHECK_THAT(said, Contains("third: @row bytes=4096") && Contains("third: @done 0"));
  const auto snap = scratch.file("lab.snap");
  CHECK(run(lab + " --snapshot-at '8.1 s' " + snap).second == hash);
  CHECK(run("--restore " + snap).second == hash);
  const auto resolved = run_planar("config " + lab);
  REQUIRE(resolved.status == 0);
  CHECK(run(scratch.write("resolved.toml", resolved.out)).second == hash);
}
