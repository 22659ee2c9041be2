// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/rtl8139/rtl8139_card.hpp"

namespace planar::ethernet {
namespace {

constexpr std::string_view limitations[] = {
    "The socket for a boot ROM is empty; of the EEPROM only the words that drivers read are set.",
    "Early receive interrupts, IEEE 802.3x flow control, wake-up, other interframe gaps and the transceiver's error "
    "counters and parameters are not there; registers of these are kept or read 0.",
    "A frame on its way into the ring has no placeholder length FFF0h, which some revisions write.",
    "The link comes after the time of auto-negotiation and runs at the segment's rate and duplex.",
    "Which DMA of the chip has the bus first, its bus commands, and what it does after a bus error are inferred.",
};

constexpr OemId oem_ids[] = {{Rtl8139Card::device_id, "Realtek"}};
constexpr pci::Identity identity{.vendor = Rtl8139Card::realtek,
                                 .device = Rtl8139Card::device_id,
                                 .revision = Rtl8139::revision,
                                 .class_code = 0x020000,
                                 .subsystem_vendor = Rtl8139Card::realtek,
                                 .subsystem = Rtl8139Card::device_id,
                                 .min_gnt = 0x20,
                                 .max_lat = 0x40};

Rtl8139Config chip_config(const TimingProfile& p, Time pci_clock) {
  const auto bytes = [&](std::string_view name) { return static_cast<std::uint32_t>(p.integer(name, 2048, 65536)); };
  Rtl8139Config config;
  config.transmit_fifo = bytes("tx.fifo");
  config.receive_fifo = bytes("rx.fifo");
  config.reset = p.time("chip.reset");
  config.next_frame_fetch_after = p.time("tx.next_frame_fetch_after");
  config.timer_clock = pci_clock;
  config.phy.negotiation = p.time("phy.negotiation");
  config.phy.lock = p.time("phy.lock");
  return config;
}

}  // namespace

const PciEntry Rtl8139Card::entry{.name = "rtl8139",
                                  .title = "Realtek RTL8139",
                                  .adapter_id = device_id,
                                  .medium = MediumKind::ethernet_100,
                                  .data_path = "bus master",
                                  .bus_width = 32,
                                  .make = make_pci_card<Rtl8139Card>,
                                  .limits = limitations,
                                  .full_duplex = true,
                                  .vendor = realtek};

Rtl8139Card::Rtl8139Card(const PciContext& context)
    : Rtl8139Card(context, station_options(context, entry.name, oem_ids, {0x00, 0x00, 0xE8})) {}

Rtl8139Card::Rtl8139Card(const PciContext& context, const StationOptions& o)
    : PciNetworkCard(context, entry, identity),
      chip_(context.slot.scheduler(), context.slot.device_name(entry.name), *this,
            chip_config(o.profile, context.slot.segment().timing().clock), o.mac, o.seed) {
  connect(chip_.bursts());
  add_register_bars(Rtl8139::window_bytes, registers_, o.profile.time("registers.wait"));
}

NetCounters Rtl8139Card::counters() const {
  NetCounters c = ethernet_counters(chip_.counters());
  c.fifo = chip_.counters().fifo;
  return c;
}

void Rtl8139Card::archive(Archive& a) {
  a.section("rtl8139 card", 1);
  archive_card(a);
  chip_.archive(a);
}

}  // namespace planar::ethernet
