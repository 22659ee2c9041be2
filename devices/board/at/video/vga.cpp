// SPDX-License-Identifier: GPL-2.0-or-later
// VGA: registers and frame timing.
#include "devices/board/at/video/vga.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/common/error.hpp"
#include "devices/board/at/video/vga_registers.hpp"

namespace planar {

namespace {
using namespace vga_registers;

// Offsets of ports from 3B0h.
enum Port : std::uint32_t {
  mono_crtc_index = 0x04,
  mono_crtc_data = 0x05,
  mono_status = 0x0A,
  attribute_write = 0x10,
  attribute_read = 0x11,
  misc_write = 0x12,
  enable = 0x13,
  sequencer_index_port = 0x14,
  sequencer_data = 0x15,
  pixel_mask = 0x16,
  dac_read_port = 0x17,
  dac_write_port = 0x18,
  dac_data = 0x19,
  feature_read = 0x1A,
  misc_read = 0x1C,
  graphics_index_port = 0x1E,
  graphics_data = 0x1F,
  colour_crtc_index = 0x24,
  colour_crtc_data = 0x25,
  colour_status = 0x2A,
};
constexpr std::uint8_t protect = 0x80, interrupt_off = 0x20,
                       interrupt_not_clear = 0x10;  // vertical_retrace_end
}  // namespace

Vga::Vga(Scheduler& scheduler)
    : retrace_(scheduler, "vga.retrace", Priority::timer, Callback::to<&Vga::retrace>(this)) {
  for (auto& plane : planes_) plane.assign(plane_bytes, 0);
}

void Vga::claim(IoSpace& space, AddressSpace& memory, CycleSpec cycle) {
  ports_.claim(space, *this, 0x3B0, {{0x3B4, 0x3B5}, {0x3BA, 0x3BA}, {0x3C0, 0x3CF}, {0x3D4, 0x3D5}, {0x3DA, 0x3DA}});
  window_claim_ = memory.claim(0xA0000, 0x20000, memory_, cycle, nullptr, &subject_);
}

void Vga::reset(Time now) {
  pos_awake_ = enabled_ = attribute_data_ = dac_reading_ = retrace_pending_ = false;
  misc_ = feature_ = sequencer_index_ = graphics_index_ = crtc_index_ = attribute_index_ = 0;
  sequencer_.fill(0);
  graphics_.fill(0);
  crtc_.fill(0);
  attribute_.fill(0);
  dac_mask_ = 0xFF;
  dac_read_ = dac_write_ = dac_component_ = 0;
  palette_.fill(0);
  latches_.fill(0);
  retrace_.cancel();
  irq9.set(false, now);
}

// --- Frame timing ---

ClockDomain Vga::character_clock() const {
  const std::uint64_t dots = (misc_ >> 2 & 3) == 1 ? 28'322'000 : 25'175'000;
  const std::uint8_t mode = sequencer_[clocking_mode];
  const std::uint64_t width = (mode & 1 ? 8 : 9) * (mode & 8 ? 2 : 1);
  return ClockDomain(dots, width);
}

std::int64_t Vga::lines_per_count() const { return crtc_[mode_control] & 4 ? 2 : 1; }

std::int64_t Vga::frame_lines() const {
  const unsigned high = crtc_[overflow];
  return ((crtc_[vertical_total] | (high & 0x01) << 8 | (high & 0x20) << 4) + 2) * lines_per_count();
}

std::int64_t Vga::displayed_lines() const {
  const unsigned high = crtc_[overflow];
  return ((crtc_[vertical_display_end] | (high & 0x02) << 7 | (high & 0x40) << 3) + 1) * lines_per_count();
}

std::int64_t Vga::retrace_line() const {
  const unsigned high = crtc_[overflow];
  return (crtc_[vertical_retrace_start] | (high & 0x04) << 6 | (high & 0x80) << 2) * lines_per_count();
}

std::uint8_t Vga::status1(Time now) const {
  const std::int64_t length = line_length();
  const std::int64_t position = static_cast<std::int64_t>(character_clock().index_at(now)) % frame_length();
  const std::int64_t line = position / length, column = position % length;
  const bool blank = column > crtc_[horizontal_display_end] || line >= displayed_lines();
  // Retrace lasts until the low four bits of the line counter equal the end value.
  const std::int64_t start = retrace_line();
  std::int64_t lines = ((crtc_[vertical_retrace_end] & 15) - start / lines_per_count()) & 15;
  if (lines == 0) lines = 16;
  lines *= lines_per_count();
  const bool vertical = line >= start && line < start + lines;
  return static_cast<std::uint8_t>((blank || vertical ? 0x01 : 0) | (vertical ? 0x08 : 0));
}

Time Vga::frame_period() const { return character_clock().at(static_cast<std::uint64_t>(frame_length())); }

Picture Vga::picture(Time now) const {
  const std::uint64_t frame = character_clock().index_at(now) / static_cast<std::uint64_t>(frame_length());
  const bool running = (sequencer_[sequencer_reset] & 3) == 3 && crtc_[mode_control] & 0x80;
  return draw({.on = awake() && running,
               .palette_on = (attribute_index_ & 0x20) != 0,
               .frame = frame,
               .lines = static_cast<unsigned>(std::min(displayed_lines(), frame_lines())),
               .lines_per_count = static_cast<unsigned>(lines_per_count()),
               .sequencer = sequencer_,
               .graphics = graphics_,
               .crtc = crtc_,
               .attribute = attribute_,
               .dac_mask = dac_mask_,
               .palette = palette_,
               .planes = {planes_[0], planes_[1], planes_[2], planes_[3]}});
}

void Vga::schedule_retrace(Time now) {
  const std::uint8_t control = crtc_[vertical_retrace_end];
  if (control & interrupt_off || !(control & interrupt_not_clear) || retrace_pending_) {
    retrace_.cancel();
    return;
  }
  const ClockDomain clock = character_clock();
  const auto here = static_cast<std::int64_t>(clock.index_at(now));
  const std::int64_t frame = frame_length();
  std::int64_t next = here - here % frame + std::min(retrace_line(), frame_lines() - 1) * line_length();
  if (next <= here) next += frame;
  retrace_.at(clock.at(static_cast<std::uint64_t>(next)));
}

void Vga::retrace(Time now) {
  retrace_pending_ = true;
  irq9.set(true, now);
}

// --- Ports ---

/// Whether the VGA drives this port now.
bool Vga::decoded(std::uint32_t offset) const {
  if (!pos_awake_) return false;
  if (offset == enable) return true;
  if (!enabled_) return false;
  if (offset < attribute_write) return !colour();
  return offset < colour_crtc_index || colour();
}

std::uint32_t Vga::read(std::uint32_t offset, unsigned, Time now) {
  return decoded(offset) ? read_port(offset, now) : 0xFF;
}

std::uint32_t Vga::peek(std::uint32_t offset, unsigned, Time now) const {
  return decoded(offset) ? peek_port(offset, now) : 0xFF;
}

void Vga::write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) {
  if (!decoded(offset)) return;
  if (trace_ && trace_->on(TraceCategory::video)) trace_write(offset, static_cast<std::uint8_t>(value), now);
  write_port(offset, static_cast<std::uint8_t>(value), now);
}

// Called before the write, while the index registers still select what is written. A mode is complete when the
// attribute controller's palette is returned to the screen.
void Vga::trace_write(std::uint32_t offset, std::uint8_t value, Time now) const {
  const auto line = [&](std::string_view part, unsigned index) {
    (*trace_)(TraceCategory::video, now, "vga", "{} {:02X} <- {:02X}", part, index, value);
  };
  const auto port = [&](std::string_view part) {
    (*trace_)(TraceCategory::video, now, "vga", "{} <- {:02X}", part, value);
  };
  switch (offset) {
    case mono_crtc_data:
    case colour_crtc_data: line("CRTC", crtc_index_); break;
    case mono_status:
    case colour_status: port("feature control"); break;
    case attribute_write:
      if (attribute_data_)
        line("attribute", attribute_index_ & 0x1F);
      else if ((value & ~attribute_index_) & 0x20)
        (*trace_)(TraceCategory::video, now, "vga", "mode: {}", mode());
      break;
    case misc_write: port("miscellaneous output"); break;
    case enable: port("subsystem enable"); break;
    case sequencer_data: line("sequencer", sequencer_index_); break;
    case pixel_mask: port("DAC mask"); break;
    case dac_data:
      line(dac_component_ == 0 ? "DAC red" : dac_component_ == 1 ? "DAC green" : "DAC blue", dac_write_);
      break;
    case graphics_data: line("graphics", graphics_index_); break;
    default: break;  // an index write alone says nothing
  }
}

std::string Vga::mode() const {
  const unsigned characters = crtc_[horizontal_display_end] + 1u;
  const unsigned row_lines = (crtc_[maximum_scan_line] & 0x1Fu) + 1;
  return graphics_[miscellaneous] & 1
             ? fmt::format("graphics, {} by {} dots", characters * 8, displayed_lines())
             : fmt::format("text, {} by {} characters", characters, displayed_lines() / row_lines);
}

std::uint8_t Vga::peek_port(std::uint32_t offset, Time now) const {
  switch (offset) {
    case mono_crtc_index:
    case colour_crtc_index: return crtc_index_;
    case mono_crtc_data:
    case colour_crtc_data: return crtc_index_ < crtc_.size() ? crtc_[crtc_index_] : 0;
    case mono_status:
    case colour_status: return status1(now);
    case attribute_write: return attribute_index_;
    case attribute_read: {
      const unsigned index = attribute_index_ & 0x1F;
      return index < attribute_.size() ? attribute_[index] : 0;
    }
    case misc_write:
      return static_cast<std::uint8_t>((retrace_pending_ ? 0x80 : 0) | 0x10);  // status 0; a monitor is present
    case enable: return enabled_ ? 1 : 0;
    case sequencer_index_port: return sequencer_index_;
    case sequencer_data: return sequencer_index_ < sequencer_.size() ? sequencer_[sequencer_index_] : 0;
    case pixel_mask: return dac_mask_;
    case dac_read_port: return dac_reading_ ? 3 : 0;
    case dac_write_port: return dac_write_;
    case dac_data: return palette_[dac_read_ * 3u + dac_component_];
    case feature_read: return feature_;
    case misc_read: return misc_;
    case graphics_index_port: return graphics_index_;
    case graphics_data: return graphics_index_ < graphics_.size() ? graphics_[graphics_index_] : 0;
    default: return 0xFF;
  }
}

std::uint8_t Vga::read_port(std::uint32_t offset, Time now) {
  const std::uint8_t value = peek_port(offset, now);
  if (offset == mono_status || offset == colour_status) {
    attribute_data_ = false;
  } else if (offset == dac_data && ++dac_component_ == 3) {
    dac_component_ = 0;
    ++dac_read_;
  }
  return value;
}

void Vga::write_attribute(std::uint8_t value) {
  attribute_data_ = !attribute_data_;
  if (attribute_data_) {
    attribute_index_ = value & 0x3F;
    return;
  }
  const unsigned index = attribute_index_ & 0x1F;
  // The sixteen palette registers can be written only while the screen does not use them.
  if (index < 16 && attribute_index_ & 0x20) return;
  if (index < attribute_.size()) attribute_[index] = value & 0x3F;
  if (index == attribute_mode) attribute_[index] = value;  // mode control has bits 7 and 6
}

void Vga::write_crtc(std::uint8_t value, Time now) {
  if (crtc_index_ >= crtc_.size()) return;
  if (crtc_index_ <= overflow && crtc_[vertical_retrace_end] & protect) {
    // Of the protected registers only the line compare bit can be written.
    if (crtc_index_ == overflow)
      crtc_[overflow] = static_cast<std::uint8_t>((crtc_[overflow] & ~0x10) | (value & 0x10));
    return;
  }
  crtc_[crtc_index_] = value;
  if (crtc_index_ == vertical_retrace_end && !(value & interrupt_not_clear)) {
    retrace_pending_ = false;
    irq9.set(false, now);
  }
  schedule_retrace(now);
}

void Vga::write_port(std::uint32_t offset, std::uint8_t value, Time now) {
  switch (offset) {
    case mono_crtc_index:
    case colour_crtc_index: crtc_index_ = value; break;
    case mono_crtc_data:
    case colour_crtc_data: write_crtc(value, now); break;
    case mono_status:
    case colour_status: feature_ = value; break;
    case attribute_write: write_attribute(value); break;
    case misc_write:
      misc_ = value;
      schedule_retrace(now);
      break;
    case enable: enabled_ = value & 1; break;
    case sequencer_index_port: sequencer_index_ = value; break;
    case sequencer_data:
      if (sequencer_index_ < sequencer_.size()) sequencer_[sequencer_index_] = value;
      if (sequencer_index_ == clocking_mode) schedule_retrace(now);
      break;
    case pixel_mask: dac_mask_ = value; break;
    case dac_read_port:
      dac_read_ = value;
      dac_component_ = 0;
      dac_reading_ = true;
      break;
    case dac_write_port:
      dac_write_ = value;
      dac_component_ = 0;
      dac_reading_ = false;
      break;
    case dac_data:
      palette_[dac_write_ * 3u + dac_component_] = value & 0x3F;
      if (++dac_component_ == 3) {
        dac_component_ = 0;
        ++dac_write_;
      }
      break;
    case graphics_index_port: graphics_index_ = value; break;
    case graphics_data:
      if (graphics_index_ < graphics_.size()) graphics_[graphics_index_] = value;
      break;
    default: break;
  }
}

void Vga::describe(Description& d, Time now) const {
  d.flag("awake (POS)", pos_awake_).flag("enabled (3C3h)", enabled_);
  d.text("mode", mode());
  const std::int64_t position = static_cast<std::int64_t>(character_clock().index_at(now)) % frame_length();
  d.number("scan line", static_cast<std::uint64_t>(position / line_length()));
  d.number("lines in a frame", static_cast<std::uint64_t>(frame_lines())).time("frame period", frame_period());
  d.reg("miscellaneous output", misc_, 8).reg("feature control", feature_, 8).reg("input status 1", status1(now), 8);
  d.flag("retrace interrupt", irq9.level()).time("next retrace interrupt", retrace_.when());
  d.text("latches", fmt::format("{:02X}", fmt::join(latches_, " ")));
  const auto registers = [&d](std::string_view name, std::uint8_t index, const auto& values) {
    Description& part = d.part(name);
    part.reg("index", index, 8);
    for (std::size_t n = 0; n < values.size(); ++n) part.reg(fmt::format("{:02X}", n), values[n], 8);
  };
  registers("sequencer", sequencer_index_, sequencer_);
  registers("CRTC", crtc_index_, crtc_);
  registers("graphics controller", graphics_index_, graphics_);
  registers("attribute controller", attribute_index_, attribute_);
  Description& dac = d.part("DAC");
  dac.reg("mask", dac_mask_, 8).reg("read index", dac_read_, 8).reg("write index", dac_write_, 8);
  dac.text("mode", dac_reading_ ? "read" : "write").number("component", dac_component_);
}

void Vga::archive(Archive& a) {
  a.section("vga", 2);
  a(pos_awake_, enabled_, misc_, feature_, sequencer_index_, graphics_index_, crtc_index_, attribute_index_,
    attribute_data_, sequencer_, graphics_, crtc_, attribute_);
  a(dac_mask_, dac_read_, dac_write_, dac_component_, dac_reading_, palette_, latches_);
  for (auto& plane : planes_) a.bytes(plane);
  a(retrace_pending_, irq9, retrace_);
  if (a.loading() && dac_component_ > 2)
    throw Error("snapshot holds a damaged video DAC; take a new one", ExitCode::missing_file);
}

}  // namespace planar
