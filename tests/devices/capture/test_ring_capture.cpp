// SPDX-License-Identifier: GPL-2.0-or-later
// A capture of a ring, including MAC frames, together with an Ethernet in the same file, as read by tshark.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "devices/capture/pcapng.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"
#include "devices/medium/ring/ring_mac_frame.hpp"
#include "devices/medium/ring/ring_translation.hpp"
#include "devices/stations/bridge/bridge.hpp"
#include "devices/stations/peer/peer.hpp"
#include "tests/devices/medium/ring/ring_stations.hpp"

using namespace planar;
using namespace planar::test;

namespace {

struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("planar-ring-capture-" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

Bytes arp_request(const MacAddress& from) {
  Bytes arp(broadcast_mac.begin(), broadcast_mac.end());
  put(arp, from);
  put16(arp, 0x0806);
  put(arp, Bytes{0, 1, 8, 0, 6, 4, 0, 1});
  put(arp, from);
  put32(arp, ipv4(192, 168, 10, 2));
  put(arp, Bytes(6, 0));
  put32(arp, ipv4(192, 168, 10, 1));
  return arp;
}

}  // namespace

TEST_CASE("tshark reads every captured ring frame, none of them malformed", "[ring]") {
  const Folder folder;
  const auto file = folder.path / "ring.pcapng";
  {
    Scheduler scheduler;
    Trace trace;
    Ring ring(scheduler, {.quick_insertion = true}, "ring");
    EthernetSegment uplink({.bits_per_second = 100'000'000, .full_duplex = true}, "uplink");
    PcapngWriter capture(file, {&ring, &uplink}, false);
    ring.add_observer(capture);
    uplink.add_observer(capture);
    Medium* media[] = {&ring, &uplink};
    Bridge bridge(scheduler, trace, "switch", media, 3, switch_figures);
    Peer peer(scheduler, trace, uplink, 1);
    RingRecorder a(scheduler, ring, 9), b(scheduler, ring, 8);
    const auto run = [&](Time t) { scheduler.run_until(scheduler.now() + t); };
    const auto send = [&](const Bytes& frame) {
      a.port.transmit(frame, scheduler.now());
      run(50_ms);
    };
    a.port.insert(a.parameters, Time{});
    b.port.insert(b.parameters, Time{});
    run(8_s);
    Bytes arp = to_ring(arp_request(reversed(a.parameters.node)));
    send(arp);
    arp[8] |= routing_indicator;
    arp.insert(arp.begin() + ring_header_bytes, {0xC2, 0x20});  // with an explorer's routing field
    send(arp);
    for (const auto vector : {MacVector::request_address, MacVector::request_state, MacVector::request_attachments,
                              MacVector::change_parameters, MacVector::initialize_ring_station, MacVector{0x55}})
      send(MacFrameBuilder(0, b.parameters.node, a.parameters.node, vector, 0, 4)
               .add16(mac_subvector::correlator, 7)
               .done());
    b.copies = false;
    send(to_ring([&] {
      Bytes f = arp_request(reversed(a.parameters.node));
      const MacAddress to = reversed(b.parameters.node);
      std::copy(to.begin(), to.end(), f.begin());
      return f;
    }()));
    run(3_s);                                            // an error report
    bridge.port(0).set_plugged(false, scheduler.now());  // the monitor leaves: contention
    run(10_s);
    ring.set_broken(b.port, true, scheduler.now());  // beacons
    run(3_s);
    capture.flush();
  }
  const auto tshark = [&](const std::string& arguments) {
    const auto out = folder.path / "out";
    const auto command = "tshark -r " + file.string() + " " + arguments + " >" + out.string() + " 2>/dev/null";
    INFO("tshark must be installed: " << command);
    REQUIRE(std::system(command.c_str()) == 0);
    std::ifstream in(out);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  };
  const auto count = [&](const std::string& filter) {
    const std::string text = tshark("-Y '" + filter + "'");
    return std::count(text.begin(), text.end(), '\n');
  };
  CHECK(tshark("-Y '_ws.malformed || _ws.unreassembled || _ws.expert.severity == error'").empty());
  CHECK(count("tr") + count("eth && !tr") == count("frame"));
  CHECK(count("arp.opcode == 2 && arp.hw.type == 6 && tr") == 2);
  CHECK(count("arp.opcode == 2 && arp.hw.type == 1 && eth") == 2);
  for (const unsigned vector : {0x00, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x20, 0x22, 0x23, 0x24, 0x25, 0x26, 0x29}) {
    INFO("major vector " << vector);
    CHECK(count("trmac.mvec == " + std::to_string(vector)) > 0);
  }
}
