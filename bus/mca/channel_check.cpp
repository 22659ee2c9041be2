// SPDX-License-Identifier: GPL-2.0-or-later
#include "bus/mca/channel_check.hpp"

namespace planar::bus {

void ChannelCheck::set(unsigned slot, bool asserted, Time now) {
  if (slot >= 32) return;
  const std::uint32_t before = pulled_;
  const std::uint32_t bit = 1u << slot;
  pulled_ = asserted ? before | bit : before & ~bit;
  if (sink_ && (before != 0) != (pulled_ != 0)) sink_->set_nmi(NmiSource::channel_check, pulled_ != 0, now);
}

void ChannelCheck::describe(Description& d) const {
  d.text("-CHCK", pulled_ ? "active: " + slot_names(pulled_) : "inactive");
}

void ChannelCheck::archive(Archive& a) {
  a.section("channel check", 1);
  a(pulled_);
}

}  // namespace planar::bus
