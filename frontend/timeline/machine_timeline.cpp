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
      buses_(listeners(file)),
      lines_(file, process_, machine.interrupts()),
      after_cycle_(std::move(after_cycle)) {
  for (const bus::SlotView& slot : machine.board().slots())
    if (const bus::Card* card = slot.card)
      adapters_.emplace_back(file, process_, fmt::format("slot{}.{}", slot.number, card->name()),
                             [card](Description& d) { card->describe(d); });
}

std::vector<std::unique_ptr<MachineTimeline::Listener>> MachineTimeline::listeners(TraceEventFile& file) {
  std::vector<std::unique_ptr<Listener>> list;
  for (bus::Bus* bus : machine_.board().buses()) list.push_back(std::make_unique<Listener>(*this, file, *bus));
  return list;
}

MachineTimeline::~MachineTimeline() {
  if (open_)
    for (auto& bus : buses_) bus->listen(false);
}

std::uint64_t MachineTimeline::cycles() const {
  std::uint64_t sum = 0;
  for (const auto& bus : buses_) sum += bus->tracks.cycles();
  return sum;
}

void MachineTimeline::open(Time now) {
  open_ = true;
  processor_.open(now);
  for (auto& bus : buses_) {
    bus->tracks.open(now);
    bus->listen(true);
  }
  sample(now);
}

void MachineTimeline::close(Time now) {
  if (!open_) return;
  open_ = false;
  for (auto& bus : buses_) bus->listen(false);
  processor_.close(now);
  for (auto& bus : buses_) bus->tracks.close(now);
  lines_.close(now);
  for (DeviceTracks& adapter : adapters_) adapter.close(now);
}

void MachineTimeline::sample(Time now) {
  if (!open_) return;
  lines_.sample(now);
  for (DeviceTracks& adapter : adapters_) adapter.sample(now);
}

MachineTimeline::Listener::Listener(MachineTimeline& timeline, TraceEventFile& file, bus::Bus& bus)
    : tracks(file, timeline.process_, bus), timeline_(timeline), bus_(bus) {}

void MachineTimeline::Listener::listen(bool on) {
  if (on)
    bus_.add_observer(*this);
  else
    bus_.remove_observer(*this);
}

void MachineTimeline::Listener::cycle(const bus::BusCycle& cycle) {
  if (!timeline_.open_) return;
  tracks.cycle(cycle);
  timeline_.sample(cycle.end);
  timeline_.after_cycle_();
}

void MachineTimeline::Listener::accessed(const bus::BusCycle& access) {
  if (timeline_.open_) timeline_.processor_.accessed(access);
}

}  // namespace planar
