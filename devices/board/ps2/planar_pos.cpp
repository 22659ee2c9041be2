// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/ps2/planar_pos.hpp"

#include <fmt/format.h>

namespace planar {

std::uint8_t PlanarPos::pos_peek(unsigned reg) const {
  switch (reg) {
    case 0: return static_cast<std::uint8_t>(id_);
    case 1: return static_cast<std::uint8_t>(id_ >> 8);
    case 2:
    case 3:
    case 4:
    case 5: return pos_[reg - 2];
    default: return 0xFF;
  }
}

void PlanarPos::pos_write(unsigned reg, std::uint8_t value, Time now) {
  if (reg < 2 || reg > 5) return;
  const PlanarFunctions before = functions();
  pos_[reg - 2] = value;
  if (changed_ && !(functions() == before)) changed_(functions(), now);
}

PlanarFunctions PlanarPos::functions() const {
  const std::uint8_t pos2 = pos_[0];
  const bool enabled = (pos2 & 0x01) != 0;
  PlanarFunctions f;
  f.diskette = enabled && (pos2 & 0x02) != 0;
  f.serial = enabled && (pos2 & 0x04) != 0;
  f.serial_base = (pos2 & 0x08) != 0 ? 0x3F8 : 0x2F8;
  f.serial_irq = (pos2 & 0x08) != 0 ? 4 : 3;
  f.parallel = enabled && (pos2 & 0x10) != 0;
  // 11 is undocumented; it leaves the port without an address, so nothing responds.
  switch (pos2 >> 5 & 3) {
    case 0: f.parallel_base = 0x3BC; break;
    case 1: f.parallel_base = 0x378; break;
    case 2: f.parallel_base = 0x278; break;
    default: f.parallel = false; break;
  }
  f.parallel_extended = (pos2 & 0x80) == 0;
  return f;
}

void PlanarPos::describe(Description& d) const {
  const PlanarFunctions f = functions();
  d.flag("diskette", f.diskette);
  d.text("serial", f.serial ? fmt::format("{:03X}h, IRQ {}", f.serial_base, f.serial_irq) : "off");
  d.text("parallel",
         f.parallel ? fmt::format("{:03X}h{}", f.parallel_base, f.parallel_extended ? ", extended" : "") : "off");
}

void PlanarPos::reset(Time now) {
  pos_.fill(0);
  if (changed_) changed_(functions(), now);
}

void PlanarPos::archive(Archive& a) {
  a.section("planar pos", 1);
  a(pos_);
}

std::uint8_t VideoPos::pos_peek(unsigned reg) const {
  return reg == 2 ? static_cast<std::uint8_t>(0xFE | (awake_ ? 1 : 0)) : 0xFF;
}

void VideoPos::pos_write(unsigned reg, std::uint8_t value, Time now) {
  if (reg != 2 || ((value & 1) != 0) == awake_) return;
  awake_ = (value & 1) != 0;
  if (changed_) changed_(awake_, now);
}

void VideoPos::reset(Time now) {
  awake_ = false;
  if (changed_) changed_(awake_, now);
}

void VideoPos::archive(Archive& a) {
  a.section("video pos", 1);
  a(awake_);
}

}  // namespace planar
