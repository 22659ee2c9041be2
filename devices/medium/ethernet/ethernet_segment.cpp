// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/medium/ethernet/ethernet_segment.hpp"

#include <algorithm>

#include "core/common/error.hpp"

namespace planar::net {

EthernetSegment::EthernetSegment(EthernetConfig config)
    : config_(config),
      bit_time_{config.bits_per_second ? static_cast<std::int64_t>(1'000'000'000'000 / config.bits_per_second) : 0} {
  if (config.bits_per_second != 10'000'000 && config.bits_per_second != 100'000'000)
    throw Error(fmt::format("an Ethernet segment of {} bit/s is not modelled; use 10000000 or 100000000",
                            config.bits_per_second));
  if (config.propagation <= Time{} || config.propagation >= bit_time_ * gap_bits)
    throw Error(
        fmt::format("propagation delay of {} ps is out of range; use more than 0 and less than the "
                    "interframe gap of {} ps",
                    config.propagation.ps, (bit_time_ * gap_bits).ps));
}

EthernetSegment::~EthernetSegment() {
  for (EthernetPort* port : ports_)
    if (port) port->segment_ = nullptr;
}

std::uint32_t EthernetSegment::add(EthernetPort& port) {
  const auto place = std::find(ports_.begin(), ports_.end(), nullptr);
  const auto index = static_cast<std::uint32_t>(place - ports_.begin());
  if (place == ports_.end())
    ports_.push_back(&port);
  else
    *place = &port;
  return index;
}

void EthernetSegment::remove(EthernetPort& port) { ports_[port.index_] = nullptr; }

void EthernetSegment::begins(const EthernetPort& port, Time now) {
  for (WireObserver* observer : observers_) observer->begins(port.name(), now);
}

void EthernetSegment::left(const EthernetPort& port, WireRecord record) {
  record.sender = port.name();
  if (record.good) {
    ++counters_.frames;
    counters_.bytes += record.bytes.size();
  } else if (record.collided) {
    ++counters_.collisions;
  } else {
    ++counters_.damaged;
  }
  if (trace_ && trace_->on(TraceCategory::wire))
    (*trace_)(TraceCategory::wire, record.end, "{} sent {} bytes from {} ps{}", port.name(), record.bytes.size(),
              record.start.ps,
              record.good       ? ""
              : record.collided ? ", collided"
                                : ", damaged");
  for (WireObserver* observer : observers_) observer->observe(record);
}

void EthernetSegment::archive(Archive& a) {
  a.section("ethernet segment", 1);
  a(counters_.frames, counters_.bytes, counters_.collisions, counters_.damaged);
}

}  // namespace planar::net
