// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/common/wd_card.hpp"

#include <fmt/format.h>

#include <array>

#include "core/common/error.hpp"
#include "devices/ethernet/common/dp8390_profile.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint32_t ram_size = 0x4000;
constexpr std::array<unsigned, 4> irq_lines_8013{3, 4, 10, 14}, irq_lines_8003{3, 4, 10, 15};
// 83C58x register E: Micro Channel, and the board's type (86Box).
constexpr std::uint8_t board_8013ep = 0xA7, board_8003e = 0xA5;

constexpr OemId smc_ids[] = {
    {0x61C8, "SMC 8013EP/A"}, {0x61C9, "SMC 8013WP/A"}, {0xEFD4, "IBM, UTP"}, {0xEFD5, "IBM, BNC"}};
constexpr OemId ibm_ids[] = {
    {0xEFE5, "IBM, 8003 board"}, {0x6FC0, "WD 8003E/A"}, {0x6FC1, "WD 8003ST/A"}, {0x6FC2, "WD 8003W/A"}};

constexpr std::string_view limitations[] = {
    "The boot ROM socket is empty; POS 4 is kept and has no effect. Connector selection changes nothing.",
    "Reset through the 83C58x is a pulse that leaves the RAM enable alone; what the board does is not known.",
    "The interrupt enable is LAAR bit 2, as NetBSD found it; bit 7 of the IRR and register 6 have no effect.",
    "The EEPROM commands of the 83C58x do nothing; its registers 8 to F cannot be overwritten.",
    "The transceiver is taken to deliver the collision heartbeat; there is no jabber cut-off.",
    "Chip: no 32-bit DMA addresses; after a ring overflow the receiver stays off until it is stopped and started.",
};

}  // namespace

const McaEntry WdCard::smc8013{.name = "smc8013",
                               .title = "SMC EtherCard PLUS Elite/A (8013EP/A)",
                               .adapter_id = smc_ids[0].id,
                               .medium = MediumKind::ethernet_10,
                               .data_path = "shared RAM",
                               .bus_width = 16,
                               .make =
                                   [](const McaContext& c) {
                                     return make_network_card<WdCard>(
                                         c, smc8013, station_options(c, smc8013.name, smc_ids, {0x00, 0x00, 0xC0}),
                                         16u);
                                   },
                               .limits = limitations};

const McaEntry WdCard::ethernet_a{.name = "ethernet-a",
                                  .title = "IBM PS/2 Adapter/A for Ethernet Networks",
                                  .adapter_id = ibm_ids[0].id,
                                  .medium = MediumKind::ethernet_10,
                                  .data_path = "shared RAM",
                                  .bus_width = 8,
                                  .make =
                                      [](const McaContext& c) {
                                        return make_network_card<WdCard>(
                                            c, ethernet_a,
                                            station_options(c, ethernet_a.name, ibm_ids, {0x08, 0x00, 0x5A}), 8u);
                                      },
                                  .limits = limitations};

WdCard::WdCard(const McaContext& context, const McaEntry& entry, StationOptions options, unsigned host_bits)
    : McaNetworkCard(context.slot, entry, options.adapter_id, {whole_byte, whole_byte, whole_byte, whole_byte}),
      options_(std::move(options)),
      register_cycle_{8, bus::CycleKind::asynchronous, options_.profile.time("register.ready_delay")},
      window_cycle_(bus::cycle_of(host_bits, bus::default_cycle + options_.profile.time("ram.extension"))),
      ram_access_(options_.profile.time("ram.access")),
      ram_(ram_size),
      asic_(options_.mac, host_bits == 16 ? board_8013ep : board_8003e),
      chip_(slot_.scheduler(), slot_.device_name(entry.name), *this, dp8390_timing(options_.profile), options_.seed) {
  irq_.gate(asic_.interrupts_enabled(), {});
  asic_.set_ram_address(static_cast<std::uint8_t>(ram_base() >> 13));
}

// ---- POS ----

bool WdCard::is_8003() const { return adapter_id_ == 0xEFE5 || (adapter_id_ & 0xFFF0) == 0x6FC0; }

std::uint16_t WdCard::io_base() const {
  return static_cast<std::uint16_t>(is_8003() ? (pos_[2] & 0xFE) << 4 : 0x0800 + ((pos_[2] & 0xF0) << 8));
}

std::uint32_t WdCard::ram_base() const {
  if (is_8003()) return (pos_[3] & 0xFCu) << 12;
  return (pos_[3] & 0x80 ? 0xFC0000u : 0xC0000u) + (pos_[3] & 0x0Fu) * 0x2000u;
}

std::uint32_t WdCard::ram_window() const { return is_8003() || pos_[3] & 0x10 ? ram_size : ram_size / 2; }

unsigned WdCard::irq_line() const { return is_8003() ? irq_lines_8003[pos_[5] & 3] : irq_lines_8013[pos_[5] >> 2 & 3]; }

void WdCard::apply_pos() {
  asic_.set_ram_address(static_cast<std::uint8_t>(ram_base() >> 13));
  claim();
}

void WdCard::claim() {
  register_claim_.release();
  window_claim_.release();
  if (!enabled()) return;
  const std::uint16_t base = io_base();
  if (base) register_claim_ = slot_.claim_io(base, base + 0x1F, registers_, register_cycle_);
  if (asic_.ram_enabled() && ram_base())
    window_claim_ = slot_.claim_memory(ram_base(), ram_window(), window_, window_cycle_);
}

void WdCard::reset_board(Time now) {
  asic_.reset();
  irq_.gate(asic_.interrupts_enabled(), now);
  chip_.reset(now);
}

// ---- 83C58x and chip ----

std::uint32_t WdCard::Registers::read(std::uint32_t offset, unsigned, Time now) {
  return offset < Wd83c58x::registers ? card.asic_.read(offset) : card.chip_.read(offset - Wd83c58x::registers, now);
}

std::uint32_t WdCard::Registers::peek(std::uint32_t offset, unsigned, Time) const {
  return offset < Wd83c58x::registers ? card.asic_.read(offset) : card.chip_.peek(offset - Wd83c58x::registers);
}

void WdCard::Registers::write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) {
  const auto byte = static_cast<std::uint8_t>(value);
  if (offset >= Wd83c58x::registers) {
    card.chip_.write(offset - Wd83c58x::registers, byte, now);
    return;
  }
  const bool had_ram = card.asic_.ram_enabled();
  if (card.asic_.write(offset, byte)) card.chip_.reset(now);
  if (card.asic_.ram_enabled() != had_ram) card.claim();
  card.irq_.gate(card.asic_.interrupts_enabled(), now);
}

void WdCard::describe_board(Description& d) const {
  d.reg("station address", big_endian(options_.mac), 48).reg("I/O base", io_base(), 16);
  d.reg("RAM window", window_claim_ ? ram_base() : 0, 24).number("RAM window bytes", window_claim_ ? ram_window() : 0);
  asic_.describe(d.part("83C58x"));
  chip_.describe(d.part("83C690"));
}

void WdCard::archive(Archive& a) {
  a.section(entry_.name, 1);
  a(adapter_id_, options_.mac, pos_, irq_, ram_);
  if (a.loading() && ram_.size() != ram_size)
    throw Error(fmt::format("snapshot holds a damaged {} buffer; take a new one", entry_.title),
                ExitCode::missing_file);
  asic_.archive(a);
  chip_.archive(a);
  if (a.loading()) restored(irq_.cause(), asic_.interrupts_enabled());
}

}  // namespace planar::ethernet
