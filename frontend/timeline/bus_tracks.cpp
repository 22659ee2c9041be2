// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/timeline/bus_tracks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace planar {

BusTracks::BusTracks(TraceEventFile& file, unsigned process, const bus::Bus& bus)
    : file_(file),
      bus_(bus),
      owner_track_(file.track(process, fmt::format("{} owner", bus.name()))),
      cycle_track_(file.track(process, std::string(bus.name()))) {}

void BusTracks::open(Time now) {
  opened_ = since_ = now;
  if (const auto owner = bus_.owner_name(); owner != "processor") owner_ = owner;
}

void BusTracks::close(Time now) {
  if (!owner_.empty()) released(std::max(now, since_));
}

void BusTracks::cycle(const bus::BusCycle& c) {
  using Kind = bus::BusCycle::Kind;
  static constexpr std::array kinds{"io", "memory", "interrupt acknowledge"};
  static constexpr std::array titles{"I/O", "memory", ""};
  const char* direction = c.direction == Direction::read ? "read" : "write";
  const auto kind = static_cast<unsigned>(c.kind);
  const auto address = c.kind == Kind::io ? fmt::format("{:04X}", c.address) : fmt::format("{:06X}", c.address);
  EventArguments arguments;
  arguments.text("kind", kinds[kind]).text("direction", direction);
  if (c.kind != Kind::interrupt_acknowledge) arguments.text("address", address);
  arguments.number("bytes", c.bytes).text("value", fmt::format("{:0{}X}", c.value, 2 * c.bytes));
  const auto name = c.kind == Kind::interrupt_acknowledge ? std::string(kinds[kind])
                                                          : fmt::format("{} {} {}", titles[kind], direction, address);
  file_.slice(cycle_track_, name, "cycle", c.start, c.end, arguments);
  ++count_;
}

void BusTracks::refreshed(Time from, Time to) {
  from = std::max(from, opened_);
  if (to > from) file_.slice(owner_track_, "refresh", "owner", from, to);
}

void BusTracks::granted(const std::string& owner, unsigned level, Time now) {
  owner_ = owner;
  level_ = level;
  since_ = now;
}

void BusTracks::released(Time at) {
  if (owner_.empty()) return;
  file_.slice(owner_track_, owner_, "owner", since_, at, EventArguments().number("level", level_));
  owner_.clear();
}

void BusTracks::transferred(const std::string& owner, const bus::Transfer& t, Time from, Time to) {
  EventArguments arguments;
  arguments.text("owner", owner).text("direction", t.direction == Direction::read ? "read" : "write");
  arguments.text("address", fmt::format("{:06X}", t.address)).number("bytes", t.bytes).number("width", t.width);
  arguments.text("procedure", t.streaming ? "streaming data" : "cycles");
  file_.slice(cycle_track_,
              fmt::format("{} {} {} bytes", owner, t.direction == Direction::read ? "reads" : "writes", t.bytes),
              "transfer", from, to, arguments);
}

void BusTracks::occupied(const std::string& owner, Time from, Time to) {
  file_.slice(cycle_track_, owner, "transfer", from, to, EventArguments().text("owner", owner));
}

}  // namespace planar
