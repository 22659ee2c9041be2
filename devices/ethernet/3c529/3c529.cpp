// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/3c529/3c529.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint16_t manufacturer = 0x6D50;

constexpr std::string_view limitations[] = {
    "The boot ROM socket is empty; POS 3 has no effect.",
    "The packet memory is taken to be the first generation's 4 KB, halved; the FIFO's own overhead is inferred.",
    "The port width (16 bits) and the cycle (200 ns) are inferred; the card never holds CHRDY by its state.",
    "EEPROM words other than the address, the maker and the configuration are empty; writes last as long as the "
    "machine.",
    "Linux calls 627C coax, 627D TP and 62DB a test mode; which transceivers 62DB carries is inferred.",
    "Chip: no FIFO self test, no jabber cut-off; heartbeat always heard; link beat present with a plugged cable.",
};

constexpr OemId oem_ids[] = {{ThreeC529::coax_id, "3C529, coax and AUI"},
                             {0x627D, "3C529-TP"},
                             {0x62DB, "3C529, test mode"},
                             {0x62F6, "3C529, TP and coax"},
                             {0x62F7, "3C529, TP only"}};

std::uint16_t media(std::uint16_t adapter_id) {
  switch (adapter_id) {
    case 0x627D: return EtherLink3::HasTp | EtherLink3::HasAui;
    case 0x62DB: return EtherLink3::HasTp | EtherLink3::HasAui | EtherLink3::HasCoax;
    case 0x62F6: return EtherLink3::HasTp | EtherLink3::HasCoax;
    case 0x62F7: return EtherLink3::HasTp;
    default: return EtherLink3::HasCoax | EtherLink3::HasAui;
  }
}

std::uint8_t lanes(std::uint16_t word) { return static_cast<std::uint8_t>(word ^ word >> 8); }

// Words 0 to 2 and again 0Ah to 0Ch: the station address, first byte in the upper half. 3: product (on this bus assumed
// to be the adapter ID). 7: manufacturer. 8, 9: address and resource configuration, unused here. 0Fh: checksum, its
// upper byte over words 0 to 0Eh without 8, 9 and 0Dh, its lower byte over words 8, 9 and 0Dh.
EtherLink3::Eeprom eeprom(const net::MacAddress& mac, std::uint16_t adapter_id) {
  EtherLink3::Eeprom words{};
  for (unsigned i = 0; i < 3; ++i)
    words[i] = words[0x0A + i] = static_cast<std::uint16_t>(mac[2 * i] << 8 | mac[2 * i + 1]);
  words[3] = adapter_id;
  words[7] = manufacturer;
  words[9] = 0x0F00;
  std::uint8_t fixed = 0, chosen = 0;
  for (unsigned i = 0; i < 0x0F; ++i) (i == 8 || i == 9 || i == 0x0D ? chosen : fixed) ^= lanes(words[i]);
  words[0x0F] = static_cast<std::uint16_t>(fixed << 8 | chosen);
  return words;
}

EtherLink3Timing chip_timing(const TimingProfile& profile) {
  return {profile.time("chip.transmit_start"), profile.time("chip.discard_dword"), profile.time("chip.eeprom_read"),
          profile.time("chip.eeprom_write"), profile.time("chip.global_reset")};
}

}  // namespace

const McaEntry ThreeC529::entry{.name = "3c529",
                                .title = "3Com 3C529 EtherLink III/MC",
                                .adapter_id = coax_id,
                                .medium = MediumKind::ethernet_10,
                                .data_path = "PIO (FIFO)",
                                .bus_width = 16,
                                .make = make_network_card<ThreeC529>,
                                .limits = limitations};

ThreeC529::ThreeC529(const McaContext& context)
    : ThreeC529(context, station_options(context, entry.name, oem_ids, {0x00, 0x20, 0xAF})) {}

ThreeC529::ThreeC529(const McaContext& context, const StationOptions& o)
    : McaNetworkCard(context.slot, entry, o.adapter_id, {whole_byte, whole_byte, whole_byte, whole_byte}),
      cycle_(bus::cycle_of(16, o.profile.time("port.cycle"))),
      chip_(slot_.scheduler(), slot_.device_name(entry.name), *this, chip_timing(o.profile),
            eeprom(o.mac, o.adapter_id), media(o.adapter_id), o.seed) {}

// ---- POS ----

void ThreeC529::pos_write(unsigned reg, std::uint8_t value, Time now) {
  if (reg == 4) chip_.select_transceiver(static_cast<EtherLink3::Transceiver>(value & 3));
  McaCard::pos_write(reg, value, now);
}

void ThreeC529::apply_pos() {
  claim_.release();
  if (!enabled()) return;
  const auto base = static_cast<std::uint16_t>((pos_[4] & 0xFC) << 8 | 0x0200);
  claim_ = slot_.claim_io(base, base + 0x0F, ports_, cycle_);
}

void ThreeC529::reset_board(Time now) {
  chip_.reset(now);
  chip_.select_transceiver(EtherLink3::TwistedPair);
}

void ThreeC529::describe_board(Description& d) const { chip_.describe(d.part("EtherLink III")); }

void ThreeC529::archive(Archive& a) {
  a.section("3c529", 1);
  a(adapter_id_, pos_, irq_);
  chip_.archive(a);
  if (a.loading()) restored(irq_.cause());
}

}  // namespace planar::ethernet
