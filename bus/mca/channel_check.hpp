// SPDX-License-Identifier: GPL-2.0-or-later
// -CHCK, by which an adapter reports an error: the OR of all slots is routed to the NMI logic.
#pragma once

#include <cstdint>

#include "bus/common/interrupts.hpp"
#include "core/state/description.hpp"

namespace planar::bus {

class ChannelCheck {
 public:
  void connect(NmiSink& sink) { sink_ = &sink; }
  void set(unsigned slot, bool asserted, Time now);
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  NmiSink* sink_ = nullptr;
  std::uint32_t pulled_ = 0;
};

}  // namespace planar::bus
