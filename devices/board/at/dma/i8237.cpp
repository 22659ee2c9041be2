// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/dma/i8237.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/common/error.hpp"

namespace planar {

namespace {

constexpr unsigned cascade = 4;
// Registers after the channel registers.
enum Register : unsigned {
  command_status = 8,
  request_bit,
  mask_bit,
  mode,
  clear_pointer,
  clear_all,
  clear_masks,
  all_masks
};
// Command
constexpr std::uint8_t disabled = 0x04, rotating = 0x10;
// Mode: 7:6 demand, single, block, cascade; 5 decrement; 4 autoinitialise; 3:2 verify, to memory, from memory
constexpr std::uint8_t block_mode = 0x80, cascade_mode = 0xC0, mode_mask = 0xC0, decrement = 0x20,
                       autoinitialise = 0x10, direction = 0x0C, to_memory = 0x04, from_memory = 0x08;
/// Offset of the page register (from 80h) of each channel; the fourth is for refresh.
constexpr std::array<std::uint8_t, 8> page_of{0x7, 0x3, 0x1, 0x2, 0xF, 0xB, 0x9, 0xA};

constexpr bool wide(unsigned n) { return n >= 4; }

}  // namespace

I8237Pair::I8237Pair(Scheduler& scheduler, AddressSpace& memory, Trace& trace, const I8237Timing& timing)
    : memory_(memory),
      trace_(trace),
      timing_(timing),
      item_(scheduler, "dma.item", Priority::device, Callback::to<&I8237Pair::item>(this)) {
  reset();
}

void I8237Pair::claim_ports(IoSpace& space) {
  ports_.claim(space, first_, 0x00, {{0x00, 0x0F}});
  ports_.claim(space, second_, 0xC0, {{0xC0, 0xDF}});
  ports_.claim(space, page_ports_, 0x80, {{0x81, 0x8F}});
}

void I8237Pair::reset() {
  for (Channel& c : channels_) c.mode = 0;
  channels_[cascade].mode = cascade_mode;
  pages_.fill(0);
  master_clear(0);
  master_clear(1);
  item_.cancel();
}

void I8237Pair::master_clear(unsigned controller) {
  command_[controller] = 0;
  high_byte_[controller] = false;
  lowest_[controller] = 3;
  for (unsigned n = 0; n < 4; ++n) {
    Channel& c = channels_[controller * 4 + n];
    c.masked = true;
    c.software = c.running = c.terminal_count = false;
  }
}

// ---- registers ----

std::uint32_t I8237Pair::Registers::read(std::uint32_t offset, unsigned bytes, Time now) {
  const std::uint32_t value = peek(offset, bytes, now);
  if (!decoded(offset)) return value;
  const unsigned r = reg(offset);
  if (r < command_status) pair.high_byte_[number] = !pair.high_byte_[number];
  if (r == command_status)
    for (unsigned n = 0; n < 4; ++n) pair.channels_[number * 4 + n].terminal_count = false;
  return value;
}

void I8237Pair::Registers::write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) {
  if (decoded(offset)) pair.write_register(number, reg(offset), static_cast<std::uint8_t>(value), now);
}

std::uint32_t I8237Pair::Registers::peek(std::uint32_t offset, unsigned, Time) const {
  return decoded(offset) ? pair.read_register(number, reg(offset)) : 0xFF;
}

std::string_view I8237Pair::Registers::register_name(std::uint32_t offset, Direction d) const {
  if (!decoded(offset)) return {};
  switch (reg(offset)) {
    case command_status: return d == Direction::read ? "status" : "command";
    case request_bit: return "request";
    case mask_bit: return "mask";
    case mode: return "mode";
    case clear_pointer: return "clear byte pointer";
    case clear_all: return "master clear";
    case clear_masks: return "clear masks";
    case all_masks: return "all masks";
    default: return reg(offset) & 1 ? "count" : "address";
  }
}

std::uint8_t I8237Pair::status(unsigned controller) const {
  unsigned value = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const Channel& c = channels_[controller * 4 + n];
    value |= (c.terminal_count ? 1u : 0u) << n | (c.requested || c.software ? 0x10u : 0u) << n;
  }
  return static_cast<std::uint8_t>(value);
}

std::uint8_t I8237Pair::read_register(unsigned controller, unsigned reg) const {
  if (reg == command_status) return status(controller);
  if (reg == all_masks) {
    unsigned value = 0;
    for (unsigned n = 0; n < 4; ++n) value |= (channels_[controller * 4 + n].masked ? 1u : 0u) << n;
    return static_cast<std::uint8_t>(value);
  }
  if (reg > command_status) return 0;  // the temporary register, which only memory-to-memory transfers fill
  const Channel& c = channels_[controller * 4 + reg / 2];
  const std::uint16_t word = reg & 1 ? c.current_count : c.current_address;
  return static_cast<std::uint8_t>(word >> (high_byte_[controller] ? 8 : 0));
}

void I8237Pair::write_register(unsigned controller, unsigned reg, std::uint8_t value, Time now) {
  trace_(TraceCategory::dma, now, "dma", "controller {} register {:X} <- {:02X}", controller, reg, value);
  Channel* const own = &channels_[controller * 4];
  if (reg < command_status) {
    Channel& c = own[reg / 2];
    const unsigned shift = high_byte_[controller] ? 8 : 0;
    high_byte_[controller] = !high_byte_[controller];
    std::uint16_t& base = reg & 1 ? c.base_count : c.base_address;
    base = static_cast<std::uint16_t>((base & ~(0xFFu << shift)) | unsigned{value} << shift);
    (reg & 1 ? c.current_count : c.current_address) = base;
    return;
  }
  Channel& chosen = own[value & 3];
  switch (reg) {
    case command_status: command_[controller] = value; break;
    case request_bit: chosen.software = value & 4; break;
    case mask_bit: chosen.masked = value & 4; break;
    case mode:
      chosen.mode = value & 0xFC;
      chosen.running = false;
      break;
    case clear_pointer: high_byte_[controller] = false; return;
    case clear_all: master_clear(controller); break;
    case clear_masks:
    case all_masks:
      for (unsigned n = 0; n < 4; ++n) own[n].masked = reg == all_masks && (value >> n & 1);
      break;
    default: break;
  }
  schedule(now + timing_.grant + timing_.item);
}

// ---- transfers ----

void I8237Pair::request(unsigned channel, bool active, Time now) {
  Channel& c = channels_.at(channel);
  if (c.requested == active) return;
  c.requested = active;
  schedule(now + timing_.grant + timing_.item);
}

std::uint32_t I8237Pair::address(unsigned channel) const {
  const std::uint32_t page = pages_[page_of.at(channel)], low = channels_.at(channel).current_address;
  return wide(channel) ? (page & 0xFE) << 16 | low << 1 : page << 16 | low;
}

/// Whether channel `n` would use the bus if it had priority.
bool I8237Pair::wants(unsigned n) const {
  const Channel& c = channels_[n];
  if ((command_[n / 4] & disabled) || n == cascade || (c.mode & mode_mask) == cascade_mode) return false;
  // Software requests cannot be masked.
  if (!(c.software || (!c.masked && (c.requested || c.running)))) return false;
  return n > cascade || (!channels_[cascade].masked && !(command_[1] & disabled));
}

/// By priority within each controller; the first controller is channel 4 of the second. -1: none.
int I8237Pair::next_channel() const {
  const auto within = [this](unsigned controller, auto&& any) {
    for (unsigned step = 1; step <= 4; ++step) {
      const unsigned n = controller * 4 + ((lowest_[controller] + step) & 3);
      if (const int found = any(n); found >= 0) return found;
    }
    return -1;
  };
  const auto own = [this](unsigned n) { return wants(n) ? static_cast<int>(n) : -1; };
  return within(1, [&](unsigned n) { return n == cascade ? within(0, own) : own(n); });
}

void I8237Pair::schedule(Time when) {
  if (next_channel() < 0)
    item_.cancel();
  else if (!item_.pending())
    item_.at(when);
}

/// An item's cycle ends; the next one follows if any channel requests it.
void I8237Pair::item(Time now) {
  const int n = next_channel();
  if (n < 0) return;
  move(static_cast<unsigned>(n), now);
  schedule(now + timing_.item);
}

void I8237Pair::move(unsigned n, Time now) {
  Channel& c = channels_[n];
  const std::uint32_t where = address(n);
  std::array<std::uint8_t, 2> bytes{0xFF, 0xFF};
  const auto data = std::span(bytes).first(wide(n) ? 2 : 1);
  if ((c.mode & direction) == from_memory) {
    memory_.master_read(where, data, now);
    if (c.client) c.client->dma_write(static_cast<std::uint16_t>(bytes[0] | (wide(n) ? bytes[1] : 0) << 8), now);
  } else {
    const std::uint16_t value = c.client ? c.client->dma_read(now) : std::uint16_t{0xFFFF};
    bytes = {static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8)};
    if ((c.mode & direction) == to_memory) memory_.master_write(where, data, now);
  }
  trace_.at(memory_address(where), TraceCategory::dma, now, "dma", "channel {} moves an item at {:06X}", n, where);
  c.current_address = static_cast<std::uint16_t>(c.mode & decrement ? c.current_address - 1 : c.current_address + 1);
  c.running = (c.mode & mode_mask) == block_mode;
  for (unsigned controller = n / 4; controller < 2; ++controller)
    if (command_[controller] & rotating) lowest_[controller] = n / 4 == controller ? n & 3 : 0;
  if (c.current_count-- != 0) return;
  c.terminal_count = true;
  c.software = c.running = false;
  if (c.mode & autoinitialise) {
    c.current_address = c.base_address;
    c.current_count = c.base_count;
  } else {
    c.masked = true;
  }
  trace_(TraceCategory::dma, now, "dma", "channel {} terminal count", n);
  if (c.client) c.client->dma_terminal_count(now);
}

// ---- for description and snapshots ----

void I8237Pair::describe(Description& d) const {
  d.reg("command 0-3", command_[0], 8).reg("command 4-7", command_[1], 8);
  d.flag("byte pointer 0-3", high_byte_[0]).flag("byte pointer 4-7", high_byte_[1]);
  const int next = next_channel();
  d.activity("serving", next < 0 ? "none" : fmt::format("channel {}", next));
  for (unsigned n = 0; n < channels; ++n) {
    const Channel& c = channels_[n];
    Description& part = d.part(fmt::format("channel {}", n));
    part.reg("address", address(n), 24).reg("base address", c.base_address, 16);
    part.reg("count", c.current_count, 16).reg("base count", c.base_count, 16).reg("mode", c.mode, 8);
    part.flag("masked", c.masked).flag("DREQ", c.requested).flag("software request", c.software);
    part.flag("terminal count", c.terminal_count);
  }
}

void I8237Pair::archive(Archive& a) {
  a.section("i8237 pair", 1);
  a(channels_, command_, high_byte_, lowest_, pages_, item_);
  if (a.loading() && (lowest_[0] > 3 || lowest_[1] > 3 || (item_.pending() && next_channel() < 0)))
    throw Error("snapshot holds a damaged DMA controller; take a new one", ExitCode::missing_file);
}

}  // namespace planar
