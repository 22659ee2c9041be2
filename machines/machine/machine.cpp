// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/machine/machine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "core/common/edit_distance.hpp"
#include "core/common/error.hpp"
#include "machines/config/board_kind.hpp"

namespace planar {

namespace {

cpu::CpuConfig cpu_config(const MachineConfig& m) {
  cpu::CpuConfig c;
  c.model = m.timing.model;
  c.clock = m.clock.clock();
  c.fpu = m.fpu;
  c.signature = m.signature;
  c.timing = m.timing;
  return c;
}

}  // namespace

Machine::Machine(Scheduler& scheduler, Trace& trace, const MachineConfig& config, std::span<net::Medium* const> media)
    : scheduler_(scheduler),
      config_(config),
      board_(config_.board_kind->make({scheduler, trace, space_, config_})),
      cpu_(scheduler, space_, board_->pins(), trace, cpu_config(config_)) {
  board_->start(cpu_, media);
  reset({});
}

Machine::~Machine() = default;

void Machine::reset(Time now) {
  board_->reset(now);
  cpu_.reset(now);
}

bool Machine::halted_for_good() const {
  constexpr std::uint32_t interrupt_flag = 1u << 9;
  return cpu_.halted() && !(cpu_.registers().eflags & interrupt_flag);
}

std::vector<DescribedDevice> Machine::described() const {
  std::vector<DescribedDevice> list{{"cpu", [this](Description& d) { cpu_.describe(d); }}};
  auto devices = board_->devices(now());
  std::move(devices.begin(), devices.end(), std::back_inserter(list));
  return list;
}

Time Machine::now() const { return std::max(scheduler_.now(), std::min(cpu_.time(), scheduler_.next_event())); }

std::vector<std::string> Machine::devices() const {
  std::vector<std::string> names;
  for (auto& device : described()) names.push_back(std::move(device.name));
  return names;
}

Description Machine::describe(std::string_view device) const {
  for (const auto& row : described())
    if (row.name == device) {
      Description d(row.name);
      row.describe(d);
      return d;
    }
  const auto names = devices();
  const auto guess = nearest(device, names);
  throw Error(fmt::format(
      "{} has no device '{}'; {}", config_.name, device,
      guess.empty() ? fmt::format("it has {}", fmt::join(names, ", ")) : fmt::format("did you mean '{}'?", guess)));
}

std::vector<Description> Machine::describe() const {
  std::vector<Description> all;
  for (const auto& row : described()) row.describe(all.emplace_back(row.name));
  return all;
}

void Machine::archive(Archive& a) {
  a.section("machine", 1);
  std::string name = config_.name;
  a(name);
  if (a.loading() && name != config_.name)
    throw Error(fmt::format("the snapshot is of a {}, not of a {}", name, config_.name), ExitCode::missing_file);
  board_->archive(a);
  cpu_.archive(a);
  if (!a.loading()) return;
  constexpr Time apart = 1_s;  // an instruction may end after the lab's time, or the processor be asleep from before it
  const ClockDomain& clock = cpu_.config().clock;
  const Time now = scheduler_.now();
  const std::uint64_t clocks = cpu_.clocks();  // in a damaged snapshot: their time may not fit
  if (clocks > clock.first_at_or_after(now + apart) || clocks < clock.index_at(now - apart))
    throw Error("snapshot: the processor's time is not the machine's; the file is damaged, take a new one",
                ExitCode::missing_file);
}

}  // namespace planar
