// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/3c905b/3c905b.hpp"

#include <array>

namespace planar::ethernet {
namespace {

constexpr std::uint16_t vendor_3com = 0x10B7, manufacturer_3com = 0x6D50;

constexpr std::string_view limitations[] = {
    "The power management capability is there and does nothing; there is no boot ROM and no wake-up.",
    "VLAN tagging, PAUSE frames, scheduled frames (type 1 DPDs) and RealTimeCnt do nothing.",
    "Uploads go before downloads; the priority thresholds are kept and have no effect.",
    "A frame of several fragments starts early only once its last one is known.",
    "FIFO and descriptor handling, thresholds after a reset and the time of a stall or reset are inferred.",
    "UpperFramesOk and UpperBytesOk are taken to hold what reading the counters before them has cleared.",
    "Countdown always counts from the write; the duplex mode is the segment's, whatever MacControl says.",
};

// D1 and D2, PME# from all states but D3cold (lspci lines of such boards). Writable: PME# enable, state.
constexpr pci::PowerManagement power{.at = 0xDC, .pmc = 0x7E01, .writable = 0x0103};

constexpr OemId device_ids[] = {{ThreeC905B::device_id, "3Com"}};

CycloneTiming cyclone_timing(const TimingProfile& p) {
  const auto bytes = [&](std::string_view name) { return static_cast<std::uint32_t>(p.integer(name, 2048, 16384)); };
  return {.transmit_fifo = bytes("fifo.transmit"),
          .receive_fifo = bytes("fifo.receive"),
          .transmit_start = p.time("chip.transmit_start"),
          .reset = p.time("chip.reset"),
          .global_reset = p.time("chip.global_reset"),
          .eeprom_read = p.time("chip.eeprom_read"),
          .eeprom_write = p.time("chip.eeprom_write")};
}

// The PHY is part of the chip and has no identifier of its own; it needs no preamble.
MiiPhyConfig cyclone_phy(const TimingProfile& p) {
  return {.id1 = 0,
          .id2 = 0,
          .control = 0x1000,
          .preamble_suppression = true,
          .reset = p.time("phy.reset"),
          .negotiation = p.time("phy.negotiation"),
          .lock = p.time("phy.lock")};
}

std::uint8_t folded(std::uint16_t word) { return static_cast<std::uint8_t>(word ^ word >> 8); }

// Words 0 to 2 and again 0Ah to 0Ch: the station address, first byte in the upper half. Word 20h: checksum, the XOR of
// all bytes before it.
Cyclone::Eeprom cyclone_eeprom(const net::MacAddress& mac) {
  Cyclone::Eeprom words{};
  for (unsigned n = 0; n < 3; ++n)
    words[n] = words[0x0A + n] = static_cast<std::uint16_t>(mac[2 * n] << 8 | mac[2 * n + 1]);
  words[0x03] = ThreeC905B::device_id;
  words[0x07] = manufacturer_3com;
  words[0x08] = 0x2940;                               // PciParm
  words[0x0D] = 0x0010;                               // software information 1: bit 15 (full duplex) is 0
  words[0x0F] = 0x00AA;                               // software information 2: bit 0 is 0, whole-frame receives
  words[0x10] = 0x32A2;                               // capabilities: full duplex, bus master, 100 Mbit/s
  words[Cyclone::internal_config_word + 1] = 0x0180;  // transceiver chosen by the driver; auto-negotiation
  words[0x17] = vendor_3com;
  words[0x18] = ThreeC905B::device_id;
  words[Cyclone::media_options_word] = 0x000A;  // 100BASE-TX and 10BASE-T
  for (unsigned n = 0; n < 0x20; ++n) words[0x20] ^= folded(words[n]);
  return words;
}

}  // namespace

const PciEntry ThreeC905B::entry{.name = "3c905b",
                                 .title = "3Com 3C905B-TX Fast EtherLink XL",
                                 .adapter_id = device_id,
                                 .medium = MediumKind::ethernet_100,
                                 .data_path = "bus master",
                                 .bus_width = 32,
                                 .make = make_pci_card<ThreeC905B>,
                                 .limits = limitations,
                                 .full_duplex = true,
                                 .vendor = vendor_3com};

ThreeC905B::ThreeC905B(const PciContext& context)
    : ThreeC905B(context, station_options(context, entry.name, device_ids, {0x00, 0x50, 0x04})) {}

ThreeC905B::ThreeC905B(const PciContext& context, const StationOptions& o)
    : PciNetworkCard(context, entry,
                     {.vendor = vendor_3com,
                      .device = device_id,
                      .revision = 0x30,
                      .class_code = 0x020000,
                      .subsystem_vendor = vendor_3com,
                      .subsystem = device_id,
                      .min_gnt = 0x0A,
                      .max_lat = 0x0A}),
      chip_(context.slot.scheduler(), context.slot.device_name(entry.name), *this, cyclone_timing(o.profile),
            cyclone_eeprom(o.mac), cyclone_phy(o.profile), o.seed) {
  add_register_bars(128, registers_, o.profile.time("register.wait"));
  add(power);
  connect(chip_.bursts());
}

void ThreeC905B::config_changed(unsigned, unsigned, Time) { tell_lines(); }

void ThreeC905B::bus_reset(Time now) {
  PciNetworkCard::bus_reset(now);
  tell_lines();
}

void ThreeC905B::tell_lines() {
  chip_.set_lines(4u * config().read(pci::CACHE_LINE_SIZE, 1), enabled(pci::MEMORY_WRITE_INVALIDATE));
}

void ThreeC905B::describe_board(Description& d) const { chip_.describe(d.part("Cyclone")); }

void ThreeC905B::archive(Archive& a) {
  a.section("3c905b", 1);
  archive_card(a);
  chip_.archive(a);
}

}  // namespace planar::ethernet
