// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/tokenring/common/tropic_card.hpp"

#include <fmt/format.h>

#include <array>

#include "core/common/error.hpp"
#include "core/common/little_endian.hpp"

namespace planar::tokenring {
namespace {

constexpr std::array<unsigned, 4> irq_lines{9, 3, 10, 11};
constexpr std::uint16_t primary_ports = 0xA20, alternate_ports = 0xA24;
constexpr std::uint32_t adapter_memory = 0xC0000, adapter_memory_end = 0xE0000;
constexpr std::uint8_t window_16 = 1;

// POS 3 to 5
constexpr std::uint8_t alternate_bit = 0x01, sixteen_bit = 0x02, irq_low_bit = 0x80, irq_high_bit = 0x01,
                       autosense_bit = 0x40, no_early_release_bit = 0x01, no_check_bit = 0x80;

constexpr ethernet::OemId id_4[] = {{0xE000, "IBM"}};
constexpr ethernet::OemId id_16_4[] = {{0xE001, "IBM"}};

/// Digits and capitals of a part number in EBCDIC, as ring network management reads the microcode level.
constexpr std::array<std::uint8_t, 10> ebcdic(std::string_view text) {
  std::array<std::uint8_t, 10> level{};
  for (std::size_t i = 0; i < level.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    level[i] = static_cast<std::uint8_t>(c >= '0' && c <= '9'   ? 0xF0 + c - '0'
                                         : c >= 'A' && c <= 'I' ? 0xC1 + c - 'A'
                                                                : 0x40);
  }
  return level;
}

// Identification codes: docs/hardware/tropic.md#identification. The first long card's parity RAM needs its last 512
// bytes written by the host; the first two generations lack the fast path of later microcode.
constexpr TropicBoard board_4{.identification = {.type = 0xF,
                                                 .rates = 0xF,
                                                 .early_release = 0xF,
                                                 .ram = 0xF,
                                                 .paging = 0xF,
                                                 .dhb_4 = 0xF,
                                                 .dhb_16 = 0xF,
                                                 .media_supported = 0xF,
                                                 .media_selected = 0xF},
                              .ram_bytes = 0x4000,
                              .fast_path = false,
                              .fixed_window = true,
                              .microcode = ebcdic("")};
constexpr TropicBoard board_1989{
    .identification = {.type = 0xE, .ram = 0xB, .dhb_16 = 0xC, .media_supported = 0xF, .media_selected = 0xF},
    .ram_bytes = 0x10000,
    .fast_path = false,
    .fixed_window = false,
    .microcode = ebcdic("25F9532")};
constexpr TropicBoard board_1990{.identification = {.type = 0xE, .media_supported = 0xF, .media_selected = 0xF},
                                 .ram_bytes = 0x10000,
                                 .fast_path = false,
                                 .fixed_window = false,
                                 .microcode = ebcdic("53F7748")};
constexpr TropicBoard board_1994{.identification = {.type = 0xD, .paging = 0xC},
                                 .ram_bytes = 0x10000,
                                 .fast_path = true,
                                 .fixed_window = false,
                                 .microcode = ebcdic("74F9686")};

constexpr std::string_view common_limits[] = {
    "The boot (RPL) ROM is absent: the lower part of the MMIO window reads FFh.",
    "No 802.2 link stations (type 2), group SAPs, bridge functions or ring utilisation: these commands are refused "
    "with return code 01h.",
    "XID and TEST commands from the ring are handed to the host, not answered by the adapter.",
    "The programmable timer's registers are latches; writing outside of the buffers causes no access error.",
    "Identification codes that no source gives for this generation are inferred; the AIP's checksums read 0.",
    "A frame to be sent is read from the RAM when it is given to the ring, not byte by byte.",
};
constexpr auto limits_16_4 = limits_and(
    common_limits,
    "Speed detection (POS 5 bit 6) and the switch for early token release (POS 5 bit 0, planar's own) are inferred.");
constexpr auto limits_4 = limits_and(
    common_limits,
    "The POS layout is not public: taken as that of the 16/4 Adapter/A without speed and window size. RAM of 16 KB is "
    "recalled.");

McaParts make_4(const McaContext& c) { return make_network_card<TropicCard>(c, TropicCard::tr4_a, board_4); }
McaParts make_1989(const McaContext& c) {
  return make_network_card<TropicCard>(c, TropicCard::tr16_4a_1989, board_1989);
}
McaParts make_1990(const McaContext& c) {
  return make_network_card<TropicCard>(c, TropicCard::tr16_4a_1990, board_1990);
}
McaParts make_1994(const McaContext& c) {
  return make_network_card<TropicCard>(c, TropicCard::tr16_4a_1994, board_1994);
}

constexpr McaEntry row(std::string_view name, std::string_view title, std::uint16_t id,
                       McaParts (*make)(const McaContext&), std::span<const std::string_view> limits) {
  return {.name = name,
          .title = title,
          .adapter_id = id,
          .medium = MediumKind::token_ring,
          .data_path = "shared RAM",
          .bus_width = 16,
          .make = make,
          .limits = limits,
          .medium_rate = id == 0xE000 ? 4'000'000u : 0u};
}

TropicConfig chip_config(const TropicBoard& board, const TimingProfile& profile) {
  return {.identification = board.identification,
          .ram_bytes = board.ram_bytes,
          .fast_path = board.fast_path,
          .microcode = board.microcode,
          .timing = {.bring_up = profile.time("microprocessor.bring_up"),
                     .step = profile.time("microprocessor.step"),
                     .ram_cycle = profile.time("ram.cycle"),
                     .ram_period = profile.time("microprocessor.ram_period")}};
}

}  // namespace

const McaEntry TropicCard::tr4_a = row("tr4-a", "IBM Token-Ring Network Adapter/A", 0xE000, make_4, limits_4);
const McaEntry TropicCard::tr16_4a_1989 =
    row("tr16-4a-1989", "IBM Token-Ring 16/4 Adapter/A (16F1144, 1989)", 0xE001, make_1989, limits_16_4);
const McaEntry TropicCard::tr16_4a_1990 =
    row("tr16-4a-1990", "IBM Token-Ring 16/4 Adapter/A (53F7748, 1990)", 0xE001, make_1990, limits_16_4);
const McaEntry TropicCard::tr16_4a_1994 =
    row("tr16-4a-1994", "IBM Token-Ring 16/4 Adapter/A (74F9415, 1994)", 0xE001, make_1994, limits_16_4);

TropicCard::TropicCard(const McaContext& context, const McaEntry& row, const TropicBoard& board)
    : TropicCard(context, row, board,
                 ethernet::station_options(context, row.name, board.fixed_window ? std::span(id_4) : std::span(id_16_4),
                                           {0x10, 0x00, 0x5A})) {}

TropicCard::TropicCard(const McaContext& context, const McaEntry& row, const TropicBoard& board,
                       const ethernet::StationOptions& o)
    : McaNetworkCard(context.slot, row, o.adapter_id, {whole_byte, whole_byte, whole_byte, whole_byte}),
      fixed_window_(board.fixed_window),
      register_cycle_{16, bus::CycleKind::asynchronous, o.profile.time("registers.ready_delay")},
      host_access_(o.profile.time("ram.host_access")),
      chip_(slot_.scheduler(), slot_.device_name(row.name), *this, o.mac, chip_config(board, o.profile), o.seed) {
  if (o.mac[0] & net::ring_group)
    throw Error(fmt::format("{}.mac: {} is a group address on a ring, where the first bit is the most significant one",
                            row.name, net::format_mac(o.mac)));
  chip_.strap(straps());
  chip_.restart(slot_.scheduler().now());
}

// ---- POS ----

// A card that asserts -CHCK indicates this in POS 5.
std::uint8_t TropicCard::pos_peek(unsigned reg) const {
  const std::uint8_t value = McaCard::pos_peek(reg);
  return reg == 5 && chip_.channel_check() ? static_cast<std::uint8_t>(value & ~no_check_bit) : value;
}

TropicStraps TropicCard::straps() const {
  TropicStraps s;
  s.alternate = pos_[3] & alternate_bit;
  s.sixteen = !fixed_window_ && pos_[3] & sixteen_bit;
  s.autosense = !fixed_window_ && pos_[5] & autosense_bit;
  s.early_release = !(pos_[5] & no_early_release_bit);
  s.window = fixed_window_ ? window_16 : pos_[3] >> 2 & 3;
  s.interrupt = static_cast<std::uint8_t>((pos_[4] & irq_high_bit ? 2 : 0) | (pos_[3] & irq_low_bit ? 1 : 0));
  s.ram_address = pos_[2] & 0xFE;
  s.rom_address = pos_[4] & 0xFE;
  return s;
}

unsigned TropicCard::irq_line() const { return irq_lines[straps().interrupt]; }

// Windows outside the adapters' 128 KB are not decoded; the RAM's window is at a multiple of its size.
void TropicCard::apply_pos() {
  port_claim_.release();
  mmio_claim_.release();
  window_claim_.release();
  const TropicStraps s = straps();
  chip_.strap(s);
  if (!enabled()) return;
  const std::uint16_t base = s.alternate ? alternate_ports : primary_ports;
  port_claim_ = slot_.claim_io(base, base + 3, ports_, {8, bus::CycleKind::synchronous_extended, {}});
  const auto decoded = [](std::uint32_t at) { return at >= adapter_memory && at < adapter_memory_end; };
  const std::uint32_t ram = (std::uint32_t{s.ram_address} << 12) & ~(chip_.window_bytes() - 1);
  if (decoded(ram))
    window_claim_ = slot_.claim_memory(ram, chip_.window_bytes(), window_, {16, bus::CycleKind::asynchronous, {}});
  const std::uint32_t mmio = std::uint32_t{s.rom_address} << 12;
  if (decoded(mmio)) mmio_claim_ = slot_.claim_memory(mmio, Tropic::mmio_bytes, mmio_, register_cycle_);
}

void TropicCard::reset_board(Time now) {
  chip_.strap(straps());
  chip_.restart(now);
}

NetCounters TropicCard::counters() const {
  const Tropic::Counters& c = chip_.counters();
  return {c.sent, c.received, c.overruns, {}};
}

// ---- MMIO and shared RAM: a word is accessed byte by byte, lowest address first ----

std::uint32_t TropicCard::Mmio::peek(std::uint32_t offset, unsigned bytes, Time) const {
  return join_little(bytes, [&](unsigned i) { return card.chip_.mmio_peek(offset + i); });
}

void TropicCard::Mmio::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  for (unsigned i = 0; i < bytes; ++i)
    card.chip_.mmio_write(offset + i, static_cast<std::uint8_t>(value >> (8 * i)), now);
}

std::uint32_t TropicCard::Window::peek(std::uint32_t offset, unsigned bytes, Time) const {
  return join_little(bytes, [&](unsigned i) { return card.chip_.ram_peek(offset + i); });
}

void TropicCard::Window::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time) {
  for (unsigned i = 0; i < bytes; ++i) card.chip_.ram_write(offset + i, static_cast<std::uint8_t>(value >> (8 * i)));
}

// The host's cycle follows the one in progress, of the ring or the microprocessor.
Time TropicCard::Window::ready(std::uint32_t, unsigned, Direction, Time start) {
  return card.chip_.ram_free(start + bus::address_phase) + card.host_access_;
}

void TropicCard::describe_board(Description& d) const {
  d.reg("station address", big_endian(chip_.burned_in()), 48);
  d.reg("port base", straps().alternate ? alternate_ports : primary_ports, 12);
  d.reg("setup port", chip_.port_peek(0), 8).number("RAM window", chip_.window_bytes());
  chip_.describe(d.part("TROPIC"));
}

void TropicCard::archive(Archive& a) {
  a.section("tropic-card", 1);
  a(adapter_id_, pos_);
  chip_.archive(a);
  if (a.loading()) restored(chip_.interrupt());
}

}  // namespace planar::tokenring
