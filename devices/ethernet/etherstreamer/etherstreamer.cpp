// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/etherstreamer/etherstreamer.hpp"

#include <array>

namespace planar::ethernet {
namespace {

constexpr std::array<unsigned, 4> irq_lines{5, 9, 10, 11};

constexpr std::string_view limitations[] = {
    "HYPOTHETICAL INTERFACE: no programming information is public. ID and POS are planar's own, the registers those of "
    "a Token-Ring relative for PCI as Linux uses them; software for the real card cannot work with it, and its figures "
    "are not compared with any published one.",
    "FIFO sizes, threshold, burst and all times are inferred; byte order of the descriptors is unknown (taken as "
    "little-endian).",
    "One transmit channel of two; no ARB/ASB, parity and adapter checks, timer, microcode update, boot ROM.",
    "Full duplex is the segment's (net.duplex), never negotiated. The Dual EtherStreamer is not modelled.",
};

constexpr OemId ids[] = {{EtherStreamer::declared_id, "IBM, planar's choice"}};

streamer::ChipSetConfig chip_config(const TimingProfile& p) {
  const auto bytes = [&](std::string_view name, std::int64_t least, std::int64_t most) {
    return static_cast<std::uint32_t>(p.integer(name, least, most));
  };
  return {bytes("chip.transmit_fifo", 192, 8192), bytes("chip.receive_fifo", 192, 8192), bytes("master.burst", 16, 128),
          bytes("chip.threshold", 1, 1514),       p.time("firmware.self_test"),          p.time("firmware.request")};
}

}  // namespace

const McaEntry EtherStreamer::entry{.name = "etherstreamer",
                                    .title = "IBM EtherStreamer MC 32",
                                    .adapter_id = declared_id,
                                    .medium = MediumKind::ethernet_10,
                                    .data_path = "bus master",
                                    .bus_width = 32,
                                    .make = make_network_card<EtherStreamer>,
                                    .limits = limitations,
                                    .hypothetical = true,
                                    .full_duplex = true};

EtherStreamer::EtherStreamer(const McaContext& context)
    : EtherStreamer(context, station_options(context, entry.name, ids, {0x08, 0x00, 0x5A})) {}

EtherStreamer::EtherStreamer(const McaContext& context, const StationOptions& o)
    : BusMasterCard(context, entry, o, {whole_byte, whole_byte}, chip_config(o.profile), 16),
      cycle_{32, bus::CycleKind::asynchronous, o.profile.time("register.ready_delay")} {}

// ---- POS ----

unsigned EtherStreamer::irq_line() const { return irq_lines[pos_[2] >> 1 & 3]; }

void EtherStreamer::apply_pos() {
  master_.configure(pos_[3] & 15, pos_[3] & 0x10, pos_[3] & 0x20);
  claim_.release();
  const auto base = static_cast<std::uint16_t>((pos_[2] & 0xF0) << 8);
  if (enabled() && base) claim_ = slot_.claim_io(base, base + Streamer::window_bytes - 1, registers_, cycle_);
}

void EtherStreamer::reset_board(Time now) { chip_.reset(now); }

void EtherStreamer::describe_board(Description& d) const {
  chip_.describe(d.part("Streamer"));
  master_.describe(d.part("bus master"));
}

void EtherStreamer::archive(Archive& a) {
  a.section("etherstreamer", 1);
  a(pos_);
  chip_.archive(a);
  master_.archive(a);
  if (a.loading()) restored(chip_.interrupt_pin());
}

}  // namespace planar::ethernet
