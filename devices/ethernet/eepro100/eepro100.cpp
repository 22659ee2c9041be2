// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/eepro100/eepro100.hpp"

#include <array>

#include "core/common/little_endian.hpp"

namespace planar::ethernet {
namespace {

constexpr std::string_view limitations[] = {
    "82559 (revision 8) only; the 82557 and 82558 differ in interrupt masks, extended transmit blocks and what the "
    "receive FIFO does without resources.",
    "Flow control, TCO, checksums, wake-up and the early receive interrupt do nothing; their registers are kept.",
    "The power management capability is there and does nothing; the place of the flash memory reads FFh; no boot ROM.",
    "Header RFDs and receive DMA redirect are not done; downloaded microcode is read and does nothing.",
    "A frame starts when its threshold is reached and the sizes of all its buffers are known.",
    "Memory write and invalidate is a memory write.",
    "A PCI master abort takes the command or receive unit to idle, with CNA or RNR; what the 82559 does then is not "
    "known.",
    "The duplex mode is the segment's, whatever the PHY and the configuration say.",
    "Acceptance of commands, self-test, resets, and the room for transmit bursts have inferred times and sizes.",
};

// As shown by lspci -xxx. Writable: data select, PME# enable, state.
constexpr pci::PowerManagement power{.at = 0xDC, .pmc = 0xFE22, .pmcsr = 0x4000, .writable = 0x1F03, .data = 0x4B};

constexpr OemId ids[] = {{EePro100::device_id, "Intel"}};

I8255xTiming chip_timing(const TimingProfile& p) {
  const auto bytes = [&](std::string_view name, std::int64_t least) {
    return static_cast<std::uint32_t>(p.integer(name, least, 16384));
  };
  I8255xTiming t;
  t.transmit_fifo = bytes("fifo.transmit", 2048);
  t.receive_fifo = bytes("fifo.receive", 2048);
  t.transmit_room = bytes("fifo.transmit_room", 4);
  t.accept = p.time("cu.accept");
  t.reset = p.time("port.reset");
  t.self_test = p.time("port.self_test");
  t.management = p.time("mdi.transfer");
  t.phy.id1 = 0x02A8;  // OUI 00AA00h, model 15h, revision 4: the 82555 in an 82559 (manual, 7.2.3)
  t.phy.id2 = 0x0154;
  t.phy.reset = p.time("phy.reset");
  t.phy.negotiation = p.time("phy.negotiation");
  t.phy.lock = p.time("phy.lock");
  return t;
}

// The address, first byte low; PHY 7 (82555) at address 1; connector RJ45; assembly 721383-016; the sum is BABAh.
std::array<std::uint16_t, At93c46::words> eeprom(const net::MacAddress& mac) {
  std::array<std::uint16_t, At93c46::words> words{};
  for (std::size_t n = 0; n < 3; ++n) words[n] = load_little<std::uint16_t>(&mac[2 * n]);
  words[0x03] = 0x0203;  // compatibility: no receiver lock-up at 10 and 100 Mbit/s
  words[0x05] = 0x0201;  // controller 2, connector
  words[0x06] = 0x4700 | I8255x::phy_address;
  words[0x08] = 0x7213;
  words[0x09] = 0x8310;
  words[0x0A] = 0x40A0;
  words[0x0B] = 0x000C;
  words[0x0C] = 0x8086;
  words[0x30] = 0x0128;
  std::uint16_t sum = 0;
  for (const std::uint16_t word : words) sum = static_cast<std::uint16_t>(sum + word);
  words.back() = static_cast<std::uint16_t>(0xBABA - sum);
  return words;
}

}  // namespace

const PciEntry EePro100::entry{.name = "eepro100",
                               .title = "Intel EtherExpress PRO/100+",
                               .adapter_id = device_id,
                               .medium = MediumKind::ethernet_100,
                               .data_path = "bus master",
                               .bus_width = 32,
                               .make = make_pci_card<EePro100>,
                               .limits = limitations,
                               .full_duplex = true,
                               .vendor = 0x8086};

EePro100::EePro100(const PciContext& context)
    : EePro100(context, station_options(context, entry.name, ids, {0x00, 0xD0, 0xB7})) {}

EePro100::EePro100(const PciContext& context, const StationOptions& o)
    : PciNetworkCard(context, entry,
                     {.vendor = 0x8086,
                      .device = device_id,
                      .revision = 0x08,
                      .class_code = 0x020000,
                      .subsystem_vendor = 0x8086,
                      .subsystem = 0x000C,
                      .min_gnt = 0x08,
                      .max_lat = 0x38}),
      chip_(context.slot.scheduler(), context.slot.device_name(entry.name), *this, chip_timing(o.profile),
            eeprom(o.mac), o.seed) {
  const Time wait = o.profile.time("register.wait");
  add_bar({.kind = pci::Bar::Kind::memory,
           .size = 0x1000,
           .slave = &registers_,
           .cycle = {32, pci::CycleKind::memory, wait}});
  add_bar({.kind = pci::Bar::Kind::io,
           .size = I8255x::register_bytes,
           .slave = &registers_,
           .cycle = {32, pci::CycleKind::io, wait}});
  add_bar({.kind = pci::Bar::Kind::memory,
           .size = 0x100000,
           .slave = &flash_,
           .cycle = {32, pci::CycleKind::memory, wait}});
  add(power);
  connect(chip_.bursts());
}

// The FIFO also overruns when the driver provides no descriptors: that is attributed to the ring.
NetCounters EePro100::counters() const {
  NetCounters c = ethernet_counters(chip_.counters());
  c.fifo = chip_.counters().late_bus;
  return c;
}

void EePro100::describe_board(Description& d) const { chip_.describe(d.part("82559"), slot().scheduler().now()); }

void EePro100::archive(Archive& a) {
  a.section("eepro100", 1);
  archive_card(a);
  chip_.archive(a);
}

}  // namespace planar::ethernet
