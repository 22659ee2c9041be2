// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/adapter/mca/mca_card.hpp"

#include <fmt/format.h>

namespace planar {

std::uint8_t McaCard::pos_peek(unsigned reg) const {
  if (reg == 0) return static_cast<std::uint8_t>(adapter_id_);
  if (reg == 1) return static_cast<std::uint8_t>(adapter_id_ >> 8);
  return pos_.peek(reg);
}

void McaCard::pos_write(unsigned reg, std::uint8_t value, Time now) {
  if (pos_.write(reg, value)) pos_changed(reg, now);
}

void McaCard::decode(Time now) {
  select_irq(now);
  apply_pos();
}

void McaCard::channel_reset(Time now) {
  pos_.reset();
  reset_board(now);
  decode(now);
}

void McaCard::restored(bool cause, bool gate) {
  irq_.restore(enabled() ? irq_line() : 0, cause, gate);
  apply_pos();
}

void McaCard::describe(Description& d) const {
  d.reg("adapter ID", adapter_id_, 16).flag("enabled", enabled());
  for (unsigned reg = PosRegisters::first; reg < pos_.end(); ++reg) d.reg(fmt::format("POS {}", reg), pos_peek(reg), 8);
  d.number("interrupt line", irq_.line()).flag("interrupt", irq_.asserted());
  describe_board(d);
}

}  // namespace planar
