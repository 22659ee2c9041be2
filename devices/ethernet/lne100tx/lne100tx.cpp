// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/lne100tx/lne100tx.hpp"

#include <array>
#include <string>

#include "core/common/little_endian.hpp"

namespace planar::ethernet {
namespace {

constexpr std::string_view limitations[] = {
    "Version 2 of the card, with the PNIC-II; versions 1 (21140) and 4 (AN983) have other chips.",
    "CSR6 full duplex and the speed that was negotiated do not change the segment, which has its own.",
    "Transceivers: no pause, no 100BASE-T4, no parallel detection; nothing on the MII management pins.",
    "Wake-on-LAN registers (from offset 80h on) read 0, the boot ROM socket is empty, PCI power management is absent.",
    "A frame of several descriptors starts when the last one has been fetched.",
    "A frame cut by a full receive FIFO is never passed to the host, even with CSR6 pass bad frames.",
};

constexpr OemId oem_ids[] = {{Lne100tx::device_id, "Lite-On"}};
constexpr std::array<std::uint8_t, 3> maker_prefix{0x00, 0xA0, 0xCC};  // Lite-On's, as these cards have

constexpr pci::Identity identity{.vendor = Lne100tx::vendor_id,
                                 .device = Lne100tx::device_id,
                                 .revision = 0x25,
                                 .class_code = 0x020000,
                                 .subsystem_vendor = 0x11AD,
                                 .subsystem = 0xC001,
                                 .interrupt_pin = 1,
                                 .min_gnt = 8,
                                 .max_lat = 56};

TulipConfig chip_config(const TimingProfile& profile) {
  const auto bytes = [&](const std::string& name, std::int64_t least, std::int64_t most) {
    return static_cast<std::uint32_t>(profile.integer(name, least, most));
  };
  TulipConfig config;
  config.transmit_fifo = bytes("fifo.transmit", 512, 8192);
  config.receive_fifo = bytes("fifo.receive", 512, 8192);
  config.request = bytes("fifo.request", 16, 256);
  for (unsigned n = 0; n < config.thresholds_100.size(); ++n) {
    config.thresholds_100[n] = bytes("threshold.fast_" + std::to_string(n), 64, 2048);
    config.thresholds_10[n] = bytes("threshold.slow_" + std::to_string(n), 64, 2048);
  }
  config.reset = profile.time("chip.reset");
  config.nway = {profile.time("link.negotiation"), profile.time("link.lock")};
  return config;
}

/// Digital's layout, with the pointer used by Macronix.
std::array<std::uint16_t, At93c46::words> srom(const net::MacAddress& mac) {
  std::array<std::uint16_t, At93c46::words> words{};
  constexpr unsigned address_byte = 20;
  words[0] = identity.subsystem_vendor;
  words[1] = identity.subsystem;
  words[9] = 0x0104;  // format 4, one controller
  for (unsigned n = 0; n < 3; ++n) words[address_byte / 2 + n] = load_little<std::uint16_t>(&mac[2 * n]);
  words[0x38] = address_byte;
  return words;
}

}  // namespace

const PciEntry Lne100tx::entry{.name = "lne100tx",
                               .title = "LinkSys LNE100TX",
                               .adapter_id = device_id,
                               .medium = MediumKind::ethernet_100,
                               .data_path = "bus master",
                               .bus_width = 32,
                               .make = make_pci_card<Lne100tx>,
                               .limits = limitations,
                               .full_duplex = true,
                               .vendor = vendor_id};

Lne100tx::Lne100tx(const PciContext& context)
    : Lne100tx(context, station_options(context, entry.name, oem_ids, maker_prefix)) {}

Lne100tx::Lne100tx(const PciContext& context, const StationOptions& o)
    : PciNetworkCard(context, entry, identity),
      mac_(o.mac),
      chip_(context.slot.scheduler(), context.slot.device_name(entry.name), *this, chip_config(o.profile), srom(o.mac),
            o.seed) {
  connect(chip_.dma());
  add_register_bars(Tulip::window_bytes, registers_, o.profile.time("register.wait"));
}

NetCounters Lne100tx::counters() const {
  NetCounters c = ethernet_counters(chip_.counters());
  c.fifo = chip_.counters().late_bus;
  return c;
}

void Lne100tx::describe_board(Description& d) const {
  d.reg("station address", big_endian(mac_), 48);
  chip_.describe(d.part("PNIC-II"));
}

void Lne100tx::archive(Archive& a) {
  a.section("lne100tx", 1);
  a(mac_);
  chip_.archive(a);
  archive_card(a);
}

}  // namespace planar::ethernet
