// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/etherexpress/etherexpress.hpp"

#include <fmt/format.h>

#include <bit>
#include <numeric>

#include "core/common/error.hpp"
#include "core/common/little_endian.hpp"
#include "devices/ethernet/common/i82586_profile.hpp"

namespace planar::ethernet {
namespace {

constexpr std::array<unsigned, 8> irq_lines{12, 9, 3, 4, 5, 10, 11, 15};
constexpr std::uint16_t board_id = 0xBABA;  // at +F, one nibble per read
constexpr std::uint16_t eeprom_sum = 0xBABA;
constexpr std::uint16_t on_board = 0x1000, sixteen_bit = 0x0400;  // EEPROM word 0
constexpr unsigned default_irq_code = 1;                          // the ASIC's own number for line 9, in the same word
constexpr std::uint8_t loopback_bit = 0x02, wide_bit = 0x04;      // +D
constexpr std::uint8_t clock_bit = 0x01, select_bit = 0x02, to_eeprom_bit = 0x04, from_eeprom_bit = 0x08,
                       asic_reset_bit = 0x40,
                       chip_reset_bit = 0x80;  // +E
constexpr std::uint8_t enable_bit = 0x08;      // +7

constexpr std::string_view limitations[] = {
    "The shared-memory mode (ports +A to +C) keeps what is written and maps nothing; no driver for the Micro Channel "
    "uses it.",
    "8-bit mode (port +D bit 2 clear) is remembered without an effect.",
    "The interrupt goes to the line that POS 3 names while port +7 bit 3 is set; the code beside it is kept only. "
    "Linux cannot serve lines 12 and 15.",
    "All connectors lead to the same cable; there is no boot ROM.",
    "Ports +C000h to +C007h answer as +8000h; the RAM holds 32 KB unless ram.size says 16 or 64 KB (48 KB cards "
    "existed).",
    "Clock, ready delay and arbiter are inferred (see the timing table).",
    "Chip: the 82586's own simplifications stand in its header; its cycles are not slowed down by the host's.",
};

constexpr OemId ids[] = {{EtherExpress::id, "Intel"}};

std::size_t ram_size(const TimingProfile& profile) {
  const auto bytes = static_cast<std::size_t>(profile.integer("ram.size", 0x4000, 0x10000));
  if (!std::has_single_bit(bytes)) throw Error("etherexpress.ram.size: the RAM has 16384, 32768 or 65536 bytes");
  return bytes;
}

// Word 4 holds the first two bytes of the address; the last word corrects the sum.
std::array<std::uint16_t, At93c46::words> eeprom_contents(const net::MacAddress& mac) {
  std::array<std::uint16_t, At93c46::words> w{};
  w[0] = on_board | sixteen_bit | default_irq_code << 13;
  for (unsigned i = 0; i < 3; ++i) w[4 - i] = static_cast<std::uint16_t>(mac[2 * i] << 8 | mac[2 * i + 1]);
  w.back() = static_cast<std::uint16_t>(eeprom_sum - std::accumulate(w.begin(), w.end(), 0u));
  return w;
}

std::uint16_t io_base(std::uint8_t pos3) {
  return static_cast<std::uint16_t>((pos3 & 8 ? 0x370 : 0x270) - (pos3 & 7) * 0x10);
}

}  // namespace

const McaEntry EtherExpress::entry{.name = "etherexpress",
                                   .title = "Intel EtherExpress/MC",
                                   .adapter_id = id,
                                   .medium = MediumKind::ethernet_10,
                                   .data_path = "PIO (pointer port)",
                                   .bus_width = 16,
                                   .make = make_network_card<EtherExpress>,
                                   .limits = limitations};

EtherExpress::EtherExpress(const McaContext& context)
    : EtherExpress(context, station_options(context, entry.name, ids, {0x00, 0xAA, 0x00})) {}

EtherExpress::EtherExpress(const McaContext& context, const StationOptions& o)
    : McaNetworkCard(context.slot, entry, o.adapter_id, {whole_byte, whole_byte}),
      register_cycle_{16, bus::CycleKind::synchronous_extended, {}},
      ram_cycle_{16, bus::CycleKind::asynchronous, o.profile.time("ram.ready_delay")},
      ram_(ram_size(o.profile)),
      eeprom_(eeprom_contents(o.mac)),
      chip_(slot_.scheduler(), slot_.device_name(entry.name), *this, ram_, i82586_timing(o.profile), o.seed) {
  irq_.gate(irq_select_ & enable_bit, {});
}

// ---- POS ----

unsigned EtherExpress::irq_line() const { return irq_lines[pos_[3] >> 4 & 7]; }

void EtherExpress::apply_pos() {
  for (IoClaim* claim : {&data_claim_, &register_claim_, &low_claim_, &high_claim_, &scb_claim_, &connector_claim_})
    claim->release();
  if (!enabled()) return;
  const std::uint16_t base = io_base(pos_[3]);
  const auto at = [&](unsigned offset) { return static_cast<std::uint16_t>(base + offset); };
  register_claim_ = slot_.claim_io(base, at(0x000F), registers_, register_cycle_);
  data_claim_ = slot_.claim_io(base, at(0x0001), registers_, ram_cycle_);
  connector_claim_ =
      slot_.claim_io(at(0x300E), at(0x300E), connector_port_, {8, bus::CycleKind::synchronous_extended, {}});
  low_claim_ = slot_.claim_io(at(0x4000), at(0x400F), low_, ram_cycle_);
  high_claim_ = slot_.claim_io(at(0x8000), at(0x800F), high_, ram_cycle_);
  scb_claim_ = slot_.claim_io(at(0xC000), at(0xC00F), scb_, ram_cycle_);
}

void EtherExpress::reset_board(Time now) {
  reset_asic(now);
  write_control(chip_reset_bit, now);
}

void EtherExpress::reset_asic(Time now) {
  read_pointer_ = write_pointer_ = shadow_pointer_ = 0;
  irq_select_ = 0;
  config_ = wide_bit;
  memory_mode_ = {};
  id_step_ = 0;
  chip_.set_serial_loopback(false);
  irq_.gate(irq_select_ & enable_bit, now);
}

// ---- RAM ----

std::uint32_t EtherExpress::ram_peek(std::uint32_t at, unsigned bytes) const {
  return join_little(bytes, [&](unsigned i) { return ram_[(at + i) & (ram_.size() - 1)]; });
}

void EtherExpress::ram_write(std::uint32_t at, unsigned bytes, std::uint32_t value, Time now) {
  chip_.sync(now);
  for (unsigned i = 0; i < bytes; ++i) ram_[(at + i) & (ram_.size() - 1)] = static_cast<std::uint8_t>(value >> (8 * i));
  chip_.host_wrote(at, bytes, now);
}

// The ASIC lets the RAM serve one cycle at a time: first the chip's cycle in progress, then the host's.
Time EtherExpress::ram_ready(Time start) const {
  return chip_.bus_free(start + bus::address_phase) + (bus::extended_cycle - bus::address_phase) +
         ram_cycle_.ready_delay;
}

// ---- ports +0 to +F ----

Time EtherExpress::Registers::ready(std::uint32_t offset, unsigned, Direction, Time start) {
  return offset < 2 ? card.ram_ready(start) : start;
}

std::uint8_t EtherExpress::peek_register(unsigned reg) const {
  const auto half = [&](std::uint16_t word) { return static_cast<std::uint8_t>(reg & 1 ? word >> 8 : word); };
  switch (reg) {
    // clang-format off
    case 0x0: case 0x1: return ram_[(read_pointer_ + reg) & (ram_.size() - 1)];
    case 0x2: case 0x3: return half(write_pointer_);
    case 0x4: case 0x5: return half(read_pointer_);
    case 0x7: return irq_select_;
    case 0x8: case 0x9: return half(shadow_pointer_);
    case 0xA: case 0xB: case 0xC: return memory_mode_[reg - 0xA];
    // clang-format on
    case 0xD: return config_;
    case 0xE: return static_cast<std::uint8_t>(control_ | (eeprom_.data_out() ? from_eeprom_bit : 0));
    case 0xF: return static_cast<std::uint8_t>((board_id >> 4 * id_step_ & 0xF) << 4 | id_step_);
    default: return 0xFF;
  }
}

std::uint32_t EtherExpress::Registers::peek(std::uint32_t offset, unsigned bytes, Time) const {
  return join_little(bytes, [&](unsigned i) { return card.peek_register(offset + i); });
}

std::uint32_t EtherExpress::Registers::read(std::uint32_t offset, unsigned bytes, Time now) {
  if (offset < 2) card.chip_.sync(now);
  const std::uint32_t value = peek(offset, bytes, now);
  if (offset < 2) card.read_pointer_ = static_cast<std::uint16_t>(card.read_pointer_ + bytes);
  if (offset == 0xF) card.id_step_ = (card.id_step_ + 1) & 3;
  return value;
}

void EtherExpress::Registers::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  if (offset < 2) {
    card.ram_write(card.write_pointer_, bytes, value, now);
    card.write_pointer_ = static_cast<std::uint16_t>(card.write_pointer_ + bytes);
    return;
  }
  // +6 is a strobe of its own: a word written there is one channel attention and does not change the interrupt select.
  if (offset == 6) bytes = 1;
  for (unsigned i = 0; i < bytes; ++i)
    card.write_register(offset + i, static_cast<std::uint8_t>(value >> (8 * i)), now);
}

void EtherExpress::write_register(unsigned reg, std::uint8_t value, Time now) {
  const auto set_half = [&](std::uint16_t& word) {
    word = static_cast<std::uint16_t>(reg & 1 ? (word & 0x00FF) | value << 8 : (word & 0xFF00) | value);
  };
  switch (reg) {
    case 0x2:
    case 0x3: set_half(write_pointer_); break;
    case 0x4:
    case 0x5: set_half(read_pointer_); break;
    case 0x6: chip_.channel_attention(now); break;
    case 0x7:
      irq_select_ = value & 0x0F;
      irq_.gate(irq_select_ & enable_bit, now);
      break;
    case 0x8:
    case 0x9: set_half(shadow_pointer_); break;
    case 0xA:
    case 0xB:
    case 0xC: memory_mode_[reg - 0xA] = value; break;
    case 0xD:
      config_ = value;
      chip_.set_serial_loopback(value & loopback_bit);
      break;
    case 0xE: write_control(value, now); break;
    default: break;
  }
}

void EtherExpress::write_control(std::uint8_t value, Time now) {
  control_ = value & static_cast<std::uint8_t>(~from_eeprom_bit);
  eeprom_.pins(value & select_bit, value & clock_bit, value & to_eeprom_bit);
  if (value & asic_reset_bit) reset_asic(now);
  chip_.hold_reset(value & (chip_reset_bit | asic_reset_bit), now);
}

// ---- the windows ----

std::uint32_t EtherExpress::Shadow::address(std::uint32_t offset) const {
  if (number == 2 && offset >= 8) return offset;
  return (card.shadow_pointer_ & ~31u) + (number == 0 ? 0 : 16) + offset;
}

std::uint32_t EtherExpress::Shadow::peek(std::uint32_t offset, unsigned bytes, Time) const {
  return card.ram_peek(address(offset), bytes);
}

std::uint32_t EtherExpress::Shadow::read(std::uint32_t offset, unsigned bytes, Time now) {
  card.chip_.sync(now);
  return peek(offset, bytes, now);
}

void EtherExpress::Shadow::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  card.ram_write(address(offset), bytes, value, now);
}

void EtherExpress::describe_board(Description& d) const {
  d.reg("write pointer", write_pointer_, 16).reg("read pointer", read_pointer_, 16);
  d.reg("shadow pointer", shadow_pointer_, 16).reg("interrupt select", irq_select_, 8).reg("configuration", config_, 8);
  d.reg("control", peek_register(0xE), 8).reg("connector", connector_, 8);
  for (unsigned n = 0; n < memory_mode_.size(); ++n)
    d.reg(fmt::format("memory mode +{:X}", 0xA + n), memory_mode_[n], 8);
  eeprom_.describe(d.part("93C46"));
  chip_.describe(d.part("82586"));
}

void EtherExpress::archive(Archive& a) {
  a.section("etherexpress", 2);
  a(pos_, read_pointer_, write_pointer_, shadow_pointer_, irq_select_, config_, control_, connector_, id_step_,
    memory_mode_);
  id_step_ &= 3;
  auto bytes = static_cast<std::uint32_t>(ram_.size());
  a(bytes);
  if (bytes != ram_.size())
    throw Error("snapshot holds an EtherExpress with other RAM; set etherexpress.ram.size alike",
                ExitCode::missing_file);
  a.bytes(ram_);
  eeprom_.archive(a);
  chip_.archive(a);
  if (a.loading()) restored(chip_.interrupt_pin(), irq_select_ & enable_bit);
}

}  // namespace planar::ethernet
