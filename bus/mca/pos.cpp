// SPDX-License-Identifier: GPL-2.0-or-later
#include "bus/mca/pos.hpp"

#include <fmt/format.h>

namespace planar::bus {

namespace {
// Port 94h: a 0 bit selects.
constexpr std::uint8_t select_planar = 0x80;
constexpr std::uint8_t select_video = 0x20;
// Port 96h.
constexpr std::uint8_t channel_reset = 0x80;
constexpr std::uint8_t setup_enable = 0x08;
constexpr std::uint8_t slot_mask = 0x07;
constexpr std::uint8_t reads_as_one = 0x70;

constexpr std::uint16_t window_first = 0x100;
constexpr std::uint16_t window_last = 0x107;

void describe_target(Description& d, std::string_view name, const SetupTarget& target) {
  Description& part = d.part(name);
  part.reg("ID", target.pos_peek(0) | target.pos_peek(1) << 8, 16);
  for (unsigned reg = 2; reg < 8; ++reg) part.reg(fmt::format("POS {}", reg), target.pos_peek(reg), 8);
}
}  // namespace

PosController::PosController(IoSpace& io, Trace& trace, unsigned scsi_setup_bit)
    : trace_(trace),
      scsi_mask_(static_cast<std::uint8_t>(1u << (scsi_setup_bit & 7))),
      port_91_(*this, io, 0x91, 0x91, board_cycle),
      port_94_(*this, io, 0x94, 0x94, board_cycle),
      port_96_(*this, io, 0x96, 0x96, board_cycle) {
  // Setup cycles are at least synchronous extended. The window answers at full width so that the planar does not split
  // a word access, which is why word accesses to POS go wrong.
  CycleSpec setup{32, CycleKind::synchronous_extended, {}};
  window_ = io.claim(window_first, window_last, *this, setup, nullptr, &subject_);
}

void PosController::reset(Time now) {
  system_setup_ = 0xFF;
  adapter_setup_ = 0;
  feedback_ = false;
  for (Adapter* adapter : adapters_)
    if (adapter) adapter->channel_reset(now);
}

std::uint8_t PosController::port_read(std::uint16_t port, Time) {
  const std::uint8_t value = port_peek(port);
  if (port == 0x91) feedback_ = false;
  return value;
}

std::uint8_t PosController::port_peek(std::uint16_t port) const {
  switch (port) {
    case 0x91: return static_cast<std::uint8_t>(0xFE | (feedback_ ? 1 : 0));
    case 0x94: return system_setup_;
    case 0x96: return adapter_setup_ | reads_as_one;
    default: return 0xFF;
  }
}

void PosController::port_write(std::uint16_t port, std::uint8_t value, Time now) {
  if (port == 0x94) {
    system_setup_ = value;
  } else if (port == 0x96) {
    const bool rising = (value & channel_reset) != 0 && (adapter_setup_ & channel_reset) == 0;
    adapter_setup_ = value & (channel_reset | setup_enable | slot_mask);
    if (rising) {
      trace_(TraceCategory::pos, now, device_name, "channel reset");
      for (Adapter* adapter : adapters_)
        if (adapter) adapter->channel_reset(now);
    }
  }
}

SetupTarget* PosController::selected() const {
  if ((system_setup_ & select_planar) == 0) return planar_;
  if ((system_setup_ & select_video) == 0) return video_;
  if ((system_setup_ & scsi_mask_) == 0) return scsi_;
  // Cards do not answer while CHRESET is active.
  if ((adapter_setup_ & setup_enable) != 0 && (adapter_setup_ & channel_reset) == 0)
    return adapters_[adapter_setup_ & slot_mask];
  return nullptr;
}

std::uint32_t PosController::read(std::uint32_t offset, unsigned bytes, Time now) {
  SetupTarget* target = selected();
  const std::uint8_t value = target ? target->pos_read(offset, now) : 0xFF;
  if (trace_.on(TraceCategory::pos)) trace_setup(offset, "->", value, now);
  return bytes == 1 ? value : value | 0xFFFF'FF00u;
}

void PosController::write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) {
  if (trace_.on(TraceCategory::pos)) trace_setup(offset, "<-", value & 0xFF, now);
  if (SetupTarget* target = selected()) target->pos_write(offset, static_cast<std::uint8_t>(value), now);
}

std::uint32_t PosController::peek(std::uint32_t offset, unsigned bytes, Time) const {
  const SetupTarget* target = selected();
  const std::uint8_t value = target ? target->pos_peek(offset) : 0xFF;
  return bytes == 1 ? value : value | 0xFFFF'FF00u;
}

std::string PosController::selected_name() const {
  if ((system_setup_ & select_planar) == 0) return "planar";
  if ((system_setup_ & select_video) == 0) return "video";
  if ((system_setup_ & scsi_mask_) == 0) return "scsi";
  if ((adapter_setup_ & setup_enable) != 0 && (adapter_setup_ & channel_reset) == 0)
    return fmt::format("slot {}", (adapter_setup_ & slot_mask) + 1);
  return "none";
}

// The trace device is the one being set up: "slot1.ne2", "planar", "video".
void PosController::trace_setup(unsigned reg, const char* arrow, std::uint32_t value, Time now) {
  std::string device = selected_name();
  if (device == "none" || device == "scsi") device = device_name;
  if (device.starts_with("slot ")) {
    device.erase(4, 1);
    if (const Adapter* adapter = adapters_[adapter_setup_ & slot_mask]) device += fmt::format(".{}", adapter->name());
  }
  trace_(TraceCategory::pos, now, device, "94h={:02X} 96h={:02X} POS {} {} {:02X}", system_setup_, adapter_setup_, reg,
         arrow, value);
}

void PosController::describe(Description& d) const {
  d.reg("system board setup (94h)", system_setup_, 8).reg("adapter setup (96h)", port_peek(0x96), 8);
  d.text("setup", selected_name());
  d.flag("channel reset", (adapter_setup_ & channel_reset) != 0);
  d.flag("card selected feedback (91h)", feedback_);
  if (planar_) describe_target(d, "planar", *planar_);
  if (video_) describe_target(d, "video", *video_);
  if (scsi_) describe_target(d, "scsi", *scsi_);
  for (unsigned n = 0; n < slots; ++n)
    if (adapters_[n]) describe_target(d, fmt::format("slot {}: {}", n + 1, adapters_[n]->name()), *adapters_[n]);
}

void PosController::archive(Archive& a) {
  a.section("pos", 1);
  a(system_setup_, adapter_setup_, feedback_);
}

}  // namespace planar::bus
