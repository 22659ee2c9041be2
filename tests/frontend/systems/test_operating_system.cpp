// SPDX-License-Identifier: GPL-2.0-or-later
// Operating systems as data: every value has its source, and only differences from Linux 2.2 are passed to the guest.
#include "frontend/systems/operating_system.hpp"

#include <map>

#include "core/common/error.hpp"
#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using namespace planar;
using program::run_planar;

TEST_CASE("the guest is Linux 2.2 by default, and other systems are defined by their differences", "[systems]") {
  CHECK(operating_system_names() == std::vector<std::string_view>{"linux22", "nt4", "os2warp4"});
  CHECK(find_operating_system("linux22").settings().empty());
  const auto settings_of = [](const char* name) {
    std::map<std::string, std::string> settings;
    for (const auto& [key, value] : find_operating_system(name).settings()) settings[key] = value;
    return settings;
  };
  CHECK(settings_of("nt4") == std::map<std::string, std::string>{{"os", "nt4"},
                                                                 {"stack.option_bytes", "0"},
                                                                 {"stack.nagle", "0"},
                                                                 {"load.interrupts_count", "1"},
                                                                 {"interrupt.instructions", "2000"},
                                                                 {"call.instructions", "780"},
                                                                 {"segment.instructions", "870"}});
  CHECK(settings_of("os2warp4") == std::map<std::string, std::string>{{"os", "os2warp4"},
                                                                      {"stack.option_bytes", "0"},
                                                                      {"load.interrupts_count", "1"},
                                                                      {"interrupt.instructions", "1300"}});
  CHECK_THROWS_WITH(find_operating_system("nt5"), Catch::Contains("linux22, nt4, os2warp4"));
}

TEST_CASE("list and show include the operating systems, each value with source and confidence", "[systems]") {
  CHECK(run_planar("list systems").out == "linux22\nnt4\nos2warp4\n");
  CHECK(run_planar("list systems --json -").json().size() == 3);
  const auto shown = run_planar("show nt4 --json -").json();
  CHECK(shown["name"] == "nt4");
  REQUIRE(shown["values"].size() == 9);
  for (const auto& value : shown["values"]) {
    CHECK_FALSE(value["source"].get<std::string>().empty());
    CHECK_FALSE(value["confidence"].get<std::string>().empty());
  }
  CHECK_THAT(run_planar("show os2warp4").out, Catch::Contains("stack.option_bytes") && Catch::Contains("0 bytes"));
  CHECK(run_planar("netio --os nt5").status == 2);
}

TEST_CASE("a Windows NT guest sends full segments without time stamps, and counts interrupts as load", "[systems]") {
  const program::Scratch scratch;
  const auto run = [&](const std::string& os) {
    const auto capture = scratch.file(os + ".pcapng");
    const auto said =
        run_planar("netio --machine model95 --card ne2 --seconds 0.3 --sizes 8192 --quiet --json - --os " + os +
                   " --capture " + capture);
    REQUIRE(said.status == 0);
    return std::pair(said.json(), program::read_file(capture));
  };
  const auto [linux22, with] = run("linux22");
  const auto [nt4, without] = run("nt4");
  // The first IP packet is the SYN; the high half of byte 12 of its TCP header is the header's length in words.
  const auto syn_words = [](const std::string& capture) {
    const auto ip = capture.find(std::string("\x08\x00\x45\x00", 4)) + 2;
    REQUIRE(capture.at(ip + 9) == 6);
    REQUIRE(capture.at(ip + 20 + 13) == 2);
    return static_cast<unsigned char>(capture.at(ip + 20 + 12)) >> 4;
  };
  CHECK(syn_words(with) == 9);     // segment size and time stamps
  CHECK(syn_words(without) == 6);  // segment size
  const auto full_segment_words = [](const std::string& capture) {
    const auto ip = capture.find(std::string("\x45\x00\x05\xDC", 4));  // a datagram of 1500 bytes
    REQUIRE(ip != std::string::npos);
    return static_cast<unsigned char>(capture.at(ip + 20 + 12)) >> 4;
  };
  CHECK(full_segment_words(with) == 8);     // 1448 bytes of data
  CHECK(full_segment_words(without) == 5);  // 1460
  CHECK(nt4["cpu_load_percent"].get<double>() > linux22["cpu_load_percent"].get<double>() + 5);
}

TEST_CASE("a Windows NT guest sends the tail of a send() at once, Linux 2.2 fills the segment", "[systems]") {
  const program::Scratch scratch;
  const auto datagrams = [&](const std::string& os, const std::string& length) {
    const auto capture = scratch.file(os + ".pcapng");
    REQUIRE(
        run_planar("netio --machine lira --card autolanstreamer:driver=3.01 --duplex half --seconds 0.2 --sizes 2048 "
                   "--quiet --os " +
                   os + " --capture " + capture)
            .status == 0);
    const auto frames = program::read_file(capture), header = "\x45" + std::string(1, '\0') + length;
    std::size_t count = 0;
    for (auto at = frames.find(header); at != std::string::npos; at = frames.find(header, at + 1)) ++count;
    return count;
  };
  CHECK(datagrams("nt4", "\x02\x74") > 100);     // 588 bytes of data: 2048 less a full segment
  CHECK(datagrams("linux22", "\x02\x8C") < 10);  // 600 bytes, with time stamps
}
