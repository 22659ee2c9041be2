// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/content/activity.hpp"

#include "devices/adapter/storage_adapter.hpp"

namespace planar {

namespace {
constexpr auto afterglow = std::chrono::milliseconds(80);
}

Activity::Lights Activity::look(const Machine& machine, Clock::time_point host) {
  std::uint64_t frames = 0;
  for (unsigned slot = 1; slot <= machine.config().slot_widths.size(); ++slot)
    if (const NetworkAdapter* adapter = machine.adapter(slot)) {
      const NetCounters c = adapter->counters();
      frames += c.sent + c.received;
    }
  if (frames != frames_) network_until_ = host + afterglow;
  frames_ = frames;
  if (machine.storage() && machine.storage()->busy()) disk_until_ = host + afterglow;
  return {host < disk_until_, machine.diskette().motor_on(), host < network_until_};
}

}  // namespace planar
