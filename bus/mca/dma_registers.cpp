// SPDX-License-Identifier: GPL-2.0-or-later
// The DMA controller's programming models: the ports of the two 8237s, and the extended functions.
#include "bus/mca/dma_internal.hpp"

#include <algorithm>

namespace planar::bus {

namespace {
constexpr std::uint8_t mode_wide = 0x40;

// Extended functions, bits 7-4 of port 18h.
enum Function : std::uint8_t {
  fn_io_address = 0x0,
  fn_write_address = 0x2,
  fn_read_address = 0x3,
  fn_write_count = 0x4,
  fn_read_count = 0x5,
  fn_read_status = 0x6,
  fn_mode = 0x7,
  fn_arbitration_level = 0x8,
  fn_set_mask = 0x9,
  fn_clear_mask = 0xA,
  fn_software_request = 0xB,
  fn_reset_software_request = 0xC,
  fn_master_clear = 0xD,
};

/// Offset of the page register (from 80h) of each channel.
constexpr std::array<std::uint8_t, 8> page_of_channel{0x7, 0x3, 0x1, 0x2, 0xF, 0xB, 0x9, 0xA};

constexpr bool programmable_level(unsigned n) { return n == 0 || n == 4; }

template <class T>
void replace_byte(T& value, unsigned index, std::uint8_t byte) {
  value = static_cast<T>((value & ~(T{0xFF} << (8 * index))) | (static_cast<T>(byte) << (8 * index)));
}
}  // namespace

std::uint8_t DmaController::port_read(std::uint16_t port, Time now) {
  if (port == 0x1A) {
    const std::uint8_t value = execute_read();
    trace_(TraceCategory::dma, now, device_name, "function {:02X} -> {:02X}", function_, value);
    return value;
  }
  if (port <= 0x0F) return controller_read(0, port);
  if (port >= 0xC0 && port <= 0xDF && (port & 1) == 0) return controller_read(1, (port - 0xC0u) / 2);
  return port_peek(port);
}

void DmaController::port_write(std::uint16_t port, std::uint8_t value, Time now) {
  trace_(TraceCategory::dma, now, device_name, "port {:02X} <- {:02X}", port, value);
  if (port <= 0x0F) {
    controller_write(0, port, value, now);
  } else if (port >= 0xC0 && port <= 0xDF) {
    if ((port & 1) == 0) controller_write(1, (port - 0xC0u) / 2, value, now);
  } else if (port == 0x18) {
    select_function(value, now);
  } else if (port == 0x1A) {
    execute_write(value, now);
  } else if (port >= 0x80 && port <= 0x8F) {
    pages_[port & 0x0F] = value;
    for (unsigned n = 0; n < channels; ++n) {
      if (page_of_channel[n] != (port & 0x0F)) continue;
      ChannelRegisters& c = channels_[n];
      // For the AT's word channels the page register holds A17 to A23; its bit 0 is not used.
      const std::uint32_t low = n < 4 ? 0xFFFFu : 0x1'FFFFu;
      c.base_address = (c.base_address & low) | (std::uint32_t{value} << 16 & ~low);
      c.current_address = (c.current_address & low) | (std::uint32_t{value} << 16 & ~low);
    }
  }
}

std::uint8_t DmaController::port_peek(std::uint16_t port) const {
  if (port == 0x1A) {
    const Field f = field();
    return static_cast<std::uint8_t>(f.value >> (8 * (byte_pointer_ % f.length)));
  }
  if (port >= 0x80 && port <= 0x8F) return pages_[port & 0x0F];
  if (port <= 0x0F) return controller_peek(0, port);
  if (port >= 0xC0 && port <= 0xDF && (port & 1) == 0) return controller_peek(1, (port - 0xC0u) / 2);
  return 0xFF;
}

std::uint8_t DmaController::controller_peek(unsigned controller, unsigned reg) const {
  if (reg == 8) return status(controller);
  if (reg > 8) return 0xFF;
  const unsigned n = controller * 4 + reg / 2;
  const ChannelRegisters& c = channels_[n];
  const std::uint32_t word = (reg & 1) != 0 ? c.current_count : n < 4 ? c.current_address : c.current_address >> 1;
  return static_cast<std::uint8_t>(word >> (high_byte_[controller] ? 8 : 0));
}

std::uint8_t DmaController::controller_read(unsigned controller, unsigned reg) {
  const std::uint8_t value = controller_peek(controller, reg);
  if (reg < 8) high_byte_[controller] = !high_byte_[controller];
  if (reg == 8)
    for (unsigned n = 0; n < 4; ++n) channels_[controller * 4 + n].terminal_count = false;
  return value;
}

void DmaController::controller_write(unsigned controller, unsigned reg, std::uint8_t value, Time now) {
  const unsigned first = controller * 4;
  if (reg < 8) {
    const unsigned n = first + reg / 2;
    const bool high = high_byte_[controller];
    high_byte_[controller] = !high;
    if ((reg & 1) == 0) {
      set_address_byte(n, high, value);
    } else {
      replace_byte(channels_[n].base_count, high, value);
      channels_[n].current_count = channels_[n].base_count;
    }
    return;
  }
  switch (reg) {
    case 0x0A: channels_[first + (value & 3)].masked = (value & 4) != 0; break;
    case 0x0B: set_8237_mode(controller, value); break;
    case 0x0C: high_byte_[controller] = false; break;
    case 0x0D: master_clear(first, first + 3, now); break;
    case 0x0E:
    case 0x0F:
      for (unsigned n = 0; n < 4; ++n) channels_[first + n].masked = reg == 0x0F && (value >> n & 1) != 0;
      break;
    default:  // the 08h command and 09h request registers do not exist on the PS/2
      return;
  }
  rescan(now);
}

void DmaController::set_address_byte(unsigned n, bool high, std::uint8_t value) {
  ChannelRegisters& c = channels_[n];
  const unsigned shift = (high ? 8 : 0) + (n < 4 ? 0 : 1);
  c.base_address = (c.base_address & ~(0xFFu << shift)) | std::uint32_t{value} << shift;
  if (n >= 4) c.base_address &= ~1u;
  c.current_address = c.base_address;
  c.carries = false;
}

std::uint8_t DmaController::status(unsigned controller) const {
  std::uint8_t value = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const ChannelRegisters& c = channels_[controller * 4 + n];
    if (c.terminal_count) value |= static_cast<std::uint8_t>(1u << n);
    bool requested = c.software_request;
    for (const DmaLine* line : lines_) requested |= line->wanted_ && line->level_ == c.level;
    if (requested) value |= static_cast<std::uint8_t>(0x10u << n);
  }
  return value;
}

// 8237 mode: bits 1-0 channel, 3-2 transfer (00 verify, 01 to memory, 10 from memory), 4 autoinitialise, 5 decrement.
// Bits 7-6 (demand, single, block, cascade) have no effect here: the device's -BURST decides.
void DmaController::set_8237_mode(unsigned controller, std::uint8_t value) {
  std::uint8_t bits = controller == 1 ? mode_wide : 0;
  if ((value & 0x0C) == 0x04) bits |= 0x0C;
  if ((value & 0x0C) == 0x08) bits |= 0x04;
  if ((value & 0x10) != 0) bits |= 0x02;
  if ((value & 0x20) != 0) bits |= 0x10;
  channels_[controller * 4 + (value & 3)].mode.bits = bits;
}

void DmaController::select_function(std::uint8_t value, Time now) {
  function_ = value;
  byte_pointer_ = 0;
  ChannelRegisters& c = channels_[value & 7];
  switch (value >> 4) {
    case fn_set_mask: c.masked = true; break;
    case fn_clear_mask: c.masked = false; break;
    case fn_software_request: c.software_request = true; break;
    case fn_reset_software_request: c.software_request = false; break;
    case fn_master_clear: master_clear(0, channels - 1, now); break;
    default: return;
  }
  rescan(now);
}

// The contents of port 1Ah for the selected function.
DmaController::Field DmaController::field() const {
  const ChannelRegisters& c = channels_[function_ & 7];
  switch (function_ >> 4) {
    case fn_io_address: return {2, c.io_address};
    case fn_read_address: return {3, c.current_address};
    case fn_read_count: return {2, c.current_count};
    case fn_read_status: return {2, status(0) | std::uint32_t{status(1)} << 8};
    case fn_mode: return {1, c.mode.bits};
    case fn_arbitration_level: return {1, c.level};
    default: return {1, 0xFF};
  }
}

std::uint8_t DmaController::execute_read() {
  const Field f = field();
  const unsigned at = byte_pointer_ % f.length;
  if (function_ >> 4 == fn_read_status)
    for (unsigned i = 0; i < 4; ++i) channels_[at * 4 + i].terminal_count = false;
  byte_pointer_ = static_cast<std::uint8_t>((at + 1) % f.length);
  return static_cast<std::uint8_t>(f.value >> (8 * at));
}

void DmaController::execute_write(std::uint8_t value, Time now) {
  const unsigned n = function_ & 7;
  ChannelRegisters& c = channels_[n];
  const unsigned at = byte_pointer_ % 3;
  unsigned length = 1;
  switch (function_ >> 4) {
    case fn_io_address:
      length = 2;
      replace_byte(c.io_address, at, value);
      break;
    case fn_write_address:
      length = 3;
      replace_byte(c.base_address, at, value);
      c.base_address &= address_mask;
      c.current_address = c.base_address;
      c.carries = true;
      if (at == 2) pages_[page_of_channel[n]] = value;
      break;
    case fn_write_count:
      length = 2;
      replace_byte(c.base_count, at, value);
      c.current_count = c.base_count;
      break;
    case fn_mode: c.mode.bits = value; break;
    case fn_arbitration_level:
      if (!programmable_level(n)) return;
      c.level = value & 0x0F;
      rescan(now);
      break;
    default: return;
  }
  byte_pointer_ = static_cast<std::uint8_t>((at + 1) % length);
}

void DmaController::master_clear(unsigned first, unsigned last, Time now) {
  for (unsigned n = first; n <= last; ++n) {
    channels_[n].masked = true;
    channels_[n].terminal_count = false;
    channels_[n].software_request = false;
  }
  for (unsigned controller = first / 4; controller <= last / 4; ++controller) high_byte_[controller] = false;
  rescan(now);
}

}  // namespace planar::bus
