// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/medium/medium.hpp"

#include <algorithm>

namespace planar::net {

void Port::join(Medium& medium) {
  auto& ports = medium.ports_;
  const auto free = std::find(ports.begin(), ports.end(), nullptr);
  index_ = static_cast<std::uint32_t>(free - ports.begin());
  if (free == ports.end())
    ports.push_back(this);
  else
    *free = this;
  medium_ = &medium;
}

void Port::leave() {
  if (!medium_) return;
  medium_->ports_[index_] = nullptr;
  medium_ = nullptr;
  index_ = nobody;
}

Medium::~Medium() {
  for (Port* port : ports_)
    if (port) port->medium_ = nullptr;
}

void Medium::tell_begins(const Port& port, Time now) const {
  for (WireObserver* observer : observers_) observer->begins(*this, port.name(), now);
}

void Medium::tell_end(const WireRecord& record) const {
  if (trace_ && trace_->on(TraceCategory::wire))
    (*trace_)(TraceCategory::wire, record.end, record.sender, "sent {} bytes in {} ns on {}{}", record.bytes.size(),
              (record.end - record.start).ps / 1000, name_,
              record.good()                        ? ""
              : record.damage == Damage::collision ? ", collided"
                                                   : ", damaged");
  for (WireObserver* observer : observers_) observer->observe(record);
}

Description Medium::describe() const {
  Description d(name_);
  d.text("medium", title());
  for (const NamedCount& count : counts()) d.number(count.name, count.value);
  for (const Port* port : ports_)
    if (port) d.part(port->name()).flag("plugged", port->plugged());
  return d;
}

}  // namespace planar::net
