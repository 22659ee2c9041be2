// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/boards/ps2/ps2_config.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "adf/reader/reader.hpp"
#include "adf/solver/solver.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {

namespace {

void read_channel(Config& c, Ps2Config& p) {
  auto& b = p.channel;
  p.host.cpu_bus_width = static_cast<unsigned>(c.integer("channel.cpu_bus_width", 16, 32));
  if (p.host.cpu_bus_width != 16 && p.host.cpu_bus_width != 32) c.fail("channel.cpu_bus_width", "is 16 or 32");
  b.synchronisation = c.time("channel.synchronisation");
  b.standard = c.time("channel.standard_cycle", "200 ns");
  b.extended = c.time("channel.extended_cycle", "300 ns");
  b.interrupt_acknowledge = c.time("channel.interrupt_acknowledge", "300 ns");
  b.arbitration.phase = c.time("channel.arbitration", "300 ns");
  b.arbitration.phase_extended = c.time("channel.arbitration_extended", "600 ns");
  b.memory_width = static_cast<unsigned>(c.integer("channel.memory_width", 16, 32));
  if (b.memory_width != 16 && b.memory_width != 32) c.fail("channel.memory_width", "is 16 or 32");
  p.host.memory_width = b.memory_width;
  b.memory_cycle = c.time("channel.memory_cycle", "200 ns");
  b.memory_streams = c.flag("channel.memory_streams", true);
  b.refresh.hold = c.time("channel.refresh_hold", "400 ns");
  for (const auto& [path, cycle] :
       {std::pair{"channel.standard_cycle", b.standard}, std::pair{"channel.extended_cycle", b.extended},
        std::pair{"channel.memory_cycle", b.memory_cycle}})
    if (cycle < 50_ns || cycle > 10_us) c.fail(path, "expects 50 ns to 10 us");
  if (b.extended < b.standard)
    c.fail("channel.extended_cycle", "is shorter than channel.standard_cycle, which it extends");
  for (const auto& [path, time] : {std::pair{"channel.synchronisation", b.synchronisation},
                                   std::pair{"channel.interrupt_acknowledge", b.interrupt_acknowledge},
                                   std::pair{"channel.arbitration", b.arbitration.phase},
                                   std::pair{"channel.arbitration_extended", b.arbitration.phase_extended}})
    if (time > 10_us) c.fail(path, "expects at most 10 us");
  if (b.refresh.hold >= b.refresh.period)
    c.fail("channel.refresh_hold", "is not shorter than memory.refresh.period: nothing else would have the channel");
}

}  // namespace

std::shared_ptr<const BoardConfig> read_ps2(Config& c, const MachineConfig& m) {
  auto p = std::make_shared<Ps2Config>();
  p->channel.refresh.period = m.refresh_period;
  read_channel(c, *p);
  p->scsi_setup_bit = static_cast<unsigned>(c.integer("planar.scsi_setup_bit", 1, 3, 1));
  if (p->scsi_setup_bit == 2) c.fail("planar.scsi_setup_bit", "is 1 or 3");
  p->panel = c.flag("planar.panel");
  return p;
}

bool ps2_card_choice(const std::string& card, const std::string& key) {
  static constexpr std::array<std::string_view, 4> resources{"io", "irq", "mem", "arb"};
  return std::find(resources.begin(), resources.end(), key) != resources.end() ||
         adf::find_item(adf::find_adf(find_adapter(card).adapter_id), key);
}

}  // namespace planar
