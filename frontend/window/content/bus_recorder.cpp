// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/content/bus_recorder.hpp"

#include <utility>

namespace planar {

namespace {
constexpr std::size_t most_spans = 60'000;
}

void BusRecorder::watch(Machine* machine) {
  if (machine == machine_) return;
  if (machine_)
    for (bus::Bus* bus : machine_->board().buses()) bus->remove_observer(*this);
  machine_ = machine;
  spans_.clear();
  granted_at_.clear();
  if (machine_)
    for (bus::Bus* bus : machine_->board().buses()) bus->add_observer(*this);
}

void BusRecorder::add(BusSpan span) {
  if (!spans_.empty() && span.from + kept < spans_.back().from) spans_.clear();  // back in time, by a snapshot
  spans_.push_back(std::move(span));
  const Time oldest = spans_.back().to - kept;
  while (spans_.size() > most_spans || spans_.front().to < oldest) spans_.pop_front();
}

void BusRecorder::accessed(const bus::BusCycle& access) {
  const auto kind = access.kind == bus::BusCycle::Kind::io       ? BusSpan::Kind::io
                    : access.kind == bus::BusCycle::Kind::memory ? BusSpan::Kind::memory
                                                                 : BusSpan::Kind::acknowledge;
  add({kind, access.start, access.end, {}, access.direction, access.address, access.bytes, access.value});
}

void BusRecorder::granted(const std::string& owner, unsigned, Time now) { granted_at_[owner] = now; }

void BusRecorder::released(const std::string& owner, Time at) {
  const auto granted = granted_at_.extract(owner);
  if (granted && granted.mapped() <= at) add({BusSpan::Kind::owned, granted.mapped(), at, owner});
}

void BusRecorder::transferred(const std::string& owner, const bus::Transfer& transfer, Time from, Time to) {
  add({BusSpan::Kind::transfer, from, to, owner, transfer.direction, transfer.address, transfer.bytes});
}

void BusRecorder::occupied(const std::string& owner, Time from, Time to) {
  add({BusSpan::Kind::transfer, from, to, owner});
}

}  // namespace planar
