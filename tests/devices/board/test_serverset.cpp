// SPDX-License-Identifier: GPL-2.0-or-later
// ServerWorks' bridges as seen by firmware and operating systems: CNB20LE with its two buses, OSB4 with its routes and
// its IDE.
#include "bus/pci/config_space.hpp"
#include "devices/board/cnb20le/cnb20le.hpp"
#include "devices/board/osb4/osb4_ide.hpp"
#include "devices/board/osb4/osb4_isa.hpp"
#include "tests/archived.hpp"
#include "tests/bus/pci_rig.hpp"

using namespace planar;
using namespace planar::test;

namespace {

struct ServersetBench {
  ServersetBench() {
    rig.bus.attach(peer);
    rig.ports->add(peer);
    isa.claim_ports(rig.bus.io());
    rig.segment.reset({});
    peer.reset({});
  }
  std::uint32_t config(unsigned bus, unsigned device, unsigned function, unsigned reg, unsigned bytes = 4) {
    rig.out(0xCF8, 0x80000000u | bus << 16 | device << 11 | function << 8 | (reg & 0xFC), 4);
    return rig.in(static_cast<std::uint16_t>(0xCFC + (reg & 3)), bytes);
  }
  void set_config(unsigned device, unsigned function, unsigned reg, std::uint32_t value, unsigned bytes) {
    rig.set_config(device, reg, value, bytes, function);
  }
  int line(unsigned wire) const { return router.line(wire); }

  PciRig rig;
  pci::Segment peer{rig.scheduler, {}, rig.memory, rig.trace, "pci1"};
  bus::InterruptLines lines;
  PirqRouter router{lines, PirqTable::rotation(0)};
  pci::Slot host_slot{0, 0, rig.wiring()}, south_slot{15, 0, rig.wiring()};
  Cnb20le host{host_slot, peer};
  Osb4Isa isa{south_slot, router};
  Osb4Ide ide{south_slot, PciIde::profile()};
};

}  // namespace

TEST_CASE("CNB20LE: two host bridges at device 0, each with its own bus numbers") {
  ServersetBench b;
  for (unsigned function = 0; function < 2; ++function) {
    CHECK(b.config(0, 0, function, pci::VENDOR_ID) == 0x00091166);
    CHECK(b.config(0, 0, function, pci::REVISION_ID) == 0x06000006);
    CHECK(b.config(0, 0, function, pci::HEADER_TYPE, 1) == 0x80);
    CHECK(b.config(0, 0, function, Cnb20le::FIRST_BUS, 1) == function);
    CHECK(b.config(0, 0, function, Cnb20le::LAST_BUS, 1) == function);
  }
  CHECK(b.config(0, 0, 0, pci::COMMAND, 2) == (pci::MEMORY_SPACE | pci::BUS_MASTER));
  CHECK(b.config(0, 0, 1, pci::COMMAND, 2) == (pci::IO_SPACE | pci::MEMORY_SPACE | pci::BUS_MASTER));
  CHECK(b.config(0, 0, 2, pci::VENDOR_ID) == 0xFFFFFFFF);
}

TEST_CASE(
    "CNB20LE: function 1 sets the peer segment's bus number; a reset restores the default, a snapshot the value") {
  ServersetBench b;
  pci::Slot slot{
      3, 1, {b.rig.scheduler, b.rig.bus.io(), b.rig.memory, b.peer, b.rig.trace, [](unsigned, unsigned, bool, Time) {
             }}};
  pci::Function card{slot, {.vendor = 0x8086, .device = 0x1001}};
  CHECK(b.config(1, 3, 0, pci::VENDOR_ID) == 0x10018086);
  b.set_config(0, 1, Cnb20le::FIRST_BUS, 0x0505, 2);
  CHECK(b.config(1, 3, 0, pci::VENDOR_ID) == 0xFFFFFFFF);
  CHECK(b.config(5, 3, 0, pci::VENDOR_ID) == 0x10018086);
  const auto state = saved_state(b.host);
  b.rig.segment.reset(b.rig.now);
  CHECK(b.config(1, 3, 0, pci::VENDOR_ID) == 0x10018086);
  restore_state(b.host, state);
  CHECK(b.peer.bus_number() == 5);
  // The contents of the window registers are stored, but have no effect.
  b.set_config(0, 1, Cnb20le::MEMORY_WINDOW, 0xFE00FD00, 4);
  CHECK(b.config(0, 0, 1, Cnb20le::MEMORY_WINDOW) == 0xFE00FD00);
}

TEST_CASE("OSB4: interrupt routes at ports C00h and C01h, by index as Linux writes them") {
  ServersetBench b;
  CHECK(b.config(0, 15, 0, pci::VENDOR_ID) == 0x02001166);
  CHECK(b.config(0, 15, 0, pci::REVISION_ID) == 0x06010050);
  for (unsigned wire = 0; wire < 4; ++wire) CHECK(b.line(wire) == -1);
  constexpr unsigned irqs[] = {9, 10, 11, 5};
  for (unsigned wire = 0; wire < 4; ++wire) {
    b.rig.out(0xC00, 0x10 + wire);
    b.rig.out(0xC01, 0xF0 | irqs[wire]);
    CHECK(b.rig.in(0xC01) == irqs[wire]);
    CHECK(b.line(wire) == static_cast<int>(irqs[wire]));
  }
  b.rig.out(0xC00, 0x02);  // IDE: stored, but not one of the four
  b.rig.out(0xC01, 14);
  b.rig.out(0xC00, 0x10);
  CHECK(b.rig.in(0xC01) == 9);
  const auto state = saved_state(b.isa);
  b.rig.out(0xC01, 0);
  CHECK(b.line(0) == -1);
  b.rig.segment.reset(b.rig.now);
  CHECK(b.line(3) == -1);
  restore_state(b.isa, state);
  CHECK(b.line(0) == 9);
  CHECK(b.line(3) == 5);
  // Damaged states.
  for (std::size_t at = 0; at < state.size(); ++at) {
    auto damaged = state;
    damaged[at] ^= 0x80;
    try {
      restore_state(b.isa, damaged);
    } catch (const Error& e) { CHECK(e.code() == ExitCode::missing_file); }
    for (unsigned wire = 0; wire < 4; ++wire) CHECK(b.line(wire) < 16);
  }
}

TEST_CASE("OSB4: COMMAND enables IDE decoding, and its timing is two nibbles of clocks") {
  ServersetBench b;
  for (const unsigned id : {0u, 1u})
    b.ide.attach(id, storage::DriveKind::disk,
                 storage::DiskImage{std::vector<std::uint8_t>(1'032'192), "test.img", storage::WriteMode::memory});
  CHECK(b.config(0, 15, 1, pci::VENDOR_ID) == 0x02111166);
  CHECK(b.config(0, 15, 1, pci::REVISION_ID) == 0x01018A00);
  CHECK(b.rig.in(0x1F7) == 0xFF);
  const auto time_of_word = [&] {
    b.rig.in(0x1F0, 2);
    return b.rig.took;
  };
  b.set_config(15, 1, pci::COMMAND, pci::IO_SPACE, 2);
  const Time compatible = time_of_word();
  b.set_config(15, 1, 0x40, 0x2020, 2);  // PIO mode 4
  const Time mode4 = time_of_word();
  b.set_config(15, 1, 0x40, 0x5D5D, 2);  // PIO mode 0
  CHECK(time_of_word() - mode4 == 480_ns);
  CHECK(compatible > mode4);
  b.set_config(15, 1, 0x40, 0x205D, 2);  // the slower drive decides
  CHECK(time_of_word() - mode4 == 480_ns);
  b.set_config(15, 1, pci::COMMAND, 0, 2);
  CHECK(b.rig.in(0x1F7) == 0xFF);
}
