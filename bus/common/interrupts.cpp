// SPDX-License-Identifier: GPL-2.0-or-later
#include "bus/common/interrupts.hpp"

#include <fmt/format.h>

#include "core/common/error.hpp"

namespace planar::bus {

std::string slot_names(std::uint32_t bits) {
  std::string names;
  for (unsigned slot = 0; slot < 32; ++slot)
    if (bits >> slot & 1) names += fmt::format("{}slot {}", names.empty() ? "" : ", ", slot + 1);
  return names;
}

unsigned InterruptLines::add_source(std::string name) {
  if (slot_sources + planar_sources_.size() == max_sources)
    throw Error("too many planar devices share the interrupt lines (24 at most); remove one from the machine file");
  planar_sources_.push_back(std::move(name));
  return slot_sources + static_cast<unsigned>(planar_sources_.size()) - 1;
}

void InterruptLines::set(unsigned line, unsigned source, bool asserted, Time now) {
  if (line >= lines || source >= max_sources) return;
  const std::uint32_t before = pulled_[line];
  const std::uint32_t bit = 1u << source;
  pulled_[line] = asserted ? before | bit : before & ~bit;
  if (watcher_ && asserted && !(before & bit)) watcher_(line, source, now);
  if (sink_ && (before != 0) != (pulled_[line] != 0)) sink_->set_irq(line, pulled_[line] != 0, now);
}

void InterruptLines::release_all(unsigned source, Time now) {
  for (unsigned line = 0; line < lines; ++line) set(line, source, false, now);
}

void InterruptLines::describe(Description& d) const {
  for (unsigned line = 0; line < lines; ++line) {
    std::string who = slot_names(pulled_[line] & ((1u << slot_sources) - 1));
    for (std::size_t n = 0; n < planar_sources_.size(); ++n)
      if (pulled_[line] >> (slot_sources + n) & 1) who += (who.empty() ? "" : ", ") + planar_sources_[n];
    d.text(fmt::format("IRQ {}", line), who.empty() ? "inactive" : "active: " + who);
  }
}

void InterruptLines::archive(Archive& a) {
  a.section("interrupt lines", 1);
  a(pulled_);
}

}  // namespace planar::bus
