// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/3c527/3c527.hpp"

#include <array>

#include "core/common/little_endian.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint8_t rom_address = 12;  // of the station address in the identity ROM
constexpr std::array<std::uint16_t, 8> io_bases{0x7280, 0x7290, 0x7680, 0x7690, 0x7A80, 0x7A90, 0x7E80, 0x7E90};
constexpr std::uint16_t decoded_ports = 0x10;

constexpr std::string_view limitations[] = {
    "The firmware is described, not run: what it answers is what drivers see, how long it takes is inferred.",
    "The card's 16 KB of RAM repeat in the window of 16, 32 or 48 KB; its frame buffers are not visible in it.",
    "The fields of arbitration level and fairness (POS 4) are planar's own choice; the manual could not be had.",
    "Transfers are basic cycles; whether the card streams is unknown, and so are its cache-line and parity bits.",
    "Identity ROM: only the station address is known. The RAM page port (+8) is unused by all drivers and reads FFh.",
    "Exec commands 3, 5, 7, 9 to 12, network management and statistics overflow are not known; no boot ROM.",
};

constexpr OemId oem_ids[] = {{ThreeC527::threecom_id, "3Com"}, {0x8EF5, "IBM High Performance LAN Adapter"}};

Mc32Timing firmware_timing(const TimingProfile& p) {
  return {p.time("firmware.self_test"),
          p.time("firmware.response"),
          p.time("firmware.command"),
          p.time("firmware.exec"),
          p.time("firmware.transmit"),
          p.time("firmware.sent"),
          p.time("firmware.receive"),
          p.time("firmware.notice"),
          p.time("chip.chain"),
          static_cast<unsigned>(p.integer("ram.transmit_buffers", 1, 8)),
          static_cast<unsigned>(p.integer("ram.receive_buffers", 1, 8))};
}

}  // namespace

const McaEntry ThreeC527::entry{.name = "3c527",
                                .title = "3Com 3C527 EtherLink/MC 32",
                                .adapter_id = threecom_id,
                                .medium = MediumKind::ethernet_10,
                                .data_path = "bus master",
                                .bus_width = 32,
                                .make = make_network_card<ThreeC527>,
                                .limits = limitations};

ThreeC527::ThreeC527(const McaContext& context)
    : ThreeC527(context, station_options(context, entry.name, oem_ids, {0x02, 0x60, 0x8C})) {}

ThreeC527::ThreeC527(const McaContext& context, const StationOptions& o)
    : BusMasterCard(context, entry, o, {whole_byte, whole_byte, whole_byte, whole_byte, whole_byte, whole_byte},
                    firmware_timing(o.profile), 4),
      mac_(o.mac),
      port_cycle_{8, bus::CycleKind::synchronous_extended, {}},
      window_cycle_{16, bus::CycleKind::asynchronous, o.profile.time("window.ready_delay")} {}

// ---- POS ----

std::uint8_t ThreeC527::pos_peek(unsigned reg) const {
  if (reg != 3) return McaCard::pos_peek(reg);
  const unsigned n = pos_[6] - rom_address;
  return pos_[7] == 0 && n < mac_.size() ? mac_[n] : 0xFF;
}

// POS 6 and 7 only point into the identity ROM.
void ThreeC527::pos_changed(unsigned reg, Time now) {
  if (reg < 6) decode(now);
}

void ThreeC527::apply_pos() {
  master_.configure(pos_[4] >> 2 & 15, pos_[4] & 0x40);
  io_claim_.release();
  window_claim_.release();
  if (!enabled()) return;
  const std::uint16_t base = io_bases[pos_[2] >> 1 & 7];
  io_claim_ = slot_.claim_io(base, base + decoded_ports - 1, ports_, port_cycle_);
  const unsigned size = pos_[5] >> 4 & 3;
  if ((pos_[4] & 1) && size != 3)
    window_claim_ =
        slot_.claim_memory(0xC0000 + (pos_[2] >> 4 & 7) * 0x4000u, (size + 1) * 0x4000, window_, window_cycle_);
}

void ThreeC527::reset_board(Time now) {
  chip_.write(Mc32::CONTROL, Mc32::RESET, now);
  chip_.write(Mc32::CONTROL, 0, now);
}

// ---- the window ----

std::uint32_t ThreeC527::Window::peek(std::uint32_t offset, unsigned bytes, Time) const {
  return join_little(bytes, [&](unsigned i) { return card.chip_.ram_peek(offset + i); });
}

void ThreeC527::Window::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  for (unsigned i = 0; i < bytes; ++i)
    card.chip_.ram_write(offset + i, static_cast<std::uint8_t>(value >> (8 * i)), now);
}

void ThreeC527::describe_board(Description& d) const {
  d.reg("station address", big_endian(mac_), 48);
  chip_.describe(d.part("mailbox processor"));
  master_.describe(d.part("bus master"));
}

void ThreeC527::archive(Archive& a) {
  a.section("3c527", 1);
  a(adapter_id_, mac_, pos_, irq_);
  chip_.archive(a);
  master_.archive(a);
  if (a.loading()) restored(irq_.cause());
}

}  // namespace planar::ethernet
