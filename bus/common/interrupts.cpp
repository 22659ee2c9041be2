// SPDX-License-Identifier: GPL-2.0-or-later
#include "bus/common/interrupts.hpp"

#include "core/common/error.hpp"

namespace planar::bus {

unsigned InterruptLines::add_source() {
  if (next_source_ == max_sources)
    throw Error(
        "too many planar devices share the interrupt lines (24 at most); remove one from the "
        "machine file");
  return next_source_++;
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

void InterruptLines::archive(Archive& a) {
  a.section("interrupt lines", 1);
  a(pulled_);
}

}  // namespace planar::bus
