// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/timeline/machine_timeline.hpp"

#include <fmt/format.h>

#include <utility>

namespace planar {

MachineTimeline::MachineTimeline(Machine& machine, const std::string& name, TraceEventFile& file,
                                 std::function<void()> after_cycle)
    : machine_(machine),
      process_(file.process(name)),
      processor_(file, process_, machine.cpu()),
      channel_(file, process_),
      lines_(file, process_, machine.interrupts()),
      after_cycle_(std::move(after_cycle)) {
  for (unsigned slot = 1; slot <= machine.config().slot_widths.size(); ++slot)
    if (const bus::Adapter* card = machine.card(slot))
      adapters_.emplace_back(file, process_, fmt::format("slot{}.{}", slot, card->name()),
                             [card](Description& d) { card->describe(d); });
}

MachineTimeline::~MachineTimeline() {
  if (open_) machine_.bus().remove_observer(*this);
}

void MachineTimeline::open(Time now) {
  open_ = true;
  processor_.open(now);
  channel_.open(machine_.bus(), now);
  machine_.bus().add_observer(*this);
  sample(now);
}

void MachineTimeline::close(Time now) {
  if (!open_) return;
  open_ = false;
  machine_.bus().remove_observer(*this);
  processor_.close(now);
  channel_.close(now);
  lines_.close(now);
  for (DeviceTracks& adapter : adapters_) adapter.close(now);
}

void MachineTimeline::sample(Time now) {
  if (!open_) return;
  lines_.sample(now);
  for (DeviceTracks& adapter : adapters_) adapter.sample(now);
}

void MachineTimeline::cycle(const bus::BusCycle& cycle) {
  if (!open_) return;
  channel_.cycle(cycle);
  sample(cycle.end);
  after_cycle_();
}

void MachineTimeline::accessed(const bus::BusCycle& access) {
  if (open_) processor_.accessed(access);
}

}  // namespace planar
