// SPDX-License-Identifier: GPL-2.0-or-later
// The machine's devices by name, as they describe themselves.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "core/common/error.hpp"
#include "machines/machine.hpp"
#include "machines/units.hpp"

namespace planar {

struct Machine::DescribedDevice {
  std::string name;
  std::function<void(Description&)> describe;
};

std::vector<Machine::DescribedDevice> Machine::described() const {
  const Time t = now();
  std::vector<DescribedDevice> list = {
      {"cpu", [this](Description& d) { cpu_.describe(d); }},
      {"pic", [this](Description& d) { pic_.describe(d); }},
      {"pit", [this, t](Description& d) { timers_.describe(d, t); }},
      {"dma", [this](Description& d) { dma_.describe(d); }},
      {"channel", [this](Description& d) { channel_.describe(d); }},
      {"pos",
       [this](Description& d) {
         pos_.describe(d);
         planar_pos_.describe(d.part("planar functions"));
       }},
      {"irq",
       [this](Description& d) {
         interrupts_.describe(d);
         channel_check_.describe(d);
       }},
      {"memory", [this](Description& d) { memory_.describe(d); }},
      {"system", [this, t](Description& d) { system_.describe(d, t); }},
      {"rtc", [this, t](Description& d) { cmos_.describe(d, t); }},
      {"nvram", [this](Description& d) { nvram_.describe(d); }},
      {"keyboard", [this](Description& d) { keyboard_.describe(d); }},
      {"diskette", [this, t](Description& d) { diskette_.describe(d, t); }},
      {"com1", [this](Description& d) { serial_.describe(d); }},
      {"lpt1", [this](Description& d) { parallel_.describe(d); }},
      {"vga", [this, t](Description& d) { video_.describe(d, t); }},
      {"coprocessor", [this](Description& d) { coprocessor_.describe(d); }},
      {"post", [this](Description& d) { post_ports_.describe(d); }},
  };
  for (std::size_t n = 0; n < adapters_.size(); ++n)
    if (const bus::Adapter* adapter = adapters_[n].get())
      list.push_back(
          {fmt::format("slot{}.{}", n + 1, adapter->name()), [adapter](Description& d) { adapter->describe(d); }});
  if (config_.panel) list.push_back({"panel", [this](Description& d) { panel_.describe(d); }});
  if (!kernel_loader_.image().empty())
    list.push_back({"kernel-rom", [this](Description& d) { kernel_loader_.describe(d); }});
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

}  // namespace planar
