// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/timeline/line_tracks.hpp"

#include <fmt/format.h>

namespace planar {

void LineTracks::sample(Time now) {
  for (unsigned n = 0; n < bus::InterruptLines::lines; ++n) {
    const std::uint32_t sources = lines_.sources(n);
    if (sources == seen_[n].sources) continue;
    finish(n, now);
    seen_[n] = {sources, now};
  }
}

void LineTracks::finish(unsigned n, Time now) {
  const Line& line = seen_[n];
  if (line.sources == 0 || now <= line.since) return;
  constexpr std::uint32_t slots = (1u << bus::InterruptLines::slot_sources) - 1;
  std::string who = bus::slot_names(line.sources & slots);
  if (line.sources & ~slots) who += who.empty() ? "planar" : ", planar";
  file_.slice(file_.track(process_, fmt::format("IRQ {}", n)), who, "interrupt", line.since, now);
}

void LineTracks::close(Time now) {
  for (unsigned n = 0; n < bus::InterruptLines::lines; ++n) finish(n, now);
  seen_ = {};
}

}  // namespace planar
