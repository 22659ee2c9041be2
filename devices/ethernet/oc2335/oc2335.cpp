// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/oc2335/oc2335.hpp"

#include <array>

namespace planar::ethernet {
namespace {

constexpr std::array<unsigned, 4> irq_lines{5, 9, 10, 11};

constexpr std::string_view limitations[] = {
    "HYPOTHETICAL INTERFACE: no programming information is public. ID, POS, ports and registers are planar's own; "
    "software for the real card cannot work with it, and its figures show what such a slave can do, not what the "
    "product did.",
    "100 Mbit/s only: no 10 Mbit/s, no negotiation, no management of the transceiver.",
    "The sizes of both FIFOs, the port's width and its cycle are inferred; no early start of a frame.",
    "No boot ROM; POS 3 to 7 read FFh.",
};

Dp83800Config chip_config(const TimingProfile& p) {
  const auto bytes = [&](std::string_view name) { return static_cast<std::uint32_t>(p.integer(name, 2048, 65535)); };
  return {bytes("chip.transmit_fifo"), bytes("chip.receive_fifo"), p.time("chip.transmit_start"), p.time("chip.reset")};
}

constexpr OemId ids[] = {{Oc2335::declared_id, "Olicom, planar's choice"}};

}  // namespace

const McaEntry Oc2335::entry{.name = "oc2335",
                             .title = "Olicom OC-2335",
                             .adapter_id = declared_id,
                             .medium = MediumKind::ethernet_100,
                             .data_path = "PIO (FIFO)",
                             .bus_width = 16,
                             .make = make_network_card<Oc2335>,
                             .limits = limitations,
                             .hypothetical = true};

Oc2335::Oc2335(const McaContext& context)
    : Oc2335(context, station_options(context, entry.name, ids, {0x00, 0x00, 0x24})) {}

Oc2335::Oc2335(const McaContext& context, const StationOptions& o)
    : McaNetworkCard(context.slot, entry, o.adapter_id, {whole_byte}),
      cycle_{16, bus::CycleKind::asynchronous, o.profile.time("port.ready_delay")},
      chip_(slot_.scheduler(), slot_.device_name(entry.name), *this, chip_config(o.profile), o.mac, o.seed) {}

// ---- POS ----

unsigned Oc2335::irq_line() const { return irq_lines[pos_[2] >> 1 & 3]; }

void Oc2335::apply_pos() {
  claim_.release();
  const auto base = static_cast<std::uint16_t>((pos_[2] & 0xF0) << 8);
  if (enabled() && base) claim_ = slot_.claim_io(base, base + Dp83800::window_bytes - 1, registers_, cycle_);
}

void Oc2335::reset_board(Time now) { chip_.reset(now); }

void Oc2335::describe_board(Description& d) const { chip_.describe(d.part("DP83800")); }

void Oc2335::archive(Archive& a) {
  a.section("oc2335", 1);
  a(pos_);
  chip_.archive(a);
  if (a.loading()) restored(chip_.interrupt());
}

}  // namespace planar::ethernet
