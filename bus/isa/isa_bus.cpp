// SPDX-License-Identifier: GPL-2.0-or-later
#include "bus/isa/isa_bus.hpp"

#include "core/common/error.hpp"

namespace planar::isa {

IsaBus::IsaBus(Scheduler& scheduler, const IsaTiming& timing, pci::Segment& pci)
    : Bus(scheduler, timing.costs()), pci_(pci) {
  contended_ = true;  // each cycle first requests PCI
}

// The request occupies PCI for one transaction, after which PCI is free for masters; the transaction of the completion
// is omitted.
Time IsaBus::acquire_contended(Time t) {
  t = pci_.acquire(t);
  pci_.processor_cycle(t + pci_.timing().clocks(pci_.timing().transaction));
  return t;
}

void IsaBus::describe(Description& d) const { d.time("last cycle ended", busy_until_); }

void IsaBus::archive(Archive& a) {
  a.section("isa", 1);
  a(busy_until_);
  if (a.loading() && busy_until_ > scheduler_.now() + 1_s)
    throw Error("snapshot holds a damaged ISA bus; take a new one", ExitCode::missing_file);
}

}  // namespace planar::isa
