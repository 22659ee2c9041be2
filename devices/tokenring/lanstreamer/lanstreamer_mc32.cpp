// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/tokenring/lanstreamer/lanstreamer_mc32.hpp"

#include <algorithm>
#include <array>

namespace planar::tokenring {
namespace {

using ethernet::OemId;
using ethernet::station_options;
using ethernet::StationOptions;

constexpr std::array<unsigned, 4> irq_lines{5, 9, 10, 11};
constexpr std::uint32_t window_unit = 0x2000, window_base = 0xC0000;

constexpr std::string_view hypothetical =
    "HYPOTHETICAL INTERFACE: POS bits, I/O and memory windows are planar's own; the registers are those of the PCI "
    "relative as Linux uses them. Software for the real card cannot work with it.";
constexpr std::string_view chip_limits =
    "Chip: no parity or adapter checks, timer, bridge functions, wrap modes; TRB commands are refused; one group "
    "address where the board has a table of 256.";
constexpr std::string_view inferred_limits =
    "FIFO sizes, threshold, burst and all times are inferred; byte order of the descriptors is unknown (taken as "
    "little-endian).";
constexpr std::string_view limitations[] = {
    hypothetical,
    chip_limits,
    inferred_limits,
    "No boot ROM. Connectors, media detection and the older revision's errors are not modelled.",
};
constexpr std::string_view auto_limitations[] = {
    hypothetical,
    chip_limits,
    inferred_limits,
    "No boot ROM, no Ethernet front end, no microcode update; the microcode is level D0, which brings full duplex.",
};

constexpr OemId ids[] = {{LanStreamerMc32::id, "IBM"}}, auto_ids[] = {{LanStreamerMc32::auto_id, "IBM"}};
constexpr std::array<std::uint8_t, 3> prefix{0x10, 0x00, 0x5A};  // as sent on a ring

/// Identification for ring management: names of our own, since IBM's are not public.
template <std::size_t N>
std::array<std::uint8_t, N> label(std::string_view text) {
  std::array<std::uint8_t, N> bytes{};
  std::copy_n(text.begin(), std::min(N, text.size()), bytes.begin());
  return bytes;
}

LanStreamerConfig chip_config(const TimingProfile& p, bool with_auto) {
  const auto bytes = [&](std::string_view name, std::int64_t least, std::int64_t most) {
    return static_cast<std::uint32_t>(p.integer(name, least, most));
  };
  LanStreamerConfig c;
  c.transmit_fifo = bytes("chip.transmit_fifo", 256, 8192);
  c.receive_fifo = bytes("chip.receive_fifo", 256, 8192);
  c.burst = bytes("master.burst", 16, 128);
  c.threshold = bytes("chip.threshold", 1, 128);
  c.self_test = p.time("firmware.self_test");
  c.request = p.time("firmware.request");
  c.full_duplex = c.autosense = with_auto;
  c.microcode = label<10>(with_auto ? "AUTOLS D0" : "LSTREAMER");
  c.product = label<18>(with_auto ? "AUTO LANSTREAMER" : "LANSTREAMER MC 32");
  return c;
}

}  // namespace

const McaEntry LanStreamerMc32::entry{.name = "lanstreamer",
                                      .title = "IBM LANStreamer MC 32",
                                      .adapter_id = id,
                                      .medium = MediumKind::token_ring,
                                      .data_path = "bus master",
                                      .bus_width = 32,
                                      .make =
                                          [](const McaContext& c) {
                                            return make_network_card<LanStreamerMc32>(
                                                c, entry, station_options(c, entry.name, ids, prefix));
                                          },
                                      .limits = limitations,
                                      .hypothetical = true};

const McaEntry LanStreamerMc32::auto_entry{.name = "autolanstreamer",
                                           .title = "IBM Auto LANStreamer MC 32",
                                           .adapter_id = auto_id,
                                           .medium = MediumKind::token_ring,
                                           .data_path = "bus master",
                                           .bus_width = 32,
                                           .make =
                                               [](const McaContext& c) {
                                                 return make_network_card<LanStreamerMc32>(
                                                     c, auto_entry,
                                                     station_options(c, auto_entry.name, auto_ids, prefix));
                                               },
                                           .limits = auto_limitations,
                                           .hypothetical = true,
                                           .full_duplex = true};

LanStreamerMc32::LanStreamerMc32(const McaContext& context, const McaEntry& row, const StationOptions& o)
    : BusMasterCard(context, row, o, {whole_byte, whole_byte, {0xF7}}, chip_config(o.profile, &row == &auto_entry), 16),
      cycle_{32, bus::CycleKind::asynchronous, o.profile.time("register.ready_delay")} {}

// ---- POS ----

unsigned LanStreamerMc32::irq_line() const { return irq_lines[pos_[2] >> 1 & 3]; }

void LanStreamerMc32::apply_pos() {
  using Chip = LanStreamer;
  master_.configure(pos_[3] & 15, pos_[3] & 0x10, pos_[3] & 0x20);
  const unsigned rate = pos_[4] & 3;
  const bool senses = rate == 2 && adapter_id_ == auto_id;
  chip_.configure(senses ? Chip::AUTOSENSE : rate == 1 ? 0 : Chip::MBPS_16, pos_[4] & 4);
  io_.release();
  memory_.release();
  if (!enabled()) return;
  const auto base = static_cast<std::uint16_t>((pos_[2] & 0xF0) << 8);
  if (base) io_ = slot_.claim_io(base, base + Chip::window_bytes - 1, registers_, cycle_);
  const std::uint32_t window = pos_[4] >> 4;
  if (window) memory_ = slot_.claim_memory(window_base + window * window_unit, window_unit, registers_, cycle_);
}

NetCounters LanStreamerMc32::counters() const {
  const LanStreamer::Counters& c = chip_.counters();
  return {c.sent, c.received, c.overruns, {{"congested", c.congested}, {"lost", c.lost}, {"underruns", c.underruns}}};
}

void LanStreamerMc32::describe_board(Description& d) const {
  chip_.describe(d.part("LANStreamer"));
  master_.describe(d.part("bus master"));
}

void LanStreamerMc32::archive(Archive& a) {
  a.section("lanstreamer_mc32", 1);
  a(pos_);
  chip_.archive(a);
  master_.archive(a);
  if (a.loading()) restored(chip_.interrupt_pin());
}

}  // namespace planar::tokenring
