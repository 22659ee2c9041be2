// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/tokenring/madge/madge_mc.hpp"

#include <array>

#include "core/common/little_endian.hpp"

namespace planar::tokenring {
namespace {

constexpr std::array<unsigned, 4> irq_lines{0, 3, 9, 10};
constexpr std::uint16_t lowest_base = 0x0A20;
constexpr unsigned board_ports = 8, ports = 16;
constexpr std::uint8_t manufacturer = 0x4D, type_mc16 = 0x08, type_mc32 = 0x0D;
constexpr std::uint8_t control0_kept = MadgeMc::PAGE | MadgeMc::SIFSEL | MadgeMc::TEST_INTERRUPT;

constexpr std::string_view mc16_limits[] = {
    "The downloaded program is kept, not executed: the chip does what TI's MAC microcode does. Madge's own microcode "
    "(Fastmac), which its DOS, NetWare and Windows drivers download, has another interface and cannot work.",
    "POS and registers are those that Linux's madgemc knows; the other bits of both control registers are kept without "
    "an effect, ports +10 to +1F do not answer, and there is no boot ROM.",
    "A received frame moves to the host when its end has arrived (as with the chip's option FRAME HOLD), a transmitted "
    "one starts when it is in local RAM whole; buffers are counted, not laid out in the RAM that the host can read.",
    "Chip: no wrap (OPEN refuses it), promiscuous reception, pseudo DMA, source routing accelerator, parity errors; "
    "PASS CRC does not carry a wrong check sequence onto the ring.",
    "Processor times per list and command, and the rate of the chip's bus cycles, are inferred or calibrated.",
};
constexpr std::string_view mc32_limits[] = {
    "HYPOTHETICAL INTERFACE: the real card's POS is not public. What is here is the MC 16's with a bit for streaming "
    "data; its I/O map and ID ROM are those that Linux's madgemc expects of an MC 32.",
    "The downloaded program is kept, not executed: the chip does what TI's MAC microcode does. Madge's own microcode "
    "(Fastmac) cannot work.",
    "A received frame moves to the host when its end has arrived, a transmitted one starts when it is in local RAM "
    "whole; buffers are counted, not laid out in the RAM that the host can read.",
    "Chip: as madge-mc. How the card's bus chip buffers, and all times, are inferred.",
};

constexpr ethernet::OemId mc16_ids[] = {{MadgeMc::mc16_id, "Madge"}};
constexpr ethernet::OemId mc32_ids[] = {{MadgeMc::mc32_id, "Madge"}, {MadgeMc::mc16_id, "as Linux looks for it"}};

Tms380Config chip_config(const TimingProfile& p) {
  Tms380Config c;
  c.ram_bytes = static_cast<std::uint32_t>(p.integer("board.ram", 0x20000, 0x40000));
  c.reserved_bytes = static_cast<std::uint32_t>(p.integer("chip.program", 0x8000, 0x10000));
  c.self_test = p.time("chip.self_test");
  c.initialize = p.time("chip.initialize");
  c.interrupt = p.time("processor.doorbell");
  c.command = p.time("processor.command");
  c.look = p.time("processor.look");
  c.transmit_list = p.time("processor.transmit_list");
  c.transmit_status = p.time("processor.transmit_status");
  c.receive_list = p.time("processor.receive_list");
  c.status = p.time("processor.status");
  return c;
}

MadgeMasterConfig master_config(const TimingProfile& p, bool mc32) {
  MadgeMasterConfig c;
  c.width = mc32 ? 32 : 16;
  c.buffered = mc32;
  c.chip_cycle = p.time("master.chip_cycle");
  c.burst_gap = p.time("master.burst_gap");
  c.grant = p.time("master.grant");
  c.limited_bytes = static_cast<std::uint32_t>(p.integer("master.limited_burst", 4, 64));
  return c;
}

}  // namespace

const McaEntry MadgeMc::mc16{.name = "madge-mc",
                             .title = "Madge Smart 16/4 MC Ringnode",
                             .adapter_id = mc16_id,
                             .medium = MediumKind::token_ring,
                             .data_path = "bus master",
                             .bus_width = 16,
                             .make = [](const McaContext& c) { return make_network_card<MadgeMc>(c, mc16); },
                             .limits = mc16_limits,
                             .full_duplex = true};

const McaEntry MadgeMc::mc32{.name = "madge-mc32",
                             .title = "Madge Smart 16/4 MC 32 Ringnode",
                             .adapter_id = mc32_id,
                             .medium = MediumKind::token_ring,
                             .data_path = "bus master",
                             .bus_width = 32,
                             .make = [](const McaContext& c) { return make_network_card<MadgeMc>(c, mc32); },
                             .limits = mc32_limits,
                             .hypothetical = true,
                             .full_duplex = true};

// Token Ring addresses are in transmission bit order: Madge's 00-00-6F is 00-00-F6 here.
MadgeMc::MadgeMc(const McaContext& context, const McaEntry& entry)
    : MadgeMc(context, entry,
              ethernet::station_options(context, entry.name,
                                        &entry == &mc32 ? std::span<const ethernet::OemId>(mc32_ids) : mc16_ids,
                                        {0x00, 0x00, 0xF6})) {}

MadgeMc::MadgeMc(const McaContext& context, const McaEntry& entry, const ethernet::StationOptions& o)
    : McaNetworkCard(context.slot, entry, o.adapter_id, {whole_byte, whole_byte, whole_byte, whole_byte}),
      mac_(o.mac),
      ram_bytes_(static_cast<std::uint32_t>(o.profile.integer("board.ram", 0x20000, 0x40000))),
      port_cycle_{8, bus::CycleKind::synchronous_extended, {}},
      sif_cycle_{16, bus::CycleKind::asynchronous, o.profile.time("sif.ready_delay")},
      chip_(slot_.scheduler(), slot_.device_name(entry.name), *this, chip_config(o.profile), o.mac, o.seed),
      master_(slot_, slot_.device_name(entry.name), *this, master_config(o.profile, &entry == &mc32)) {
  irq_.gate(false, {});
}

NetCounters MadgeMc::counters() const {
  const Tms380::Counters& c = chip_.counters();
  return {c.sent, c.received, c.overruns, {}};
}

// ---- POS ----

unsigned MadgeMc::irq_line() const { return irq_lines[pos_[2] >> 6]; }

void MadgeMc::apply_pos() {
  master_.configure(8 + (pos_[2] >> 1 & 7), !(pos_[4] & 0x10), static_cast<BurstMode>(pos_[4] >> 6),
                    is_mc32() && pos_[3] & 1);
  port_claim_.release();
  sif_claim_.release();
  if (!enabled()) return;
  const auto base = static_cast<std::uint16_t>(lowest_base + (pos_[4] & 0x04 ? 0x0400 : 0) +
                                               (pos_[2] & 0x20 ? 0x1000 : 0) + (pos_[5] & 0x20 ? 0x2000 : 0));
  const auto at = [base](unsigned offset) { return static_cast<std::uint16_t>(base + offset); };
  port_claim_ = slot_.claim_io(base, at(board_ports - 1), ports_, port_cycle_);
  sif_claim_ = slot_.claim_io(at(board_ports), at(ports - 1), sif_, sif_cycle_);
}

void MadgeMc::reset_board(Time now) {
  control0_ = cable_ = 0;
  write_control1(0, now);
}

// ---- the board's ports ----

std::uint32_t MadgeMc::Ports::peek(std::uint32_t offset, unsigned, Time) const {
  switch (offset) {
    case 0: return card.control0_ | (card.latched_ ? unsigned{SINTR} : 0);
    case 1: return card.control1_;
    case 2:
    case 3:
    case 4: return card.pos_peek(offset);
    case 7: return card.cable_;
    default: return 0xFF;
  }
}

void MadgeMc::Ports::write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) {
  const auto byte = static_cast<std::uint8_t>(value);
  if (offset == 0) card.write_control0(byte, now);
  if (offset == 1) card.write_control1(byte, now);
  if (offset == 7) card.cable_ = byte & 1;
}

void MadgeMc::write_control0(std::uint8_t value, Time now) {
  const bool test = value & ~control0_ & TEST_INTERRUPT;
  control0_ = value & control0_kept;
  if (test) latch(now);
}

void MadgeMc::write_control1(std::uint8_t value, Time now) {
  control1_ = value;
  if (chip_held()) chip_.reset(now);
  chip_.set_ring_speed(control1_ & SPEED_16 ? 16'000'000 : 4'000'000);
  if (!(control1_ & INTERRUPTS)) {
    latched_ = false;
    irq_.set(false, now);
  }
  irq_.gate(control1_ & INTERRUPTS, now);
}

void MadgeMc::latch(Time now) {
  if (!(control1_ & INTERRUPTS)) return;
  latched_ = true;
  irq_.set(true, now);
}

void MadgeMc::interrupt(bool asserted, Time now) {
  if (asserted) latch(now);
}

// ---- SIF or ID ROM ----

std::uint8_t MadgeMc::id_rom(unsigned at) const {
  if (control0_ & PAGE) return at >= 1 && at <= mac_.size() ? mac_[at - 1] : 0xFF;
  // All but the first two revisions of the MC 16 have 256 KB.
  const std::uint8_t rom[] = {manufacturer, is_mc32() ? type_mc32 : type_mc16,
                              static_cast<std::uint8_t>(is_mc32() || ram_bytes_ < 0x40000 ? 1 : 2)};
  if (at < std::size(rom)) return rom[at];
  return at < std::size(rom) + 3 ? pos_peek(PosRegisters::first + at - static_cast<unsigned>(std::size(rom))) : 0xFF;
}

std::uint32_t MadgeMc::Sif::peek(std::uint32_t offset, unsigned bytes, Time) const {
  if (card.control0_ & SIFSEL) return card.chip_.peek(card.sif_register(offset), bytes);
  return join_little(bytes, [&](unsigned i) { return card.id_rom(offset + i); });
}

std::uint32_t MadgeMc::Sif::read(std::uint32_t offset, unsigned bytes, Time now) {
  if (card.control0_ & SIFSEL && !card.chip_held()) return card.chip_.read(card.sif_register(offset), bytes, now);
  return peek(offset, bytes, now);
}

void MadgeMc::Sif::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  if (card.control0_ & SIFSEL && !card.chip_held())
    card.chip_.write(card.sif_register(offset), bytes, static_cast<std::uint16_t>(value), now);
}

void MadgeMc::describe_board(Description& d) const {
  d.reg("station address", big_endian(mac_), 48)
      .reg("control 0", ports_.peek(0, 1, {}), 8)
      .reg("control 1", control1_, 8);
  d.flag("UTP", cable_).flag("interrupt latched", latched_);
  chip_.describe(d.part("TMS380"));
  master_.describe(d.part("bus master"));
}

void MadgeMc::archive(Archive& a) {
  a.section(is_mc32() ? "madge-mc32" : "madge-mc", 1);
  a(adapter_id_, mac_, pos_, control0_, control1_, cable_, latched_);
  chip_.archive(a);
  master_.archive(a);
  if (a.loading()) restored(latched_, control1_ & INTERRUPTS);
}

}  // namespace planar::tokenring
